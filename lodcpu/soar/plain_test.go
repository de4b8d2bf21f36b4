package soar_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
)

// plain is what the refiner is timed against: the recursion of the article, made
// right and view-dependent, in plain Go. It holds a whole field in two interleaved
// quadtrees, 20 bytes a vertex, with the published metric: an error and a radius a
// vertex, both nested, active if and only if (nu·e + r)² > d². That is no bound of
// the error of what is drawn. It writes one strip.
type plain struct {
	v          []plainVertex
	log2       int
	eye        [3]float32
	nu         float32
	planes     [][4]float32
	out        []uint32
	n          int
	parity     int
	tail, head uint32
}

type plainVertex struct{ x, y, z, e, r float32 }

// newPlain makes the vertices of a field of 2^k+1 samples a side.
func newPlain(f *terrain.Field) *plain {
	n := f.Width - 1
	log2 := 0
	for 1<<log2 < n {
		log2++
	}
	p := &plain{log2: log2, v: make([]plainVertex, 9+20*(1<<(2*log2-2)-1)/3+1), out: make([]uint32, 4*n*n)}
	grid := make([]plainVertex, f.Width*f.Width)
	for i := range grid {
		x, z := i%f.Width, i/f.Width
		grid[i] = plainVertex{x: float32(float64(x) * f.Spacing), y: float32(float64(f.Samples[i]) * f.Quantum), z: float32(float64(z) * f.Spacing)}
	}
	for order := range 2 * log2 {
		nestPlain(grid, n, order)
	}
	for i, at := range [9]int{n * f.Width, n*f.Width + n, n, 0, n/2*f.Width + n/2} {
		p.v[i] = grid[at]
	}
	corners := [4][2]int{{0, n}, {n, n}, {n, 0}, {0, 0}}
	for i, l := range corners {
		p.place(grid, 4, 5+i, [2]int{n / 2, n / 2}, l, corners[(i+1)%4], 2*log2-2)
	}
	return p
}

// place copies the vertices of a triangle's descendants to where the walk finds them.
func (p *plain) place(grid []plainVertex, i, j int, apex, l, r [2]int, order int) {
	m := [2]int{(l[0] + r[0]) / 2, (l[1] + r[1]) / 2}
	p.v[j] = grid[m[1]*(1<<p.log2+1)+m[0]]
	if order > 0 {
		p.place(grid, j, int(plainLeft(uint32(i), uint32(j))), m, l, apex, order-1)
		p.place(grid, j, int(plainRight(uint32(i), uint32(j))), m, apex, r, order-1)
	}
}

// nestPlain fills e and r of the vertices of an order, and raises those of their
// parents.
func nestPlain(grid []plainVertex, n, order int) {
	s, w := 1<<(order/2), n+1
	for z := 0; z <= n; z += s {
		for x := 0; x <= n; x += s {
			ox, oz := x/s&1, z/s&1
			if ox+oz != 1+order%2 || 2*x == n && 2*z == n {
				continue
			}
			v := &grid[z*w+x]
			// The ends of the edge that the vertex splits, and its parents.
			ax, az, bx, bz := s*ox, s*oz, s*oz, s*ox
			if order%2 == 1 {
				ax, az = s, s
				if (x/s+z/s)/2%2 == 0 {
					az = -s
				}
				bx, bz = ax, -az
			}
			a, b := &grid[(z-az)*w+x-ax], &grid[(z+az)*w+x+ax]
			v.e = max(v.e, float32(math.Abs(float64(v.y-(a.y+b.y)/2))))
			for _, d := range [2]int{-1, 1} {
				if px, pz := x+d*bx, z+d*bz; px >= 0 && pz >= 0 && px <= n && pz <= n {
					parent := &grid[pz*w+px]
					dx, dy, dz := float64(parent.x-v.x), float64(parent.y-v.y), float64(parent.z-v.z)
					parent.e = max(parent.e, v.e)
					parent.r = max(parent.r, v.r+float32(math.Sqrt(dx*dx+dy*dy+dz*dz)))
				}
			}
		}
	}
}

