package streaming

import (
	"math"
	"reflect"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Camera is an eye that levels are loaded for. Any number of them share what is loaded.
type Camera struct {
	Law *lodcpu.Law // by what its picture is refined

	// View is where it looks; nil means everywhere. What it does not see is loaded
	// too, for it may turn, but later.
	View *lodcpu.View

	// How it moves, for strategies that look ahead.
	Velocity mgl64.Vec3 // metres a second
	Turn     float64    // radians a second, eastwards
}

// cameras are those of the last update, with laws and views of their own.
type cameras struct {
	list  []Camera
	laws  []lodcpu.Law
	views []lodcpu.View
}

// same says whether the cameras are those of the last update.
func (c *cameras) same(now []Camera) bool {
	if len(c.list) != len(now) {
		return false
	}
	for i := range now {
		a, b := &c.list[i], &now[i]
		if a.Velocity != b.Velocity || a.Turn != b.Turn || (a.View == nil) != (b.View == nil) || !sameLaw(a.Law, b.Law) ||
			b.View != nil && *a.View != *b.View {
			return false
		}
	}
	return true
}

func sameLaw(a, b *lodcpu.Law) bool {
	return a.Eye == b.Eye && a.A == b.A && a.B == b.B && a.Haze == b.Haze && slices.Equal(a.Radius, b.Radius)
}

// keep copies the cameras: the caller may change his.
func (c *cameras) keep(now []Camera) {
	n := len(now)
	c.list, c.laws, c.views = append(c.list[:0], now...), slices.Grow(c.laws[:0], n)[:n], slices.Grow(c.views[:0], n)[:n]
	for i := range c.list {
		c.laws[i] = *now[i].Law
		c.list[i].Law = &c.laws[i]
		if v := now[i].View; v != nil {
			c.views[i] = *v
			c.list[i].View = &c.views[i]
		}
	}
}

// place is what aiming needs of a tile, apart from the rest so that the walk
// over all tiles touches little memory.
type place struct {
	lo, hi [3]float64 // metres
	coef   [terrain.MaxLevels]float32
	near   float64          // metres to the nearest eye
	weight float32          // what a metre of error weighs, by distance, tolerance and whether it is seen
	seen   bool             // by any camera
	levels [2]terrain.Level // to aim at and to keep
}

// Indices of place.levels.
const (
	toTarget = iota
	toKeep
)

// unseenWeight is what an error weighs that no camera sees, as a share: it may turn.
const unseenWeight = 0.25

// pinnedWeight is what an error weighs where a region is pinned, as a multiple.
const pinnedWeight = 1 << 20

// distance returns the distance in metres from the law's eye to the tile's box.
func (p *place) distance(l *lodcpu.Law) float64 {
	sum := 0.0
	for i := range 3 {
		d := max(p.lo[i]-l.Eye[i], l.Eye[i]-p.hi[i], 0)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// look finds how near and how weighty the tile is for a camera.
func (p *place) look(c *Camera, f *lodcpu.Frustum) {
	d := p.distance(c.Law)
	p.near = min(p.near, d)
	weight := 1 / max(d-c.Law.A, 1)
	if c.Law.B > 0 {
		weight *= c.Law.B
	}
	if f == nil || f.Sees(p.lo, p.hi) {
		p.seen = true
	} else {
		weight *= unseenWeight
	}
	p.weight = max(p.weight, float32(weight))
}

// aim makes the target as fine as l needs the tile from d metres (see [lodcpu.Law.Needs]),
// and what to keep as fine as it would need if it reached farther by the factor margin
// and hold metres.
func (p *place) aim(l *lodcpu.Law, d float64, levels int, margin, hold float64) {
	held := false
	for level := range terrain.Level(levels - 1) {
		reach := l.A + l.Reach(float64(p.coef[level])) + float64(l.Radius[2*level+1])
		if !held && d < reach*margin+hold {
			p.levels[toKeep], held = min(p.levels[toKeep], level), true
		}
		if d < reach {
			p.levels[toTarget] = min(p.levels[toTarget], level)
			return
		}
	}
}

// aim finds the targets.
func (m *Manager) aim(data any, cameras []Camera) {
	m.moved = false
	m.stays = m.restless()
	m.cameras.keep(cameras)
	m.data = data
	m.look()
	m.scene = Scene{Data: data, Cameras: m.cameras.list, Tiles: m.tiles, m: m}
	m.strategy.Aim(&m.scene)
	for i, t := range m.tiles {
		t.Target = m.places[i].levels[toTarget]
		t.prompt = t.prompt && m.strategyID == NoStrategy
		if t.fixed {
			t.Target = t.fixedLevel
		}
		if t.removed {
			t.Target, t.prompt = None, true
		}
	}
	m.limit()
	m.reviewAll()
}

// reviewAll brings up to date what hangs on goals.
func (m *Manager) reviewAll() {
	for _, t := range m.tiles {
		m.review(t)
		if t.job != nil {
			m.recall(t)
		}
	}
}

// sameData says whether the data of a strategy is that of the last update. It is taken for
// the same if it cannot be compared.
func (m *Manager) sameData(data any) bool {
	if !canCompare(data) && !canCompare(m.data) {
		return true
	}
	return canCompare(data) && canCompare(m.data) && data == m.data
}

// canCompare says whether data can be compared; the strategy must be asked each time if
// not.
func canCompare(data any) bool { return data == nil || reflect.TypeOf(data).Comparable() }

// look finds how near all tiles are, and what they weigh.
func (m *Manager) look() {
	for i := range m.places {
		p := &m.places[i]
		p.near, p.weight, p.seen = math.MaxFloat32, 0, false
	}
	for i := range m.cameras.list {
		c := &m.cameras.list[i]
		var f *lodcpu.Frustum
		if c.View != nil {
			frustum := c.View.Frustum()
			f = &frustum
		}
		for i := range m.places {
			m.places[i].look(c, f)
		}
	}
}

// balance makes one of the levels of all places finer until neighbours, corners
// included, differ by at most one. With that every vertex that the law makes
// active is also eligible: what [lodcpu.Law.Needs] asks of each tile is then
// enough for the whole picture. Going from the finest level to coarser ones, each
// tile is seen when its own is final.
func (m *Manager) balance(which int) {
	last := m.coarsest() - 1 // this level and coarser ones ask for nothing
	if m.coarsest() == 0 {
		return
	}
	for level := range m.byLevel {
		m.byLevel[level] = m.byLevel[level][:0]
	}
	for i := range m.places {
		if level := m.places[i].levels[which]; level < last {
			m.byLevel[level] = append(m.byLevel[level], int32(i))
		}
	}
	for level := range last {
		for at := 0; at < len(m.byLevel[level]); at++ {
			i := m.byLevel[level][at]
			if m.places[i].levels[which] == level {
				m.balanceAround(m.tiles[i], which, level+1)
			}
		}
	}
}

// balanceAround makes the neighbours of a tile so fine at least.
func (m *Manager) balanceAround(t *Tile, which int, level terrain.Level) {
	for _, n := range t.around {
		if n == nil || n.fixed {
			continue
		}
		l := &m.places[n.index].levels[which]
		if *l == None || *l <= level {
			continue
		}
		*l = level
		if level < m.coarsest()-1 {
			m.byLevel[level] = append(m.byLevel[level], int32(n.index))
		}
	}
}

// review brings up to date what hangs on a tile's goal and what it holds.
func (m *Manager) review(t *Tile) {
	if wanting := t.Prepared > t.goal; wanting != t.wanting {
		t.wanting = wanting
		if wanting {
			m.wanting++
		} else {
			m.wanting--
		}
	}
	if t.squeezed && t.Prepared >= t.goal {
		t.squeezed = false
		m.squeezed--
	}
	switch surplus := t.Prepared < t.keep; {
	case surplus && t.surplusSince == 0:
		t.surplusSince = max(m.updates, 1)
		m.surplus++
	case !surplus && t.surplusSince != 0:
		t.surplusSince = 0
		m.surplus--
	}
}
