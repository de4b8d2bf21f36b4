package meshcheck_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// grid is the full-resolution mesh of a 5×5 field of 10 m posts, 2×2 tiles of
// 3×3 samples, with a bump in the middle.
func grid() (*terrain.World, *terrain.Field, *meshcheck.Mesh) {
	f := &terrain.Field{Width: 5, Height: 5, Spacing: 10, Quantum: 0.5, Samples: make([]int32, 25)}
	f.Samples[12] = 40
	w := &terrain.World{Width: 5, Height: 5, TileSize: 3, Spacing: 10, Quantum: 0.5}
	m := &meshcheck.Mesh{}
	for z := range 5 {
		for x := range 5 {
			m.Vertices = append(m.Vertices, [3]float64{float64(x) * 10, float64(f.At(x, z)) * 0.5, float64(z) * 10})
		}
	}
	for z := range uint32(4) {
		for x := range uint32(4) {
			a := z*5 + x
			m.Triangles = append(m.Triangles, [3]uint32{a, a + 5, a + 1}, [3]uint32{a + 1, a + 5, a + 6})
		}
	}
	return w, f, m
}

func all(terrain.Key) bool { return true }

func TestWatertightAcceptsAWholeSheet(t *testing.T) {
	w, _, m := grid()
	if n, first := meshcheck.Watertight(w, m, all); n != 0 {
		t.Errorf("%d faults: %s", n, first)
	}
}

func TestWatertightFindsFaults(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(m *meshcheck.Mesh)
	}{
		{"a triangle is missing", "one side only", func(m *meshcheck.Mesh) { m.Triangles = append(m.Triangles[:9], m.Triangles[10:]...) }},
		{"a triangle is there twice", "2 times", func(m *meshcheck.Mesh) { m.Triangles = append(m.Triangles, m.Triangles[7]) }},
		{"a triangle is flipped", "face up", func(m *meshcheck.Mesh) { m.Triangles[3][0], m.Triangles[3][1] = m.Triangles[3][1], m.Triangles[3][0] }},
		{"a seam differs in the last bit", "m high", func(m *meshcheck.Mesh) {
			v := m.Vertices[12]
			v[1] = math.Nextafter(v[1], 1e9)
			m.Vertices = append(m.Vertices, v)
			for i, tri := range m.Triangles[20:] {
				for j := range tri {
					if tri[j] == 12 {
						m.Triangles[20+i][j] = 25
						return
					}
				}
			}
		}},
		{"a T-junction", "one side only", func(m *meshcheck.Mesh) {
			// Two triangles of the north row become one twice as wide.
			m.Triangles[0] = [3]uint32{0, 5, 2}
			m.Triangles = append(m.Triangles[:2], m.Triangles[3:]...)
		}},
	} {
		w, _, m := grid()
		c.spoil(m)
		if n, first := meshcheck.Watertight(w, m, all); n == 0 || !strings.Contains(first, c.want) && n < 2 {
			t.Errorf("%s: %d faults, first %q", c.name, n, first)
		}
	}
}

func TestWatertightKnowsTheRimOfWhatIsDrawn(t *testing.T) {
	w, _, m := grid()
	var west []([3]uint32)
	for i, tri := range m.Triangles {
		if i/2%4 < 2 {
			west = append(west, tri)
		}
	}
	m.Triangles = west
	if n, first := meshcheck.Watertight(w, m, func(k terrain.Key) bool { return k.X == 0 }); n != 0 {
		t.Errorf("%d faults: %s", n, first)
	}
	if n, _ := meshcheck.Watertight(w, m, all); n == 0 {
		t.Error("missing tiles passed as a whole sheet")
	}
}