// look sets the view.
func (p *plain) look(v *lodcpu.View, cull bool) {
	p.eye = [3]float32{float32(v.Eye[0]), float32(v.Eye[1]), float32(v.Eye[2])}
	p.nu = float32(1 / (v.Tau * math.Pi / 3 / 1920))
	p.planes = nil
	if !cull {
		return
	}
	right, up, forward := v.Basis()
	b := math.Tan(v.FovY / 2)
	a := b * float64(v.Width) / float64(v.Height)
	for _, n := range [4][3]float64{
		forward.Mul(a).Add(right).Normalize(), forward.Mul(a).Sub(right).Normalize(),
		forward.Mul(b).Add(up).Normalize(), forward.Mul(b).Sub(up).Normalize(),
	} {
		p.planes = append(p.planes, [4]float32{
			float32(n[0]), float32(n[1]), float32(n[2]),
			float32(-n[0]*v.Eye[0] - n[1]*v.Eye[1] - n[2]*v.Eye[2]),
		})
	}
}

func plainLeft(i, j uint32) uint32  { return 4*i + (2*i+j)&3 - 7 }
func plainRight(i, j uint32) uint32 { return 4*i + (2*i+j+1)&3 - 7 }

// refine writes the strip of the whole field.
func (p *plain) refine() {
	p.out[0], p.out[1], p.n = 0, 0, 2
	p.tail, p.head, p.parity = 0, 0, 0
	for i := range uint32(4) {
		p.walk(4, 5+i, 2*p.log2-1, len(p.planes))
		p.append((i+1)%4, 1)
	}
}

// triangles counts those of the strip.
func (p *plain) triangles() (n int) {
	for i := range p.n - 2 {
		if a, b, c := p.out[i], p.out[i+1], p.out[i+2]; a != b && b != c && c != a {
			n++
		}
	}
	return n
}

func (p *plain) walk(i, j uint32, depth, planes int) {
	if depth == 0 || !p.active(j) {
		p.append(i, depth&1)
		return
	}
	if planes > 0 {
		p.walkCulled(i, j, depth, 1<<planes-1)
		return
	}
	p.walk(j, plainLeft(i, j), depth-1, 0)
	p.append(i, depth&1)
	p.walk(j, plainRight(i, j), depth-1, 0)
}

// walkCulled is walk with the planes of mask still to ask.
func (p *plain) walkCulled(i, j uint32, depth int, mask uint32) {
	if depth == 0 || !p.active(j) {
		p.append(i, depth&1)
		return
	}
	v := &p.v[j]
	for k := range p.planes {
		if mask>>k&1 == 0 {
			continue
		}
		n := &p.planes[k]
		d := n[0]*v.x + n[1]*v.y + n[2]*v.z + n[3]
		if d < -v.r {
			p.append(i, depth&1)
			return
		}
		if d > v.r {
			mask &^= 1 << k
		}
	}
	if mask == 0 {
		p.walk(j, plainLeft(i, j), depth-1, 0)
		p.append(i, depth&1)
		p.walk(j, plainRight(i, j), depth-1, 0)
		return
	}
	p.walkCulled(j, plainLeft(i, j), depth-1, mask)
	p.append(i, depth&1)
	p.walkCulled(j, plainRight(i, j), depth-1, mask)
}

func (p *plain) active(j uint32) bool {
	v := &p.v[j]
	dx, dy, dz := v.x-p.eye[0], v.y-p.eye[1], v.z-p.eye[2]
	t := p.nu*v.e + v.r
	return t*t > dx*dx+dy*dy+dz*dz
}

// append is the article's, with what was written last kept at hand.
func (p *plain) append(v uint32, parity int) {
	if v == p.tail || v == p.head {
		return
	}
	if parity == p.parity {
		p.out[p.n] = p.tail
		p.n++
	} else {
		p.parity = parity
		p.tail = p.head
	}
	p.out[p.n] = v
	p.n++
	p.head = v
}

// TestPlain holds the reference to the triangles that the original draws of this
// map without culling.
func TestPlain(t *testing.T) {
	f := pugetSound(t)
	p := newPlain(f)
	for tau, want := range map[float64]int{1: 515668, 2: 230386, 4: 80663} {
		p.look(pugetViews(f, tau)["fly-over"], false)
		p.refine()
		if got := p.triangles(); math.Abs(float64(got-want)) > 8 {
			t.Errorf("fly-over, tau %g: %d triangles, the original draws %d", tau, got, want)
		}
	}
}

// BenchmarkAgainstPlain times the refiner and the reference in turns.
func BenchmarkAgainstPlain(b *testing.B) {
	againstPlain(b, pugetSound(b), []float64{1, 2, 4}, 0)
}

