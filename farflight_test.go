package vkterrain_test

import (
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/vk"
)

// usage is what a flight has in use.
type usage struct {
	goHeap, cHeap, resident, vulkan, goroutines, files float64
}

// used measures it, with what is garbage collected.
func used(t *testing.T, dev *vk.Device) (u usage) {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.goHeap, u.goroutines = float64(m.HeapAlloc), float64(runtime.NumGoroutine())
	u.vulkan = float64(dev.MemoryStats().Reserved)
	u.resident = statusKB(t, "RssAnon:") - float64(m.HeapIdle-m.HeapReleased)/1024
	u.cHeap = cHeap(t)
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.files = float64(len(files))
	}
	return u
}

// cHeap returns the KB of the main heap of C that are in memory, 0 where that is not known.
func cHeap(t *testing.T) (kb float64) {
	data, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Logf("no figures of the C heap: %v", err)
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "[heap]\n")
	_, rest, _ = strings.Cut(rest, "\nRss:")
	if fields := strings.Fields(rest); len(fields) > 0 {
		kb, _ = strconv.ParseFloat(fields[0], 64)
	}
	return kb
}

// statusKB returns a line of what the system knows of this process, 0 where it knows
// nothing.
func statusKB(t *testing.T, name string) float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Logf("no figures of the system: %v", err)
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "\n"+name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseFloat(fields[0], 64)
	return kb
}

// TestFarFlight flies 100 km over an endless world (12 km where VKTERRAIN_NIGHTLY is not
// set): at the end as much is in use as after the first kilometres, and in no frame more
// than the caps allow.
func TestFarFlight(t *testing.T) {
	far, step := 12000.0, 12.0 // metres, and metres a frame
	if os.Getenv("VKTERRAIN_NIGHTLY") == "1" {
		far = 100000
	}
	dev := newLossy(t) // nobody watches: validation keeps some of what it has seen
	t.Cleanup(dev.Destroy)
	const gpu, cpu = 3 << 20, 4 << 20
	budget := streaming.Budget{GPUBytes: gpu, CPUBytes: cpu}
	src := endlessSource(t, hillsWithoutEnd(), endless.Options{Kept: 40})
	s := endlessStage(t, dev, src, vkterrain.Paging{Load: 3500}, vkterrain.Options{StreamingBudget: budget, UploadBytes: 1 << 16})
	look := &pipeline.Look{}
	var all []usage
	holes := 0
	const every = 1000 // metres
	for i := 0; float64(i)*step < far; i++ {
		z := -float64(i) * step
		v := view(200*math.Sin(z/700), 1200, z, 10*math.Sin(z/900), -15, 128, 96, 4)
		s.frame(v, look, false)
		st := s.ter.Stats().Streaming
		if st.GPUBytes > gpu || st.CPUBytes+st.ReadingBytes+st.PooledBytes > cpu {
			t.Fatalf("frame %d: %d bytes on the GPU, of %d; %d+%d+%d on the CPU, of %d", i, st.GPUBytes, gpu, st.CPUBytes, st.ReadingBytes, st.PooledBytes, cpu)
		}
		if i > 200 && s.ter.Stats().Triangles == 0 {
			holes++
		}
		if km := int(-z / every); km > len(all) {
			all = append(all, used(t, dev))
		}
	}
	if holes > 0 {
		t.Errorf("%d frames without a triangle", holes)
	}
	// Tiles differ: the greatest of some kilometres is compared.
	n := len(all) / 4
	for name, of := range map[string]func(usage) float64{
		"Go heap": func(u usage) float64 { return u.goHeap }, "C heap": func(u usage) float64 { return u.cHeap }, "resident memory": func(u usage) float64 { return u.resident },
		"Vulkan memory": func(u usage) float64 { return u.vulkan },
		"goroutines":    func(u usage) float64 { return u.goroutines }, "files": func(u usage) float64 { return u.files },
	} {
		most := func(us []usage) float64 {
			return of(slices.MaxFunc(us, func(a, b usage) int { return int(of(a) - of(b)) }))
		}
		first, last := most(all[1:1+n]), most(all[len(all)-n:])
		t.Logf("%s: %.0f after 1 km, then %.0f at most, %.0f at the end", name, of(all[0]), first, last)
		// Some tiles are larger than others.
		if last > 1.02*first+map[string]float64{"Go heap": 256 << 10, "resident memory": 6 << 10, "C heap": 6 << 10}[name] {
			t.Errorf("%s has grown from %.0f to %.0f", name, first, last)
		}
	}
}
