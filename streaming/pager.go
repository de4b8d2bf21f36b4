package streaming

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/terrain"
)

// Atlas is a [Source] of more tiles than can be listed.
type Atlas interface {
	Source
	// Info returns what is known of a tile, nil where there is none. It may take long,
	// and is called by several goroutines.
	Info(k terrain.Key) (*terrain.TileInfo, error)
}

// Paging says how far around cameras there are tiles.
type Paging struct {
	// Load is how far from a camera, in metres eastwards and southwards, tiles come, and
	// Hold how far they stay. Hold is at least a tile more than Load, so that none comes
	// and goes as a camera turns back.
	Load, Hold float64
	// Loaders is how many goroutines ask for tiles; 0 means 1. None does if Sync is set:
	// then Update asks itself.
	Loaders int
	Sync    bool

	// Failed is told once of a tile that could not be asked for, until it can. It is asked
	// for again after a while.
	Failed func(k terrain.Key, err error)
	// Now is the clock for that; nil means [time.Now].
	Now func() time.Time
}

// Pager adds tiles to a [Manager] as cameras come near, and removes them as they leave,
// as EndlessWorld does: that of OGRE's terrain pages of 2012. It belongs to the
// manager's goroutine, and waits for nothing but with Sync.
type Pager struct {
	m     *Manager
	atlas Atlas
	opts  Paging
	side  float64 // of a tile, metres

	there  map[terrain.Key]presence
	keys   []terrain.Key // of there
	wanted []wantedTile  // nearest last
	asked  int           // with the goroutines
	eyes   []mgl64.Vec3
	moved  []mgl64.Vec3 // eyes when tiles were looked for last
	retry  time.Time    // when one that failed is asked for again; zero if none has

	scan  scan // for tiles that are near
	next  int  // of keys, to be looked at whether it has been left
	stale int  // of keys are to be looked at

	jobs chan askedTile
	done chan askedTile
	all  sync.WaitGroup
}

// presence is what is known of a place for a tile.
type presence struct {
	state    presenceState
	failures int
	retry    time.Time
}

type presenceState uint8

const (
	pageWanted presenceState = iota // to be asked for
	pageAsked                       // with a goroutine
	pageThere                       // added
	pageHole                        // there is no such tile
	pageFailed                      // to be asked for again
)

// scan looks for the tiles near cameras, some in each update: so that no update takes
// much longer than others.
type scan struct {
	on          bool
	now         time.Time
	eye         int // of Pager.moved
	first, last terrain.Key
	x, y        int64
	left        int          // tiles to be looked at
	found       []wantedTile // to be asked for
}

// In an update so many tiles are looked at at least, one in leastPart of all, and so many
// are added at most.
const (
	leastScan = 64
	leastPart = 8
	leastLeft = 8
	partLeft  = 32
	mostTaken = 4
)

// wantedTile is a tile to ask for.
type wantedTile struct {
	key      terrain.Key
	distance float64
}

// askedTile is a question and its answer.
type askedTile struct {
	key  terrain.Key
	info *terrain.TileInfo
	err  error
}

// NewPager returns a pager of a manager that was made of atlas.
func NewPager(m *Manager, atlas Atlas, o Paging) *Pager {
	w := atlas.World()
	p := &Pager{m: m, atlas: atlas, opts: o, side: w.Spacing * float64(w.TileSize-1)}
	p.opts.Hold = o.hold(p.side)
	if p.opts.Now == nil {
		p.opts.Now = time.Now
	}
	side := p.opts.Room(p.side)
	m.reserve(side)
	p.there, p.keys = make(map[terrain.Key]presence, side*side), make([]terrain.Key, 0, side*side)
	p.wanted, p.scan.found = make([]wantedTile, 0, side*side), make([]wantedTile, 0, side*side)
	p.eyes, p.moved = make([]mgl64.Vec3, 0, 4), make([]mgl64.Vec3, 0, 4)
	if o.Sync {
		return p
	}
	n := max(o.Loaders, 1)
	p.jobs, p.done = make(chan askedTile, 2*n), make(chan askedTile, 3*n)
	for range n {
		p.all.Go(func() {
			for j := range p.jobs {
				j.info, j.err = p.info(j.key)
				p.done <- j
			}
		})
	}
	return p
}

