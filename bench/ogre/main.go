// Command ogre measures frames beside OGRE 1.12's, of the same map and views, in turn.
//
//	ogre MAP FRAMES_PROGRAM
//
// MAP is Puget Sound as a 16-bit picture of 1025² samples, 160 m apart, 0.1 m a unit. For
// each view and tolerance, frames are drawn in rounds: some by OGRE, some here, some of the
// same triangles by the cheapest pipeline there is, and some of the whole grid by it.
// Medians of the rounds are printed, and of their ratios. A frame here is refined, its
// indices are written, and it is drawn; levels are loaded before. See docs/ogre.md.
package main

import (
	"bufio"
	"bytes"
	"context"

	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/raster"
	"github.com/vkterrain/vkterrain/vk"
)

const (
	width, height = 1920, 1080
	tile          = 129
)

var (
	rounds = flag.Int("rounds", 7, "rounds of each view")
	frames = flag.Int("frames", 8, "frames of a round")
	only   = flag.String("only", "", "a camera and a tolerance, as A1; all if empty")
	taus   = []float64{1, 2, 4}
)

func main() {
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: ogre MAP FRAMES_PROGRAM")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "ogre:", err)
		os.Exit(1)
	}
}

// took is what frames took: milliseconds, and those of all processors together.
type took struct{ frame, processor float64 }

// contender draws frames of a view and says what one took.
type contender interface {
	draw(v *lodcpu.View, frames int) (took, error)
	triangles() int
}

func run(picture, program string) (err error) {
	dir, err := os.MkdirTemp("", "ogre-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f, err := readMap(picture)
	if err != nil {
		return err
	}
	heights, world := filepath.Join(dir, "heights.f32"), filepath.Join(dir, "world.vkt")
	if err := writeHeights(f, heights); err != nil {
		return err
	}
	if _, err := bake.Bake(context.Background(), f, bake.Options{TileSize: tile}, world); err != nil {
		return err
	}
	ours, err := openOurs(world)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.close()) }()
	bare, err := openBare(ours.dev, ours.target, f)
	if err != nil {
		return err
	}
	defer bare.close()
	for _, l := range looks {
		them, err := startOGRE(program, heights, f, l.theirs)
		if err != nil {
			return err
		}
		if err := compare(f, &l, them, ours, bare); err != nil {
			return err
		}
		if err := them.end(); err != nil {
			return err
		}
	}
	return nil
}

// readMap reads the map as OGRE was measured on it: its first row is in the south.
func readMap(path string) (*terrain.Field, error) {
	src, err := raster.Open(path, raster.Options{Spacing: 160, HeightUnit: 0.1})
	if err != nil {
		return nil, err
	}
	f := src.Field
	turned := make([]int32, 0, len(f.Samples))
	for row := f.Height - 1; row >= 0; row-- {
		turned = append(turned, f.Samples[row*f.Width:(row+1)*f.Width]...)
	}
	f.Samples = turned
	return &f, nil
}

func writeHeights(f *terrain.Field, path string) error {
	var b []byte
	for _, s := range f.Samples {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(float64(s)*f.Quantum)))
	}
	return os.WriteFile(path, b, 0o600)
}

// views are the cameras A, a fly-over, and B, an overview.
func views(f *terrain.Field, tau float64) [2]lodcpu.View {
	side := float64(f.Width-1) * f.Spacing
	_, hi, _ := f.Stats()
	v := func(eye mgl64.Vec3, pitch float64) lodcpu.View {
		return lodcpu.View{Eye: eye, Pitch: pitch, FovY: 2 * math.Atan(math.Tan(math.Pi/6)*height/width), Width: width, Height: height, Tau: tau}
	}
	top, ground := float64(hi)*f.Quantum+0.35*side, float64(f.At(f.Width/2, f.Height/2))*f.Quantum
	return [2]lodcpu.View{
		v(mgl64.Vec3{side / 2, ground + 8*f.Spacing, side / 2}, -10*math.Pi/180),
		v(mgl64.Vec3{side / 2, top, side}, -math.Atan2(top-ground, side/2)),
	}
}

// look is what both sides draw.
type look struct {
	title  string
	theirs string // what OGRE's program calls it
	ours   pipeline.Look
}

var looks = []look{
	{"unlit, one colour", "unlit", pipeline.Look{View: pipeline.Unlit, Clear: &[3]uint8{77, 102, 153}}},
	{"OGRE's default lighting, low quality here", "lit", pipeline.Look{Quality: pipeline.Low}},
	{"with each side's default lighting", "lit", pipeline.Look{}},
}

