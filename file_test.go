package vkterrain_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// faulty is a world whose file suffers while it is drawn.
type faulty struct {
	*stage
	failures map[terrain.Key]error
	covered  func(st vkterrain.Stats) bool // no background may show
}

// until draws until done; no frame may show background, or wait for a read.
func (s *faulty) until(what string, done func(st vkterrain.Stats) bool) {
	s.t.Helper()
	v := view(640.3, 700, 640.7, 20, -90, 96, 96, 0.5)
	look := &pipeline.Look{Clear: &[3]uint8{255, 0, 255}}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		img := s.frame(v, look, true)
		st := s.ter.Stats()
		if st.Streaming.Shown == st.Streaming.Tiles && s.covered(st) && magenta(img) > 0 {
			s.t.Fatalf("%s: background shows at %d pixels", what, magenta(img))
		}
		if done(st) {
			return
		}
	}
	s.t.Fatalf("%s: %+v", what, s.ter.Stats().Streaming)
}

func newFaulty(t *testing.T, path string, o vkterrain.Options) *faulty {
	s := &faulty{failures: map[terrain.Key]error{}, covered: func(vkterrain.Stats) bool { return true }}
	o.Loaders, o.UploadBytes = 2, 1<<20
	o.Listener.LevelFailed = func(tile *streaming.Tile, _ terrain.Level, err error) { s.failures[tile.Info.Key] = err }
	s.stage = newStage(t, vktest.Device(t), path, 96, 96, o)
	return s
}

// TestFileSuffers cuts a world's file while it is drawn, takes it away, and puts it back:
// tiles stay at what they have, each is told of once with what went wrong, the rest goes on,
// and in the end all is there.
func TestFileSuffers(t *testing.T) {
	path := bakeWorld(t, testworld.Rough(129, 129, 9), 33, 0, 0)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fine := false // the finest levels are wanted
	s := newFaulty(t, path, vkterrain.Options{Strategy: "none"})
	load := func() {
		nx, ny := s.ter.World().Tiles()
		for i := range int32(nx * ny) {
			level := terrain.Level(2)
			if fine {
				level = 0
			}
			s.ter.Streaming().Load(i%int32(nx), i/int32(nx), level, false)
		}
	}
	load()
	s.until("coarsest", func(st vkterrain.Stats) bool { return st.Streaming.Loaded == 16 })
	_, at, _ := s.ter.Reader().Place(terrain.Key{X: 2, Y: 2}, 0)
	if err := os.Truncate(path, at); err != nil {
		t.Fatal(err)
	}
	fine = true
	load()
	s.until("cut", func(st vkterrain.Stats) bool {
		return st.Streaming.Failed > 0 && st.Streaming.Failures > uint64(st.Streaming.Failed) && st.Streaming.Preparing == 0 && st.Streaming.Loaded > 16
	})
	told := len(s.failures)
	for k, err := range s.failures {
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), k.String()) {
			t.Errorf("tile %v: %v", k, err)
		}
	}
	if st := s.ter.Stats().Streaming; told == 0 || told != st.Failed || st.Loaded >= 48 {
		t.Errorf("cut: told of %d, %+v", told, st)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	failures := s.ter.Stats().Streaming.Failures
	s.until("gone", func(st vkterrain.Stats) bool { return st.Streaming.Failures > failures+2 })
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	s.until("back", func(st vkterrain.Stats) bool { return st.Streaming.Loaded == 48 && st.Streaming.Failed == 0 })
	if c, err := s.ter.Check(); err != nil || c.MeasuredErrorPx > 0.5 || c.Cracks > 0 || len(s.failures) != told {
		t.Errorf("back: told of %d, then %d: %.3f px, %d cracks, %v", told, len(s.failures), c.MeasuredErrorPx, c.Cracks, err)
	}
}

// TestShardsComeBack opens a world of which a shard is missing: the rest is drawn, and its
// tiles come when it is back, for pictures and for questions. Case STREAM-9.
func TestShardsComeBack(t *testing.T) {
	vkterrain.LookForShards(20 * time.Millisecond)
	defer vkterrain.LookForShards(time.Second)
	dir := t.TempDir()
	path := filepath.Join(dir, "world.vkt")
	if _, err := bake.Bake(context.Background(), testworld.Rough(129, 129, 9), bake.Options{TileSize: 33, ShardRows: 1}, path); err != nil {
		t.Fatal(err)
	}
	shards, err := filepath.Glob(filepath.Join(dir, "world-0001-*"))
	if err != nil || len(shards) != 1 {
		names, _ := filepath.Glob(filepath.Join(dir, "*"))
		t.Fatalf("%q: %v", names, err)
	}
	if err := os.Rename(shards[0], shards[0]+".away"); err != nil {
		t.Fatal(err)
	}
	s := newFaulty(t, path, vkterrain.Options{Props: stones()})
	if n := len(s.ter.Reader().Problems()); n != 1 {
		t.Errorf("%d problems", n)
	}
	loaded := func(tiles int) func(st vkterrain.Stats) bool {
		return func(st vkterrain.Stats) bool {
			return st.Streaming.Tiles == tiles && st.Streaming.Shown == tiles && s.ter.Settled()
		}
	}
	s.covered = func(st vkterrain.Stats) bool { return st.Streaming.Tiles == 16 }
	s.until("without it", loaded(12))
	look := &pipeline.Look{Clear: &[3]uint8{255, 0, 255}}
	v := view(640.3, 700, 640.7, 20, -90, 96, 96, 0.5)
	if img := s.frame(v, look, true); magenta(img) < 500 || s.ter.Stats().Streaming.Shown != 12 {
		t.Errorf("%d pixels of background, %+v", magenta(img), s.ter.Stats().Streaming)
	}
	if _, ok := s.ter.GroundHeight(640, 480); ok {
		t.Error("there is ground on the missing shard")
	}
	if n := standing(s.ter); n > 0 {
		t.Errorf("%d things stand on the missing shard", n)
	}
	if err := os.Rename(shards[0]+".away", shards[0]); err != nil {
		t.Fatal(err)
	}
	s.until("back", loaded(16))
	if _, ok := s.ter.GroundHeight(640, 480); !ok {
		t.Error("there is no ground on the shard that came back")
	}
	s.until("planted", func(vkterrain.Stats) bool { return standing(s.ter) > 300 })
	if c, err := s.ter.Check(); err != nil || c.MeasuredErrorPx > 0.5 || c.Cracks > 0 || len(s.failures) > 0 {
		t.Errorf("%.3f px, %d cracks, %v, %v", c.MeasuredErrorPx, c.Cracks, err, s.failures)
	}
}

// standing counts what stands on the second row of tiles, away from its sides.
func standing(ter *vkterrain.Terrain) (n int) {
	for _, p := range vkterrain.ShownProps(ter) {
		if p.Position[2] > 325 && p.Position[2] < 635 {
			n++
		}
	}
	return n
}
