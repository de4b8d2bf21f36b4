package synth

import "math"

// land is the terrain at one resolution, with what erosion keeps per cell.
type land struct {
	w, h int
	cell float64 // metres between cells
	seed uint64

	z    []float64 // heights in metres
	sea  []bool    // outlets: water that reaches them is gone
	node []node
	fill []float64 // z with every depression filled to its outlet

	rank         []int32 // position in order from 1, 0 for outlets
	order        []int32 // land cells, each after its receivers
	next         []int32 // bucket queue
	heads, tails []int32
	deltas       [8]int32
}

// node is what the sweeps along order need of a cell, half a cache line,
// because they jump about in memory.
type node struct {
	uplift float32 // metres a step
	soft   float32 // erodibility times the time step
	talus  float32 // tangent of the steepest lasting slope
	area   float32 // square metres that drain through the cell
	flux   float32 // eroded volume passing through, cubic metres a step
	part   float32 // share of the water that goes to side, the rest to rcv
	rcv    int32
	side   int32
}

// The eight neighbours; a hash's byte i belongs to direction i.
var (
	dirX = [8]int{1, 1, 0, -1, -1, -1, 0, 1}
	dirZ = [8]int{0, 1, 1, 1, 0, -1, -1, -1}
)

func newLand(w, h int, cell float64, seed uint64) *land {
	n := w * h
	l := &land{
		w: w, h: h, cell: cell, seed: seed,
		z: make([]float64, n), sea: make([]bool, n), node: make([]node, n), fill: make([]float64, n),
		rank: make([]int32, n), order: make([]int32, 0, n), next: make([]int32, n),
	}
	for d := range l.deltas {
		l.deltas[d] = int32(dirZ[d]*w + dirX[d])
	}
	return l
}

// inner tells whether all eight neighbours of a cell exist.
func (l *land) inner(x, y int) bool {
	return x > 0 && y > 0 && x < l.w-1 && y < l.h-1
}

// flood fills depressions from the outlets inwards (priority flood) and with
// it orders the land: order lists cells after the one their water may go to.
// Flooded ground rises inwards by the slope rise on average, at random, so that
// courses over it wind. Buckets of 2 cm stand in for a heap; within a bucket first come, first served.
func (l *land) flood(rise float64) {
	const perMetre = 50
	lo, hi := l.z[0], l.z[0]
	for _, z := range l.z {
		lo, hi = min(lo, z), max(hi, z)
	}
	buckets := int((hi-lo)*perMetre) + 2
	if cap(l.heads) < buckets {
		l.heads, l.tails = make([]int32, buckets), make([]int32, buckets)
	}
	l.heads, l.tails = l.heads[:buckets], l.tails[:buckets]
	for i := range l.heads {
		l.heads[i] = -1
	}
	push := func(i int32) {
		b := min(int(float64((l.fill[i]-lo)*perMetre)), buckets-1)
		l.next[i] = -1
		if l.heads[b] < 0 {
			l.heads[b] = i
		} else {
			l.next[l.tails[b]] = i
		}
		l.tails[b] = i
	}
	const unseen = -1
	outlets := 0
	for i, sea := range l.sea {
		l.rank[i] = unseen
		if sea {
			l.rank[i], l.node[i].rcv, l.fill[i] = 0, int32(i), l.z[i]
			outlets++
		}
	}
	if outlets == 0 {
		i := l.lowestRim()
		l.sea[i], l.rank[i], l.node[i].rcv, l.fill[i] = true, 0, int32(i), l.z[i]
	}
	for y := range l.h {
		for x := range l.w {
			if i := y*l.w + x; l.sea[i] && l.touchesLand(x, y) {
				push(int32(i))
			}
		}
	}
	l.order = l.order[:0]
	w := int32(l.w)
	for b := 0; b < buckets; b++ {
		for l.heads[b] >= 0 {
			i := l.heads[b]
			l.heads[b] = l.next[i]
			if !l.sea[i] {
				l.order = append(l.order, i)
				l.rank[i] = int32(len(l.order))
			}
			x, y := int(i%w), int(i/w)
			inner := l.inner(x, y)
			level := l.fill[i]
			for d := range 8 {
				if !inner && !l.has(x+dirX[d], y+dirZ[d]) {
					continue
				}
				j := i + l.deltas[d]
				if l.rank[j] != unseen {
					continue
				}
				l.rank[j] = math.MaxInt32 // queued
				l.node[j].rcv = i
				l.fill[j] = l.z[j]
				if l.z[j] < level {
					r := float64(hash2(int(j), 0, l.seed)>>40) / (1 << 24)
					l.fill[j] = level + float64(rise*l.cell*5*float64(float64(r*r)*float64(r*r)))
				}
				push(j)
			}
		}
	}
}