// info asks for a tile.
func (p *Pager) info(k terrain.Key) (*terrain.TileInfo, error) {
	if before := p.m.opts.Before; before != nil {
		if err := before(Asking, k, 0); err != nil {
			return nil, err
		}
	}
	return p.atlas.Info(k)
}

// Room returns how many tiles a side are there at most around a camera that does not
// leap, if a tile's side is so many metres.
func (o *Paging) Room(side float64) int { return 2*int(math.Ceil(o.hold(side)/side)) + 2 }

func (o *Paging) hold(side float64) float64 { return max(o.Hold, o.Load+side) }

// Update looks where cameras are, takes the tiles that have been asked for and asks for
// more, the nearest first. Call it once a frame, before the manager's update. What there is
// to do about a camera that has moved is spread over some frames, but where it has leapt.
func (p *Pager) Update(eyes ...mgl64.Vec3) {
	p.eyes = append(p.eyes[:0], eyes...)
	p.collect()
	now := time.Time{}
	if !p.retry.IsZero() {
		now = p.opts.Now()
	}
	if moved := p.hasMoved(p.side / 8); !p.scan.on && (moved || !p.retry.IsZero() && !now.Before(p.retry)) {
		p.begin(now)
	}
	p.leave()
	p.look()
	p.ask()
}

// begin begins to look at all tiles.
func (p *Pager) begin(now time.Time) {
	s := &p.scan
	leaps := p.opts.Sync || p.hasMoved(p.opts.Load)
	p.moved = append(p.moved[:0], p.eyes...)
	p.retry = time.Time{}
	p.stale = len(p.keys)
	*s = scan{on: true, now: now, eye: -1, found: s.found[:0]}
	if leaps {
		s.left, p.next = math.MaxInt, 0
	}
}

// Settled says whether all tiles near the cameras of the last Update are there.
func (p *Pager) Settled() bool {
	return len(p.wanted) == 0 && p.asked == 0 && !p.scan.on && !p.hasMoved(p.side/8)
}

// Hole says whether there is no tile at a place near the cameras, as is known by now.
func (p *Pager) Hole(k terrain.Key) bool { return p.there[k].state == pageHole }

// Close waits for the goroutines, which end with what they are asking for.
func (p *Pager) Close() {
	if p.jobs == nil {
		return
	}
	close(p.jobs)
	go func() {
		p.all.Wait()
		close(p.done)
	}()
	for range p.done {
	}
	p.jobs = nil
}

// hasMoved says whether cameras are farther from where they were than so many metres,
// or others.
func (p *Pager) hasMoved(metres float64) bool {
	if len(p.eyes) != len(p.moved) {
		return true
	}
	for i, e := range p.eyes {
		if max(math.Abs(e[0]-p.moved[i][0]), math.Abs(e[2]-p.moved[i][2])) > metres {
			return true
		}
	}
	return false
}

// collect adds the tiles that have been asked for and are still wanted.
func (p *Pager) collect() {
	for n := 0; p.asked > 0 && n < mostTaken; n++ {
		select {
		case j := <-p.done:
			p.asked--
			p.take(j)
		default:
			return
		}
	}
}

// take takes an answer.
func (p *Pager) take(j askedTile) {
	was, ok := p.there[j.key]
	if !ok || was.state != pageAsked {
		return // a camera has left meanwhile
	}
	switch {
	case j.err != nil:
		now := p.opts.Now()
		wait := min(time.Second<<min(was.failures, 4), 10*time.Second)
		if was.failures == 0 && p.opts.Failed != nil {
			p.opts.Failed(j.key, j.err)
		}
		p.there[j.key] = presence{state: pageFailed, failures: was.failures + 1, retry: now.Add(wait)}
		if p.retry.IsZero() || now.Add(wait).Before(p.retry) {
			p.retry = now.Add(wait)
		}
	case j.info == nil:
		p.there[j.key] = presence{state: pageHole}
	default:
		p.m.Add(j.info)
		p.there[j.key] = presence{state: pageThere}
	}
}

