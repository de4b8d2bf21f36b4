package vkterrain_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// nightly returns the first number, or the second where there is a night for it.
func nightly(short, long int) int {
	if os.Getenv("VKTERRAIN_NIGHTLY") == "1" {
		return long
	}
	return short
}

// TestStorm flies over a world that streams in, while the picture changes its size every
// few frames; where a layer can let calls fail, memory runs out now and then. Nothing but
// that is said, and nothing is left alive. VKTERRAIN_FORCE_GC=1 collects garbage in each
// frame.
func TestStorm(t *testing.T) {
	frames := nightly(120, 2000)
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(513, 513, 3), 65, 0, 0), 128, 96, vkterrain.Options{UploadBytes: 1 << 16, Morph: 0.3, Rise: 8, Workers: 2})
	rng := rand.New(rand.NewPCG(1, 2))
	collect, faults := os.Getenv("VKTERRAIN_FORCE_GC") == "1", 0
	for i := range frames {
		if i%7 == 6 && !s.resize(uint32(16+rng.IntN(240)), uint32(16+rng.IntN(180))) {
			faults++
		}
		if i%41 == 40 && testlayer.Current() != "" {
			testlayer.Fail(t, memoryCalls[i/41%len(memoryCalls)], 0, 4, testlayer.OutOfDevice)
		}
		a := float64(i) / 600
		v := view(2560+2400*math.Sin(a*9), 300+200*math.Cos(a*31), 2560+2400*math.Cos(a*9), a*700, -20, int(s.target.Color.Width), int(s.target.Color.Height), 2+3*rng.Float64())
		if err := s.tryFrame(v, &pipeline.Look{Sea: i%3 > 0, Lines: i%50 > 25}); errors.Is(err, vk.ErrOutOfMemory) && testlayer.Current() != "" {
			faults++
		} else if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		if collect {
			runtime.GC()
		}
	}
	if st := s.ter.Stats(); st.Streaming.Evictions == 0 && frames > 600 || st.BytesUploaded == 0 {
		t.Errorf("nothing was exercised: %+v", st.Streaming)
	}
	if testlayer.Current() != "" && faults < frames/60 {
		t.Errorf("%d frames and pictures of %d without memory", faults, frames)
	}
	t.Logf("%d frames, %d without memory", frames, faults)
}

// memoryCalls are the calls of a storm that fail.
var memoryCalls = []string{"vkCreateImage", "vkBindBufferMemory", "vkCreateBuffer", "vkBindImageMemory", "vkAllocateMemory", "vkCreateImageView"}