// compare prints a line for each view.
func compare(f *terrain.Field, l *look, them *ogre, ours *drawer, bare *bareDrawer) error {
	ours.look = l.ours
	fmt.Printf("\n%s: milliseconds a frame (of all processors), medians of %d rounds of %d frames; medians of ratios\n\n", l.title, *rounds, *frames)
	fmt.Println("| camera, tau | OGRE: triangles | frame | here: triangles | frame | of OGRE's | processors' | bare draw of the same | grid of all | of the grid |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for camera := range 2 {
		for _, tau := range taus {
			if *only != "" && *only != fmt.Sprintf("%c%g", 'A'+camera, tau) {
				continue
			}
			v := views(f, tau)[camera]
			if err := ours.settle(&v); err != nil {
				return err
			}
			if err := bare.use(ours.terrain.Mesh()); err != nil {
				return err
			}
			var r round
			contenders := []contender{them, ours, bare, &gridDrawer{bare}}
			for i := range *rounds {
				for k := range contenders {
					k = (k + i) % len(contenders) // each goes first in its turn
					t, err := contenders[k].draw(&v, *frames)
					if err != nil {
						return err
					}
					r.frame[k] = append(r.frame[k], t.frame)
					r.processor[k] = append(r.processor[k], t.processor)
				}
			}
			fmt.Printf("| %c, %g | %d | %s | %d | %s | **%.2f** | %.2f | %s | %s | %.2f |\n", 'A'+camera, tau, them.triangles(), r.of(0), ours.triangles(), r.of(1),
				ratio(r.frame[1], r.frame[0]), ratio(r.processor[1], r.processor[0]), r.of(2), r.of(3), ratio(r.frame[1], r.frame[3]))
		}
	}
	return nil
}

// round is what each contender took in each round.
type round struct{ frame, processor [4][]float64 }

func (r *round) of(k int) string {
	return fmt.Sprintf("%.1f (%.1f)", median(r.frame[k]), median(r.processor[k]))
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// ratio is the median of a round's ratios.
func ratio(a, b []float64) float64 {
	var r []float64
	for i := range a {
		r = append(r, a[i]/b[i])
	}
	return median(r)
}

// ogre is OGRE's process.
type ogre struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	said  bytes.Buffer
	drawn int
}

func startOGRE(program, heights string, f *terrain.Field, kind string) (*ogre, error) {
	o := &ogre{cmd: exec.Command(program, heights, fmt.Sprint(f.Width), fmt.Sprint(f.Spacing), kind)}
	o.cmd.Env = append(os.Environ(), "LIBGL_ALWAYS_SOFTWARE=1")
	o.cmd.Stderr = &o.said
	var err error
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.out = bufio.NewReader(out)
	return o, o.cmd.Start()
}

func (o *ogre) draw(v *lodcpu.View, frames int) (t took, err error) {
	if _, err := fmt.Fprintln(o.in, v.Eye[0], v.Eye[1], v.Eye[2], v.Pitch*180/math.Pi, v.Tau, frames); err != nil {
		return t, err
	}
	var batches int
	if _, err = fmt.Fscanln(o.out, &t.frame, &t.processor, &o.drawn, &batches); err != nil {
		err = fmt.Errorf("%s: %w: %s", o.cmd.Path, err, o.said.String())
	}
	return t, err
}

func (o *ogre) triangles() int { return o.drawn }

func (o *ogre) end() error {
	o.in.Close()
	return o.cmd.Wait()
}

// drawer draws here.
type drawer struct {
	in      *vk.Instance
	dev     *vk.Device
	target  *vk.Target
	terrain *vkterrain.Terrain
	look    pipeline.Look
}

func openOurs(world string) (d *drawer, err error) {
	d = &drawer{}
	if d.in, err = vk.NewInstance(vk.InstanceInfo{App: "bench/ogre"}); err != nil {
		return nil, err
	}
	if d.dev, err = d.in.NewDevice(vk.DeviceInfo{GPU: os.Getenv("VKTERRAIN_GPU")}); err != nil {
		return nil, err
	}
	if d.target, err = d.dev.NewTarget(vk.TargetInfo{Name: "picture", Width: width, Height: height}); err != nil {
		return nil, err
	}
	d.terrain, err = vkterrain.Open(world, d.dev, vkterrain.Options{
		ColorFormat: d.target.Color.Format, DepthFormat: d.target.Depth.Format, Workers: runtime.GOMAXPROCS(0), Sync: true,
	})
	return d, err
}

func (d *drawer) frame(v *lodcpu.View) error {
	f, err := d.dev.BeginFrame()
	if err != nil {
		return err
	}
	if err := d.terrain.Prepare(f, v, &d.look); err != nil {
		return err
	}
	f.Cmd.BeginPass("terrain")
	d.target.Begin(f.Cmd, [4]float32{}, 0)
	d.terrain.Draw(f.Cmd)
	d.target.End(f.Cmd)
	f.Cmd.EndPass()
	return f.Submit()
}

// settle loads what v needs.
func (d *drawer) settle(v *lodcpu.View) error {
	for settled := 0; settled < 3; {
		if err := d.frame(v); err != nil {
			return err
		}
		if d.terrain.Settled() {
			settled++
		}
	}
	return d.dev.WaitIdle()
}

func (d *drawer) draw(v *lodcpu.View, frames int) (took, error) {
	if err := d.settle(v); err != nil {
		return took{}, err
	}
	return timed(d.dev, frames, func() error { return d.frame(v) })
}

func (d *drawer) triangles() int { return d.terrain.Stats().Triangles }

func (d *drawer) close() error {
	err := d.terrain.Close()
	d.target.Destroy()
	d.dev.Destroy()
	d.in.Destroy()
	return err
}

// timed times frames until the GPU has done them all.
func timed(dev *vk.Device, frames int, frame func() error) (t took, err error) {
	start, used := time.Now(), processorTime()
	for range frames {
		if err := frame(); err != nil {
			return t, err
		}
	}
	if err := dev.WaitIdle(); err != nil {
		return t, err
	}
	n := float64(frames)
	return took{time.Since(start).Seconds() * 1000 / n, (processorTime() - used).Seconds() * 1000 / n}, nil
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