func (l *land) has(x, y int) bool { return x >= 0 && y >= 0 && x < l.w && y < l.h }

func (l *land) touchesLand(x, y int) bool {
	for d := range 8 {
		if nx, ny := x+dirX[d], y+dirZ[d]; l.has(nx, ny) && !l.sea[ny*l.w+nx] {
			return true
		}
	}
	return false
}

// lowestRim is the lowest cell of the border.
func (l *land) lowestRim() int {
	best := 0
	for y := range l.h {
		for x := range l.w {
			if i := y*l.w + x; !l.inner(x, y) && l.z[i] < l.z[best] {
				best = i
			}
		}
	}
	return best
}

// route picks where each cell's water goes: down the steepest of the eight
// triangles around it, shared between the two far corners by the direction of
// its fall, so that no direction is preferred. Every fall is weighted at random
// by some per cent, or courses would run straight where slopes are even. Both corners must come earlier
// in order. Flooded cells keep the way the flood came.
func (l *land) route() {
	rows(l.h, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range l.w {
				i := int32(y*l.w + x)
				n := &l.node[i]
				n.side, n.part = n.rcv, 0
				if l.sea[i] || l.fill[i] > l.z[i] {
					continue
				}
				l.steepest(i, l.inner(x, y), x, y)
			}
		}
	})
}

func (l *land) steepest(i int32, inner bool, x, y int) {
	var drop [8]float64 // 0 where no water may go
	rank, z, r := l.rank[i], l.z[i], hash2(x, y, l.seed)
	for d := range 8 {
		if !inner && !l.has(x+dirX[d], y+dirZ[d]) {
			continue
		}
		if j := i + l.deltas[d]; l.rank[j] < rank {
			drop[d] = max(z-l.fill[j], 0) * (0.85 + float64(float64(r>>(8*d)&255)*(0.3/255)))
		}
	}
	n := &l.node[i]
	best := 0.0 // squared fall over a cell's width
	for d := 0; d < 8; d += 2 {
		a := drop[d]
		for _, e := range [2]int{d + 1, (d + 7) & 7} {
			b := drop[e]
			switch {
			case b <= 0 && a <= 0:
			case b <= a:
				if f := float64(a * a); f > best {
					best = f
					n.rcv, n.side, n.part = i+l.deltas[d], i+l.deltas[d], 0
				}
			case b >= 2*a:
				if f := float64(b*b) / 2; f > best {
					best = f
					n.rcv, n.side, n.part = i+l.deltas[e], i+l.deltas[e], 1
				}
			default:
				if f := float64(a*a) + float64((b-a)*(b-a)); f > best {
					best = f
					n.rcv, n.side, n.part = i+l.deltas[d], i+l.deltas[e], float32((b-a)/a)
				}
			}
		}
	}
}

// gather sums drained area and sediment down the courses.
func (l *land) gather() {
	a := float32(l.cell * l.cell)
	for i := range l.node {
		l.node[i].area = a
	}
	for k := len(l.order) - 1; k >= 0; k-- {
		n := &l.node[l.order[k]]
		r := &l.node[n.rcv]
		if n.rcv == n.side {
			r.area += n.area
			r.flux += n.flux
			continue
		}
		s, p := &l.node[n.side], n.part
		s.area += float32(p * n.area)
		s.flux += float32(p * n.flux)
		r.area += float32((1 - p) * n.area)
		r.flux += float32((1 - p) * n.flux)
	}
}

