package vkterrain_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// heightAt returns the height of a field at a place, between its samples, and by how much its
// four samples around differ.
func heightAt(f *terrain.Field, x, z float64) (height, differ float64) {
	c, r := x/f.Spacing, z/f.Spacing
	i, j := min(max(int(c), 0), f.Width-2), min(max(int(r), 0), f.Height-2)
	u, v := c-float64(i), r-float64(j)
	h := [4]float64{}
	lo, hi := math.Inf(1), math.Inf(-1)
	for k := range h {
		h[k] = float64(f.At(i+k%2, j+k/2)) * f.Quantum
		lo, hi = min(lo, h[k]), max(hi, h[k])
	}
	return (h[0]*(1-u)+h[1]*u)*(1-v) + (h[2]*(1-u)+h[3]*u)*v, hi - lo
}

// depths draws one of several views into an image of its own that has nothing but depth, and
// reads that.
func (s *stage) depths(views []vkterrain.View, n int) []float32 {
	s.t.Helper()
	w, h := uint32(views[n].Width), uint32(views[n].Height)
	img, err := s.dev.NewImage(vk.ImageInfo{Name: "depth", Width: w, Height: h, Format: vk.FormatD32, Usage: vk.ImageDepth | vk.ImageTransferSrc})
	if err != nil {
		s.t.Fatal(err)
	}
	defer img.Destroy()
	back, err := s.dev.NewBuffer(vk.BufferInfo{Name: "depths", Size: uint64(4 * w * h), Usage: vk.UsageTransferDst, Kind: vk.Readback})
	if err != nil {
		s.t.Fatal(err)
	}
	defer back.Destroy()
	f, err := s.dev.BeginFrame()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.ter.PrepareViews(f, views); err != nil {
		s.t.Fatal(err)
	}
	write := vk.Sync{Stage: vk.StageEarlyDepth | vk.StageLateDepth, Access: vk.AccessDepthRead | vk.AccessDepthWrite}
	read := vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead}
	f.Cmd.ImageBarrier(vk.ImageBarrier{Image: &img, New: vk.LayoutDepth, Src: vk.Sync{Stage: write.Stage, Access: vk.AccessDepthWrite}, Dst: write})
	f.Cmd.BeginRendering(&vk.Rendering{Width: w, Height: h, Depth: vk.Attachment{Image: &img}})
	s.ter.DrawView(f.Cmd, n)
	f.Cmd.EndRendering()
	f.Cmd.ImageBarrier(vk.ImageBarrier{Image: &img, Old: vk.LayoutDepth, New: vk.LayoutTransferSrc, Src: write, Dst: read})
	f.Cmd.CopyImageToBuffer(&img, back.Handle, vk.ImageCopy{Width: w, Height: h})
	f.Cmd.BufferBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}, vk.Sync{Stage: vk.StageHost, Access: vk.AccessHostRead}, back.Range(0, back.Size))
	s.target.Begin(f.Cmd, [4]float32{}, 0)
	for i := range views {
		if i != n {
			s.ter.DrawView(f.Cmd, i)
		}
	}
	s.target.End(f.Cmd)
	if err := f.Submit(); err != nil {
		s.t.Fatal(err)
	}
	if err := s.dev.WaitIdle(); err != nil {
		s.t.Fatal(err)
	}
	d := make([]float32, w*h)
	for i := range d {
		d[i] = math.Float32frombits(binary.LittleEndian.Uint32(back.Bytes()[4*i:]))
	}
	return d
}