// BenchmarkAgainstPlainMoving does so while the camera flies a post further each
// time, so that no processor learns the picture by heart.
func BenchmarkAgainstPlainMoving(b *testing.B) {
	f := pugetSound(b)
	againstPlain(b, f, []float64{1, 2, 4}, f.Spacing)
}

// BenchmarkAgainstPlain4097 does so on a map of 4097² samples of the same extent.
func BenchmarkAgainstPlain4097(b *testing.B) {
	againstPlain(b, finer(pugetSound(b)), []float64{1}, 0)
}

// BenchmarkLargerMap times the refiner on maps of 1025² and 4097² samples of the same
// extent in turns, in tiles of two sizes. "again" is what each tile of the larger one
// takes when it has just been refined, and comes from the cache.
func BenchmarkLargerMap(b *testing.B) {
	f := pugetSound(b)
	g := finer(f)
	for _, size := range []int{129, 513} {
		small, large := testworld.New(f, size, 0, 0), testworld.New(g, size, 0, 0)
		for name, v := range pugetViews(f, 1) {
			for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
				b.Run(fmt.Sprintf("%d/%s/%v", size, name, topology), func(b *testing.B) {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					benchmarkLarger(b, newWork(small, topology), newWork(large, topology), v)
				})
			}
		}
	}
}

func benchmarkLarger(b *testing.B, small, large *work, v *lodcpu.View) {
	var times [3][]float64
	laws := [2]lodcpu.Law{v.Law(&small.world.World), v.Law(&large.world.World)}
	timed := func(w *work, law *lodcpu.Law, turns int) float64 {
		start := spent()
		c := w.refineTimes(law, nil, turns)
		return float64(spent()-start) / float64(c.Triangles)
	}
	for b.Loop() {
		times[0] = append(times[0], timed(small, &laws[0], 1))
		once := timed(large, &laws[1], 1)
		times[1] = append(times[1], once)
		times[2] = append(times[2], 2*timed(large, &laws[1], 2)-once)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(times[0]), "ns/tri-1025")
	b.ReportMetric(median(times[1]), "ns/tri-4097")
	b.ReportMetric(median(times[2]), "ns/tri-4097-again")
	b.ReportMetric(median(times[1])/median(times[0]), "times")
}

// BenchmarkNeededLevels times frames as they are streamed, culled: each tile has the
// levels that the law needs, and so coarser neighbours. All levels are the measure.
func BenchmarkNeededLevels(b *testing.B) {
	f := pugetSound(b)
	w := testworld.New(f, 129, 0, 0)
	for name, v := range pugetViews(f, 1) {
		for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
			b.Run(fmt.Sprintf("%s/%v", name, topology), func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				law, frustum := v.Law(&w.World), v.Frustum()
				law.Cull = v.Cull(v.Eye)
				works := [2]*work{newWork(w, topology), newWork(w, topology)}
				s := &scene{w, map[terrain.Key]int8{}}
				for k, info := range w.Infos {
					s.levels[k] = int8(law.Needs(w.Layout(), info))
				}
				testworld.Balance(s.levels)
				mixed := 0
				for i, t := range works[0].tiles {
					k := t.Info.Key
					works[0].tiles[i], works[0].near[i] = w.Tile(k, terrain.Level(s.levels[k])), s.near(k)
					if works[0].near[i].Mixed() {
						mixed++
					}
				}
				var times [2][]float64
				for b.Loop() {
					for i, w := range works {
						start := spent()
						c := w.refine(&law, &frustum)
						times[i] = append(times[i], float64(spent()-start)/float64(c.Triangles))
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(mixed), "mixed-tiles")
				b.ReportMetric(median(times[0]), "ns/tri")
				b.ReportMetric(median(times[1]), "ns/tri-all-levels")
			})
		}
	}
}

// BenchmarkFullDetail times refiner and reference where every vertex is active.
func BenchmarkFullDetail(b *testing.B) {
	f := pugetSound(b)
	w, p := testworld.New(f, 129, 0, 0), newPlain(f)
	p.look(pugetViews(f, 1)["fly-over"], false)
	p.nu = float32(math.Inf(1))
	for i := range p.v {
		p.v[i].e = max(p.v[i].e, 1e-9)
	}
	law := lodcpu.FullLaw(&w.World)
	for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
		b.Run(topology.String(), func(b *testing.B) {
			takeTurns(b, p, newWork(w, topology), func(int) (*lodcpu.Law, *lodcpu.Frustum) { return &law, nil })
		})
	}
}

