package edit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/edit"
)

// baked bakes f to a temporary file.
func baked(t testing.TB, f *terrain.Field, tileSize int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "land.vkt")
	if _, err := bake.Bake(context.Background(), f, bake.Options{TileSize: tileSize, OriginX: 5}, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, o edit.Options) *edit.Session {
	t.Helper()
	s, err := edit.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// land is a field, and edits are made to it as to a world.
type land struct{ *terrain.Field }

func newLand(w, h int, seed uint64, holes bool) land {
	f := testworld.Rough(w, h, seed)
	if holes {
		testworld.Punch(f, 5, seed)
	}
	// What a bake makes of the heights of holes.
	g := f.Grid()
	for i := range f.Samples {
		f.Samples[i] = min(max(f.Samples[i], g.Min), g.Max)
	}
	return land{f}
}

// stroke is an edit.
type stroke struct {
	x, z, w, h int
	heights    []int32
	holes      []bool
}

// stroke returns a random edit, of a sample, a line or a square; a tenth of them
// makes holes.
func (l land) stroke(rng *rand.Rand) stroke {
	s := stroke{w: 1 + rng.IntN(12), h: 1 + rng.IntN(12)}
	switch rng.IntN(4) {
	case 0:
		s.w, s.h = 1, 1
	case 1:
		s.w, s.h = min(l.Width, 60), 1
	}
	s.w, s.h = min(s.w, l.Width), min(s.h, l.Height)
	s.x, s.z = rng.IntN(l.Width-s.w+1), rng.IntN(l.Height-s.h+1)
	if rng.IntN(3) == 0 { // at the rim, or on seams
		s.x, s.z = (s.x/16*16)%(l.Width-s.w+1), l.Height-s.h
	}
	up := rng.IntN(400) - 200
	for z := range s.h {
		for x := range s.w {
			s.heights = append(s.heights, l.At(s.x+x, s.z+z)+int32(up+rng.IntN(20)))
		}
	}
	if l.Void != nil {
		s.holes = make([]bool, len(s.heights))
		for i := range s.holes {
			s.holes[i] = up < -160 && i%7 != 3
		}
	}
	return s
}

func (l land) apply(s stroke) {
	for i, h := range s.heights {
		at := (s.z+i/s.w)*l.Width + s.x + i%s.w
		hole := s.holes != nil && s.holes[i]
		if !hole {
			l.Samples[at] = h
		}
		if l.Void != nil {
			l.Void[at] = hole
		}
	}
}

func (l land) clone() land {
	f := *l.Field
	f.Samples, f.Void = slices.Clone(f.Samples), slices.Clone(f.Void)
	return land{&f}
}

func set(t testing.TB, s *edit.Session, k stroke) *edit.Change {
	t.Helper()
	c, err := s.Set(k.x, k.z, k.w, k.h, k.heights, k.holes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// source is what a file and a snapshot have in common.
type source interface {
	World() *terrain.World
	Tiles() []terrain.TileInfo
	ReadTile(d *chunkfile.Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error)
}

// differs says in which way two worlds are not the same, or nothing. With light, sky
// view is compared too.
func differs(t testing.TB, got, want source, light bool) string {
	t.Helper()
	d := chunkfile.NewDecoder()
	a, b := got.Tiles(), want.Tiles()
	for i := range b {
		if fmt.Sprint(a[i]) != fmt.Sprint(b[i]) {
			return fmt.Sprintf("tile %v: %+v\nis not %+v", b[i].Key, a[i], b[i])
		}
		x, err := got.ReadTile(d, b[i].Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := want.ReadTile(d, b[i].Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		for id := range y.Verts {
			v, w := x.Verts[id], y.Verts[id]
			if !light && v.Hole() == w.Hole() {
				v.SkyView = w.SkyView
			}
			if v != w {
				return fmt.Sprintf("tile %v vertex %v: %+v is not %+v", b[i].Key, want.World().Layout().Grid[id], v, w)
			}
		}
	}
	v, w := *got.World(), *want.World()
	for o, r := range w.Radius {
		if v.Radius[o] < r {
			return fmt.Sprintf("radius of order %d: %v, below %v", o, v.Radius[o], r)
		}
	}
	v.Radius = w.Radius
	if w.Holes { // the made-up heights of holes count
		v.Min, v.Max = w.Min, w.Max
	}
	if fmt.Sprint(v) != fmt.Sprint(w) {
		return fmt.Sprintf("world %+v\nis not %+v", v, w)
	}
	return ""
}

// fresh bakes l.
func fresh(t testing.TB, l land, tileSize int) *chunkfile.Reader {
	t.Helper()
	r, err := chunkfile.OpenFile(baked(t, l.Field, tileSize))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestEditsEqualAFreshBake: after each of many random edits all tiles of the world
// are those of a bake of the edited field, across seams, at the rim with its padding,
// and with holes.
func TestEditsEqualAFreshBake(t *testing.T) {
	for _, c := range []struct {
		w, h, tile int
		holes      bool
	}{{70, 61, 17, false}, {70, 61, 17, true}, {33, 33, 33, false}, {100, 20, 9, true}, {18, 90, 17, false}, {2, 2, 17, false}, {66, 66, 33, true}} {
		rng := rand.New(rand.NewPCG(uint64(c.w), 1))
		l := newLand(c.w, c.h, 3, c.holes)
		s := open(t, baked(t, l.Field, c.tile), edit.Options{})
		touched, tiles := 0, 0
		start, all := s.Now(), map[terrain.Key]edit.Levels{}
		edits := 12
		if few {
			edits = 3
		}
		for i := range edits {
			k := l.stroke(rng)
			before := s.Now()
			change := set(t, s, k)
			l.apply(k)
			if msg := differs(t, s.Now(), fresh(t, l, c.tile), false); msg != "" {
				t.Fatalf("%+v, edit %d (%d×%d at %d, %d): %s", c, i, k.w, k.h, k.x, k.z, msg)
			}
			checkChange(t, before, change)
			for _, k := range change.Tiles {
				all[k.Info.Key] |= k.Levels
			}
			checkSince(t, start, s.Now(), all)
			touched, tiles = touched+len(change.Tiles), tiles+len(before.Tiles())
		}
		if touched == 0 || len(s.Now().Tiles()) > 20 && touched*2 > tiles {
			t.Errorf("%+v: %d of %d tiles were touched", c, touched, tiles)
		}
	}
}

// checkSince: all changes together are those since the first snapshot.
func checkSince(t *testing.T, start, now *edit.Snapshot, want map[terrain.Key]edit.Levels) {
	t.Helper()
	since := now.Since(start)
	if len(since) != len(want) {
		t.Errorf("%d tiles have changed since, %d at all", len(since), len(want))
	}
	for _, k := range since {
		if levels, ok := want[k.Info.Key]; !ok || levels != k.Levels {
			t.Errorf("tile %v: levels %b have changed since, %b at all", k.Info.Key, k.Levels, levels)
		}
	}
}

// checkChange: a change lists the tiles that are others than before, and their levels
// that are.
func checkChange(t *testing.T, before *edit.Snapshot, c *edit.Change) {
	t.Helper()
	listed := map[terrain.Key]edit.Levels{}
	for _, k := range c.Tiles {
		listed[k.Info.Key] = k.Levels
		if k.Info.Base != c.Snapshot.Tile(k.Info.Key).Base {
			t.Errorf("tile %v is not that of the snapshot", k.Info.Key)
		}
	}
	layout, d := before.World().Layout(), chunkfile.NewDecoder()
	for _, info := range before.Tiles() {
		a, err := before.ReadTile(d, info.Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.Snapshot.ReadTile(d, info.Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		levels, ok := listed[info.Key]
		if want := fmt.Sprint(*a.Info) != fmt.Sprint(*b.Info) || !slices.Equal(a.Verts, b.Verts); want != ok {
			t.Errorf("tile %v has changed: %v, but is listed: %v", info.Key, want, ok)
		}
		for l := range layout.Levels {
			lo, hi := layout.Range(terrain.Level(l))
			if want := !slices.Equal(a.Verts[lo:hi], b.Verts[lo:hi]); want != levels.Has(terrain.Level(l)) {
				t.Errorf("tile %v level %d has changed: %v, but is listed: %v", info.Key, l, want, !want)
			}
		}
	}
}

// TestUndoRedo: undoing all edits gives the file's world back, bit by bit, and redoing
// them the last one.
func TestUndoRedo(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	l := newLand(70, 61, 3, true)
	s := open(t, baked(t, l.Field, 17), edit.Options{})
	states := []*edit.Snapshot{s.Now()}
	for range 10 {
		k := l.stroke(rng)
		set(t, s, k)
		l.apply(k)
		states = append(states, s.Now())
	}
	at := 10
	for _, undo := range []bool{true, true, false, true, true, true, false, false, true, true, true, true, true, true, true, false} {
		do := s.Redo
		if undo {
			do = s.Undo
			at--
		} else {
			at++
		}
		before := s.Now()
		c, err := do()
		if err != nil {
			t.Fatal(err)
		}
		if msg := differs(t, s.Now(), states[at], true); msg != "" {
			t.Fatalf("after going to %d: %s", at, msg)
		}
		checkChange(t, before, c)
	}
	for ; at > 0; at-- {
		if _, err := s.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Now().MemoryBytes(); n != 0 {
		t.Errorf("%d bytes of what the file has are in memory", n)
	}
	if _, err := s.Undo(); !errors.Is(err, edit.ErrNothing) {
		t.Error(err)
	}
	if undo, redo := s.Steps(); undo != 0 || redo != 10 {
		t.Errorf("%d and %d steps", undo, redo)
	}
	set(t, s, l.stroke(rng))
	if _, err := s.Redo(); !errors.Is(err, edit.ErrNothing) {
		t.Errorf("redone after another edit: %v", err)
	}
}

// TestRefusals: what cannot be is an error, and changes nothing.
func TestRefusals(t *testing.T) {
	l := newLand(40, 30, 3, false)
	path := baked(t, l.Field, 17)
	s := open(t, path, edit.Options{})
	before := s.Now()
	for _, c := range []struct {
		x, z, w, h, n int
		height        int32
		holes         bool
		want          string
	}{
		{-1, 0, 1, 1, 1, 0, false, "not in a world of 40×30"},
		{0, 0, 41, 1, 41, 0, false, "not in a world of 40×30"},
		{39, 29, 1, 2, 2, 0, false, "not in a world of 40×30"},
		{0, 0, 0, 1, 0, 0, false, "not in a world of 40×30"},
		{math.MaxInt, 0, 2, 1, 2, 0, false, "not in a world of 40×30"},
		{1, 0, math.MaxInt, 1, 2, 0, false, "not in a world of 40×30"},
		{0, 0, 2, 2, 3, 0, false, "3 heights"},
		{0, 0, 1, 1, 1, 1 << 24, false, "more than 24 bits"},
		{0, 0, 1, 1, 1, math.MinInt32, false, "more than 24 bits"},
		{0, 0, 1, 1, 1, 1 << 20, false, "span more than 16 bits"},
		{0, 0, 40, 30, 1200, 0, true, "would be holes"},
	} {
		heights, holes := make([]int32, c.n), make([]bool, c.n)
		for i := range heights {
			heights[i], holes[i] = c.height, c.holes
		}
		if _, err := s.Set(c.x, c.z, c.w, c.h, heights, holes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if s.Now() != before {
		t.Error("something has changed")
	}
	if c, err := s.Set(3, 4, 1, 1, []int32{l.At(3, 4)}, nil); err != nil || len(c.Tiles) != 0 || s.Now() != before {
		t.Errorf("a height that it has: %+v %v", c, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), ".land.vkt.edits")); err == nil {
		t.Error("a journal of nothing")
	}
	set(t, s, l.stroke(rand.New(rand.NewPCG(1, 1))))
	if _, err := edit.Open(path, edit.Options{}); err == nil || !strings.Contains(err.Error(), "another program edits") {
		t.Errorf("a second session: %v", err)
	}
}

// TestMetres: heights in metres are rounded to the nearest quantum, NaN is a hole.
func TestMetres(t *testing.T) {
	l := newLand(40, 30, 3, false)
	s := open(t, baked(t, l.Field, 17), edit.Options{})
	if _, err := s.SetMetres(15, 3, 4, 1, []float64{10, -3.07, math.NaN(), 1e300}); err == nil {
		t.Error("1e300 m are a height")
	}
	if _, err := s.SetMetres(15, 3, 3, 1, []float64{10, -3.07, math.NaN()}); err != nil {
		t.Fatal(err)
	}
	heights, holes := make([]int32, 4), make([]bool, 4)
	if err := s.Now().Heights(14, 3, 4, 1, heights, holes); err != nil {
		t.Fatal(err)
	}
	want := []int32{l.At(14, 3), 80, -25, l.At(17, 3)}
	if !slices.Equal(heights, want) || !slices.Equal(holes, []bool{false, false, false, true}) {
		t.Errorf("%v %v, want %v", heights, holes, want)
	}
	if !s.Now().World().Holes {
		t.Error("the world does not know of its hole")
	}
}

// TestSave: a saved world is the edited one, nothing of the tiles that were not edited
// is another, and the journal has gone.
func TestSave(t *testing.T) {
	ctx := context.Background()
	for _, shardRows := range []int{0, 2} {
		l := newLand(120, 130, 3, true)
		path := baked(t, l.Field, 17)
		if shardRows > 0 {
			reshard(t, path, shardRows)
		}
		first, err := chunkfile.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer first.Close()
		s := open(t, path, edit.Options{})
		rng := rand.New(rand.NewPCG(9, 1))
		for range 3 {
			k := l.stroke(rng)
			k.x, k.z = k.x/3, k.z/3
			set(t, s, k)
		}
		edited, other := s.Now(), filepath.Join(t.TempDir(), "other.vkt")
		if err := s.SaveAs(ctx, other); err != nil {
			t.Fatal(err)
		}
		if undo, _ := s.Steps(); undo != 3 {
			t.Errorf("%d steps after saving a copy", undo)
		}
		if err := s.Save(ctx); err != nil {
			t.Fatal(err)
		}
		if names := namesIn(t, filepath.Dir(path)); shardRows == 0 && len(names) != 1 || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, ".") }) {
			t.Errorf("files %q", names)
		}
		for _, p := range []string{path, other} {
			r, err := chunkfile.OpenFile(p)
			if err != nil {
				t.Fatal(err)
			}
			if msg := differs(t, r, edited, true); msg != "" {
				t.Errorf("%s: %s", p, msg)
			}
			if err := r.Verify(func(e chunkfile.ChunkError) { t.Error(e) }); err != nil {
				t.Error(err)
			}
			if r.ShardRows() != shardRows {
				t.Errorf("shards of %d rows", r.ShardRows())
			}
			checkCopied(t, first, r, edited)
			r.Close()
		}
		if now := s.Now(); len(now.Since(edited)) != 0 || now.MemoryBytes() != 0 || differs(t, now, edited, true) != "" {
			t.Errorf("%d tiles have changed by saving, %d bytes in memory", len(now.Since(edited)), now.MemoryBytes())
		}
		if undo, redo := s.Steps(); undo+redo != 0 {
			t.Error("there is something to undo after saving")
		}
		before := s.Now()
		checkChange(t, before, set(t, s, l.stroke(rng)))
	}
}

// checkCopied wants the stored bytes of tiles that no edit has changed to be the same.
func checkCopied(t *testing.T, old, now *chunkfile.Reader, s *edit.Snapshot) {
	t.Helper()
	var zero edit.Snapshot
	changed := map[terrain.Key]bool{}
	for _, c := range s.Since(&zero) {
		changed[c.Info.Key] = true
	}
	same := 0
	for _, info := range old.Tiles() {
		a, err := old.ReadEncoded(info.Key)
		if err != nil {
			t.Fatal(err)
		}
		b, err := now.ReadEncoded(info.Key)
		if err != nil {
			t.Fatal(err)
		}
		if a.Same(b) == changed[info.Key] {
			t.Errorf("tile %v: edited %v, the same bytes %v", info.Key, changed[info.Key], !changed[info.Key])
		}
		if !changed[info.Key] {
			same++
		}
	}
	if same == 0 || len(changed) == 0 {
		t.Errorf("%d tiles are the same, %d others: nothing was tested", same, len(changed))
	}
}

// reshard writes the world at path in shards.
func reshard(t *testing.T, path string, rows int) {
	t.Helper()
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := chunkfile.Create(path, r.World(), &chunkfile.WriterOptions{Tables: r.Tables(), ShardRows: rows})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range r.Tiles() {
		e, err := r.ReadEncoded(info.Key)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteEncoded(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func namesIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestSaveOfVersion1 edits the frozen file of that version.
func TestSaveOfVersion1(t *testing.T) {
	b, err := os.ReadFile("../chunkfile/testdata/v1.vkt")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.vkt")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, edit.Options{})
	before := s.Now()
	want := before.World().Min + 3
	if _, err := s.Set(0, 0, 1, 1, []int32{want}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(context.Background()); err != nil {
		t.Fatal(err)
	}
	heights := make([]int32, 1)
	if err := s.Now().Heights(0, 0, 1, 1, heights, nil); err != nil || heights[0] != want {
		t.Errorf("%v %v, want %d", heights, err, want)
	}
	if n := len(s.Now().Since(before)); n != len(before.Tiles()) {
		t.Errorf("%d of %d tiles have changed", n, len(before.Tiles()))
	}
	if r, err := chunkfile.OpenFile(path); err != nil || r.Version() != 2 || r.Close() != nil {
		t.Error(err)
	}
}

// TestLayersStay: what a world keeps beside its vertices survives edits.
func TestLayersStay(t *testing.T) {
	l := newLand(50, 50, 3, false)
	plain, err := chunkfile.OpenFile(baked(t, l.Field, 17))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	world := *plain.World()
	world.Layers = []terrain.Layer{{Name: "mark", Bytes: 2}}
	path := filepath.Join(t.TempDir(), "layers.vkt")
	w, err := chunkfile.Create(path, &world, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := chunkfile.NewDecoder()
	layout := world.Layout()
	mark := make([]byte, 2*len(layout.Grid))
	for _, info := range plain.Tiles() {
		tile, err := plain.ReadTile(d, info.Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		for id, g := range layout.Grid {
			mark[2*id], mark[2*id+1] = uint8(min(int(info.Key.X)*16+int(g.X), 49)), uint8(min(int(info.Key.Y)*16+int(g.Z), 49))
		}
		if err := w.WriteTile(&info, tile.Verts, mark); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, edit.Options{})
	set(t, s, l.stroke(rand.New(rand.NewPCG(3, 1))))
	if err := s.Save(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, info := range r.Tiles() {
		for level := layout.Levels - 1; level >= 0; level-- {
			if err := r.ReadLayer(d, mark, info.Key, terrain.Level(level), 0); err != nil {
				t.Fatal(err)
			}
		}
		for id, g := range layout.Grid {
			x, z := min(int(info.Key.X)*16+int(g.X), 49), min(int(info.Key.Y)*16+int(g.Z), 49)
			if int(mark[2*id]) != x || int(mark[2*id+1]) != z {
				t.Fatalf("the layer of %d, %d is %v", x, z, mark[2*id:2*id+2])
			}
		}
	}
}

// TestCloseKeepsEdits: a session that ends without saving goes on where it was.
func TestCloseKeepsEdits(t *testing.T) {
	l := newLand(70, 61, 3, true)
	path := baked(t, l.Field, 17)
	rng := rand.New(rand.NewPCG(2, 1))
	for range 4 {
		s, err := edit.Open(path, edit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if msg := differs(t, s.Now(), fresh(t, l, 17), false); msg != "" {
			t.Fatal(msg)
		}
		for range 3 {
			k := l.stroke(rng)
			set(t, s, k)
			l.apply(k)
		}
		k := l.stroke(rng)
		set(t, s, k)
		if _, err := s.Undo(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Set(0, 0, 1, 1, []int32{0}, nil); err == nil {
			t.Error("edited after Close")
		}
	}
}

// TestReadersWhileEditing reads snapshots from other goroutines while edits and saves
// go on: each stays what it was.
func TestReadersWhileEditing(t *testing.T) {
	l := newLand(70, 61, 3, true)
	s := open(t, baked(t, l.Field, 17), edit.Options{})
	rng := rand.New(rand.NewPCG(11, 1))
	var done atomic.Bool
	var readers sync.WaitGroup
	var reads atomic.Int64
	for range 3 {
		readers.Go(func() {
			d := chunkfile.NewDecoder()
			for !done.Load() {
				now := s.Now()
				var first []terrain.Vertex
				for range 3 {
					tile, err := now.ReadTile(d, terrain.Key{X: 1, Y: 1}, 0)
					if err != nil {
						t.Error(err)
						return
					}
					if first != nil && !slices.Equal(first, tile.Verts) {
						t.Error("a snapshot has changed")
					}
					first = tile.Verts
					reads.Add(1)
				}
			}
		})
	}
	for i := range 12 {
		k := l.stroke(rng)
		k.x, k.z = k.x%15, k.z%15
		set(t, s, k)
		if i%5 == 4 {
			if err := s.Save(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
	done.Store(true)
	readers.Wait()
	if reads.Load() < 20 {
		t.Errorf("%d reads: nothing was tested", reads.Load())
	}
}

// TestNothingIsSavedOverAnother: what another session or a bake has written since a
// session opened the world stays.
func TestNothingIsSavedOverAnother(t *testing.T) {
	l := newLand(40, 40, 1, false)
	path := baked(t, l.Field, 17)
	first, second := open(t, path, edit.Options{}), open(t, path, edit.Options{})
	if _, err := first.Set(1, 1, 1, 1, []int32{77}, nil); err != nil {
		t.Fatal(err)
	}
	if err := first.Save(context.Background()); err != nil {
		t.Fatal(err)
	}
	saved := read(t, path)
	wantWritten := func(err error) {
		t.Helper()
		if err == nil || !strings.HasPrefix(err.Error(), path+": another program has written it") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v", err)
		}
		if !slices.Equal(read(t, path), saved) {
			t.Error("the world has changed")
		}
	}
	_, err := second.Set(2, 2, 1, 1, []int32{78}, nil)
	wantWritten(err)
	if names := namesIn(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("%v are there, want the world alone", names)
	}
	// The first session goes on, until a bake comes in between.
	if _, err := first.Set(1, 1, 1, 1, []int32{79}, nil); err != nil {
		t.Fatal(err)
	}
	if saved = read(t, baked(t, newLand(40, 40, 2, false).Field, 17)); os.WriteFile(path+".new", saved, 0o666) != nil || os.Rename(path+".new", path) != nil {
		t.Fatal("cannot write")
	}
	wantWritten(first.Save(context.Background()))
}
