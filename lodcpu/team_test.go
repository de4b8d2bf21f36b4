package lodcpu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
)

// teamJobs are all tiles of a rough world, with pseudo-random levels and expectations.
func teamJobs(seed uint64) (*testworld.World, []lodcpu.Job) {
	w := testworld.New(testworld.Rough(257, 257, 3), 65, 0, 0)
	random := rand.New(rand.NewPCG(seed, 1))
	levels := map[terrain.Key]int8{}
	keys := []terrain.Key{}
	for k := range w.Infos {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b terrain.Key) int { return int(a.Y-b.Y)*1000 + int(a.X-b.X) })
	for _, k := range keys {
		levels[k] = int8(random.IntN(3))
	}
	var jobs []lodcpu.Job
	for _, k := range keys {
		j := lodcpu.Job{Tile: w.Tile(k, terrain.Level(levels[k])), Expect: random.IntN(3) * random.IntN(20000)}
		for i := range j.Near {
			l, ok := levels[terrain.Key{X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1}]
			if !ok {
				l = lodcpu.Absent
			}
			j.Near[i] = l
		}
		jobs = append(jobs, j)
	}
	return w, jobs
}

// TestTeamIsOneRefiner: any number of workers writes what one refiner writes tile by
// tile, at the same places, and no two spans overlap.
func TestTeamIsOneRefiner(t *testing.T) {
	for seed := range uint64(5) {
		w, jobs := teamJobs(seed)
		v := lodcpu.View{Eye: mgl64.Vec3{1280, 400, 1280}, FovY: 1, Width: 1000, Height: 800, Tau: 2}
		law := v.Law(&w.World)
		newRefiner := func() lodcpu.Refiner { return soar.New(w.Layout(), lodcpu.List) }
		one := newRefiner()
		var first []lodcpu.Span
		for _, workers := range []int{1, 2, 5, 40} {
			team := lodcpu.NewTeam(workers, newRefiner)
			dst, spans := make([]uint32, 2_000_000), make([]lodcpu.Span, len(jobs))
			total, used, ok := team.Refine(dst, jobs, &law, spans)
			team.Close()
			if !ok {
				t.Fatalf("%d workers: buffer too short", workers)
			}
			if first == nil {
				first = spans
			}
			if !slices.Equal(first, spans) {
				t.Fatalf("%d workers put indices elsewhere than one", workers)
			}
			checkSpans(t, one, jobs, &law, dst[:used], spans, total)
		}
	}
}

// TestTeamWithManyRounds: workers that wake late, in another refinement than the one
// they were woken for, do no job twice and leave none out.
func TestTeamWithManyRounds(t *testing.T) {
	w, jobs := teamJobs(1)
	for i := range jobs {
		jobs[i].Expect = fewer
	}
	law := lodcpu.View{Eye: mgl64.Vec3{1280, 900, 1280}, FovY: 1, Width: 100, Height: 80, Tau: 30}
	l := law.Law(&w.World)
	team := lodcpu.NewTeam(8, func() lodcpu.Refiner { return soar.New(w.Layout(), lodcpu.List) })
	defer team.Close()
	dst, spans := make([]uint32, 2_000_000), make([]lodcpu.Span, len(jobs))
	want, _, _ := team.Refine(dst, jobs, &l, spans)
	for round := range 3000 {
		n := 1 + round%len(jobs)
		got, _, ok := team.Refine(dst, jobs[:n], &l, spans)
		if sum := sumOf(spans[:n]); !ok || got != sum || n == len(jobs) && got != want {
			t.Fatalf("round %d of %d jobs: %+v, the spans say %+v", round, n, got, sum)
		}
	}
}

// fewer is an expectation that is far too large for what the test's jobs need, so that all
// workers are woken.
const fewer = 1 << 14

func sumOf(spans []lodcpu.Span) (sum lodcpu.Counts) {
	for i := range spans {
		sum.Add(spans[i].Counts)
	}
	return sum
}

// checkSpans compares what a team wrote with what one refiner writes.
func checkSpans(t *testing.T, one lodcpu.Refiner, jobs []lodcpu.Job, law *lodcpu.Law, dst []uint32, spans []lodcpu.Span, total lodcpu.Counts) {
	t.Helper()
	var sum lodcpu.Counts
	taken := make([]bool, len(dst))
	for i, s := range spans {
		want := make([]uint32, one.MaxIndices(jobs[i].Near.Level()))
		c, _ := one.Refine(want, jobs[i].Tile, &jobs[i].Near, law)
		if c != s.Counts || !slices.Equal(want[:c.Indices], dst[s.First:s.First+s.Indices]) {
			t.Fatalf("tile %v: other indices than by one refiner", jobs[i].Tile.Info.Key)
		}
		for at := s.First; at < s.First+s.Indices; at++ {
			if taken[at] {
				t.Fatalf("index %d of tile %v belongs to another too", at, jobs[i].Tile.Info.Key)
			}
			taken[at] = true
		}
		sum.Add(c)
	}
	if sum != total {
		t.Errorf("total %+v, want %+v", total, sum)
	}
}