func againstPlain(b *testing.B, f *terrain.Field, taus []float64, step float64) {
	w, p := testworld.New(f, 129, 0, 0), newPlain(f)
	for _, name := range []string{"fly-over", "overview"} {
		for _, tau := range taus {
			for _, cull := range []bool{false, true} {
				for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
					b.Run(fmt.Sprintf("%s/tau%g/cull=%v/%v", name, tau, cull, topology), func(b *testing.B) {
						takeTurns(b, p, newWork(w, topology), func(turn int) (*lodcpu.Law, *lodcpu.Frustum) {
							v := pugetViews(f, tau)[name]
							v.Eye[2] -= step * float64(turn%64)
							law := v.Law(&w.World)
							p.look(v, cull)
							if !cull {
								return &law, nil
							}
							law.Cull = v.Cull(v.Eye)
							return &law, ptr(v.Frustum())
						})
					})
				}
			}
		}
	}
}

// takeTurns runs the reference and the refiner alternately and reports the medians.
func takeTurns(b *testing.B, p *plain, w *work, view func(turn int) (*lodcpu.Law, *lodcpu.Frustum)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var theirs, ours, ratios []float64
	var sum lodcpu.Counts
	for turn := 0; b.Loop(); turn++ {
		law, frustum := view(turn)
		start := spent()
		p.refine()
		middle := spent()
		sum = w.refine(law, frustum)
		end := spent()
		theirs = append(theirs, float64(middle-start)/float64(p.triangles()))
		ours = append(ours, float64(end-middle)/float64(sum.Triangles))
		ratios = append(ratios, ours[turn]/theirs[turn])
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(theirs), "plain-ns/tri")
	b.ReportMetric(median(ours), "ns/tri")
	b.ReportMetric(median(ratios), "of-plain")
	b.ReportMetric(float64(sum.Triangles), "triangles")
	b.ReportMetric(float64(sum.Indices)/float64(sum.Triangles), "indices/tri")
	b.ReportMetric(float64(sum.Degenerates), "degenerates")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// BenchmarkTileStage times what is done for every tile of a world before any of it
// is refined, and how large a part of a frame that is: tile by tile, and by a set of tiles.
func BenchmarkTileStage(b *testing.B) {
	f := pugetSound(b)
	for _, size := range []int{129, 33} {
		for name, v := range pugetViews(f, 1) {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				timeStage(b, newWork(testworld.New(f, size, 0, 0), lodcpu.List), v)
			})
		}
	}
}

func timeStage(b *testing.B, w *work, v *lodcpu.View) {
	layout := w.world.Layout()
	law, frustum := v.Law(&w.world.World), v.Frustum()
	law.Cull = v.Cull(v.Eye)
	set := lodcpu.NewTileSet(&w.world.World)
	for i, t := range w.tiles {
		set.Put(i, t.Info)
	}
	var plain, stage, refine []float64
	var needed [2]int
	runtime.LockOSThread() // spent is that of a thread
	defer runtime.UnlockOSThread()
	for b.Loop() {
		needed = [2]int{}
		const times = 20 // the clock is coarse
		start := spent()
		for range times {
			for _, t := range w.tiles {
				if frustum.Sees(law.Bounds(layout, t.Info)) {
					needed[0] += int(law.Needs(layout, t.Info))
				}
			}
		}
		first := spent()
		for range times {
			set.Look(&frustum)
			for i, t := range w.tiles {
				if set.Sees(i) {
					needed[1] += int(set.Needs(i, &law, t.Info))
				}
			}
		}
		second := spent()
		w.refine(&law, &frustum)
		plain, stage = append(plain, float64(first-start)/times), append(stage, float64(second-first)/times)
		refine = append(refine, float64(spent()-second))
	}
	if needed[0] != needed[1] {
		b.Fatalf("levels %d by the set, %d tile by tile", needed[1], needed[0])
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(plain)/float64(len(w.tiles)), "plain-ns/tile")
	b.ReportMetric(100*median(plain)/median(refine), "plain-%-of-refine")
	b.ReportMetric(median(stage)/float64(len(w.tiles)), "ns/tile")
	b.ReportMetric(100*median(stage)/median(refine), "%-of-refine")
}

