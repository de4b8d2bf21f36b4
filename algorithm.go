package vkterrain

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/quadtree"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
)

// Algorithm is how a view is refined. All obey the tolerance and are watertight.
type Algorithm uint8

const (
	// SOAR bisects triangles: the fewest of them.
	SOAR Algorithm = iota
	// Quadtree divides squares, which are drawn whole, as fans.
	Quadtree
)

func (a Algorithm) String() string { return [...]string{"soar", "quadtree"}[a] }

// Algorithms returns all of them.
func Algorithms() []Algorithm { return []Algorithm{SOAR, Quadtree} }

// refiner returns a new refiner of the world's tiles.
func (t *Terrain) refiner(topology lodcpu.Topology) lodcpu.Refiner {
	layout := t.world.Layout()
	var r lodcpu.Refiner
	if t.algo == Quadtree {
		r = quadtree.New(layout, topology)
	} else {
		r = soar.New(layout, topology)
	}
	return lodcpu.LeaveHoles(r, layout, topology)
}
