package synth_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

// TestView writes pictures for eyes into the folder $SYNTH_VIEW: the map as
// shaded relief, $SYNTH_CROP ("x,z,size") of it enlarged, and views from
// $SYNTH_POSES ("x,y,z,yaw,pitch;..."). It reports the clearance of $SYNTH_PATH
// ("x,y,z;..."). $SYNTH_SIZE ("width,height,seed,spacing") makes another world.
func TestView(t *testing.T) {
	dir := os.Getenv("SYNTH_VIEW")
	if dir == "" {
		t.Skip("SYNTH_VIEW names no folder")
	}
	o := synth.Options{Width: 2049, Height: 2049, Seed: 1}
	fmt.Sscanf(os.Getenv("SYNTH_SIZE"), "%d,%d,%d,%g", &o.Width, &o.Height, &o.Seed, &o.Spacing)
	start := time.Now()
	f, err := synth.Generate(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi, mean := f.Stats()
	t.Logf("%d x %d in %v, heights %.0f to %.0f, mean %.0f", f.Width, f.Height, time.Since(start),
		float64(lo)*f.Quantum, float64(hi)*f.Quantum, mean)
	name := fmt.Sprintf("%d_%d", o.Seed, o.Width)
	s := newShade(f)
	write(t, filepath.Join(dir, "map_"+name+".png"), s.relief(max(1, (max(f.Width, f.Height)+1022)/1024)))
	if c := os.Getenv("SYNTH_CROP"); c != "" {
		var x, y, n int
		fmt.Sscanf(c, "%d,%d,%d", &x, &y, &n)
		img := s.relief(1).(*image.RGBA)
		write(t, filepath.Join(dir, "crop_"+name+".png"), zoom(img.SubImage(image.Rect(x, y, x+n, y+n)), 1000/n))
	}
	if p := os.Getenv("SYNTH_PATH"); p != "" {
		s.fly(t, strings.Split(p, ";"))
	}
	for n, p := range strings.Split(os.Getenv("SYNTH_POSES"), ";") {
		var x, y, z, yaw, pitch float64
		if _, err := fmt.Sscanf(p, "%g,%g,%g,%g,%g", &x, &y, &z, &yaw, &pitch); err != nil {
			continue
		}
		g := s.height(x, z)
		t.Logf("pose %d: ground %.0f, clearance %.0f", n, g, y-g)
		write(t, filepath.Join(dir, fmt.Sprintf("view_%s_%d.png", name, n)), s.view(x, y, z, yaw, pitch))
	}
}

// fly reports the least clearance on each part of a path, which is a uniform
// Catmull-Rom spline through its points.
func (s *shade) fly(t *testing.T, path []string) {
	p := make([][3]float64, len(path))
	for i, w := range path {
		fmt.Sscanf(w, "%g,%g,%g", &p[i][0], &p[i][1], &p[i][2])
	}
	for i := range len(p) - 1 {
		k := [4][3]float64{p[max(i-1, 0)], p[i], p[i+1], p[min(i+2, len(p)-1)]}
		least, where := math.Inf(1), 0.0
		for u := 0.0; u <= 1; u += 1.0 / 512 {
			var q [3]float64
			for c := range q {
				a, b, d, e := k[0][c], k[1][c], k[2][c], k[3][c]
				q[c] = b + u*((d-a)+u*((2*a-5*b+4*d-e)+u*(3*(b-d)+e-a)))/2
			}
			if h := q[1] - s.height(q[0], q[2]); h < least {
				least, where = h, u
			}
		}
		t.Logf("%d to %d: clearance %.0f m at %.2f; ground at %d: %.0f m", i, i+1, least, where, i, s.height(p[i][0], p[i][2]))
	}
}

func write(t *testing.T, path string, img image.Image) {
	t.Helper()
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := png.Encode(w, img); err != nil {
		t.Fatal(err)
	}
}

func zoom(img image.Image, k int) image.Image {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()*k, b.Dy()*k))
	for y := range b.Dy() * k {
		for x := range b.Dx() * k {
			out.Set(x, y, img.At(b.Min.X+x/k, b.Min.Y+y/k))
		}
	}
	return out
}

// shade holds a lit and tinted picture of a field, one colour a sample.
type shade struct {
	f   *terrain.Field
	rgb [][3]float64
}

func newShade(f *terrain.Field) *shade {
	s := &shade{f: f, rgb: make([][3]float64, f.Width*f.Height)}
	for z := range f.Height {
		for x := range f.Width {
			h := s.sample(x, z)
			water := h < 0
			at := func(x, z int) float64 {
				if water {
					return s.sample(x, z) * 0.3
				}
				return max(s.sample(x, z), 0)
			}
			dx := (at(x+1, z) - at(x-1, z)) / (2 * f.Spacing)
			dz := (at(x, z+1) - at(x, z-1)) / (2 * f.Spacing)
			l := math.Sqrt(dx*dx + dz*dz + 1)
			// sun from the north-west, 40° high
			sun := (dx*0.54 + dz*0.54 + 0.643) / l
			light := 0.30 + 0.95*max(sun, 0)
			s.rgb[z*f.Width+x] = tint(h, math.Sqrt(dx*dx+dz*dz), light)
		}
	}
	return s
}

