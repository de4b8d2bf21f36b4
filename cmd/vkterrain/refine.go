package main

import (
	"fmt"
	"math"
	"runtime"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/vk"
)

// refineFlags say how and when tiles are refined.
type refineFlags struct {
	Anchors      string   `group:"refinement" enum:"auto,on,off" default:"auto" help:"Meshes that serve every view within a margin, made in the background, in place of one a frame: auto (where the camera flies, by a real GPU), on or off."`
	Margin       float64  `group:"refinement" placeholder:"M" help:"Margin of an anchor in metres; by the speed of the camera if 0."`
	Morph        *float64 `group:"refinement" placeholder:"SHARE" help:"Distance over which vertices rise to their height, in steps to their parents: 0 is at once. 0.5 where the camera flies by a real GPU and soar or billod refines, 0 otherwise."`
	Rise         *int     `group:"refinement" placeholder:"N" help:"Frames over which a level that was loaded rises, and one that goes in view sinks: 0 is at once. 30 where the camera flies by a real GPU, 0 otherwise."`
	MaxTriangles int      `group:"refinement" placeholder:"N" help:"Most triangles of a frame; the tolerance is raised for that where it must."`
	MaxIndices   int      `group:"refinement" placeholder:"N" help:"Most indices of a frame, likewise."`
}

// check returns what is wrong with them.
func (f *refineFlags) check() error {
	if !(f.Margin >= 0) || math.IsInf(f.Margin, 0) {
		return fmt.Errorf("--margin %v: must be 0 or more metres", f.Margin)
	}
	if m := f.Morph; m != nil && !(*m >= 0 && *m <= 100) {
		return fmt.Errorf("--morph %v: must be between 0 and 100", *m)
	}
	if r := f.Rise; r != nil && !(*r >= 0 && *r <= 10000) {
		return fmt.Errorf("--rise %d: must be between 0 and 10000 frames", *r)
	}
	if f.MaxTriangles < 0 || f.MaxIndices < 0 {
		return fmt.Errorf("--max-triangles %d, --max-indices %d: must be 0 or more", f.MaxTriangles, f.MaxIndices)
	}
	return nil
}

// apply sets the options that were asked for.
func (f *refineFlags) apply(o *vkterrain.Options, g *globals) {
	o.Anchored = f.Anchors == "on"
	o.Margin, o.Workers = f.Margin, g.refiners()
	o.Budget = lodcpu.Budget{Triangles: f.MaxTriangles, Indices: f.MaxIndices}
	if f.Morph != nil {
		o.Morph = *f.Morph
	}
	if f.Rise != nil {
		o.Rise = *f.Rise
	}
}

// fly sets what is left open for a camera that flies: anchors, and vertices that move.
// Where the processors draw too they have better to do, and take seconds to compile it.
func (f *refineFlags) fly(o *vkterrain.Options, gpu vk.GPUType) {
	if gpu == vk.CPU {
		return
	}
	if f.Anchors != "off" {
		o.Anchored = true
	}
	if f.Morph == nil {
		o.Morph = 0.5
	}
	if f.Rise == nil {
		o.Rise = 30
	}
}

// refiners returns how many threads refine a frame.
func (g *globals) refiners() int {
	const most = 8
	if g.Workers > 0 {
		return min(g.Workers, most)
	}
	return min(runtime.GOMAXPROCS(0), most)
}
