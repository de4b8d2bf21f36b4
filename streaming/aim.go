package streaming

import (
	"math"
	"slices"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// place is what aiming needs of a tile, apart from the rest so that the walk
// over all tiles touches little memory.
type place struct {
	lo, hi [3]float64 // metres
	coef   [terrain.MaxLevels]float32
	near   float32          // metres to the nearest eye
	levels [2]terrain.Level // to aim at and to keep
}

// Indices of place.levels.
const (
	toTarget = iota
	toKeep
)

// distance returns the distance in metres from the law's eye to the tile's box.
func (p *place) distance(l *lodcpu.Law) float64 {
	sum := 0.0
	for i := range 3 {
		d := max(p.lo[i]-l.Eye[i], l.Eye[i]-p.hi[i], 0)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// aim makes the target as fine as l needs the tile (see [lodcpu.Law.Needs]), and
// what to keep as fine as it would need if it reached farther by the factor margin.
func (p *place) aim(l *lodcpu.Law, levels int, margin float64) {
	d := p.distance(l)
	p.near = min(p.near, float32(d))
	held := false
	for level := range terrain.Level(levels - 1) {
		reach := l.A + l.B*float64(p.coef[level]) + float64(l.Radius[2*level+1])
		if !held && d < reach*margin {
			p.levels[toKeep], held = min(p.levels[toKeep], level), true
		}
		if d < reach {
			p.levels[toTarget] = min(p.levels[toTarget], level)
			return
		}
	}
}

func (m *Manager) sameLaws(laws []*lodcpu.Law) bool {
	return slices.EqualFunc(m.laws, laws, func(a lodcpu.Law, b *lodcpu.Law) bool {
		return a.Eye == b.Eye && a.A == b.A && a.B == b.B && slices.Equal(a.Radius, b.Radius)
	})
}

// aim finds the targets.
func (m *Manager) aim(laws []*lodcpu.Law) {
	m.moved = false
	m.laws = m.laws[:0]
	for _, l := range laws {
		m.laws = append(m.laws, *l)
	}
	for i := range m.places {
		t, p := &m.tiles[i], &m.places[i]
		p.near, p.levels = math.MaxFloat32, [2]terrain.Level{m.coarsest(), m.coarsest()}
		for _, l := range laws {
			p.aim(l, m.layout.Levels, m.margin)
		}
		if t.fixed {
			p.levels = [2]terrain.Level{t.fixedLevel, t.fixedLevel}
		}
	}
	m.balance(toTarget)
	m.balance(toKeep) // or a tile would lose what its neighbour's target gave it
	for i := range m.tiles {
		t, p := &m.tiles[i], &m.places[i]
		t.Target, t.keep = p.levels[toTarget], p.levels[toKeep]
		m.review(t)
		m.recall(t)
	}
}

// balance makes one of the levels of all places finer until neighbours, corners
// included, differ by at most one. With that every vertex that the law makes
// active is also eligible: what [lodcpu.Law.Needs] asks of each tile is then
// enough for the whole picture. Going from the finest level to coarser ones, each
// tile is seen when its own is final.
func (m *Manager) balance(which int) {
	for level := terrain.Level(0); level+1 < m.coarsest(); level++ {
		for i := range m.places {
			if m.places[i].levels[which] != level {
				continue
			}
			for _, n := range &m.tiles[i].around {
				if n != nil && !n.fixed {
					l := &m.places[n.index].levels[which]
					*l = min(*l, level+1)
				}
			}
		}
	}
}

// review brings up to date what hangs on a tile's target and what it holds.
func (m *Manager) review(t *Tile) {
	if wanting := t.Prepared > t.Target; wanting != t.wanting {
		t.wanting = wanting
		if wanting {
			m.wanting++
		} else {
			m.wanting--
		}
	}
	switch surplus := t.Prepared < t.keep; {
	case surplus && t.surplusSince == 0:
		t.surplusSince = m.updates
		m.surplus++
	case !surplus && t.surplusSince != 0:
		t.surplusSince = 0
		m.surplus--
	}
}
