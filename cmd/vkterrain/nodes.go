package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
)

// nodeFlags say what BilLOD compares with.
type nodeFlags struct {
	BilLOD string   `name:"billod" group:"picture" enum:"bounded,classic" default:"bounded" placeholder:"TESTS" help:"BilLOD within --tau (bounded), or by the published tests (classic), of a world baked with --algo billod."`
	Near   *float64 `group:"picture" placeholder:"M" help:"BilLOD: metres below which everything is shown."`
	Far    *float64 `group:"picture" placeholder:"M" help:"BilLOD: metres at which a full deviation of normals counts (classic), or a metre of error at least (bounded)."`
	Detail *float64 `group:"picture" placeholder:"M" help:"BilLOD: metres at which an edge vertex a metre off its edge counts."`
	Depth  *int     `name:"min-depth" group:"picture" placeholder:"N" help:"BilLOD: depth down to which all nodes are shown."`
}

// given returns the flags that were given.
func (f *nodeFlags) given() (names []string) {
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--near", f.Near != nil}, {"--far", f.Far != nil}, {"--detail", f.Detail != nil}, {"--min-depth", f.Depth != nil}, {"--billod", f.classic()}} {
		if flag.given {
			names = append(names, flag.name)
		}
	}
	return names
}

func (f *nodeFlags) classic() bool { return f.BilLOD == "classic" }

// check says what is wrong with the flags beside an algorithm.
func (f *nodeFlags) check(a vkterrain.Algorithm) error {
	if names := f.given(); len(names) > 0 && a != vkterrain.BilLOD {
		return fmt.Errorf("%s belongs to --algo billod", names[0])
	}
	t := f.over(billod.Thresholds{})
	return t.Check()
}

// over returns t with the flags that were given in place of its own.
func (f *nodeFlags) over(t billod.Thresholds) billod.Thresholds {
	for _, v := range []struct{ flag, to *float64 }{{f.Near, &t.Near}, {f.Far, &t.Far}, {f.Detail, &t.Detail}} {
		if v.flag != nil {
			*v.to = *v.flag
		}
	}
	if f.Depth != nil {
		t.MinimalDepth = *f.Depth
	}
	return t
}

// apply makes o refine the world at path by the flags.
func (f *nodeFlags) apply(o *vkterrain.Options, path string, w *terrain.World) error {
	if o.Algorithm != vkterrain.BilLOD || w.Endless { // which has no BilLOD, as opening it says
		return nil
	}
	if o.Classic = f.classic(); !o.Classic {
		o.Thresholds = f.over(billod.Thresholds{})
		return nil
	}
	if !slices.ContainsFunc(w.Layers, func(l terrain.Layer) bool { return l.Name == bake.LayerBilLOD }) {
		return inputError(fmt.Errorf("%s: %w", path, errNoMeasures))
	}
	o.Thresholds = f.over(billod.Default(w))
	return nil
}

var errNoMeasures = errors.New("keeps nothing to do the published tests with; vkterrain bake --algo billod does")

// nodeReport is what a report says of BilLOD.
type nodeReport struct {
	Tests    string  `json:"billod"` // bounded or classic
	Near     float64 `json:"near_m"`
	Far      float64 `json:"far_m"`
	Detail   float64 `json:"detail_m"`
	MinDepth int     `json:"min_depth"`
}

// report returns what a report says of a terrain drawn with o, or nil.
func (f *nodeFlags) report(t *vkterrain.Terrain) *nodeReport {
	if t.Stats().Algorithm != vkterrain.BilLOD {
		return nil
	}
	th := t.Thresholds()
	return &nodeReport{Tests: f.BilLOD, Near: th.Near, Far: th.Far, Detail: th.Detail, MinDepth: th.MinimalDepth}
}

// turned returns thresholds a step up or down: the near or the far one.
func turned(t billod.Thresholds, w *terrain.World, classic, near, up bool) billod.Thresholds {
	v, first := &t.Far, billod.Default(w).Far
	switch {
	case near:
		v, first = &t.Near, w.Spacing
	case !classic:
		first = billod.Default(w).Detail
	}
	const step = 1.25
	switch {
	case up && *v == 0:
		*v = first
	case up:
		*v = min(*v*step, 1e12)
	case near && *v <= first:
		*v = 0
	default:
		*v /= step
	}
	return t
}