// step lets the land rise, cuts the courses by the stream power law in one
// implicit sweep from the outlets up, limits slopes to the talus angle and
// lays part of the sediment down. Lakes are filled up. Courses are found anew
// if fresh is set, else those of the last step serve.
func (l *land) step(lay float64, fresh bool) {
	const steepArea = 0.3e6 // square metres below which debris helps to cut
	if fresh {
		l.flood(2e-3)
		l.route()
	}
	l.gather()
	a := l.cell * l.cell
	for _, i := range l.order {
		n := &l.node[i]
		p := float64(n.part)
		below := lerp(l.z[n.rcv], l.z[n.side], p)
		dist := l.cell * math.Sqrt(1+float64(p*p))
		if p == 0 && l.slanted(i, n.rcv) {
			dist = l.cell * math.Sqrt2
		}
		old, area := l.z[i], float64(n.area)
		up := old
		if fresh {
			up = max(up, l.fill[i])
		}
		up += float64(n.uplift) + float64(lay*min(float64(n.flux)/area, 40))
		f := float64(float64(n.soft) * math.Sqrt(area) / dist * (1 + 2*steepArea/(area+steepArea)))
		z := (up + float64(f*below)) / (1 + f)
		z = min(z, l.rest(i), below+float64(float64(n.talus)*float64(1.2*dist)))
		z = max(z, below+float64(1e-5*dist))
		l.z[i] = z
		n.flux = float32(max(float64((old+float64(n.uplift)-z)*a), 0))
	}
	for i, sea := range l.sea {
		if sea {
			l.node[i].flux = 0
		}
	}
}

// slanted tells whether two neighbours share a corner only.
func (l *land) slanted(i, j int32) bool {
	d := j - i
	return d != 1 && d != -1 && d != int32(l.w) && d != -int32(l.w)
}

// rest is the height at which a cell's slope to its finished neighbours is the
// talus angle: the upwind solution of |grad z| = talus, alike in all directions.
func (l *land) rest(i int32) float64 {
	w := int32(l.w)
	x, y := i%w, i/w
	rank := l.rank[i]
	low := func(ok bool, j int32) float64 {
		if !ok || l.rank[j] >= rank {
			return math.Inf(1)
		}
		return l.z[j]
	}
	a := min(low(x > 0, i-1), low(x < w-1, i+1))
	b := min(low(y > 0, i-w), low(y < int32(l.h)-1, i+w))
	if a > b {
		a, b = b, a
	}
	s := float64(float64(l.node[i].talus) * l.cell)
	if d := b - a; d < s {
		return (a + b + math.Sqrt(float64(2*s*s)-float64(d*d))) / 2
	}
	return a + s
}

// drown lets the sea rise to height 0 over the mouths of the valleys.
func (l *land) drown() {
	for i, z := range l.z {
		l.sea[i] = z < 0
	}
}

// diffuse moves soil downhill: k is the share of the mean curvature taken
// away, 0 to 0.5, less where ground is steep because rock does not creep.
func (l *land) diffuse(k float64) {
	out := l.fill // free between steps
	inv := 1 / l.cell
	rows(l.h, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			here, up, down := y*l.w, max(y-1, 0)*l.w, min(y+1, l.h-1)*l.w
			for x := range l.w {
				i, west, east := here+x, max(x-1, 0), min(x+1, l.w-1)
				n, s, e, o := l.z[up+x], l.z[down+x], l.z[here+east], l.z[here+west]
				corners := l.z[up+west] + l.z[up+east] + l.z[down+west] + l.z[down+east]
				mean := float64((n+s+e+o)*(1.0/6)) + float64(corners*(1.0/12))
				g := (math.Abs(e-o) + math.Abs(s-n)) * inv
				out[i] = l.z[i] + float64(float64(k/(1+float64(3*g)))*(mean-l.z[i]))
			}
		}
	})
	l.z, l.fill = out, l.z
}
