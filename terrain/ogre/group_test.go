package ogre_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/ogre"
)

func smallGroup() *ogre.Group {
	return &ogre.Group{
		Info:   ogre.Info{Align: ogre.AlignXZ, Size: 65, WorldSize: 1000, MaxBatch: 33, MinBatch: 17, Pos: [3]float32{100, 5, -200}},
		Prefix: "group", Extension: "dat", ResourceGroup: "General", LodStrategy: 1, InputScale: 1,
		Declaration: ogre.DefaultDeclaration(),
		Layers:      []ogre.Layer{{WorldSize: 10, Textures: []string{"a.png", "b.png"}}},
	}
}

func writeGroup(t testing.TB, g *ogre.Group) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ogre.WriteGroup(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func group(t testing.TB) []byte { return writeGroup(t, smallGroup()) }

func TestGroupRoundTrip(t *testing.T) {
	want := smallGroup()
	b := writeGroup(t, want)
	got, err := ogre.ReadGroup(bytes.NewReader(b))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	path := filepath.Join(t.TempDir(), "group.dat")
	if err := ogre.WriteGroupFile(path, want); err != nil {
		t.Fatal(err)
	}
	if got, err := ogre.ReadGroupFile(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}

	// As OGRE 1.8 writes it: without the strategy, 16 bytes before TDCL.
	body := b[15+14:]
	at := bytes.Index(body, []byte("TDCL")) - 20
	old := ogre.AppendChunk(bytes.Clone(b[:15]), "TERG", 1, append(bytes.Clone(body[:at]), body[at+4:]...))
	want.LodStrategy = 0
	if got, err := ogre.ReadGroup(bytes.NewReader(old)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("of OGRE 1.8: %+v, %v; want %+v", got, err, want)
	}
}

func TestGroupSample(t *testing.T) {
	dir := shared.Path(t, "ogre", "samples")
	b := readFile(t, filepath.Join(dir, "group_def.dat"))
	g, err := ogre.ReadGroup(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Definition struct {
			Align              ogre.Align
			Size               int
			WorldSize          float32
			Prefix, Ext        string
			ResGroup           string
			Origin             [3]float32
			LodStrategy        uint32
			ConstantHeight     float32
			Bias, Scale        float32
			MaxBatch, MinBatch int
			Decl               declaration
			Layers             []layer
		}
	}
	if err := json.Unmarshal(readFile(t, filepath.Join(dir, "group_def.json")), &file); err != nil {
		t.Fatal(err)
	}
	d := file.Definition
	want := &ogre.Group{
		Info:   ogre.Info{Align: d.Align, Size: d.Size, WorldSize: d.WorldSize, MaxBatch: d.MaxBatch, MinBatch: d.MinBatch, Pos: d.Origin},
		Prefix: d.Prefix, Extension: d.Ext, ResourceGroup: d.ResGroup, LodStrategy: d.LodStrategy,
		ConstantHeight: d.ConstantHeight, InputBias: d.Bias, InputScale: d.Scale,
		Declaration: g.Declaration, Layers: g.Layers,
	}
	if !reflect.DeepEqual(g, want) {
		t.Errorf("%+v, want %+v", g, want)
	}
	checkLayers(t, g.Declaration, g.Layers, d.Decl, d.Layers)
	if got := writeGroup(t, g); !bytes.Equal(got, b) {
		t.Error("written otherwise than OGRE did")
	}

	// The slots that there are lie where the definition puts them and share edges.
	slots := map[[2]int16]*ogre.Terrain{}
	for _, s := range samples(t) {
		x, y, ok := g.ParseSlotFile(s.name + ".dat")
		if !ok {
			continue
		}
		o := read(t, s.data)
		slots[[2]int16{x, y}] = o
		if o.Pos != g.SlotPos(x, y) {
			t.Errorf("slot %d, %d is at %v, want %v", x, y, o.Pos, g.SlotPos(x, y))
		}
	}
	west, here, north := slots[[2]int16{-1, -1}], slots[[2]int16{0, -1}], slots[[2]int16{0, 0}]
	if len(slots) != 3 || west == nil || here == nil || north == nil {
		t.Fatalf("slots %v", slots)
	}
	for i := range g.Size {
		last := g.Size - 1
		if west.Heights[i*g.Size+last] != here.Heights[i*g.Size] || here.Heights[last*g.Size+i] != north.Heights[i] {
			t.Errorf("edges differ at sample %d", i)
		}
	}
}

func TestSlotFile(t *testing.T) {
	g := smallGroup()
	for _, test := range []struct {
		x, y int16
		name string
	}{
		{0, 0, "group_00000000.dat"},
		{-1, 0, "group_ffff0000.dat"},
		{0, -1, "group_0000ffff.dat"},
		{math.MinInt16, math.MaxInt16, "group_80007fff.dat"},
	} {
		if got := g.SlotFile(test.x, test.y); got != test.name {
			t.Errorf("(%d, %d): %s, want %s", test.x, test.y, got, test.name)
		}
		if x, y, ok := g.ParseSlotFile(test.name); x != test.x || y != test.y || !ok {
			t.Errorf("%s: %d, %d, %v", test.name, x, y, ok)
		}
	}
	for _, name := range []string{"", "group_0000000.dat", "group_000000000.dat", "group_0000000g.dat", "group_0000FFFF.dat", "other_00000000.dat", "group_00000000.png", "group_+0000000.dat"} {
		if _, _, ok := g.ParseSlotFile(name); ok {
			t.Errorf("%q is taken for a slot", name)
		}
	}
	g.Align = ogre.AlignXY
	if got, want := g.SlotPos(2, -1), [3]float32{2100, -995, -200}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestGroupRefused(t *testing.T) {
	for want, change := range map[string]func(*ogre.Group){
		"alignment 7":       func(g *ogre.Group) { g.Align = 7 },
		"size 66":           func(g *ogre.Group) { g.Size = 66 },
		"batch sizes":       func(g *ogre.Group) { g.MinBatch = 65 },
		"256 layers":        func(g *ogre.Group) { g.Layers = make([]ogre.Layer, 256) },
		"a text of 131072 ": func(g *ogre.Group) { g.Prefix = strings.Repeat("x", 1<<17) },
	} {
		g := smallGroup()
		change(g)
		if err := ogre.WriteGroup(new(bytes.Buffer), g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	b := group(t)
	for at, want := range map[int]string{15 + 14: "alignment", 15 + 14 + 4: "size"} {
		c := bytes.Clone(b)
		c[at] = 200
		if _, err := ogre.ReadGroup(bytes.NewReader(c)); !errors.Is(err, ogre.ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
