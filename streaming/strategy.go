package streaming

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Strategy says which level each tile should have.
type Strategy interface {
	// Aim calls [Scene.Want] for tiles; what it does not speak of stays as it was.
	// It runs in [Manager.AutoUpdate] when cameras, data, tiles or the strategy have
	// changed, and must neither wait nor, for steady frames, allocate.
	Aim(s *Scene)
}

// StrategyID names a strategy. Those above 1 and below PinnedRegions are free.
type StrategyID uint32

// The strategies that every manager has. The OGRE article has the first two.
const (
	// NoStrategy leaves all tiles as they are: what [Tile.Load] and the like ask for.
	NoStrategy StrategyID = 0

	// ByDistance loads what the law of each camera needs of a tile, by its distance: all
	// that keeps the picture within its tolerance. What is loaded is kept within a margin.
	// Its data is that margin as [HoldDistance], or nil for that of [Options]. It is
	// the default.
	ByDistance StrategyID = 1

	// ByScreenError loads what mends the most pixels a byte first, and of what no camera
	// sees less. Where everything fits, what is seen is as by distance.
	ByScreenError StrategyID = math.MaxUint32

	// Predictive is by distance, for where the cameras will be too: by their velocity and
	// turn, as far ahead as its data says as [time.Duration], or two seconds.
	Predictive StrategyID = math.MaxUint32 - 1

	// PinnedRegions is by distance, but in the regions that its data has as []Region at
	// their levels, always.
	PinnedRegions StrategyID = math.MaxUint32 - 2
)

// named is a strategy by its name.
type named struct {
	name string
	s    Strategy
}

// builtIn returns the strategies that every manager has.
func builtIn() map[StrategyID]named {
	return map[StrategyID]named{
		NoStrategy:    {"none", none{}},
		ByDistance:    {"distance", byDistance{}},
		ByScreenError: {"screen-error", &byScreenError{}},
		Predictive:    {"predictive", predictive{}},
		PinnedRegions: {"pinned", pinned{}},
	}
}

// Register adds a strategy. It panics if the id is not free, or the name is taken.
func (m *Manager) Register(id StrategyID, name string, s Strategy) {
	if id <= ByDistance || id >= PinnedRegions {
		panic(fmt.Sprintf("streaming: the id %d of strategy %s is not free", id, name))
	}
	for other, n := range m.strategies {
		if other == id || n.name == name {
			panic(fmt.Sprintf("streaming: strategy %d, %s, is there already as %d, %s", id, name, other, n.name))
		}
	}
	m.strategies[id] = named{name, s}
}

// SetStrategy changes the strategy from the next update on. It returns an error that
// names those that there are if id is none of them.
func (m *Manager) SetStrategy(id StrategyID) error {
	n, ok := m.strategies[id]
	if !ok {
		return fmt.Errorf("streaming: no strategy %d: there are %s", id, m.strategyNames())
	}
	m.strategyID, m.strategy, m.moved = id, n.s, true
	if id == NoStrategy { // what is held stays held
		for i, t := range m.tiles {
			m.places[i].levels[toKeep] = min(m.places[i].levels[toKeep], t.Prepared)
		}
	}
	return nil
}

// SetStrategyNamed is [Manager.SetStrategy] by name, with the same error.
func (m *Manager) SetStrategyNamed(name string) error {
	for id, n := range m.strategies {
		if n.name == name {
			return m.SetStrategy(id)
		}
	}
	return fmt.Errorf("streaming: no strategy %q: there are %s", name, m.strategyNames())
}

// strategyNames lists the strategies that there are, as in "0 none, 1 distance".
func (m *Manager) strategyNames() string {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(m.strategies)) {
		list = append(list, fmt.Sprintf("%d %s", id, m.strategies[id].name))
	}
	return strings.Join(list, ", ")
}

// Strategy returns the strategy of the next update.
func (m *Manager) Strategy() (id StrategyID, name string) {
	return m.strategyID, m.strategies[m.strategyID].name
}

// Scene is what a strategy sees. It is good until Aim returns.
type Scene struct {
	Data    any // as given to AutoUpdate
	Cameras []Camera
	Tiles   []*Tile // all of them

	m *Manager
}

// Levels returns the number of levels; the coarsest is one less.
func (s *Scene) Levels() int { return s.m.layout.Levels }

// Bytes returns the bytes that a level takes on the GPU.
func (s *Scene) Bytes(level terrain.Level) int64 { return s.m.levelBytes(level) }

// Distance returns the metres from the nearest camera to a tile's box.
func (s *Scene) Distance(t *Tile) float64 { return s.m.places[t.index].near }

// Needs returns the finest level that a law needs of a tile.
func (s *Scene) Needs(t *Tile, l *lodcpu.Law) terrain.Level {
	p := s.m.places[t.index]
	p.levels[toTarget] = s.m.coarsest()
	p.aim(l, p.distance(l), s.m.layout.Levels, 1, 0)
	return p.levels[toTarget]
}

// Error returns a measure of how wrong a tile is on the screen that has all levels down
// to this one, weighed by distance, tolerance and whether it is in view.
func (s *Scene) Error(t *Tile, level terrain.Level) float64 {
	if level == 0 {
		return 0
	}
	p := &s.m.places[t.index]
	return float64(p.weight * p.coef[min(level, s.m.coarsest()+1)-1])
}

// Want makes target the level to have of a tile, and keep, if it is finer, one that stays
// if it is there. [None] is nothing of the tile.
func (s *Scene) Want(t *Tile, target, keep terrain.Level) {
	s.m.places[t.index].levels = [2]terrain.Level{s.m.clamp(target), s.m.clamp(min(keep, target))}
}

// Balance makes targets finer until those of neighbours differ by one at most: only then
// every vertex that a law makes active can be drawn, see package lodcpu. Tiles of which
// nothing is wanted stay so.
func (s *Scene) Balance() {
	m := s.m
	for i, t := range m.tiles {
		if t.fixed {
			m.places[i].levels = [2]terrain.Level{t.fixedLevel, t.fixedLevel}
		}
	}
	m.balance(toTarget)
	m.balance(toKeep) // or a tile would lose what its neighbour's target gave it
}

// clamp returns the level of the tile size, or None.
func (m *Manager) clamp(level terrain.Level) terrain.Level {
	if level == None {
		return None
	}
	return min(level, m.coarsest())
}