// work is all tiles of a world at full resolution, those in view to be refined.
type work struct {
	world *testworld.World
	r     *soar.Refiner
	dst   []uint32
	tiles []*terrain.Tile
	near  []lodcpu.Neighbourhood
}

func newWork(w *testworld.World, topology lodcpu.Topology) *work {
	s := &scene{w, map[terrain.Key]int8{}}
	for k := range w.Infos {
		s.levels[k] = 0
	}
	r := soar.New(w.Layout(), topology)
	out := &work{world: w, r: r, dst: make([]uint32, r.MaxIndices(0))}
	nx, ny := w.Tiles()
	for i := range nx * ny {
		k := terrain.Key{X: int32(i % nx), Y: int32(i / nx)}
		out.tiles = append(out.tiles, w.Tile(k, 0))
		out.near = append(out.near, s.near(k))
	}
	return out
}

func (w *work) refine(law *lodcpu.Law, frustum *lodcpu.Frustum) (sum lodcpu.Counts) {
	return w.refineTimes(law, frustum, 1)
}

// refineTimes refines each tile some times before the next.
func (w *work) refineTimes(law *lodcpu.Law, frustum *lodcpu.Frustum, turns int) (sum lodcpu.Counts) {
	layout := w.world.Layout()
	for i, t := range w.tiles {
		if frustum != nil && !frustum.Sees(law.Bounds(layout, t.Info)) {
			continue
		}
		for range turns {
			c, _ := w.r.Refine(w.dst, t, &w.near[i], law)
			sum.Add(c)
		}
	}
	return sum
}

// finer returns a field of the same extent with four samples a side for each, and
// new detail in between.
func finer(f *terrain.Field) *terrain.Field {
	n := 4*(f.Width-1) + 1
	g := &terrain.Field{Width: n, Height: n, Spacing: f.Spacing / 4, Quantum: f.Quantum, Samples: make([]int32, n*n)}
	rng := rand.New(rand.NewPCG(4, 97))
	for z := range n {
		for x := range n {
			x0, z0, a, b := x/4, z/4, int32(x%4), int32(z%4)
			top := f.At(x0, z0)*(4-a) + f.At(x0+1, z0)*a
			bottom := f.At(x0, z0+1)*(4-a) + f.At(x0+1, z0+1)*a
			steep := max(f.At(x0, z0), f.At(x0+1, z0+1)) - min(f.At(x0, z0), f.At(x0+1, z0+1))
			g.Samples[z*n+x] = (top*(4-b) + bottom*b + 8) / 16
			if a|b != 0 {
				g.Samples[z*n+x] += rng.Int32N(steep/8 + 1)
			}
		}
	}
	return g
}

// TestListKeepsVerticesClose counts how often a list makes a graphics processor
// transform a vertex, with a cache of 32 of them, first in first out. A strip in the
// article's order is the measure.
func TestListKeepsVerticesClose(t *testing.T) {
	f := pugetSound(t)
	w := testworld.New(f, 129, 0, 0)
	for name, v := range pugetViews(f, 1) {
		law := v.Law(&w.World)
		var rate [2]float64
		for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
			work := newWork(w, topology)
			misses, triangles := 0, 0
			for i, tile := range work.tiles {
				c, _ := work.r.Refine(work.dst, tile, &work.near[i], &law)
				var cache []uint32
				lodcpu.Triangles(topology, work.dst[:c.Indices], func(a, b, c uint32) {
					triangles++
					for _, id := range [3]uint32{a, b, c} {
						if !slices.Contains(cache, id) {
							misses++
							cache = append(cache, id)
							cache = cache[max(0, len(cache)-32):]
						}
					}
				})
			}
			rate[topology] = float64(misses) / float64(triangles)
		}
		t.Logf("%s: %.2f vertices a triangle of a list, %.2f of a strip", name, rate[lodcpu.List], rate[lodcpu.Strip])
		if rate[lodcpu.List] > 1.5*rate[lodcpu.Strip] || rate[lodcpu.Strip] > 0.7 {
			t.Errorf("%s: %.2f vertices a triangle of a list, %.2f of a strip", name, rate[lodcpu.List], rate[lodcpu.Strip])
		}
	}
}
