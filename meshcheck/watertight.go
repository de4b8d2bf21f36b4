package meshcheck

import (
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Watertight says what keeps m from being one closed sheet over the drawn
// tiles: it returns the number of faults and the first of them in words.
//
// Welded by grid position, every edge must be used by exactly two triangles in
// opposite directions, except on the rim of what is drawn; vertices at one
// position must agree to the last bit; every triangle must face up.
func Watertight(w *terrain.World, m *Mesh, drawn func(terrain.Key) bool) (faults int, first string) {
	return WatertightBut(w, m, drawn, &terrain.Field{})
}

// WatertightBut is Watertight for a world with the holes of its full resolution,
// f. No triangle may touch a sample of a hole; and an edge may be used once where
// the triangle beyond it would.
func WatertightBut(w *terrain.World, m *Mesh, drawn func(terrain.Key) bool, f *terrain.Field) (faults int, first string) {
	t := sheet{w: w, f: f, drawn: drawn, edges: make(map[[2]int64]int, len(m.Triangles)*3)}
	height := make(map[int64]float64, len(m.Vertices))
	for _, tri := range m.Triangles {
		var p [3]int64
		var col, row [3]int
		for i, v := range tri {
			q := m.Vertices[v]
			col[i] = int(math.Round((q[0] - w.OriginX) / w.Spacing))
			row[i] = int(math.Round((q[2] - w.OriginZ) / w.Spacing))
			p[i] = int64(row[i])<<32 | int64(col[i])
			if h, known := height[p[i]]; known && h != q[1] {
				t.fault("vertices at column %d, row %d are %v and %v m high", col[i], row[i], h, q[1])
			}
			height[p[i]] = q[1]
			if isVoid(f, col[i], row[i]) {
				t.fault("a triangle touches the hole at column %d, row %d", col[i], row[i])
			}
		}
		// X east, Z south: counter-clockwise from above has a negative area here.
		if area := (col[1]-col[0])*(row[2]-row[0]) - (col[2]-col[0])*(row[1]-row[0]); area >= 0 {
			t.fault("triangle (%d,%d) (%d,%d) (%d,%d) does not face up", col[0], row[0], col[1], row[1], col[2], row[2])
		} else {
			t.area -= int64(area)
		}
		for i := range 3 {
			t.edges[[2]int64{p[i], p[(i+1)%3]}]++
		}
	}
	for e, n := range t.edges {
		if n > 1 {
			t.fault("edge %s is used %d times in one direction", edgeName(e), n)
		}
		if t.edges[[2]int64{e[1], e[0]}] == 0 && !t.onRim(e) && !t.atHole(e) {
			t.fault("edge %s has a triangle on one side only", edgeName(e))
		}
	}
	if want := t.drawnArea(); t.area > want || t.area != want && f.Void == nil {
		t.fault("triangles cover %g cells of %g", float64(t.area)/2, float64(want)/2)
	}
	return t.faults, t.first
}

type sheet struct {
	w      *terrain.World
	f      *terrain.Field
	drawn  func(terrain.Key) bool
	edges  map[[2]int64]int
	area   int64 // twice the covered area, cells
	faults int
	first  string
}

func (t *sheet) fault(format string, args ...any) {
	if t.faults++; t.faults == 1 {
		t.first = fmt.Sprintf(format, args...)
	}
}

func edgeName(e [2]int64) string {
	return fmt.Sprintf("(%d,%d)-(%d,%d)", int32(e[0]), e[0]>>32, int32(e[1]), e[1]>>32)
}

// onRim says whether an edge lies on the border of the drawn tiles.
func (t *sheet) onRim(e [2]int64) bool {
	cells := t.w.TileSize - 1
	x0, z0, x1, z1 := int(int32(e[0])), int(e[0]>>32), int(int32(e[1])), int(e[1]>>32)
	tile := func(x, z int) terrain.Key { return terrain.Key{X: int32(x / cells), Y: int32(z / cells)} }
	switch {
	case x0 == x1:
		if x0 == 0 || x0 == t.w.Width-1 {
			return true
		}
		z := min(z0, z1)
		return x0%cells == 0 && t.drawn(tile(x0-1, z)) != t.drawn(tile(x0, z))
	case z0 == z1:
		if z0 == 0 || z0 == t.w.Height-1 {
			return true
		}
		x := min(x0, x1)
		return z0%cells == 0 && t.drawn(tile(x, z0-1)) != t.drawn(tile(x, z0))
	}
	return false
}

func (t *sheet) drawnArea() (twice int64) {
	cells := t.w.TileSize - 1
	nx, nz := t.w.Tiles()
	for y := range nz {
		for x := range nx {
			if t.drawn(terrain.Key{X: int32(x), Y: int32(y)}) {
				dx := min((x+1)*cells, t.w.Width-1) - x*cells
				dz := min((y+1)*cells, t.w.Height-1) - y*cells
				twice += 2 * int64(dx) * int64(dz)
			}
		}
	}
	return twice
}
