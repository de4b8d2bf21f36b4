package lodcpu

import "github.com/vkterrain/vkterrain/terrain"

// holes is what LeaveHoles returns.
type holes[I Index] struct {
	inner    Refiner
	direct   RefinerOf[I] // inner, of tiles without holes
	layout   *terrain.Layout
	topology Topology
	scratch  []uint32
}

// LeaveHoles returns a refiner that leaves out the triangles of inner that touch
// a hole, see [terrain.Vertex.Hole]. inner refines tiles of the given layout into
// the given topology. Tiles without holes go straight to inner.
//
// Both tiles of a seam hold the same holes, so what is left is still watertight
// but for the rims of holes. A hole is known from the level on that holds one of
// its samples: at coarser levels a small one is covered, and one that is known
// takes away whole triangles of that level. Coefficients see to it that this is
// seen only where a level has not been loaded yet: a vertex whose diamond is only
// partly a hole has one of at least the diamond's width.
func LeaveHoles(inner Refiner, layout *terrain.Layout, topology Topology) Refiner {
	return newHoles(inner, inner, layout, topology)
}

func newHoles[I Index](inner Refiner, direct RefinerOf[I], layout *terrain.Layout, topology Topology) *holes[I] {
	return &holes[I]{inner: inner, direct: direct, layout: layout, topology: topology}
}

// Narrow implements [Narrower].
func (h *holes[I]) Narrow() RefinerOf[uint16] {
	return newHoles(h.inner, Narrow(h.inner, h.layout), h.layout, h.topology)
}

// MaxIndices returns the most indices a tile loaded to level can need. A run of a
// strip that is joined to the one before it takes three indices more than it has,
// and there are at least four of inner's to a run.
func (h *holes[I]) MaxIndices(level terrain.Level) int {
	n := h.inner.MaxIndices(level)
	if h.topology == Strip {
		n += 3*(n/4+1) + 1
	}
	return n
}

// Refine implements [Refiner]. A tile with holes is refined into memory of the
// CPU first, which grows to what the largest of them needs: dst is never read.
func (h *holes[I]) Refine(dst []I, t *terrain.Tile, near *Neighbourhood, law *Law) (Counts, bool) {
	if !t.Info.Holes {
		return h.direct.Refine(dst, t, near, law)
	}
	c, ok := h.inner.Refine(h.scratch, t, near, law)
	for !ok {
		n := min(max(2*len(h.scratch), 1<<12), h.inner.MaxIndices(near.Level()))
		if n <= len(h.scratch) {
			panic("lodcpu: a refiner needs more indices than its MaxIndices")
		}
		h.scratch = make([]uint32, n)
		c, ok = h.inner.Refine(h.scratch, t, near, law)
	}
	k := keeper[I]{dst: dst, in: h.scratch[:c.Indices], verts: t.Verts, grid: h.layout.Grid}
	k.rimX = law.RimColumn - int(t.Info.Key.X)*h.layout.Cells
	k.rimZ = law.RimLine - int(t.Info.Key.Y)*h.layout.Cells
	if h.topology == List {
		k.list()
		return Counts{Indices: k.n, Triangles: k.triangles, Degenerates: c.Degenerates}, !k.full
	}
	k.strip()
	return Counts{Indices: k.n, Triangles: k.triangles, Degenerates: max(k.n-2, 0) - k.triangles}, !k.full
}

// keeper copies what is left of one tile.
type keeper[I Index] struct {
	dst        []I
	in         []uint32
	verts      []terrain.Vertex
	grid       []terrain.GridPos
	rimX, rimZ int // last column and row of the source, in the tile

	n         int    // indices written
	tail      uint32 // the last of a strip
	triangles int    // of some area, written
	full      bool
}

func (k *keeper[I]) hole(id uint32) bool { return k.verts[id].Hole() }

// hasArea says whether a triangle covers anything: one of a strip may be
// degenerate, and in the padding all corners are drawn on the rim.
func (k *keeper[I]) hasArea(a, b, c uint32) bool {
	if a == b || b == c || c == a {
		return false
	}
	ax, az := k.place(a)
	bx, bz := k.place(b)
	cx, cz := k.place(c)
	return (bx-ax)*(cz-az) != (cx-ax)*(bz-az)
}

func (k *keeper[I]) place(id uint32) (x, z int) {
	p := k.grid[id]
	return min(int(p.X), k.rimX), min(int(p.Z), k.rimZ)
}

// list copies triangles.
func (k *keeper[I]) list() {
	for in := k.in; len(in) >= 3; in = in[3:] {
		a, b, c := in[0], in[1], in[2]
		if k.hole(a) || k.hole(b) || k.hole(c) {
			continue
		}
		if k.n+3 > len(k.dst) {
			k.full = true
			return
		}
		d := k.dst[k.n : k.n+3 : k.n+3]
		d[0], d[1], d[2] = I(a), I(b), I(c)
		k.n += 3
		k.triangles++
	}
}

// strip copies the runs of indices without a hole in between: exactly their
// triangles touch none. Runs are joined by degenerates, and begin at the parity
// they had, so that fronts stay fronts.
func (k *keeper[I]) strip() {
	for i := 0; i < len(k.in) && !k.full; {
		end := i
		for end < len(k.in) && !k.hole(k.in[end]) {
			end++
		}
		if drawn := k.drawn(k.in[i:end]); drawn > 0 {
			k.triangles += drawn
			k.join(k.in[i], i&1)
			k.copy(k.in[i:end])
		}
		i = end + 1
	}
}

// drawn returns the number of triangles of some area in a run.
func (k *keeper[I]) drawn(run []uint32) (n int) {
	if len(run) < 3 {
		return 0
	}
	a, b := run[0], run[1]
	for _, c := range run[2:] {
		if k.hasArea(a, b, c) {
			n++
		}
		a, b = b, c
	}
	return n
}

// join writes what must stand between the last run and one that begins with first
// at a parity.
func (k *keeper[I]) join(first uint32, parity int) {
	link := [3]uint32{k.tail, first, first}
	from, to := 2, 2 // nothing, if this is the first run and of even parity
	if k.n > 0 {
		from = 0
	}
	if (k.n+to-from)&1 != parity {
		to++
	}
	k.copy(link[from:to])
}

// copy appends indices of one strip.
func (k *keeper[I]) copy(indices []uint32) {
	if k.full = k.full || k.n+len(indices) > len(k.dst); k.full || len(indices) == 0 {
		return
	}
	dst := k.dst[k.n:][:len(indices)]
	for i, id := range indices {
		dst[i] = I(id)
	}
	k.n += len(indices)
	k.tail = indices[len(indices)-1]
}
