package streaming_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

var _ streaming.Source = (*chunkfile.Reader)(nil)

// fake is a world in memory that can be slow and broken.
type fake struct {
	world *testworld.World
	tiles []terrain.TileInfo
	delay time.Duration
	// fail says what goes wrong with a read, and after how many vertices.
	fail func(k terrain.Key, level terrain.Level) (after int, err error)

	mu   sync.Mutex
	log  []streaming.Asked
	busy int
	most int // reads at a time
}

var worlds sync.Map

// newFake returns n×n tiles of 33² samples, 10 m apart, without the holes.
func newFake(n int, holes ...terrain.Key) *fake {
	w, ok := worlds.Load(n)
	if !ok {
		w, _ = worlds.LoadOrStore(n, testworld.New(testworld.Rough(32*n+1, 32*n+1, 5), 33, -1000, 500))
	}
	f := &fake{world: w.(*testworld.World)}
	for y := range int32(n) {
		for x := range int32(n) {
			if k := (terrain.Key{X: x, Y: y}); !slices.Contains(holes, k) {
				f.tiles = append(f.tiles, *f.world.Infos[k])
			}
		}
	}
	return f
}

func (f *fake) World() *terrain.World     { return &f.world.World }
func (f *fake) Tiles() []terrain.TileInfo { return f.tiles }

func (f *fake) ReadLevel(_ *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error {
	f.mu.Lock()
	f.log = append(f.log, streaming.Asked{Key: k, Level: level})
	f.busy++
	f.most = max(f.most, f.busy)
	fail := f.fail
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.busy--
		f.mu.Unlock()
	}()
	if f.delay > 0 {
		time.Sleep(f.delay)
	}
	layout := f.world.Layout()
	lo, hi := layout.Range(level)
	truth := f.world.Tile(k, level).Verts
	if len(verts) != hi || !slices.Equal(verts[:lo], truth[:lo]) {
		panic(fmt.Sprintf("tile %v level %d: read without its coarser levels", k, level))
	}
	for i := lo; i < hi; i++ {
		verts[i] = terrain.Vertex{Height: 0xdead}
	}
	if fail != nil {
		if after, err := fail(k, level); err != nil {
			copy(verts[lo:lo+min(after, hi-lo)], truth[lo:])
			return err
		}
	}
	copy(verts[lo:], truth[lo:])
	return nil
}

// lookFrom returns the law of a picture from above tile column x, row z,
// fractions allowed.
func (f *fake) lookFrom(x, z, height, tau float64) *lodcpu.Law {
	w := f.World()
	side := w.Spacing * float64(w.TileSize-1)
	v := lodcpu.View{
		Eye:   mgl64.Vec3{w.OriginX + x*side, height, w.OriginZ + z*side},
		Pitch: -0.3, FovY: 1, Width: 640, Height: 360, Tau: tau,
	}
	l := v.Law(w)
	return &l
}

// wants returns the balanced levels that the laws ask for, by the functions of lodcpu.
func (f *fake) wants(laws ...*lodcpu.Law) map[terrain.Key]int8 {
	levels := map[terrain.Key]int8{}
	for i := range f.tiles {
		t := &f.tiles[i]
		need := terrain.Level(f.world.Layout().Levels - 1)
		for _, l := range laws {
			need = min(need, l.Needs(f.world.Layout(), t))
		}
		levels[t.Key] = int8(need)
	}
	testworld.Balance(levels)
	return levels
}

// gpu is a pipeline that uploads within a frame or some frames later.
type gpu struct {
	t      *testing.T
	m      *streaming.Manager
	source *fake
	truth  map[terrain.Key]*terrain.Tile // of a file, nil if the source says it
	budget int64
	late   int // frames
	frame  int
	sent   []sent
	gone   []sent // frames may still read them
	held   map[streaming.Asked]bool
	bytes  int64
}

type sent struct {
	tile  *streaming.Tile
	level terrain.Level
	frame int
}

