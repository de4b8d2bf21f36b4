package meshcheck_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// fine is a rough field and its full-resolution mesh, 10 m a cell.
func fine(side int, seed uint64) (*terrain.Field, *meshcheck.Mesh) {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &terrain.Field{Width: side, Height: side, Spacing: 10, Quantum: 0.5, Samples: make([]int32, side*side)}
	m := &meshcheck.Mesh{}
	for i := range f.Samples {
		f.Samples[i] = rng.Int32N(20)
		m.Vertices = append(m.Vertices, [3]float64{float64(i%side) * 10, float64(f.Samples[i]) / 2, float64(i/side) * 10})
	}
	for z := range side - 1 {
		for x := range side - 1 {
			nw := uint32(z*side + x)
			ne, sw, se := nw+1, nw+uint32(side), nw+uint32(side)+1
			if (x+z)%2 == 0 {
				m.Triangles = append(m.Triangles, [3]uint32{nw, sw, se}, [3]uint32{nw, se, ne})
			} else {
				m.Triangles = append(m.Triangles, [3]uint32{nw, sw, ne}, [3]uint32{ne, sw, se})
			}
		}
	}
	return f, m
}

func anyCamera(rng *rand.Rand, side float64) *meshcheck.Camera {
	return &meshcheck.Camera{
		Eye: [3]float64{rng.Float64() * side, 3 + rng.Float64()*50, rng.Float64() * side},
		Yaw: rng.Float64() * 7, Pitch: (rng.Float64() - 1) * math.Pi / 2,
		FovY: 0.5 + rng.Float64(), Width: 160, Height: 120,
	}
}

// TestRasterisedFullResolution: what is drawn whole is right at every pixel, and
// without a pinhole.
func TestRasterisedFullResolution(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	f, m := fine(33, 2)
	checked := 0
	for range 60 {
		c := anyCamera(rng, 320)
		p := meshcheck.Rasterised(f, 0, 0, m, c)
		if p.Worst > 1e-6 || p.Pinholes > 0 || p.Checked != p.Histogram.Total() {
			t.Fatalf("%+v: %+v", *c, p)
		}
		checked += p.Checked
	}
	if checked < 60*160*120/3 {
		t.Errorf("%d pixels: nothing was tested", checked)
	}
}

// TestRasterisedFindsWhatIsPlanted lifts one vertex of a plain that is seen from
// straight above. There heights are hidden, but for perspective: the top of a
// tent of h metres, d metres from the axis and D below the eye, is moved by
// kappa·(d/(D-h) - d/D).
func TestRasterisedFindsWhatIsPlanted(t *testing.T) {
	f, m := fine(33, 2)
	clear(f.Samples)
	for i := range m.Vertices {
		m.Vertices[i][1] = 0
	}
	c := &meshcheck.Camera{Eye: [3]float64{160, 200, 160}, Pitch: -math.Pi / 2, FovY: math.Pi / 2, Width: 400, Height: 400}
	if p := meshcheck.Rasterised(f, 0, 0, m, c); p.Worst > 1e-9 || p.Checked != 320*320 {
		t.Fatalf("as it should be: %+v", p)
	}
	m.Vertices[16*33+26][1] = 20
	p := meshcheck.Rasterised(f, 0, 0, m, c)
	if want := 200 * (100.0/180 - 100.0/200); p.Worst > want || p.Worst < want-1 || p.At[1] < 198 || p.At[1] > 202 || p.At[0] < 305 || p.At[0] > 313 {
		t.Errorf("a tent: %+v, want %g px near 311, 200", p, want)
	}
	if e := meshcheck.ScreenError(f, 0, 0, m, c); math.Abs(e.Worst-200*(100.0/180-100.0/200)) > 1e-9 || e.Histogram.Total() != e.Checked || e.Histogram[0] != e.Checked-1 {
		t.Errorf("a tent: %+v", e)
	}
	if above := p.Histogram.Total() - p.Histogram[0]; above < 100 || above > 500 {
		t.Errorf("%d pixels are off, want those of the tent: %v", above, &p.Histogram)
	}
}

// TestRasterisedSeesWhatIsInFront: an error behind a wall shows to nobody, but it
// does to the samples.
func TestRasterisedSeesWhatIsInFront(t *testing.T) {
	f, m := fine(33, 2)
	for i := range f.Samples {
		f.Samples[i] = 0
		if i/33 == 20 {
			f.Samples[i] = 200
		}
		m.Vertices[i][1] = float64(f.Samples[i]) / 2
	}
	m.Vertices[10*33+16][1] = 30
	c := &meshcheck.Camera{Eye: [3]float64{160, 20, 320}, FovY: 1, Width: 200, Height: 200}
	if p := meshcheck.Rasterised(f, 0, 0, m, c); p.Worst > 1e-9 || p.Checked == 0 {
		t.Errorf("behind a wall: %+v", p)
	}
	if e := meshcheck.ScreenError(f, 0, 0, m, c); e.Worst < 10 {
		t.Errorf("samples behind a wall: %+v", e)
	}
}

func TestRasterisedFindsPinholes(t *testing.T) {
	f, m := fine(33, 2)
	// A cell is a pixel.
	c := &meshcheck.Camera{Eye: [3]float64{160, 2000, 160}, Pitch: -math.Pi / 2, FovY: 2 * math.Atan(0.25), Width: 100, Height: 100}
	if p := meshcheck.Rasterised(f, 0, 0, m, c); p.Pinholes > 0 || p.Checked < 1000 {
		t.Fatalf("without: %+v", p)
	}
	i := 2 * (16*32 + 16)
	m.Triangles = append(m.Triangles[:i], m.Triangles[i+2:]...)
	if p := meshcheck.Rasterised(f, 0, 0, m, c); p.Pinholes != 1 {
		t.Errorf("a missing cell: %+v", p)
	}
}

func TestHistogram(t *testing.T) {
	var h meshcheck.Histogram
	if h.Quantile(0.5) != 0 || h.String() != "" {
		t.Errorf("empty: %g, %q", h.Quantile(0.5), h.String())
	}
	for i := range h {
		edge := h.Edge(i)
		var at meshcheck.Histogram
		at.Count(edge)
		if i < len(h)-1 {
			at.Count(math.Nextafter(edge, 0))
		}
		if at[i] != at.Total() {
			t.Errorf("bin %d up to %g px: %v", i, edge, at)
		}
	}
	for _, px := range []float64{0, 0.01, 0.9, 0.95, 1, 1.1, 500} {
		h.Count(px)
	}
	if got, want := h.String(), "≤0.0156:29% ≤1:43% ≤1.41:14% >64:14%"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if a, b, c := h.Quantile(0.5), h.Quantile(0.8), h.Quantile(1); a != 1 || math.Abs(b-math.Sqrt2) > 1e-12 || !math.IsInf(c, 1) {
		t.Errorf("quantiles %g, %g, %g", a, b, c)
	}
	sum := h
	if sum.Add(&h); sum.Total() != 14 || sum[0] != 4 {
		t.Errorf("added to itself: %v", sum)
	}
}
