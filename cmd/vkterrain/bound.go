package main

import (
	"fmt"
	"strings"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// bound is the screen error that what was drawn keeps.
type bound struct {
	Px   *float64 `json:"bound_px"` // nil where nothing is promised
	Note string   `json:"bound_note,omitempty"`
}

// kept returns the bound of px pixels where tau were asked for, of one frame or the
// largest of several.
func kept(px, tau float64, frames int, why string) bound {
	b := bound{Px: &px}
	if px > tau {
		most := ""
		if frames > 1 {
			most = "as much as "
		}
		b.Note = fmt.Sprintf("the tolerance was raised from %s to %s%s px for %s", short(tau), most, short(roundTo(px, 2)), why)
	}
	return b
}

// unbounded returns the bound of what keeps none.
func unbounded(why string) bound { return bound{Note: "no screen error is promised: " + why} }

// Why there is no bound.
const (
	whyClassic = "the published tests of --billod classic bound none"
	whyLevels  = "--levels says what is loaded, not the view"
	whyCaps    = "--max-gpu or --max-cpu did not allow all that the view needs"
)

// allowed says a bound beside what was asked for.
func (b *bound) allowed() string {
	if b.Px == nil {
		return "none promised"
	}
	return short(roundTo(*b.Px, 3)) + " allowed"
}

// exceeded says whether an error is above the bound.
func (b *bound) exceeded(px float64) bool { return b.Px != nil && px > *b.Px }

// budgetFlags names the flags that bound what a frame takes.
func (f *refineFlags) budgetFlags() string {
	var names []string
	if f.MaxTriangles > 0 {
		names = append(names, fmt.Sprintf("--max-triangles %d", f.MaxTriangles))
	}
	if f.MaxIndices > 0 {
		names = append(names, fmt.Sprintf("--max-indices %d", f.MaxIndices))
	}
	return strings.Join(names, " and ")
}

// overBudget says by what a frame exceeds the budget, "" if it does not: no tolerance
// leaves less of a view than its coarsest meshes.
func (f *refineFlags) overBudget(c lodcpu.Counts) string {
	switch {
	case f.MaxTriangles > 0 && c.Triangles > f.MaxTriangles:
		return fmt.Sprintf("--max-triangles %d cannot be kept: this view takes about %d triangles by any tolerance", f.MaxTriangles, c.Triangles)
	case f.MaxIndices > 0 && c.Indices > f.MaxIndices:
		return fmt.Sprintf("--max-indices %d cannot be kept: this view takes about %d indices by any tolerance", f.MaxIndices, c.Indices)
	}
	return ""
}

// idle warns of a flag that was given and does nothing.
func (a *app) idle(flag, why string) {
	if a.given[flag] {
		a.log.warnf("--%s does nothing here: %s", flag, why)
	}
}

const whyMargin = "it is that of --anchors on"

// idle warns of the flags that do nothing of what o draws.
func (f *refineFlags) idle(a *app, o *vkterrain.Options) {
	if o.Classic && o.Anchored {
		a.idle("anchors", "the published tests are not anchored")
	}
	if !o.Anchored || o.Classic { // whatever --anchors says
		a.idle("margin", whyMargin)
	}
	if f.Morph != nil && *f.Morph > 0 && (o.Algorithm == vkterrain.Quadtree || o.Classic) {
		a.idle("morph", "only vertices of soar, and of billod within --tau, rise")
	}
}

// idle warns of the flags that do nothing without things.
func (f *propsFlags) idle(a *app, o *vkterrain.Options) {
	if o.Props == nil {
		a.idle("props-reach", "there is nothing on the ground without --props")
		a.idle("props-triangles", "there is nothing on the ground without --props")
	}
}
