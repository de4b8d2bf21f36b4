package hud_test

import (
	"image"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/hud"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// stage draws layers into a picture.
type stage struct {
	t      testing.TB
	dev    *vk.Device
	layer  *hud.Layer
	target *vk.Target
	calls  int
}

func newStage(t testing.TB, width, height, samples uint32, o hud.Options) *stage {
	t.Helper()
	dev := vktest.Device(t)
	target, err := dev.NewTarget(vk.TargetInfo{Name: "test", Width: width, Height: height, Samples: samples})
	if err != nil {
		t.Fatal(err)
	}
	o.ColorFormat, o.DepthFormat, o.Samples = target.Color.Format, target.Depth.Format, samples
	layer, err := hud.New(dev, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.WaitIdle(); err != nil {
			t.Error(err)
		}
		layer.Destroy()
		target.Destroy()
	})
	return &stage{t: t, dev: dev, layer: layer, target: target}
}

// frame draws what has been added over a blue picture.
func (s *stage) frame() {
	f, err := s.dev.BeginFrame()
	if err != nil {
		s.t.Fatal(err)
	}
	s.target.Begin(f.Cmd, [4]float32{0.35, 0.5, 0.7, 1}, 0)
	s.layer.Draw(f, int(s.target.Color.Width), int(s.target.Color.Height))
	s.target.End(f.Cmd)
	s.calls = f.Calls()
	if err := f.Submit(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) picture() *image.RGBA {
	s.frame()
	img, err := s.target.Readback()
	if err != nil {
		s.t.Fatal(err)
	}
	return img
}

// known is figures of a frame within its limits, and limited those of one that is not.
func known() (known, limited hud.Figures) {
	ms := func(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
	known = hud.Figures{
		Frame: ms(16.6), CPU: ms(3.21), GPU: ms(9.87), Upload: ms(0.42),
		Triangles: 1234567, Indices: 2345678, Degenerates: 345678, Tiles: 321, Draws: 456, Views: 1, Things: 9876,
		Levels: [12]int{120, 80, 60, 40, 21}, TauAsked: 1, TauKept: 1, Measured: 0.934,
		Memory:  [4]hud.Memory{{Name: "TILES GPU", Bytes: 123 << 20, Most: 512 << 20}, {Name: "TILES CPU", Bytes: 345 << 20, Most: 512 << 20}, {Name: "ALL GPU", Bytes: 234 << 20}},
		Waiting: 12, Uploading: 3,
	}
	limited = known
	limited.TauKept, limited.Measured, limited.GPU, limited.Views = 1.41, -1, -1, 2
	limited.Memory[0].Bytes, limited.Wanted = 511<<20, 812<<20
	return known, limited
}

// add adds frames of which some take longer.
func add(p *hud.Panel, f hud.Figures) {
	for i := range 150 {
		g := f
		g.CPU += time.Duration(i%30) * 100 * time.Microsecond
		g.GPU += time.Duration(i%17) * 300 * time.Microsecond
		if i == 100 {
			g.CPU += 25 * time.Millisecond
		}
		p.Add(&g)
	}
	p.Add(&f)
}

// TestPanelGoldens draws panels of fixed figures, at the scales of usual and of finer
// screens, three times each, and compares with the pictures kept.
func TestPanelGoldens(t *testing.T) {
	within, limited := known()
	for _, c := range []struct {
		name                   string
		width, height, samples uint32
		scale                  float64
		figures                hud.Figures
	}{
		{"panel", 640, 400, 1, 1, within},
		{"panel-limited", 640, 400, 1, 1, limited},
		{"panel-hidpi", 960, 600, 4, 1.5, within},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.width, c.height, c.samples, hud.Options{})
			scale := int(2 * c.scale)
			for range 3 {
				var p hud.Panel
				add(&p, c.figures)
				bottom := p.Draw(s.layer, 8, 8, scale)
				if bottom > int(c.height) {
					t.Errorf("the panel ends at %d", bottom)
				}
				hud.PixelsLegend.Draw(s.layer, 8, int(c.height)-4, scale-1)
				day := hud.Slider{Title: "TIME OF DAY 18:30", At: 18.5 / 24, Marks: []string{"0", "6", "12", "18", "24"}}
				day.Draw(s.layer, int(c.width)-4, int(c.height)-4, scale-1)
				vktest.Golden(t, s.picture(), "testdata/golden/"+c.name+".png")
			}
		})
	}
}

// TestFont draws all letters there are, and some that there are not.
func TestFont(t *testing.T) {
	s := newStage(t, 256, 64, 1, hud.Options{})
	s.layer.Text(4, 4, 1, hud.Color{255, 255, 255, 255}, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	s.layer.Text(4, 16, 1, hud.Color{255, 255, 255, 255}, "abc 0123456789 .,:-+=/%()'_×–?")
	s.layer.Text(4, 28, 2, hud.Color{255, 200, 0, 255}, "~ż§ 8×5")
	s.layer.Rect(-20, 50, 40, 8, hud.Color{255, 0, 0, 255})
	s.layer.Rect(240, 50, 40, 100, hud.Color{0, 255, 0, 128})
	vktest.Golden(t, s.picture(), "testdata/golden/font.png")
}

// TestSteadyPanel: a panel is one draw, and takes nothing from the heap.
func TestSteadyPanel(t *testing.T) {
	s := newStage(t, 640, 400, 1, hud.Options{})
	figures, _ := known()
	var p hud.Panel
	add(&p, figures)
	draw := func() {
		p.Add(&figures)
		p.Draw(s.layer, 8, 8, 2)
		s.frame()
	}
	draw()
	few := s.calls
	s.frame()
	if n := few - s.calls; n < 6 || n > 10 {
		t.Errorf("%d Vulkan calls for a panel", n)
	}
	if allocs := testing.AllocsPerRun(100, draw); allocs != 0 {
		t.Errorf("%g allocations a frame", allocs)
	}
	if s.calls != few {
		t.Errorf("%d Vulkan calls, then %d", few, s.calls)
	}
}

// TestTooMuch: what does not fit is left out.
func TestTooMuch(t *testing.T) {
	s := newStage(t, 64, 64, 1, hud.Options{Items: 3})
	for i := range 5 {
		s.layer.Rect(10*i, 0, 8, 8, hud.Color{255, 255, 255, 255})
	}
	img := s.picture()
	for i := range 5 {
		if got := img.RGBAAt(10*i+4, 4).R == 255; got != (i < 3) {
			t.Errorf("rectangle %d is there: %v", i, got)
		}
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		width, height int
		content       float64
		want          int
	}{{1920, 1080, 1, 2}, {1280, 720, 1, 2}, {640, 360, 1, 1}, {160, 90, 1, 1}, {3840, 2160, 2, 4}, {1920, 1080, 1.5, 3}, {1920, 1080, 0, 2}} {
		if got := hud.Scale(c.width, c.height, c.content); got != c.want {
			t.Errorf("%d×%d, scale %g: %d, want %d", c.width, c.height, c.content, got, c.want)
		}
	}
}
