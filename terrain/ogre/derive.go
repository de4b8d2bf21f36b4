package ogre

// quadGrowth is how much more error OGRE assumes for the next coarser level at
// least.
const quadGrowth = float32(1.05)

// Derive makes Deltas and QuadTree from Heights and Info, bit for bit as OGRE
// does when it makes a terrain.
//
// Level t takes the place of level t-1 by triangles over cells of 2^t steps. Each
// cell is cut along a diagonal: from its corner (0, 0) in the cells of even rows,
// from (1, 0) in odd ones. How high the triangle is above a sample is the error of
// the sample; samples below the terrain's last row and left of its last column
// have one. It is the delta of those samples of level t-1 that vanish in t, and
// the quadtree has the largest of all samples of a node, 0 at least: OGRE does
// not mind where the coarse surface is too low.
func (t *Terrain) Derive() {
	n := t.Size * t.Size
	t.Deltas = make([]float32, n)
	q := newQuadTree(&t.Info)
	for target := 1; target < t.Levels(); target++ {
		t.deriveLevel(target, q)
	}
	q.nest()
	t.QuadTree = q.walk(make([]float32, 0, t.QuadTreeLen()), 0, 0, 0)
}

type vec struct{ x, y, z float32 }

func (a vec) sub(b vec) vec { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }

// Products are converted, so that no compiler may join them with the sums.
func (a vec) cross(b vec) vec {
	return vec{
		float32(a.y*b.z) - float32(a.z*b.y),
		float32(a.z*b.x) - float32(a.x*b.z),
		float32(a.x*b.y) - float32(a.y*b.x),
	}
}

func (a vec) dot(b vec) float32 {
	return float32(a.x*b.x) + float32(a.y*b.y) + float32(a.z*b.z)
}

// plane is the plane through three points.
type plane struct {
	n vec
	d float32
}

func planeOf(a, b, c vec) plane {
	n := b.sub(a).cross(c.sub(a))
	return plane{n, -n.dot(a)}
}

func (p plane) height(x, y float32) float32 {
	return (float32(-p.n.x*x) - float32(p.n.y*y) - p.d) / p.n.z
}

// lattice returns the position of the grid lines.
func (t *Terrain) lattice() []float32 {
	scale := t.WorldSize / float32(t.Size-1)
	base := float32(-float64(t.WorldSize) * 0.5)
	at := make([]float32, t.Size)
	for i := range at {
		at[i] = float32(float32(i)*scale) + base
	}
	return at
}

// deriveLevel finds the errors of level target.
func (t *Terrain) deriveLevel(target int, q *quadTree) {
	step := 1 << target
	at := t.lattice()
	point := func(x, y int) vec { return vec{at[x], at[y], t.Heights[y*t.Size+x]} }
	for j := 0; j < t.Size-1; j += step {
		odd := j>>target&1 == 1
		for i := 0; i < t.Size-1; i += step {
			v0, v1, v2, v3 := point(i, j), point(i+step, j), point(i, j+step), point(i+step, j+step)
			a, b := planeOf(v0, v1, v3), planeOf(v0, v3, v2)
			if odd {
				a, b = planeOf(v1, v3, v2), planeOf(v0, v1, v2)
			}
			for dy := range step {
				first := 0
				if dy == 0 {
					first = 1
				}
				for dx := first; dx < step; dx++ {
					p := b
					if !odd && dx > dy || odd && dx > step-dy {
						p = a
					}
					x, y := i+dx, j+dy
					k := y*t.Size + x
					e := p.height(at[x], at[y]) - t.Heights[k]
					if half := step / 2; dx == half && dy%half == 0 || dy == half && dx%half == 0 {
						t.Deltas[k] = e
					}
					if e > 0 {
						q.add(target-1, x, y, e)
					}
				}
			}
		}
	}
}

// quadTree has the values of the nodes by level.
type quadTree struct {
	levels, leafLevels, depth int
	cells                     int         // of the terrain
	value                     [][]float32 // by level, then rows of the nodes that have it
}

func newQuadTree(i *Info) *quadTree {
	q := &quadTree{levels: i.Levels(), leafLevels: i.LeafLevels(), depth: i.Depth(), cells: i.Size - 1}
	for level := range q.levels {
		side := 1 << q.depthOf(level)
		q.value = append(q.value, make([]float32, side*side))
	}
	return q
}

// depthOf returns the depth of the nodes that have level.
func (q *quadTree) depthOf(level int) int { return min(q.depth-1, q.levels-1-level) }

// add counts e in all nodes that hold sample (x, y). Nodes share their borders.
func (q *quadTree) add(level, x, y int, e float32) {
	depth := q.depthOf(level)
	side, cells := 1<<depth, q.cells>>depth
	for ny := max(0, (y-1)/cells); ny <= min(side-1, y/cells); ny++ {
		for nx := max(0, (x-1)/cells); nx <= min(side-1, x/cells); nx++ {
			v := &q.value[level][ny*side+nx]
			*v = max(*v, e)
		}
	}
}

// nest makes each value larger than those of the finer level below.
func (q *quadTree) nest() {
	for level := 1; level < q.levels; level++ {
		finer, coarser := q.depthOf(level-1), q.depthOf(level)
		side := 1 << finer
		for i, v := range q.value[level-1] {
			x, y := i%side, i/side
			if finer > coarser {
				x, y = x/2, y/2
			}
			w := &q.value[level][y<<coarser+x]
			*w = max(*w, float32(v*quadGrowth))
		}
	}
}

// walk appends the values of node (x, y) and of those below it.
func (q *quadTree) walk(dst []float32, depth, x, y int) []float32 {
	at := y<<depth + x
	if depth == q.depth-1 {
		for level := range q.leafLevels {
			dst = append(dst, q.value[level][at])
		}
		return dst
	}
	dst = append(dst, q.value[q.levels-1-depth][at])
	for child := range 4 {
		dst = q.walk(dst, depth+1, 2*x+child&1, 2*y+child>>1)
	}
	return dst
}
