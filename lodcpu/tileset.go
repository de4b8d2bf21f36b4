package lodcpu

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/terrain"
)

// TileSet finds which of many tiles of a world a view may see, as [Frustum.Sees] of their
// [Law.Bounds] would say of each. Tiles are called by numbers of the caller's, small ones.
// Those that are close to each other make a group of up to 4×4, which is looked at first:
// most groups are wholly outside of the picture, or wholly in it.
//
// A sum of rounded products with a corner of a box does not decrease as the corner moves
// inwards, so what is said of a group holds for its tiles to the last bit.
type TileSet struct {
	layout *terrain.Layout
	place  Law // for where tiles are

	boxes   []tileBox
	group   []int32 // of each tile; below 0 if there is none of that number
	groups  []tileGroup
	looks   []look // of each group
	byPlace map[groupPlace]int32
	free    []int32 // groups without tiles
	frustum Frustum
}

// groupTiles is how many tiles a group is wide, as a power of two.
const groupTiles = 2

// groupPlace is the column and row of a group, by zoom.
type groupPlace struct {
	zoom int32
	x, z int32
}

// tileBox is where a tile is.
type tileBox struct{ lo, hi mgl64.Vec3 }

// tileGroup is tiles that are close to each other. Its box may be larger than they need.
type tileGroup struct {
	tileBox
	place groupPlace
	many  int
}

// look is what a view sees of a group.
type look uint8

const (
	looksNone look = iota
	looksSome
	looksAll
)

// NewTileSet returns an empty set of tiles of w.
func NewTileSet(w *terrain.World) *TileSet {
	const usual, groups = 512, 128 // lists grow if there are more
	return &TileSet{
		layout: w.Layout(), place: placedLaw(w), boxes: make([]tileBox, 0, usual), group: make([]int32, 0, usual),
		groups: make([]tileGroup, 0, groups), looks: make([]look, 0, groups), free: make([]int32, 0, groups), byPlace: make(map[groupPlace]int32, groups),
	}
}

// Put says that tile n is as t tells, from now on.
func (s *TileSet) Put(n int, t *terrain.TileInfo) {
	for len(s.boxes) <= n {
		s.boxes, s.group = append(s.boxes, tileBox{}), append(s.group, -1)
	}
	s.Remove(n)
	at := groupPlace{t.Key.Zoom, t.Key.X >> groupTiles, t.Key.Y >> groupTiles}
	i, ok := s.byPlace[at]
	if !ok {
		i = s.newGroup()
		s.byPlace[at], s.groups[i].place = i, at
	}
	lo, hi := s.place.Bounds(s.layout, t)
	s.boxes[n], s.group[n] = tileBox{lo, hi}, i
	g := &s.groups[i]
	if g.many == 0 {
		g.tileBox = s.boxes[n]
	}
	for axis := range lo {
		g.lo[axis], g.hi[axis] = min(g.lo[axis], lo[axis]), max(g.hi[axis], hi[axis])
	}
	g.many++
}

// newGroup returns a group without tiles.
func (s *TileSet) newGroup() int32 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i
	}
	s.groups, s.looks = append(s.groups, tileGroup{}), append(s.looks, looksNone)
	return int32(len(s.groups) - 1)
}

// Remove says that there is no tile n any more, if there was one.
func (s *TileSet) Remove(n int) {
	if n >= len(s.group) || s.group[n] < 0 {
		return
	}
	i := s.group[n]
	s.group[n] = -1
	g := &s.groups[i]
	if g.many--; g.many == 0 {
		delete(s.byPlace, g.place)
		s.free = append(s.free, i)
	}
}

// Look looks at all groups. What [TileSet.Sees] says is what f sees, until the next Put.
func (s *TileSet) Look(f *Frustum) {
	s.frustum = *f
	groups, looks := s.groups, s.looks[:len(s.groups)]
	for i := range looks {
		if g := &groups[i]; g.many > 0 {
			looks[i] = f.look(&g.lo, &g.hi)
		}
	}
}

// Sees says whether anything of tile n, which is there, may be in the picture. A tile of nothing
// but holes, whose box is empty, may be said to be.
func (s *TileSet) Sees(n int) bool {
	l := s.looks[s.group[n]]
	return l == looksAll || l == looksSome && s.sees(n)
}

func (s *TileSet) sees(n int) bool { return s.frustum.sees(&s.boxes[n].lo, &s.boxes[n].hi) }

// Needs is [Law.Needs] of tile n, which is as t tells.
func (s *TileSet) Needs(n int, law *Law, t *terrain.TileInfo) terrain.Level {
	p := &s.boxes[n]
	return law.needs(s.layout, t, distance(&p.lo, &p.hi, &law.Eye))
}

// distance returns the distance from a point to a box.
func distance(lo, hi, p *mgl64.Vec3) float64 {
	sum := 0.0
	for i := range 3 {
		d := max(lo[i]-p[i], p[i]-hi[i], 0)
		sum += d * d
	}
	return math.Sqrt(sum)
}