// TestTeamSaysWhenItIsFull: every buffer that is shorter than what it says it used is
// refused, and nothing behind it is written.
func TestTeamSaysWhenItIsFull(t *testing.T) {
	w, jobs := teamJobs(1)
	law := lodcpu.FullLaw(&w.World)
	team := lodcpu.NewTeam(2, func() lodcpu.Refiner { return soar.New(w.Layout(), lodcpu.Strip) })
	defer team.Close()
	dst, spans := make([]uint32, 4_000_000), make([]lodcpu.Span, len(jobs))
	_, used, ok := team.Refine(dst, jobs, &law, spans)
	if !ok || used <= lodcpu.Room(jobs) {
		t.Fatalf("used %d of %d: nothing was done again", used, len(dst))
	}
	for _, n := range []int{0, 1, lodcpu.Room(jobs) - 1, lodcpu.Room(jobs), used - 1} {
		clear(dst)
		if _, _, ok := team.Refine(dst[:n:n], jobs, &law, spans); ok {
			t.Errorf("%d indices are enough, which %d are not", n, used)
		}
		if slices.IndexFunc(dst[n:], func(v uint32) bool { return v != 0 }) >= 0 {
			t.Errorf("wrote behind the end at %d", n)
		}
	}
	if _, _, ok := team.Refine(dst[:used], jobs, &law, spans); !ok {
		t.Errorf("%d indices are too few, which it said it used", used)
	}
}

func TestTeamAllocatesNothing(t *testing.T) {
	w, jobs := teamJobs(2)
	law := lodcpu.FullLaw(&w.World)
	team := lodcpu.NewTeam(2, func() lodcpu.Refiner { return soar.New(w.Layout(), lodcpu.List) })
	defer team.Close()
	dst, spans := make([]uint32, 4_000_000), make([]lodcpu.Span, len(jobs))
	if n := testing.AllocsPerRun(10, func() { team.Refine(dst, jobs, &law, spans) }); n > 0 {
		t.Errorf("%v allocations a refinement", n)
	}
}

// BenchmarkTeam refines Puget Sound, culled and whole, by one worker and by two in turn,
// and by a plain loop over a refiner. It reports medians.
func BenchmarkTeam(b *testing.B) {
	f := lodtest.PugetSound(b)
	w := testworld.New(f, 129, 0, 0)
	for i, v := range lodtest.PugetViews(f, 1) {
		for _, culled := range []bool{true, false} {
			b.Run(fmt.Sprintf("%c/culled=%v", 'A'+i, culled), func(b *testing.B) {
				law := v.Law(&w.World)
				jobs := pugetJobs(w, &law)
				if culled {
					law.Cull = v.Cull(v.Eye)
					jobs = jobsInView(jobs, w, &v, &law)
				}
				compareTeams(b, w, jobs, &law)
			})
		}
	}
}

// pugetJobs are all tiles with all levels.
func pugetJobs(w *testworld.World, law *lodcpu.Law) (jobs []lodcpu.Job) {
	s := lodtest.Whole(w)
	nx, nz := w.Tiles()
	r := soar.New(w.Layout(), lodcpu.List)
	dst := make([]uint32, r.MaxIndices(0))
	for y := range nz {
		for x := range nx {
			k := terrain.Key{X: int32(x), Y: int32(y)}
			j := lodcpu.Job{Tile: w.Tile(k, 0), Near: s.Near(k)}
			c, _ := r.Refine(dst, j.Tile, &j.Near, law)
			j.Expect = c.Indices
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// jobsInView keeps the tiles that a view may see, with what it needs of them.
func jobsInView(jobs []lodcpu.Job, w *testworld.World, v *lodcpu.View, law *lodcpu.Law) (seen []lodcpu.Job) {
	frustum := v.Frustum()
	r := soar.New(w.Layout(), lodcpu.List)
	dst := make([]uint32, r.MaxIndices(0))
	for _, j := range jobs {
		lo, hi := law.Bounds(w.Layout(), j.Tile.Info)
		if frustum.Sees(lo, hi) {
			c, _ := r.Refine(dst, j.Tile, &j.Near, law)
			j.Expect = c.Indices
			seen = append(seen, j)
		}
	}
	return seen
}

func compareTeams(b *testing.B, w *testworld.World, jobs []lodcpu.Job, law *lodcpu.Law) {
	newRefiner := func() lodcpu.Refiner { return soar.New(w.Layout(), lodcpu.List) }
	one, two, plain := lodcpu.NewTeam(1, newRefiner), lodcpu.NewTeam(2, newRefiner), newRefiner()
	defer one.Close()
	defer two.Close()
	dst, spans := make([]uint32, lodcpu.Room(jobs)+1<<20), make([]lodcpu.Span, len(jobs))
	triangles := 0
	medians := inTurns(b,
		func() {
			at := 0
			for i := range jobs {
				c, _ := plain.Refine(dst[at:], jobs[i].Tile, &jobs[i].Near, law)
				at += c.Indices
			}
		},
		func() { one.Refine(dst, jobs, law, spans) },
		func() {
			c, _, _ := two.Refine(dst, jobs, law, spans)
			triangles = c.Triangles
		},
	)
	b.ReportMetric(float64(triangles), "triangles")
	b.ReportMetric(medians[0]/float64(triangles), "ns/triangle")
	b.ReportMetric(medians[0]/medians[1], "one:plain")
	b.ReportMetric(medians[1]/medians[2], "two:one")
}

// inTurns times functions in turns, and returns their medians in ns.
func inTurns(b *testing.B, turns ...func()) []float64 {
	times, medians := make([][]float64, len(turns)), make([]float64, len(turns))
	for b.Loop() {
		for n, turn := range turns {
			start := time.Now()
			turn()
			times[n] = append(times[n], float64(time.Since(start).Nanoseconds()))
		}
	}
	for n := range times {
		slices.Sort(times[n])
		medians[n] = times[n][len(times[n])/2]
	}
	b.ReportMetric(0, "ns/op")
	return medians
}
