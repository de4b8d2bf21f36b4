package vkterrain_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/edit"
	"github.com/vkterrain/vkterrain/terrain/query"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// editStage opens the world at path for edits and draws it.
func editStage(t testing.TB, dev *vk.Device, path string, o vkterrain.Options) (*stage, *edit.Session) {
	t.Helper()
	session, err := edit.Open(path, edit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after that of the stage
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return stageOf(t, dev, 64, 64, o, func(o vkterrain.Options) (*vkterrain.Terrain, error) {
		return vkterrain.OpenSession(session, dev, o)
	}), session
}

// raise raises a disc of samples.
func raise(t testing.TB, s *edit.Session, x, z, radius int, by int32) *edit.Change {
	t.Helper()
	side := 2*radius + 1
	heights := make([]int32, side*side)
	if err := s.Now().Heights(x-radius, z-radius, side, side, heights, nil); err != nil {
		t.Fatal(err)
	}
	for i := range heights {
		dx, dz := i%side-radius, i/side-radius
		if dx*dx+dz*dz <= radius*radius {
			heights[i] += by - by*int32(dx*dx+dz*dz)/int32(radius*radius+1)
		}
	}
	c, err := s.Set(x-radius, z-radius, side, side, heights, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checked wants the last frame to be a closed sheet within the tolerance.
func checked(t testing.TB, s *stage, v *lodcpu.View, what string) {
	t.Helper()
	if k, err := s.ter.Check(); err != nil || k.Cracks > 0 || k.MeasuredErrorPx > v.Tau || k.Uncovered > 0 || k.CheckedSamples < 1000 {
		t.Fatalf("%s: %+v %v", what, k, err)
	}
}

// levelBytes returns the bytes of the vertices of levels.
func levelBytes(w *terrain.World, levels edit.Levels) (n uint64) {
	for l := range terrain.Level(w.Layout().Levels) {
		if lo, hi := w.Layout().Range(l); levels.Has(l) {
			n += uint64(hi-lo) * terrain.VertexBytes
		}
	}
	return n
}

// TestEditWhileFlying edits what is in view: in every frame, those in which the new
// tiles are on their way included, the sheet is closed and within the tolerance of the
// world that is shown, and nothing but what has changed is uploaded.
func TestEditWhileFlying(t *testing.T) {
	dev := vktest.Device(t)
	s, session := editStage(t, dev, bakeWorld(t, punched(), 33, 0, 0), vkterrain.Options{
		UploadBytes: 1 << 14, Levels: func(terrain.Key) terrain.Level { return 0 },
	})
	v, look := view(1280, 700, 2500, 0, -25, 320, 200, 2), &pipeline.Look{DrawAll: true}
	s.settle(v, look)
	checked(t, s, v, "before")
	for i, c := range []struct {
		x, z, radius int
		by           int32
	}{{128, 140, 5, 700}, {100, 160, 20, -900}, {128, 128, 1, 90}, {20, 236, 20, 1500}} {
		before, old := s.ter.Stats(), session.Now()
		change := raise(t, session, c.x, c.z, c.radius, c.by)
		var want uint64
		for _, k := range change.Tiles {
			want += levelBytes(s.ter.World(), k.Levels)
		}
		waited := 0
		for ; s.ter.Shown() == old && waited < 500; waited++ {
			v.Eye[0] += 3
			s.frame(v, look, false)
			checked(t, s, v, "while tiles are replaced")
			time.Sleep(time.Millisecond)
		}
		for range 3 {
			s.frame(v, look, false)
			checked(t, s, v, "afterwards")
		}
		after := s.ter.Stats()
		if s.ter.Shown() != session.Now() || c.radius > 5 && waited < 4 {
			t.Errorf("edit %d: not taken up, or at once: %d frames", i, waited)
		}
		if n := after.BytesUploaded - before.BytesUploaded; n != want || want == 0 {
			t.Errorf("edit %d: %d bytes uploaded, %d have changed", i, n, want)
		}
		if after.BytesVertices != before.BytesVertices || after.Streaming.GPUBytes != before.Streaming.GPUBytes {
			t.Errorf("edit %d: %d bytes of vertices, before %d", i, after.BytesVertices, before.BytesVertices)
		}
		t.Logf("edit %d: %d tiles, %d bytes, %d frames", i, len(change.Tiles), want, waited)
	}
	for {
		if _, err := session.Undo(); err != nil {
			break
		}
	}
	s.settle(v, look)
	s.frame(v, look, false)
	checked(t, s, v, "after undoing it")
}

// TestManyEditsWhileStreaming edits in every few frames while levels come and go, and
// saves between: the sheet is closed in all frames, and in the end the picture is that
// of the saved file.
func TestManyEditsWhileStreaming(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, hills(), 33, 0, 0)
	s, session := editStage(t, dev, path, vkterrain.Options{UploadBytes: 1 << 15})
	look := &pipeline.Look{}
	rng := rand.New(rand.NewPCG(8, 1))
	shown := map[*edit.Snapshot]bool{}
	at := func(i int) *lodcpu.View {
		a := float64(i) / 30
		return view(1280+900*math.Sin(a), 350, 1280+900*math.Cos(a), 40*a, -20, 64, 64, 4)
	}
	for i := range 200 {
		if i%3 == 0 {
			raise(t, session, 12+rng.IntN(230), 12+rng.IntN(230), 1+rng.IntN(9), int32(rng.IntN(600)-300))
		}
		if i%41 == 40 {
			if _, err := session.Undo(); err != nil {
				t.Fatal(err)
			}
		}
		if i%67 == 66 {
			if err := session.Save(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		s.frame(at(i), look, false)
		shown[s.ter.Shown()] = true
		if i%4 == 0 {
			if k, err := s.ter.Check(); err != nil || k.Cracks > 0 {
				t.Fatalf("frame %d: %+v %v", i, k, err)
			}
		}
	}
	if len(shown) < 10 {
		t.Errorf("%d states were shown", len(shown))
	}
	v := at(200)
	s.settle(v, look)
	s.frame(v, look, false)
	if s.ter.Shown() != session.Now() {
		t.Error("the last edit is not shown")
	}
	checked(t, s, v, "settled")
	got := s.frame(v, look, true)

	saved := filepath.Join(t.TempDir(), "saved.vkt")
	if err := session.SaveAs(context.Background(), saved); err != nil {
		t.Fatal(err)
	}
	again := newStage(t, dev, saved, 64, 64, vkterrain.Options{})
	again.settle(v, look)
	if d := differing(got, again.frame(v, look, true)); d > 0 {
		t.Errorf("%.3f %% of the picture differ from that of the saved world", d*100)
	}
}

// TestQueriesSeeEdits: the ground is where it was edited to, and rays hit what rises
// above all that there was.
func TestQueriesSeeEdits(t *testing.T) {
	dev := vktest.Device(t)
	s, session := editStage(t, dev, bakeWorld(t, hills(), 33, 0, 0), vkterrain.Options{Levels: func(terrain.Key) terrain.Level { return 0 }})
	v, look := view(1280, 700, 2500, 0, -25, 64, 64, 2), &pipeline.Look{}
	s.settle(v, look)
	raise(t, session, 50, 60, 3, 8000)
	s.settle(v, look)
	want := make([]int32, 1)
	if err := session.Now().Heights(50, 60, 1, 1, want, nil); err != nil {
		t.Fatal(err)
	}
	if y, ok := s.ter.GroundHeight(500, 600); !ok || y != float64(want[0])*0.125 || y < 800 {
		t.Errorf("the ground is %g m high (%v), want %g", y, ok, float64(want[0])*0.125)
	}
	hit := s.ter.Loaded().Cast(query.Ray{Origin: [3]float64{0, 800, 600}, Direction: [3]float64{1, 0, 0}})
	if !hit.OK || math.Abs(hit.Position[0]-490) > 15 {
		t.Errorf("a ray to the tower: %+v", hit)
	}
	if w := s.ter.World(); w.Max != want[0] {
		t.Errorf("the world is %d high, want %d", w.Max, want[0])
	}
}

// TestEditIntoView raises land until it stands in a picture that showed the sky above it:
// what is in view is told by where tiles are after an edit.
func TestEditIntoView(t *testing.T) {
	dev := vktest.Device(t)
	s, session := editStage(t, dev, bakeWorld(t, hills(), 33, 0, 0), vkterrain.Options{
		UploadBytes: -1, Levels: func(terrain.Key) terrain.Level { return 0 },
	})
	v, look := view(1280, 900, 2500, 0, 15, 64, 64, 2), &pipeline.Look{}
	s.settle(v, look)
	if n := s.ter.Stats().Tiles; n > 0 {
		t.Fatalf("%d tiles are in view before", n)
	}
	raise(t, session, 128, 60, 26, int32(2500/s.ter.World().Quantum))
	for range 2000 {
		if s.frame(v, look, false); s.ter.Shown() == session.Now() {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.frame(v, look, false)
	if n := s.ter.Stats().Tiles; n == 0 || n > 20 {
		t.Errorf("%d tiles are in view afterwards", n)
	}
	checked(t, s, v, "afterwards")
}
