package progmesh_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// samples returns points of a surface, about as many as are asked for, evenly over
// each triangle and with its corners.
func (s *surface) samples(n int) (points [][3]float64) {
	k := int(math.Ceil(math.Sqrt(2 * float64(n) / float64(max(len(s.triangles), 1)))))
	for _, t := range s.triangles {
		a, b, c := s.at[t[0]], s.at[t[1]], s.at[t[2]]
		for i := range k + 1 {
			for j := range k + 1 - i {
				u, v := float64(i)/float64(k), float64(j)/float64(k)
				points = append(points, [3]float64(a.plus(b.minus(a), u).plus(c.minus(a), v)))
			}
		}
	}
	return points
}

func (s *surface) corners() (all [][3][3]float64) {
	for _, t := range s.triangles {
		all = append(all, [3][3]float64{s.at[t[0]], s.at[t[1]], s.at[t[2]]})
	}
	return all
}

// extent returns the diagonal of the box round a surface.
func (s *surface) extent() float64 {
	lo, hi := s.at[0], s.at[0]
	for _, p := range s.at {
		for k, c := range p {
			lo[k], hi[k] = min(lo[k], c), max(hi[k], c)
		}
	}
	return hi.minus(lo).length()
}

// flips counts the triangles that have turned over. Those of a surface are the first
// of the full one's, if it does not say which ones.
func (s *surface) flips(full *surface) (n int) {
	for i, t := range s.triangles {
		was := i
		if s.from != nil {
			was = s.from[i]
		}
		if s.normal(t).dot(full.normal(full.triangles[was])) < 0 {
			n++
		}
	}
	return n
}

// quality is one cell group of the table.
type quality struct {
	there, both   float64 // percent of the box's diagonal
	broken, flips int
	loops         int
}

func judge(full, level *surface, samples int) (q quality) {
	extent := full.extent() / 100
	q.there = progmesh.Farthest(full.samples(samples), level.corners()) / extent
	q.both = max(q.there, progmesh.Farthest(level.samples(samples), full.corners())/extent)
	q.broken = level.broken()
	if level.from == nil {
		q.flips = level.flips(full)
	}
	q.loops, _ = level.loops()
	return q
}

func (q quality) String() string {
	return fmt.Sprintf("%.3f / %.3f | %d, %d, %d", q.there, q.both, q.broken, q.flips, q.loops)
}

// TestQuality compares what is left of real meshes with the published algorithm, and
// prints a table. VKTERRAIN_QUALITY=1 has all of them and takes more samples.
func TestQuality(t *testing.T) {
	names, samples := []string{"bunny.obj"}, 5_000
	if os.Getenv("VKTERRAIN_QUALITY") == "1" {
		names, samples = []string{"bunny.obj", "cow.obj", "cow.ply", "spot.obj", "beethoven.ply", "fandisk.obj", "bunny.ply"}, 300_000
	}
	var table strings.Builder
	for _, name := range names {
		s := welded(read(t, name)) // the published algorithm knows no seams
		quadric := build(t, s, progmesh.Options{})
		melax := build(t, s, progmesh.Options{Cost: progmesh.Melax})
		full, other := drawn(t, s, quadric, quadric.Vertices()), drawn(t, s, melax, melax.Vertices())
		before := judge(full, full, 1)
		old := newPublished(s)
		left := quadric.Vertices()
		for _, r := range resolutions {
			n := quadric.Count(r)
			for ; left > n; left-- {
				u := old.next()
				old.collapse(u, old.to[u])
			}
			q, m, p := judge(full, drawn(t, s, quadric, n), samples), judge(other, drawn(t, s, melax, n), samples), judge(full, old.surface(), samples)
			p.flips = old.surface().flips(&surface{triangles: old.first, at: old.at})
			fmt.Fprintf(&table, "| %s %d %% | %v | %v | %v |\n", name, int(r), q, m, p)
			for _, ours := range []quality{q, m} {
				if ours.broken > before.broken || ours.loops != before.loops || ours.flips > 0 {
					t.Errorf("%s %v: %+v, at first %+v", name, r, ours, before)
				}
			}
			if q.both > 1.3*p.both {
				t.Errorf("%s %v: quadrics are %v off, the published algorithm %v", name, r, q.both, p.both)
			}
		}
	}
	t.Log("\n" + table.String())
}

// welded returns a mesh without attributes, its vertices at one place made one.
func welded(s *progmesh.Source) *progmesh.Source {
	w, known := &progmesh.Source{}, map[[3]float32]uint32{}
	for _, t := range s.Triangles {
		for k, v := range t {
			p := s.Positions[v]
			at, ok := known[p]
			if !ok {
				at = uint32(len(w.Positions))
				known[p] = at
				w.Positions = append(w.Positions, p)
			}
			t[k] = at
		}
		w.Triangles = append(w.Triangles, t)
	}
	return w
}