// TestScreenErrorOfAKnownDisplacement flattens the bump and looks at it level
// from 100 m: 20 m are 20·kappa/100 pixels.
func TestScreenErrorOfAKnownDisplacement(t *testing.T) {
	_, f, m := grid()
	c := &meshcheck.Camera{Eye: [3]float64{20, 0, 120}, FovY: math.Pi / 2, Width: 800, Height: 600}
	if e := meshcheck.ScreenError(f, 0, 0, m, c); e.Worst != 0 || e.Uncovered != 0 || e.Checked != 25 {
		t.Errorf("whole mesh: %+v", e)
	}
	m.Vertices[12][1] = 0
	if e := meshcheck.ScreenError(f, 0, 0, m, c); math.Abs(e.Worst-20*300.0/100) > 1e-9 || e.At != [2]int{2, 2} {
		t.Errorf("flattened: %+v, want 60 px at 2, 2", e)
	}
	m.Triangles = m.Triangles[:8]
	if e := meshcheck.ScreenError(f, 0, 0, m, c); e.Uncovered != 15 {
		t.Errorf("a quarter of the mesh leaves %d samples uncovered, want 15", e.Uncovered)
	}
	c.Yaw = math.Pi // looks away
	if e := meshcheck.ScreenError(f, 0, 0, m, c); e.Checked != 0 {
		t.Errorf("%d samples in view behind the eye", e.Checked)
	}
}

// punched is the grid with a hole at its bump: the triangles around it are left
// out.
func punched() (*terrain.World, *terrain.Field, *meshcheck.Mesh) {
	w, f, m := grid()
	f.Void = make([]bool, 25)
	f.Void[12] = true
	var kept [][3]uint32
	for _, tri := range m.Triangles {
		if tri[0] != 12 && tri[1] != 12 && tri[2] != 12 {
			kept = append(kept, tri)
		}
	}
	m.Triangles = kept
	return w, f, m
}

func TestWatertightButForHoles(t *testing.T) {
	w, f, m := punched()
	if n, first := meshcheck.WatertightBut(w, m, all, f); n != 0 {
		t.Errorf("%d faults: %s", n, first)
	}
	if n, _ := meshcheck.Watertight(w, m, all); n == 0 {
		t.Error("the hole passed where none should be")
	}
	far := m.Triangles[len(m.Triangles)-1]
	m.Triangles = m.Triangles[:len(m.Triangles)-1]
	if n, _ := meshcheck.WatertightBut(w, m, all, f); n == 0 {
		t.Error("a triangle that is missing far from the hole was not missed")
	}
	m.Triangles = append(m.Triangles, far, [3]uint32{7, 11, 12})
	if n, first := meshcheck.WatertightBut(w, m, all, f); n == 0 || !strings.Contains(first, "touches the hole") {
		t.Errorf("a triangle at the hole: %d faults, first %q", n, first)
	}
}

// TestScreenErrorOfAnOutline looks down on the grid from 100 m: 10 m are
// 10·kappa/100 pixels.
func TestScreenErrorOfAnOutline(t *testing.T) {
	const cell = 10 * 300.0 / 100
	c := &meshcheck.Camera{Eye: [3]float64{20, 100, 20}, Pitch: -math.Pi / 2, FovY: math.Pi / 2, Width: 600, Height: 600}
	_, f, m := punched()
	f.Samples[12] = 12345 // nobody knows it
	c.Eye[1] = 100
	if e := meshcheck.ScreenError(f, 0, 0, m, c); e.Worst != 0 || e.Uncovered != 0 || e.Checked != 24 || e.Outline != 0 {
		t.Errorf("hole as it should be: %+v", e)
	}
	f.Samples[12] = 0
	whole := *m
	whole.Triangles = append(whole.Triangles, [3]uint32{7, 11, 13}, [3]uint32{13, 11, 17})
	if e := meshcheck.ScreenError(f, 0, 0, &whole, c); math.Abs(e.Outline-cell) > 1e-9 {
		t.Errorf("hole drawn over: %+v, want an outline %g px off", e, cell)
	}
	var less [][3]uint32
	for _, tri := range m.Triangles {
		if tri[0] != 0 && tri[1] != 0 && tri[2] != 0 {
			less = append(less, tri)
		}
	}
	m.Triangles = less
	if e := meshcheck.ScreenError(f, 0, 0, m, c); math.Abs(e.Outline-2*math.Sqrt2*cell) > 1e-9 {
		t.Errorf("a corner is missing: %+v, want an outline %g px off", e, 2*math.Sqrt2*cell)
	}
}
