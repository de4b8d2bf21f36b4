package pipeline_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

func newRenderer(t testing.TB, dev *vk.Device, w *testworld.World) *pipeline.Renderer {
	t.Helper()
	r, err := pipeline.New(dev, &w.World, pipeline.Options{
		NewRefiner: func() lodcpu.Refiner { return soar.New(w.Layout(), lodcpu.Strip) }, ColorFormat: vk.FormatRGBA8, DepthFormat: vk.FormatD32, StagingBytes: 2 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.WaitIdle(); err != nil {
			t.Error(err)
		}
		r.Destroy()
	})
	return r
}

// TestUploadsComeAndGo loads and drops levels at random, faster than the
// staging ring drains, and in the end nothing is left in the pool.
func TestUploadsComeAndGo(t *testing.T) {
	dev := vktest.Device(t)
	w := testworld.New(testworld.Rough(129, 129, 2), 129, 0, 0)
	r, layout := newRenderer(t, dev, w), w.Layout()
	verts := w.Tile(terrain.Key{}, 0).Verts
	type held struct {
		slot    pipeline.Slot
		arrived int
	}
	var tiles []held
	waiting, refused := 0, 0
	for step := range 120 {
		f, err := dev.BeginFrame()
		if err != nil {
			t.Fatal(err)
		}
		err = r.Arrived(f, func(s pipeline.Slot, _ terrain.Level) {
			waiting--
			for i := range tiles {
				if tiles[i].slot == s {
					tiles[i].arrived++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 20 { // more than the staging ring holds, however fast it drains
			s := r.AddTile(w.Infos[terrain.Key{}])
			tiles = append(tiles, held{slot: s})
			for level := layout.Levels - 1; level >= 0; level-- {
				lo, hi := layout.Range(terrain.Level(level))
				ok, err := r.Upload(f, s, terrain.Level(level), verts[lo:hi])
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					refused++
					break
				}
				waiting++
			}
		}
		for step%3 == 2 && len(tiles) > 4 {
			// Some of these are still on their way.
			r.RemoveTile(f, tiles[0].slot)
			tiles = tiles[1:]
		}
		if err := f.Submit(); err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Error("the staging ring was never full")
	}
	for range 4 {
		f, err := dev.BeginFrame()
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range tiles {
			r.RemoveTile(f, h.slot)
		}
		tiles = nil
		if err := r.Arrived(f, func(pipeline.Slot, terrain.Level) {}); err != nil {
			t.Fatal(err)
		}
		if err := f.Submit(); err != nil {
			t.Fatal(err)
		}
		if err := dev.WaitIdle(); err != nil {
			t.Fatal(err)
		}
	}
	if _, used, _ := r.Bytes(); used != 0 {
		t.Errorf("%d bytes of vertices left after all tiles are gone", used)
	}
}

// TestUploadsOnTwoQueues does it on a device that has a transfer family of its
// own, where a block must not be released again before it was acquired.
func TestUploadsOnTwoQueues(t *testing.T) {
	testlayer.Build(t).Run(t, testlayer.Shape{Queues: "gc,t"}, "^TestUploadsComeAndGo$")
}

// BenchmarkUpload sends finest levels of 129² tiles through the staging ring
// into the pool, until the GPU has them.
func BenchmarkUpload(b *testing.B) {
	dev := vktest.Device(b)
	w := testworld.New(testworld.Rough(129, 129, 2), 129, 0, 0)
	r := newRenderer(b, dev, w)
	lo, hi := w.Layout().Range(0)
	verts := w.Tile(terrain.Key{}, 0).Verts[lo:hi]
	slots := make([]pipeline.Slot, 16)
	for i := range slots {
		slots[i] = r.AddTile(w.Infos[terrain.Key{}])
	}
	bytes := 0
	for b.Loop() {
		f, err := dev.BeginFrame()
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Arrived(f, func(pipeline.Slot, terrain.Level) {}); err != nil {
			b.Fatal(err)
		}
		for _, s := range slots {
			r.Drop(f, s, 0)
			ok, err := r.Upload(f, s, 0, verts)
			if err != nil {
				b.Fatal(err)
			}
			if ok {
				bytes += len(verts) * terrain.VertexBytes
			}
		}
		if err := f.Submit(); err != nil {
			b.Fatal(err)
		}
	}
	if err := dev.WaitIdle(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(bytes)/b.Elapsed().Seconds()/1e6, "MB/s")
}
