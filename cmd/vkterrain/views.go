package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
)

// viewsFlags say what else a picture shows beside one view.
type viewsFlags struct {
	Split  *halves `group:"picture" placeholder:"WHAT=A:B" help:"Two halves side by side that differ in what WHAT says: tau=1:4, algo=soar:quadtree or view=shaded:lod."`
	Stereo float64 `group:"picture" placeholder:"M" help:"A picture for each eye, side by side, that many metres apart, drawn from one mesh."`
	Inset  bool    `group:"picture" help:"Also what is drawn, from above, in a corner."`
}

func (f *viewsFlags) check() error {
	switch {
	case !(f.Stereo >= 0 && f.Stereo <= 1e6):
		return fmt.Errorf("--stereo %v: must be metres, 0 to a million", f.Stereo)
	case f.Stereo > 0 && f.Split != nil:
		return errors.New("--split and --stereo: a picture has two halves only")
	}
	return nil
}

// views returns the views of a picture of w, nil if v is the only one.
func (f *viewsFlags) views(w *terrain.World, v *lodcpu.View, look *pipeline.Look) []vkterrain.View {
	if f.Split == nil && f.Stereo == 0 && !f.Inset {
		return nil
	}
	views := []vkterrain.View{{View: *v, Look: *look}}
	switch {
	case f.Split != nil:
		views = f.Split.of(&views[0])
	case f.Stereo > 0:
		views = stereo(&views[0], f.Stereo)
	}
	if f.Inset {
		views = append(views, inset(w, &views[0], v.Width, v.Height))
	}
	return views
}

// halfWidth is that of one of two views side by side.
func halfWidth(width int) int { return max(width/2, 1) }

// stereo returns the views of two eyes, side by side in the place of v.
func stereo(v *vkterrain.View, apart float64) []vkterrain.View {
	left, right := *v, *v
	left.Width = halfWidth(v.Width)
	two := left.Stereo(apart)
	left.View, right.View = two[0], two[1]
	right.X, right.Shares = v.X+left.Width, true
	return []vkterrain.View{left, right}
}

// inset returns a view that looks down on what v draws, from above it, in the upper
// right corner of a picture.
func inset(w *terrain.World, v *vkterrain.View, width, height int) vkterrain.View {
	in := *v
	lod := v.View
	if v.LOD != nil {
		lod = *v.LOD
	}
	in.LOD, in.Shares = &lod, false
	side := max(min(width, height)*2/5, 1)
	in.Width, in.Height = min(side, width), min(side, height)
	in.X, in.Y = width-in.Width, 0
	in.Look = pipeline.Look{View: pipeline.Wireframe, DrawAll: v.Look.DrawAll, Clear: &[3]uint8{24, 28, 36}}
	in.Yaw, in.Pitch, in.FovY = v.Yaw, -math.Pi/2, math.Pi/4
	size := float64(max(w.Width, w.Height)-1) * w.Spacing
	reach := min(0.6*size, max(8*math.Abs(v.Eye[1]-float64(w.Min)*w.Quantum), 60*w.Spacing))
	if w.Endless {
		reach = 4000
	}
	sin, cos := math.Sincos(v.Yaw)
	in.Eye = v.Eye.Add(mgl64.Vec3{sin * reach * 0.8, 0, -cos * reach * 0.8})
	in.Eye[1] = max(v.Eye[1], float64(w.Max)*w.Quantum) + reach/math.Tan(in.FovY/2)
	return in
}

// halves is what two halves of a picture differ in, on the command line.
type halves struct {
	text string
	set  [2]func(v *vkterrain.View)
}

// UnmarshalText is how the command line reads halves.
func (h *halves) UnmarshalText(b []byte) error {
	h.text = string(b)
	what, values, _ := strings.Cut(h.text, "=")
	first, second, ok := strings.Cut(values, ":")
	if !ok {
		return fmt.Errorf("%q: want two values, as in tau=1:4", b)
	}
	for i, value := range [2]string{first, second} {
		var err error
		switch what {
		case "tau":
			var tau float64
			if tau, err = strconv.ParseFloat(value, 64); err == nil && !(tau > 0 && !math.IsInf(tau, 0)) {
				err = fmt.Errorf("a tolerance of %s pixels: must be above 0", value)
			}
			h.set[i] = func(v *vkterrain.View) { v.Tau = tau }
		case "algo":
			var a algorithm
			err = a.UnmarshalText([]byte(value))
			h.set[i] = func(v *vkterrain.View) { v.Algorithm = &a.Algorithm }
		case "view":
			var m viewMode
			err = m.UnmarshalText([]byte(value))
			h.set[i] = func(v *vkterrain.View) { v.Look.View, v.Look.Lines = m.ViewMode, m.lines }
		default:
			return fmt.Errorf("%q: halves may differ in tau, algo or view", b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// of returns the two halves of v.
func (h *halves) of(v *vkterrain.View) []vkterrain.View {
	left, right := *v, *v
	left.Width = halfWidth(v.Width)
	right.X, right.Width = v.X+left.Width, left.Width
	h.set[0](&left)
	h.set[1](&right)
	return []vkterrain.View{left, right}
}

// viewReport is what render --json prints of one of several views.
type viewReport struct {
	Algo   string  `json:"algo"`
	X      int     `json:"x"`
	Y      int     `json:"y"`
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Tau    float64 `json:"tau"`
	bound
	Shared          bool     `json:"shared"` // drawn from the mesh of the view before it
	Triangles       int      `json:"triangles"`
	Tiles           int      `json:"tiles"`
	MeasuredErrorPx *float64 `json:"measured_error_px,omitempty"`
}

// reportViews describes the views of the last frame.
func reportViews(t *vkterrain.Terrain, views []vkterrain.View, of func(tau, px float64, algo vkterrain.Algorithm) bound) (list []viewReport) {
	for i := range views {
		v, st := &views[i], t.ViewStats(i)
		b := of(v.Tau, st.Tau, st.Algorithm)
		if v.LOD != nil {
			b = unbounded("it shows what another view needs")
		}
		list = append(list, viewReport{
			Algo: st.Algorithm.String(), X: v.X, Y: v.Y, Width: v.Width, Height: v.Height, Tau: v.Tau, bound: b, Shared: st.Shared,
			Triangles: st.Triangles, Tiles: st.Tiles,
		})
	}
	return list
}

// checkViews measures each view of the last frame; the verdict is the worst of them. A
// view whose levels of detail are another's keeps no tolerance, and is not asked.
func checkViews(t *vkterrain.Terrain, views []vkterrain.View, list []viewReport) (worst vkterrain.Check, err error) {
	share := -1.0
	for i := range views {
		if views[i].LOD != nil {
			continue
		}
		k, err := t.CheckView(i)
		if err != nil {
			return worst, err
		}
		px := finite(k.MeasuredErrorPx)
		list[i].MeasuredErrorPx = &px
		cracks, first := worst.Cracks+k.Cracks, worst.FirstCrack
		if k.MeasuredErrorPx/views[i].Tau > share {
			share, worst = k.MeasuredErrorPx/views[i].Tau, k
		}
		if worst.Cracks = cracks; first != "" {
			worst.FirstCrack = first
		}
	}
	return worst, nil
}
