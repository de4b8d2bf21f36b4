package vkterrain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu/props"
)

// area is a rectangle on the map, metres.
type area struct{ west, north, east, south float64 }

func (a *area) meets(b *area) bool {
	return a.west <= b.east && b.west <= a.east && a.north <= b.south && b.north <= a.south
}

// plotKey names a square of ground, counted from the world's north-west corner, or from the
// origin of an endless world.
type plotKey struct{ x, z int64 }

// plot is what stands on a square of ground.
type plot struct {
	key   plotKey
	group props.Group
	made  bool
	shown bool
	asked uint64 // number of the job that makes it, 0 if there is none
}

// planting keeps the plots around the eye. Its plots are made by a goroutine of its
// own, but in a terrain that reads in Prepare itself.
type planting struct {
	spec        *Props
	maker       *plotMaker // the goroutine's, once there is one
	world       area       // all that there is
	origin      [2]float64 // metres east and south, of plot 0, 0
	high        float64    // metres, of the highest ground
	reach, side float64
	across      int64 // plots between the eye and where nothing stands any more

	at      plotKey // what the plots are around
	above   bool    // nothing is in reach
	known   bool
	plots   map[plotKey]*plot
	list    []*plot   // the same, from north to south
	pending []plotKey // to be made, the nearest last
	waiting int       // made and not shown
	groups  []props.Group
	dirty   bool                             // groups are not those of the plots shown
	ready   func(a *area, settled bool) bool // whether the ground there is as fine as the view asked, or will be no finer

	jobs   chan plotJob
	made   chan plotJob
	done   chan struct{}
	left   time.Time // when nobody wanted more
	number uint64
	flying int

	selector props.Selector
}

// plotJob is a plot to make, and what it became.
type plotJob struct {
	key    plotKey
	area   area
	source source
	number uint64
	group  props.Group
}

// jobsAhead is how many plots are with the goroutine at most.
const jobsAhead = 32

// plotsAcross is how many plots lie between the eye and where nothing stands any more,
// and between the middle of a world and its sides, where that is nearer: so no plot is a
// great part of what stands there.
const plotsAcross = 16

func newPlanting(spec *Props, scatter *props.Scatter, src source) *planting {
	w := scatter.World
	p := &planting{spec: spec, plots: map[plotKey]*plot{}, reach: cmp.Or(spec.Reach, defaultReach)}
	sx, sz := float64(w.Width-1)*w.Spacing, float64(w.Height-1)*w.Spacing
	p.side = min(p.reach, max(sx, sz)/2) / plotsAcross
	p.world = area{w.OriginX, w.OriginZ, w.OriginX + sx, w.OriginZ + sz}
	if w.Endless {
		p.side = p.reach / plotsAcross
		p.world = area{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}
	}
	p.across = int64(math.Ceil(min(p.reach/p.side, mostPlots)))
	p.high = float64(w.Max) * w.Quantum
	p.origin = [2]float64{w.OriginX, w.OriginZ}
	p.maker = newPlotMaker(spec.Models, scatter, src)
	return p
}

// start makes plots in the background from here on.
func (p *planting) start() {
	p.jobs, p.made, p.done = make(chan plotJob, jobsAhead), make(chan plotJob, jobsAhead), make(chan struct{})
	go p.work(p.jobs) // which leave may forget before this begins
}

// work makes plots until there are no more jobs.
func (p *planting) work(jobs <-chan plotJob) {
	for j := range jobs {
		p.maker.make(&j)
		p.made <- j
	}
	close(p.done)
}

// leave has the goroutine end as soon as what it reads is there.
func (p *planting) leave() {
	if p == nil || p.jobs == nil {
		return
	}
	p.maker.stop.Store(true)
	close(p.jobs)
	p.jobs, p.left = nil, time.Now()
}

// closeTimeout is how long after leave a read may take to return.
const closeTimeout = 900 * time.Millisecond

// close is leave, and waits; if a read does not return, not for long.
func (p *planting) close() error {
	p.leave()
	if p == nil || p.done == nil {
		return nil
	}
	timeout := time.NewTimer(time.Until(p.left.Add(closeTimeout)))
	defer timeout.Stop()
	select {
	case <-p.done:
		return nil
	case <-timeout.C:
		return fmt.Errorf("props: a read has not returned in %v", closeTimeout)
	}
}

// settled says whether all plots in reach are there.
func (p *planting) settled() bool {
	return p == nil || p.known && len(p.pending) == 0 && p.flying == 0
}

// area returns what of a plot is in the world.
func (p *planting) area(k plotKey) area {
	// Neighbours compute the same number for the side that they share.
	west, north := p.origin[0]+float64(float64(k.x)*p.side), p.origin[1]+float64(float64(k.z)*p.side)
	east, south := p.origin[0]+float64(float64(k.x+1)*p.side), p.origin[1]+float64(float64(k.z+1)*p.side)
	return area{west, north, min(east, p.world.east), min(south, p.world.south)}
}

// mostPlots is how far plots are numbered.
const mostPlots = 1 << 50

