//go:build !nowindow

package main

import (
	"github.com/vkterrain/vkterrain"
)

// splitting is what a window shows beside one view.
type splitting int

const (
	whole        splitting = iota
	twoTaus                // the tolerance, and four times that
	twoAlgorithm           // the algorithm, and another
	twoEyes
	fromAbove // in a corner
	splittings
)

func (s splitting) String() string {
	return [...]string{"one view", "tau and four times that", "two algorithms", "both eyes", "from above"}[s]
}

// eyesApart is how far apart the eyes of a stereo picture are, in samples of the world:
// what lies far below is to have some depth too.
const eyesApart = 2

// arrange makes the views of this frame.
func (s *screen) arrange() {
	s.keepLevels()
	v := vkterrain.View{View: s.view, Look: s.shown, LOD: s.frozen, Algorithm: &s.algo}
	s.parts = append(s.parts[:0], v)
	switch s.split {
	case twoTaus, twoAlgorithm:
		left, right := v, v
		left.Width = halfWidth(v.Width)
		right.X, right.Width = left.Width, left.Width
		if s.split == twoTaus {
			right.Tau *= 4
		} else {
			right.Algorithm = &otherAlgorithms[s.algo]
		}
		s.parts = append(s.parts[:0], left, right)
	case twoEyes:
		if s.frozen == nil {
			s.parts = append(s.parts[:0], stereo(&v, eyesApart*s.terrain.World().Spacing)...)
		}
	case fromAbove:
		s.parts = append(s.parts, inset(s.terrain.World(), &v, v.Width, v.Height))
	}
}

// otherAlgorithms is what an algorithm is shown beside.
var otherAlgorithms = [...]vkterrain.Algorithm{
	vkterrain.SOAR: vkterrain.Quadtree, vkterrain.Quadtree: vkterrain.SOAR, vkterrain.BilLOD: vkterrain.SOAR,
}
