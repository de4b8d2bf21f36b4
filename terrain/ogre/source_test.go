package ogre_test

import (
	"bytes"
	"compress/zlib"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// landscape writes a group of 3×2 slots, without the one in the north-east,
// whose heights are 1000·row + column of the whole, north first.
func landscape(t *testing.T) (path string, width, height int) {
	t.Helper()
	dir := t.TempDir()
	g := smallGroup()
	g.Size, g.MaxBatch, g.MinBatch = 17, 17, 5
	path = filepath.Join(dir, "def.dat")
	if err := ogre.WriteGroupFile(path, g); err != nil {
		t.Fatal(err)
	}
	for slot := range 5 {
		x, y := slot%3, slot/3 // the south first
		f := &terrain.Field{Width: 17, Height: 17, Spacing: float64(g.WorldSize) / 16, Quantum: 1}
		for z := range 17 {
			for c := range 17 {
				f.Samples = append(f.Samples, int32(1000*((1-y)*16+z)+x*16+c))
			}
		}
		o := ogre.Options{Pos: g.SlotPos(int16(x-1), int16(y)), MaxBatch: 17, MinBatch: 5}
		tr, err := ogre.FromField(f, o)
		if err == nil {
			err = ogre.WriteFile(filepath.Join(dir, g.SlotFile(int16(x-1), int16(y))), tr)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return path, 3*16 + 1, 2*16 + 1
}

func TestGroupIsOneField(t *testing.T) {
	path, width, height := landscape(t)
	s, err := ogre.OpenSource(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Width != width || s.Height != height || s.Terrains != 5 {
		t.Fatalf("%d×%d of %d terrains, want %d×%d of 5", s.Width, s.Height, s.Terrains, width, height)
	}
	// Slot (0, 0) is around (100, -200), 1000 m wide; the group begins one slot west
	// and ends one north of it.
	if x, z, up := s.Origin(); x != 100-1500 || z != -200-1500 || up != 5 {
		t.Errorf("origin %v, %v, %v", x, z, up)
	}
	rows := make([]float32, width*height)
	if err := s.ReadHeights(0, rows); err != nil {
		t.Fatal(err)
	}
	for z := range height {
		for x := range width {
			got, want := rows[z*width+x], float32(1000*z+x)
			if absent := x > 32 && z < 16; absent != math.IsNaN(float64(got)) || !absent && got != want {
				t.Fatalf("column %d, row %d: %v, want %v (void: %v)", x, z, got, want, absent)
			}
		}
	}
	again := make([]float32, 2*width)
	if err := s.ReadHeights(5, again); err != nil || again[3] != 5003 || again[width] != 6000 {
		t.Errorf("rows read again: %v, %v", again[3], err)
	}
}

func TestGroupSourceRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(dir string, g *ogre.Group) error
	}{
		{"no terrain", "_00000000.dat", func(dir string, g *ogre.Group) error {
			return removeAll(dir, "group_")
		}},
		{"another size", "its group says 17", func(dir string, g *ogre.Group) error {
			tr, err := ogre.FromField(&terrain.Field{Width: 33, Height: 33, Spacing: 1, Quantum: 1, Samples: make([]int32, 33*33)}, ogre.Options{})
			if err != nil {
				return err
			}
			return ogre.WriteFile(filepath.Join(dir, g.SlotFile(0, 0)), tr)
		}},
		{"a damaged terrain", "is cut", func(dir string, g *ogre.Group) error {
			return os.Truncate(filepath.Join(dir, g.SlotFile(0, 1)), 300)
		}},
		{"too many columns", "samples; at most", func(dir string, g *ogre.Group) error {
			g.Size, g.WorldSize = 257, 1000
			if err := os.WriteFile(filepath.Join(dir, g.SlotFile(-32768, 0)), nil, 0o666); err != nil {
				return err
			}
			return ogre.WriteGroupFile(filepath.Join(dir, "def.dat"), g)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, width, height := landscape(t)
			g, err := ogre.ReadGroupFile(path)
			if err == nil {
				err = c.spoil(filepath.Dir(path), g)
			}
			if err != nil {
				t.Fatal(err)
			}
			s, err := ogre.OpenSource(path)
			if err == nil {
				err = s.ReadHeights(0, make([]float32, width*height))
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("%v; want one line with %q", err, c.want)
			}
		})
	}
}

func removeAll(dir, prefix string) error {
	names, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	for _, n := range names {
		if err == nil {
			err = os.Remove(n)
		}
	}
	return err
}

func TestKindOf(t *testing.T) {
	path, _, _ := landscape(t)
	def := readFile(t, path)
	one := readFile(t, filepath.Join(filepath.Dir(path), "group_00000000.dat"))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(one)
	z.Close()
	for _, c := range []struct {
		name string
		data []byte
		want ogre.SourceKind
	}{
		{"a terrain", one, ogre.TerrainFile},
		{"a group", def, ogre.GroupFile},
		{"a compressed file", packed.Bytes(), ogre.TerrainFile},
		{"a cut header", one[:14], ogre.NotOGRE},
		{"nothing", nil, ogre.NotOGRE},
		{"another chunk", append(bytes.Clone(one[:15]), "ABCDE"...), ogre.NotOGRE},
		{"zlib of something else", []byte("\x78\x9c\x03\x00\x00\x00\x00\x01"), ogre.NotOGRE},
	} {
		if got := ogre.KindOf(bytes.NewReader(c.data)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