// resize makes the picture another size, as a window that is dragged does. Where there is no
// memory for that, it stays as it was.
func (s *stage) resize(width, height uint32) bool {
	s.t.Helper()
	if err := s.dev.WaitIdle(); err != nil {
		s.t.Fatal(err)
	}
	target, err := s.dev.NewTarget(vk.TargetInfo{Name: "test", Width: width, Height: height})
	if errors.Is(err, vk.ErrOutOfMemory) && testlayer.Current() != "" {
		return false
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.target.Destroy()
	s.target = target
	return true
}

// stormShapes are devices that people have.
var stormShapes = []testlayer.Shape{
	{},
	{Queues: "gc,t", Slow: "1,4", Memory: "64,256"},
	{Memory: "64,256,8", Without: []string{"fillModeNonSolid", "drawIndirectCount", "samplerAnisotropy", "pipelineStatisticsQuery", "shaderInt64", "timestamps", "VK_EXT_memory_budget"}},
	{API: "1.2", Memory: "96"},
	{Queues: "t,gc", Memory: "256,1024,16"},
}

// TestStormOnOtherDevices does it on devices of every shape; in the short suite on one.
func TestStormOnOtherDevices(t *testing.T) {
	l := testlayer.Build(t)
	for _, shape := range stormShapes[:nightly(2, len(stormShapes))] {
		t.Run(shape.String(), func(t *testing.T) { l.Run(t, shape, "^TestStorm$") })
	}
}

// TestRandomSeams looks down from random places on tiles with random levels, 10,000 km
// from the origin, before a magenta background: none of it may show. A second frame of a
// view is the first, bit for bit.
func TestRandomSeams(t *testing.T) {
	views, each := nightly(60, 1000), 10
	dev := vktest.Device(t)
	f := testworld.Rough(129, 129, 9)
	const origin = 1e7
	path := bakeWorld(t, f, 33, origin, -origin)
	rng := rand.New(rand.NewPCG(3, 4))
	look := &pipeline.Look{View: pipeline.Unlit, Clear: &[3]uint8{255, 0, 255}}
	lo, hi, _ := f.Stats()
	size := float64(f.Width-1) * f.Spacing
	for mix := range views / each {
		seed := rng.Uint32()
		s := newStage(t, dev, path, 192, 128, vkterrain.Options{Algorithm: vkterrain.Algorithms()[mix%2], Sync: true, UploadBytes: -1, Levels: func(k terrain.Key) terrain.Level {
			return terrain.Level((uint32(k.X)*2654435761 ^ uint32(k.Y)*40503 ^ seed) >> 7 % 6)
		}})
		for i := range each {
			v := viewOfGround(rng, float64(lo)*f.Quantum, float64(hi)*f.Quantum, size)
			v.Eye[0] += origin
			v.Eye[2] -= origin
			s.settle(v, look)
			img := s.frame(v, look, true)
			if n := magenta(img); n > 0 {
				t.Fatalf("mix %d, view %d (%+v): background shows at %d pixels", mix, i, v, n)
			}
			if again := s.frame(v, look, true); string(again.Pix) != string(img.Pix) {
				t.Fatalf("mix %d, view %d: two frames of one view differ", mix, i)
			}
		}
	}
}

// viewOfGround returns a random view all of whose rays meet the ground of a square world
// of that size, which lies between two heights.
func viewOfGround(rng *rand.Rand, lo, hi, size float64) *lodcpu.View {
	for {
		v := view(size*rng.Float64(), hi+10+400*rng.Float64(), size*rng.Float64(), 360*rng.Float64(), -20-70*rng.Float64(), 192, 128, 0.5+4*rng.Float64())
		v.FovY = (10 + 50*rng.Float64()) * math.Pi / 180
		if seesGroundOnly(v, lo, size) {
			return v
		}
	}
}

// seesGroundOnly says whether the corners of the picture are below lo inside of the world.
func seesGroundOnly(v *lodcpu.View, lo, size float64) bool {
	right, up, forward := v.Basis()
	b := math.Tan(v.FovY / 2)
	a := b * float64(v.Width) / float64(v.Height)
	for _, corner := range [4][2]float64{{-a, -b}, {-a, b}, {a, -b}, {a, b}} {
		ray := forward.Add(right.Mul(corner[0])).Add(up.Mul(corner[1]))
		if ray[1] >= 0 {
			return false
		}
		p := v.Eye.Add(ray.Mul((lo - v.Eye[1]) / ray[1]))
		if p[0] < 1 || p[2] < 1 || p[0] > size-1 || p[2] > size-1 {
			return false
		}
	}
	return true
}

// TestLongFlight flies 20,000 frames by night: at the end the C heap and Vulkan's memory
// are as after the first of them.
func TestLongFlight(t *testing.T) {
	frames := nightly(0, 20000)
	if frames == 0 {
		t.Skip("VKTERRAIN_NIGHTLY=1 flies it")
	}
	dev := newLossy(t) // nobody watches: validation keeps some of what it has seen
	t.Cleanup(dev.Destroy)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(513, 513, 3), 65, 0, 0), 64, 48, vkterrain.Options{UploadBytes: 1 << 16})
	look := &pipeline.Look{Sea: true}
	var at []usage
	for i := range frames {
		a := float64(i) / 1000 * 2 * math.Pi
		s.frame(view(2560+2000*math.Sin(a), 400, 2560+2000*math.Cos(a), a*20, -20, 64, 48, 4), look, false)
		if i%1000 == 999 { // the same place each time
			at = append(at, used(t, dev))
		}
	}
	first, last := at[1], at[len(at)-1]
	t.Log(fmt.Sprintf("resident KB: %.0f, %.0f at the end; Vulkan bytes: %.0f, %.0f", first.resident, last.resident, first.vulkan, last.vulkan))
	if last.vulkan > first.vulkan || last.resident > 1.02*first.resident+4096 {
		t.Errorf("memory has grown: %+v, then %+v", first, last)
	}
}