func newGPU(t *testing.T, m *streaming.Manager, f *fake) *gpu {
	return &gpu{t: t, m: m, source: f, held: map[streaming.Asked]bool{}}
}

// draw is one frame.
func (g *gpu) draw(laws ...*lodcpu.Law) {
	g.t.Helper()
	g.drawWith(func() { g.m.Update(laws...) })
}

// drawWith is draw with another update.
func (g *gpu) drawWith(update func()) {
	g.t.Helper()
	g.frame++
	for len(g.gone) > 0 && g.gone[0].frame+g.late < g.frame {
		g.m.Unloaded(g.gone[0].tile, g.gone[0].level)
		g.count(g.gone[0].level, -1)
		g.gone = g.gone[1:]
	}
	update()
	g.m.Evictions(func(t *streaming.Tile, level terrain.Level) {
		a := streaming.Asked{Key: t.Info.Key, Level: level}
		if !g.held[a] || level > 0 && g.held[streaming.Asked{Key: a.Key, Level: level - 1}] {
			g.t.Errorf("%v unloaded out of order", a)
		}
		delete(g.held, a)
		g.gone = append(g.gone, sent{t, level, g.frame})
	})
	for len(g.sent) > 0 && g.sent[0].frame+g.late < g.frame {
		g.m.Loaded(g.sent[0].tile, g.sent[0].level)
		g.sent = g.sent[1:]
	}
	g.m.Uploads(g.budget, func(u streaming.Upload) bool {
		lo, hi := g.source.world.Layout().Range(u.Level)
		truth := g.source.world.Tile(u.Tile.Info.Key, u.Level).Verts
		if g.truth != nil {
			truth = g.truth[u.Tile.Info.Key].Verts
		}
		if u.First != lo || !slices.Equal(u.Verts, truth[lo:hi]) {
			g.t.Errorf("tile %v level %d: wrong vertices", u.Tile.Info.Key, u.Level)
		}
		g.sent = append(g.sent, sent{u.Tile, u.Level, g.frame})
		g.held[streaming.Asked{Key: u.Tile.Info.Key, Level: u.Level}] = true
		g.count(u.Level, 1)
		return true
	})
	if err := streaming.Check(g.m); err != nil {
		g.t.Fatal(err)
	}
	if s := g.m.Stats(); s.GPUBytes != g.bytes {
		g.t.Fatalf("%d bytes on the GPU, want %d", s.GPUBytes, g.bytes)
	}
}

func (g *gpu) count(level terrain.Level, sign int64) {
	lo, hi := g.source.world.Layout().Range(level)
	g.bytes += sign * int64(hi-lo) * terrain.VertexBytes
}

// settle draws until the picture stands.
func (g *gpu) settle(laws ...*lodcpu.Law) {
	g.t.Helper()
	for range 10000 {
		g.draw(laws...)
		if g.m.Settled() {
			return
		}
		if err := g.m.Wait(g.t.Context()); err != nil {
			g.t.Fatal(err)
		}
	}
	g.t.Fatalf("not settled: %+v", g.m.Stats())
}

// loaded returns the levels of all tiles.
func loaded(m *streaming.Manager) map[terrain.Key]int8 {
	levels := map[terrain.Key]int8{}
	for _, t := range m.Tiles() {
		levels[t.Info.Key] = int8(t.Loaded)
	}
	return levels
}

// within returns a law as simple as can be: it reaches as far for all levels.
func (f *fake) within(x, z, reach float64) *lodcpu.Law {
	l := f.lookFrom(x, z, 0, 1)
	l.B = 0
	l.A = reach
	l.Radius = make([]float32, len(l.Radius))
	return l
}

// closed closes m and checks that it can.
func closed(t *testing.T, m *streaming.Manager) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func distance(f *fake, l *lodcpu.Law, k terrain.Key) float64 {
	for i := range f.tiles {
		if f.tiles[i].Key == k {
			return l.Distance(f.world.Layout(), &f.tiles[i])
		}
	}
	return math.NaN()
}