// plotAt returns the plot at a place, as far as plots are numbered.
func (p *planting) plotAt(x, z float64) plotKey {
	number := func(v float64) int64 { return int64(min(max(math.Floor(v/p.side), -mostPlots), mostPlots)) }
	return plotKey{number(x - p.origin[0]), number(z - p.origin[1])}
}

// follow asks for the plots around the eye, and takes those that were made.
func (p *planting) follow(eye mgl64.Vec3, src source) {
	p.drain()
	at, above := p.plotAt(eye[0], eye[2]), eye[1]-p.high > p.reach
	if !p.known || at != p.at || above != p.above {
		p.at, p.above, p.known = at, above, true
		p.plan()
	}
	for len(p.pending) > 0 && p.flying < jobsAhead {
		k := p.pending[len(p.pending)-1]
		p.pending = p.pending[:len(p.pending)-1]
		if p.plots[k] == nil {
			continue
		}
		p.number++
		p.plots[k].asked = p.number
		j := plotJob{key: k, area: p.area(k), source: src, number: p.number}
		if p.jobs == nil {
			p.maker.make(&j)
			p.take(&j)
			continue
		}
		p.flying++
		p.jobs <- j
	}
}

// drain takes what was made.
func (p *planting) drain() {
	for p.flying > 0 {
		select {
		case j := <-p.made:
			p.flying--
			p.take(&j)
		default:
			return
		}
	}
}

// take puts a plot in its place, if it is still wanted.
func (p *planting) take(j *plotJob) {
	t := p.plots[j.key]
	if t == nil || t.asked != j.number {
		return
	}
	t.group, t.asked = j.group, 0
	if !t.made {
		t.made = true
		p.waiting++
	}
	p.dirty = p.dirty || t.shown
}

// distance returns how far two plots are apart, in plots.
func (k plotKey) distance(o plotKey) float64 {
	gap := func(a, b int64) float64 { return max(math.Abs(float64(a)-float64(b))-1, 0) }
	return math.Hypot(gap(k.x, o.x), gap(k.z, o.z))
}

// plan lists the plots to make around where the eye is, and forgets those far away.
func (p *planting) plan() {
	const spare = 2 // plots, so that none comes and goes
	p.list = slices.DeleteFunc(p.list, func(t *plot) bool {
		if !p.above && t.key.distance(p.at) <= float64(p.across)+spare {
			return false
		}
		if t.made && !t.shown {
			p.waiting--
		}
		p.dirty = p.dirty || t.shown
		delete(p.plots, t.key)
		return true
	})
	if !p.above {
		first, last := p.plotAt(p.world.west, p.world.north), p.plotAt(p.world.east, p.world.south)
		for z := max(p.at.z-p.across-1, first.z); z <= min(p.at.z+p.across+1, last.z); z++ {
			for x := max(p.at.x-p.across-1, first.x); x <= min(p.at.x+p.across+1, last.x); x++ {
				if k := (plotKey{x, z}); p.plots[k] == nil && k.distance(p.at) <= float64(p.across) {
					t := &plot{key: k}
					p.plots[k] = t
					p.list = append(p.list, t)
					p.pending = append(p.pending, k)
				}
			}
		}
	}
	p.pending = slices.DeleteFunc(p.pending, func(k plotKey) bool { return p.plots[k] == nil })
	slices.SortFunc(p.list, func(a, b *plot) int { return cmp.Or(cmp.Compare(a.key.z, b.key.z), cmp.Compare(a.key.x, b.key.x)) })
	p.order()
}

// order sorts what is to be made, the nearest last.
func (p *planting) order() {
	slices.SortFunc(p.pending, func(a, b plotKey) int {
		return cmp.Or(cmp.Compare(b.distance(p.at), a.distance(p.at)), cmp.Compare(a.z, b.z), cmp.Compare(a.x, b.x))
	})
	p.pending = slices.Compact(p.pending)
}

// remake makes the plots anew that meet an area; until then they stay as they are.
func (p *planting) remake(a *area) {
	for _, t := range p.list {
		if b := p.area(t.key); b.meets(a) {
			t.asked = 0
			p.pending = append(p.pending, t.key)
		}
	}
	p.order()
}

// hide hides the plots that meet an area until its ground is ready again.
func (p *planting) hide(a *area) {
	for _, t := range p.list {
		if b := p.area(t.key); t.shown && b.meets(a) {
			t.shown, p.dirty = false, true
			p.waiting++
		}
	}
}

// show shows plots whose ground is ready, and lists the groups of all that are shown.
// Where the ground is settled, what is not there could not be read.
func (p *planting) show(settled bool) {
	for i := 0; i < len(p.list) && p.waiting > 0; i++ {
		t := p.list[i]
		if !t.made || t.shown {
			continue
		}
		if a := p.area(t.key); p.ready(&a, settled) {
			t.shown, p.dirty = true, true
			p.waiting--
		}
	}
	if !p.dirty {
		return
	}
	p.dirty = false
	p.groups = p.groups[:0]
	for _, t := range p.list {
		if t.shown && len(t.group.Instances) > 0 {
			p.groups = append(p.groups, t.group)
		}
	}
}