// leave forgets what no camera is near to any more, of some of the tiles.
func (p *Pager) leave() {
	n := min(p.stale, max(leastLeft, len(p.keys)/partLeft))
	if p.scan.on && p.scan.left == math.MaxInt {
		n = p.stale
	}
	for p.stale -= n; n > 0; n-- {
		if p.next >= len(p.keys) {
			p.next = 0
		}
		k := p.keys[p.next]
		if p.distance(k) <= p.opts.Hold {
			p.next++
			continue
		}
		if p.there[k].state == pageThere {
			if t := p.m.Tile(k); t != nil {
				p.m.Remove(t)
			}
		}
		delete(p.there, k)
		last := len(p.keys) - 1
		p.keys[p.next] = p.keys[last]
		p.keys = p.keys[:last]
	}
}

// look looks at some of the tiles that are near where cameras were when it began, and in
// the end lists those to ask for.
func (p *Pager) look() {
	s := &p.scan
	if !s.on {
		return
	}
	n := 0
	for most := max(leastScan, s.left/leastPart); n < most; n++ {
		if s.eye < 0 || s.y > int64(s.last.Y) {
			if s.eye++; s.eye == len(p.moved) {
				p.list()
				return
			}
			p.square(p.moved[s.eye])
		}
		p.consider(terrain.Key{X: int32(s.x), Y: int32(s.y)}, s.now)
		if s.x++; s.x > int64(s.last.X) {
			s.x, s.y = int64(s.first.X), s.y+1
		}
	}
}

// square makes the tiles around an eye those to look at next.
func (p *Pager) square(e mgl64.Vec3) {
	s, w, reach := &p.scan, p.atlas.World(), p.opts.Load
	s.first, s.last = w.TileAt(e[0]-reach, e[2]-reach), w.TileAt(e[0]+reach, e[2]+reach)
	s.x, s.y = int64(s.first.X), int64(s.first.Y)
	if s.left < math.MaxInt {
		s.left = int(int64(s.last.X)-s.x+1) * int(int64(s.last.Y)-s.y+1)
	}
}

// list ends a scan: what it has found is to be asked for.
func (p *Pager) list() {
	s := &p.scan
	s.on = false
	slices.SortFunc(s.found, func(a, b wantedTile) int {
		return cmp.Or(cmp.Compare(b.distance, a.distance), cmp.Compare(b.key.Y, a.key.Y), cmp.Compare(b.key.X, a.key.X))
	})
	s.found = slices.CompactFunc(s.found, func(a, b wantedTile) bool { return a.key == b.key })
	p.wanted, s.found = s.found, p.wanted
}

// consider lists a tile if it is to be asked for.
func (p *Pager) consider(k terrain.Key, now time.Time) {
	d := p.distance(k)
	if d > p.opts.Load {
		return
	}
	is, known := p.there[k]
	switch {
	case !known:
		p.there[k] = presence{state: pageWanted}
		p.keys = append(p.keys, k)
	case is.state == pageFailed && !now.Before(is.retry):
		is.state = pageWanted
		p.there[k] = is
	case is.state == pageFailed:
		if p.retry.IsZero() || is.retry.Before(p.retry) {
			p.retry = is.retry
		}
		return
	case is.state != pageWanted:
		return
	}
	p.scan.found = append(p.scan.found, wantedTile{k, d})
}

// ask hands the nearest tiles to the goroutines, or asks for all of them itself.
func (p *Pager) ask() {
	for n := len(p.wanted); n > 0; n = len(p.wanted) {
		k := p.wanted[n-1].key
		is := p.there[k]
		if is.state != pageWanted {
			p.wanted = p.wanted[:n-1] // it has been forgotten
			continue
		}
		is.state = pageAsked
		if p.opts.Sync {
			p.there[k], p.wanted = is, p.wanted[:n-1]
			p.m.stats.Waits++
			info, err := p.info(k)
			p.take(askedTile{k, info, err})
			continue
		}
		select {
		case p.jobs <- askedTile{key: k}:
			p.there[k], p.wanted = is, p.wanted[:n-1]
			p.asked++
		default:
			return
		}
	}
}

// distance returns how far a tile is from the nearest camera, eastwards or southwards.
func (p *Pager) distance(k terrain.Key) float64 {
	w := p.atlas.World()
	west, north := w.OriginX+float64(k.X)*p.side, w.OriginZ+float64(k.Y)*p.side
	nearest := math.Inf(1)
	for _, e := range p.eyes {
		dx, dz := max(west-e[0], e[0]-west-p.side, 0), max(north-e[2], e[2]-north-p.side, 0)
		nearest = min(nearest, max(dx, dz))
	}
	return nearest
}