func tint(h, slope, light float64) [3]float64 {
	mix := func(a, b [3]float64, t float64) (c [3]float64) {
		t = min(max(t, 0), 1)
		for i := range c {
			c[i] = a[i] + (b[i]-a[i])*t
		}
		return c
	}
	if h < 0 {
		c := mix([3]float64{0.36, 0.62, 0.68}, [3]float64{0.06, 0.20, 0.36}, math.Sqrt(-h/160))
		for i := range c {
			c[i] *= 0.75 + 0.25*light
		}
		return c
	}
	c := mix([3]float64{0.80, 0.76, 0.58}, [3]float64{0.40, 0.52, 0.26}, h/14)
	c = mix(c, [3]float64{0.25, 0.38, 0.17}, (h-150)/700)
	c = mix(c, [3]float64{0.47, 0.43, 0.33}, (h-1100)/600)
	c = mix(c, [3]float64{0.45, 0.41, 0.37}, (slope-0.55)/0.35)
	snow := (h - 1750 - 500*(slope-0.5)) / 350
	if slope < 1.1 {
		c = mix(c, [3]float64{0.95, 0.96, 0.98}, snow)
	}
	for i := range c {
		c[i] *= light
	}
	return c
}

func (s *shade) sample(x, z int) float64 { return float64(s.f.At(x, z)) * s.f.Quantum }

func (s *shade) relief(step int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, (s.f.Width+step-1)/step, (s.f.Height+step-1)/step))
	for z := 0; z < s.f.Height; z += step {
		for x := 0; x < s.f.Width; x += step {
			var c [3]float64
			n := 0.0
			for v := z; v < min(z+step, s.f.Height); v++ {
				for u := x; u < min(x+step, s.f.Width); u++ {
					for i := range c {
						c[i] += s.rgb[v*s.f.Width+u][i]
					}
					n++
				}
			}
			for i := range c {
				c[i] /= n
			}
			img.SetRGBA(x/step, z/step, rgba(c))
		}
	}
	return img
}

func rgba(c [3]float64) color.RGBA {
	b := func(v float64) uint8 { return uint8(min(max(v, 0), 1) * 255) }
	return color.RGBA{b(c[0]), b(c[1]), b(c[2]), 255}
}

// height is the bilinear height at a place in metres.
func (s *shade) height(x, z float64) float64 {
	h, _ := s.look(x, z)
	return h
}

func (s *shade) look(x, z float64) (float64, [3]float64) {
	x, z = x/s.f.Spacing, z/s.f.Spacing
	x = min(max(x, 0), float64(s.f.Width-1)-1e-9)
	z = min(max(z, 0), float64(s.f.Height-1)-1e-9)
	ix, iz := int(x), int(z)
	fx, fz := x-float64(ix), z-float64(iz)
	var h float64
	var c [3]float64
	for k := range 4 {
		u, v := k&1, k>>1
		w := (float64(u)*fx + float64(1-u)*(1-fx)) * (float64(v)*fz + float64(1-v)*(1-fz))
		h += w * max(s.sample(ix+u, iz+v), 0)
		q := s.rgb[(iz+v)*s.f.Width+ix+u]
		for i := range c {
			c[i] += w * q[i]
		}
	}
	return h, c
}

// view marches one ray a column outwards and draws what rises above what it
// has drawn; pitch is a shift of the horizon, good enough for small angles.
func (s *shade) view(ex, ey, ez, yaw, pitch float64) image.Image {
	const w, h = 1280, 640
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	f := w / 2 / math.Tan(30*math.Pi/180)
	horizon := h/2 + f*math.Tan(pitch*math.Pi/180)
	sky := func(y int) [3]float64 {
		t := min(max((horizon-float64(y))/500, 0), 1)
		return [3]float64{0.78 - 0.45*t, 0.85 - 0.33*t, 0.93 - 0.17*t}
	}
	wm, hm := float64(s.f.Width-1)*s.f.Spacing, float64(s.f.Height-1)*s.f.Spacing
	sy, cy := math.Sincos(yaw * math.Pi / 180)
	for x := range w {
		a := (float64(x) + 0.5 - w/2) / f
		dx, dz := sy+a*cy, -cy+a*sy // per metre of depth
		top := h
		for d := 20.0; d < 75e3 && top > 0; d *= 1.0012 {
			px, pz := ex+dx*d, ez+dz*d
			if px < 0 || pz < 0 || px > wm || pz > hm {
				if d > 2000 {
					break
				}
				continue
			}
			g, c := s.look(px, pz)
			y := int(horizon + (ey-g)/d*f)
			if y >= top {
				continue
			}
			fog := 1 - math.Exp(-d/38e3)
			for i := range c {
				c[i] += ([3]float64{0.74, 0.81, 0.90}[i] - c[i]) * fog
			}
			for ; top > max(y, 0); top-- {
				img.SetRGBA(x, top-1, rgba(c))
			}
		}
		for top > 0 {
			img.SetRGBA(x, top-1, rgba(sky(top)))
			top--
		}
	}
	return img
}