// TestParallelDepths: what a sun sees has, beside a picture of the same frame, depths of the
// ground that are within its own tolerance.
func TestParallelDepths(t *testing.T) {
	field := hills()
	lo, hi, _ := field.Stats()
	dev := vktest.Device(t)
	path := bakeWorld(t, field, 65, 0, 0)
	const n, tau = 128, 0.5
	for _, pitch := range []float64{-90, -40} {
		s := newStage(t, dev, path, n, n, vkterrain.Options{Morph: 0.5})
		p := lodcpu.Parallel{
			Middle: mgl64.Vec3{1285, float64(lo+hi) / 2 * field.Quantum, 1285}, Pitch: pitch * math.Pi / 180,
			Span: n * field.Spacing, Reach: 1500, Width: n, Height: n, Tau: tau,
		}
		v, err := p.View()
		if err != nil {
			t.Fatal(err)
		}
		clip := p.ClipMatrix()
		views := []vkterrain.View{
			{View: *view(1280, 420, 2900, 0, -14, n, n, 8)},
			{View: v, Look: pipeline.Look{DepthOnly: true, Clip: &clip}},
		}
		s.settleViews(views)
		var d []float32
		for range 25 { // by general pipelines, too
			d = s.depths(views, 1)
		}
		right, up, forward := v.Basis()
		worst, ground := 0.0, 0
		for i, z := range d {
			x, y := float64(i%n)+0.5-n/2, n/2-float64(i/n)-0.5
			at := p.Middle.Add(right.Mul(x * field.Spacing)).Add(up.Mul(y * field.Spacing)).Add(forward.Mul((1 - 2*float64(z)) * p.Reach))
			if z == 0 || at[0] < 10 || at[2] < 10 || at[0] > 2550 || at[2] > 2550 {
				continue
			}
			ground++
			h, differ := heightAt(field, at[0], at[2])
			if pitch == -90 { // through the samples
				differ = 0
			}
			worst = max(worst, (math.Abs(h-at[1])-differ)/field.Spacing)
		}
		t.Logf("pitch %g: %.3f pixels off at most, tolerance %g; %d triangles", pitch, worst, tau, s.ter.ViewStats(1).Triangles)
		if worst > tau*1.02 || pitch == -90 && worst < tau/4 || ground < n*n*9/10 {
			t.Errorf("pitch %g: %.3f pixels off, tolerance %g; ground at %d pixels of %d", pitch, worst, tau, ground, n*n)
		}
		if full, got := 2*256*256, s.ter.ViewStats(1).Triangles; got > full/2 || got < 100 {
			t.Errorf("pitch %g: %d triangles of %d", pitch, got, full)
		}
	}
}

// TestMirrorShowsWhatIsAbove compares what a level mirror shows with rays that start in it.
func TestMirrorShowsWhatIsAbove(t *testing.T) {
	field := hills()
	lo, hi, _ := field.Stats()
	level := float64(lo+hi) / 2 * field.Quantum
	dev := vktest.Device(t)
	const n = 128
	s := newStage(t, dev, bakeWorld(t, field, 65, 0, 0), n, n, vkterrain.Options{})
	v := view(1280, level+150, 2900, 5, -8, n, n, 0.5)
	m := v.Mirrored(level)
	clip := m.ClipAbove(level)
	look := &pipeline.Look{View: pipeline.LOD, Clip: &clip, Clear: &[3]uint8{255, 0, 255}}
	s.settle(&m, look)
	img := s.frame(&m, look, true)
	right, up, forward := m.Basis()
	b := math.Tan(m.FovY / 2)
	wrong, ground := 0, 0
	for i := range n * n {
		ray := forward.Add(right.Mul(b * (2*(float64(i%n)+0.5)/n - 1))).Add(up.Mul(b * (1 - 2*(float64(i/n)+0.5)/n)))
		hit := false
		if ray[1] > 0 {
			over := false
			for d := (level - m.Eye[1]) / ray[1]; d < 4000 && !hit; d += 2 {
				at := m.Eye.Add(ray.Mul(d))
				if at[0] < 0 || at[2] < 0 || at[0] > 2560 || at[2] > 2560 {
					over = false
					continue
				}
				h, _ := heightAt(field, at[0], at[2])
				hit = over && at[1] < h
				over = at[1] >= h
			}
		}
		if hit {
			ground++
		}
		if magenta := img.Pix[4*i] == 255 && img.Pix[4*i+1] == 0; magenta == hit {
			wrong++
		}
	}
	t.Logf("%d pixels of ground, %d other than rays say", ground, wrong)
	if ground < n*n/20 || wrong > n*n/50 {
		t.Errorf("%d pixels of ground, %d other than rays say", ground, wrong)
	}
}
