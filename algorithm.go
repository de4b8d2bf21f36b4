package vkterrain

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
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
	// BilLOD draws nodes of nine vertices: what SOAR draws, as fans; or by the tests
	// that were published, if [Options].Classic says so, which keep no tolerance.
	BilLOD
)

func (a Algorithm) String() string { return [...]string{"soar", "quadtree", "billod"}[a] }

// Algorithms returns all of them.
func Algorithms() []Algorithm { return []Algorithm{SOAR, Quadtree, BilLOD} }

// refiner returns a new refiner of the world's tiles.
func (t *Terrain) refiner(a Algorithm, topology lodcpu.Topology) lodcpu.Refiner {
	layout := t.world.Layout()
	var r lodcpu.Refiner
	switch {
	case a == Quadtree:
		r = quadtree.New(layout, topology)
	case a == BilLOD && t.nodes != nil && t.nodes.rule.Classic():
		r = billod.NewClassic(layout, topology, t.nodes.rule, t.nodes.measures)
	case a == BilLOD:
		r = billod.New(layout, topology)
	default:
		r = soar.New(layout, topology)
	}
	return lodcpu.LeaveHoles(r, layout, topology)
}
