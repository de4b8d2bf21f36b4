package streaming

import (
	"slices"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
)

// none is the strategy that has no will.
type none struct{}

func (none) Aim(*Scene) {}

// HoldDistance is how many metres farther than a law needs a level it is kept.
type HoldDistance float64

// byDistance loads what the cameras' laws need.
type byDistance struct{}

func (byDistance) Aim(s *Scene) {
	margin, hold := s.m.margin, 0.0
	if h, ok := s.Data.(HoldDistance); ok {
		margin, hold = 1, float64(h)
	}
	s.needed(margin, hold)
	s.Balance()
}

// needed wants what all cameras' laws need.
func (s *Scene) needed(margin, hold float64) {
	s.coarsest()
	for i := range s.Cameras {
		s.need(&s.Cameras[i], margin, hold)
	}
}

// coarsest wants no more than the coarsest level of everything.
func (s *Scene) coarsest() {
	coarsest := s.m.coarsest()
	for i := range s.m.places {
		s.m.places[i].levels = [2]terrain.Level{coarsest, coarsest}
	}
}

// need wants what a camera's law needs.
func (s *Scene) need(c *Camera, margin, hold float64) {
	alone := len(s.Cameras) == 1 && c.Law == s.Cameras[0].Law
	for i := range s.m.places {
		p := &s.m.places[i]
		d := p.near
		if !alone {
			d = p.distance(c.Law)
		}
		p.aim(c.Law, d, s.m.layout.Levels, margin, hold)
	}
}

// predictive loads what the cameras need now and soon.
type predictive struct{}

// horizon is how far ahead predictive looks if nobody says.
const horizon = 2 * time.Second

// steps is at how many moments before the horizon it looks.
const steps = 2

func (predictive) Aim(s *Scene) {
	ahead, ok := s.Data.(time.Duration)
	if !ok {
		ahead = horizon
	}
	s.needed(s.m.margin, 0)
	for i := range s.Cameras {
		c := s.Cameras[i]
		for step := 1; step <= steps; step++ {
			s.needSoon(c, ahead.Seconds()*float64(step)/steps)
		}
	}
	s.Balance()
}

// needSoon wants what a camera will need, and gives what it will see the weight that it
// will have.
func (s *Scene) needSoon(c Camera, seconds float64) {
	law := *c.Law
	law.Eye = law.Eye.Add(c.Velocity.Mul(seconds))
	c.Law = &law
	if c.Velocity.Len() > 0 {
		s.need(&c, 1, 0)
	}
	if c.View == nil {
		return
	}
	view := *c.View
	view.Eye, view.Yaw = view.Eye.Add(c.Velocity.Mul(seconds)), view.Yaw+c.Turn*seconds
	f := view.Frustum()
	c.View = &view
	for i := range s.m.places {
		near := s.m.places[i].near
		s.m.places[i].look(&c, &f)
		s.m.places[i].near = near
	}
}

// Region is a rectangle of the world, in metres, that has a level, whatever the cameras
// need.
type Region struct {
	MinX, MinZ, MaxX, MaxZ float64
	Level                  terrain.Level
}

// pinned keeps regions loaded.
type pinned struct{}

func (pinned) Aim(s *Scene) {
	regions, _ := s.Data.([]Region)
	s.needed(s.m.margin, 0)
	for i := range s.m.places {
		p := &s.m.places[i]
		for _, r := range regions {
			if p.lo[0] <= r.MaxX && p.hi[0] >= r.MinX && p.lo[2] <= r.MaxZ && p.hi[2] >= r.MinZ {
				level := s.m.clamp(r.Level)
				p.levels[toTarget], p.levels[toKeep] = min(p.levels[toTarget], level), min(p.levels[toKeep], level)
				p.weight *= pinnedWeight
			}
		}
	}
	s.Balance()
}

// byScreenError spends the budget where it mends the most.
type byScreenError struct {
	queue  queue
	finest []terrain.Level // to go to, by tile
}

func (b *byScreenError) Aim(s *Scene) {
	s.needed(s.m.margin, 0)
	s.Balance()
	coarsest, left := s.m.coarsest(), s.m.room()
	b.queue, b.finest = slices.Grow(b.queue[:0], len(s.Tiles)), slices.Grow(b.finest[:0], len(s.Tiles))
	for i, t := range s.Tiles {
		p := &s.m.places[i]
		finest := p.levels[toTarget]
		if !p.seen && finest < coarsest {
			finest++
		}
		p.levels[toTarget] = coarsest
		left -= s.m.heldBytes(coarsest)
		b.finest = append(b.finest, finest)
		b.queue = append(b.queue, rank{0, b.gain(s, t), i})
	}
	b.queue.init()
	for len(b.queue) > 0 && b.queue[0].value > 0 {
		t := s.Tiles[b.queue[0].index]
		p := &s.m.places[t.index]
		level := s.m.finer(p.levels[toTarget])
		if left -= s.m.levelBytes(level); left < 0 {
			break
		}
		p.levels[toTarget] = level
		b.queue[0].value = b.gain(s, t)
		b.queue.down(0)
	}
	s.Balance()
}

// gain returns what the next level of a tile mends a byte, 0 if there is none to want.
func (b *byScreenError) gain(s *Scene, t *Tile) float64 {
	level := s.m.places[t.index].levels[toTarget]
	if level <= b.finest[t.index] {
		return 0
	}
	return max(s.Error(t, level)-s.Error(t, level-1), 1e-9) / float64(s.Bytes(level-1))
}
