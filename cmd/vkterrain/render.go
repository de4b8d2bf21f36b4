package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk"
)

type renderCmd struct {
	World  string  `arg:"" optional:"" help:"World file, endless, or a built-in world (coast, islet, relief); with --from the picture's if absent."`
	From   string  `placeholder:"F.png" help:"Draw a picture of render again, with its settings and camera; other flags change them."`
	Out    string  `short:"o" required:"" placeholder:"F.png" help:"Picture to write; - is standard output."`
	Size   pixels  `group:"picture" default:"1280x720" placeholder:"WxH" help:"Size of the picture (1280x720)."`
	Tau    float64 `group:"picture" default:"1" placeholder:"PX" help:"Largest screen error in pixels (1)."`
	Levels levels  `group:"picture" placeholder:"full|SEED" help:"Load all levels, or a pseudo-random level of each tile (an integer seeds it)."`
	Mesh   string  `group:"picture" placeholder:"F" help:"Also write the triangles that were drawn; - is standard output."`
	Check  bool    `group:"picture" help:"Measure the screen error and look for cracks."`
	JSON   bool    `name:"json" help:"Print one JSON object of what was drawn."`
	HUD    bool    `name:"hud" group:"picture" help:"Figures of the frame over the picture, and what its colours mean; what it took differs from run to run."`
	viewsFlags
	lookFlags
	cameraFlags
}

func (c *renderCmd) Validate() error {
	if err := c.viewsFlags.check(); err != nil {
		return err
	}
	if (c.Out == "-" || c.Mesh == "-") && (c.Out == c.Mesh || c.JSON) {
		return errors.New("standard output takes one result: picture, mesh or --json")
	}
	return c.lookFlags.Validate()
}

// renderReport is what render --json prints.
type renderReport struct {
	GPU      string  `json:"gpu"`
	HazePerM float64 `json:"haze_per_m,omitempty"` // by which --haze-lod hides errors
	Algo     string  `json:"algo"`
	Topology string  `json:"topology"`
	Width    int     `json:"width"`
	Height   int     `json:"height"`
	Tau      float64 `json:"tau"`
	bound
	Anchored    bool    `json:"anchored"`
	Triangles   int     `json:"triangles"`
	Indices     int     `json:"indices"`
	IndexBytes  int     `json:"index_bytes"`
	Degenerates int     `json:"degenerates"`
	Tiles       int     `json:"tiles"`
	Draws       int     `json:"draws"`
	RefineUs    float64 `json:"refine_us"`
	FrameUs     float64 `json:"frame_us"`
	GPUUs       float64 `json:"gpu_us"`
	BytesGPU    uint64  `json:"bytes_gpu"`
	BytesRead   uint64  `json:"bytes_read"`
	*nodeReport
	*propsReport
	*checkReport
	Views []viewReport `json:"views,omitempty"`
}

// checkReport is what --check adds.
type checkReport struct {
	MeasuredErrorPx  float64 `json:"measured_error_px"`
	Cracks           int     `json:"cracks"`
	FirstCrack       string  `json:"first_crack,omitempty"`
	CheckedSamples   int     `json:"checked_samples"`
	UncoveredSamples int     `json:"uncovered_samples"`
	MedianErrorPx    float64 `json:"median_error_px"` // of the samples, see meshcheck.Histogram
	P99ErrorPx       float64 `json:"p99_error_px"`
	PictureErrorPx   float64 `json:"picture_error_px"` // of what the pixels show
	BareErrorPx      float64 `json:"bare_error_px"`    // largest, without what --haze-lod hides of it
	Pinholes         int     `json:"pinholes"`
}

// finite returns v, or the largest number if it is infinite: JSON has no infinity.
func finite(v float64) float64 { return min(v, math.MaxFloat64) }

func (c *renderCmd) Run(a *app) error {
	if err := c.from(a); err != nil {
		return err
	}
	if err := distinct(append(c.propsFlags.files(), c.World, c.Camera), []string{c.Out, c.Mesh}); err != nil {
		return err
	}
	if err := writable(c.files()...); err != nil {
		return err
	}
	switch ext := strings.ToLower(filepath.Ext(c.Out)); ext {
	case ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".gif", ".webp", ".ppm", ".exr":
		return usageError(fmt.Errorf("-o %s: pictures are PNG, not %s", c.Out, ext[1:]))
	}
	if f, ok := a.stdout.(*os.File); ok && (c.Out == "-" || c.Mesh == "-") && isTerminal(f) {
		return usageError(errors.New("not writing binary data to a terminal"))
	}
	w, err := worldOf(c.World)
	if err != nil {
		return err
	}
	v := vkterrain.DefaultView(w, c.Size.W, c.Size.H)
	v.Tau = c.Tau
	if r := a.settings.recipe; r != nil {
		r.apply(&v)
		c.aimed = true
	}
	if err := c.apply(&v); err != nil {
		return err
	}
	look := c.look(w)
	c.hide(&v, &look, w)
	options, err := c.options(a.globals, c.World, w)
	if err != nil {
		return err
	}
	options.Levels = c.Levels.of(w)
	s, err := a.openStage(c.Size, c.Samples)
	if err != nil {
		return err
	}
	c.refineFlags.idle(a, &options)
	c.propsFlags.idle(a, &options)
	c.idleOfPicture(a, &options)
	var report *renderReport
	if err = s.open(c.World, options); err == nil {
		s.views = c.views(w, &v, &look)
		if c.HUD {
			if s.hud, err = newOverlay(s.dev, vk.FormatRGBA8, c.Samples); err == nil {
				s.hud.hour = c.Sun.time()
			}
		}
	}
	if err == nil {
		report, err = c.draw(s, &v, &look)
	}
	if closed := s.close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(report)
	}
	return c.print(a, report)
}

// idleOfPicture warns of the flags that do nothing in a single picture drawn with o.
func (c *renderCmd) idleOfPicture(a *app, o *vkterrain.Options) {
	if c.Rise != nil && *c.Rise > 0 {
		a.idle("rise", "all levels of a picture are at their heights")
	}
	if c.Split != nil && strings.HasPrefix(c.Split.text, "tau=") {
		a.idle("tau", "--split says that of both halves")
	} else if o.Classic && o.Props == nil {
		a.idle("tau", "the published tests have --near, --far and --detail")
	}
}

// from finds the world of the picture that is to be drawn again.
func (c *renderCmd) from(a *app) (err error) {
	if c.World == "" && a.settings.recipe != nil {
		c.World, err = a.settings.recipe.find(c.From)
	}
	if c.World == "" && err == nil {
		err = usageError(errNoWorld)
	}
	if err != nil {
		return err
	}
	return a.named(&c.World, a.checkGPU)
}

// files returns the results that are not standard output.
func (c *renderCmd) files() []string {
	files := []string{c.Out}
	if c.Mesh != "" {
		files = append(files, c.Mesh)
	}
	return slices.DeleteFunc(files, func(f string) bool { return f == "-" })
}

// draw draws the picture and writes all files.
func (c *renderCmd) draw(s *stage, v *lodcpu.View, look *pipeline.Look) (*renderReport, error) {
	target, err := s.newTarget("picture", c.Size, c.Samples)
	if err != nil {
		return nil, err
	}
	img, err := s.picture(target, v, look)
	if err != nil {
		return nil, err
	}
	if y, ok := s.terrain.GroundHeight(v.Eye[0], v.Eye[2]); ok && v.Eye[1] < y {
		s.app.log.warnf("the eye is %s m below the ground, which is %s m high there", short(roundTo(y-v.Eye[1], 1)), short(roundTo(y, 1)))
	}
	if err := s.whole(); err != nil {
		return nil, err
	}
	report, err := c.measure(s, target, v, look)
	if err != nil {
		return nil, err
	}
	if c.Check {
		k, err := c.check(s, report)
		if err != nil {
			return nil, inputError(fmt.Errorf("%s: %w", c.World, err))
		}
		report.checkReport = &checkReport{
			MeasuredErrorPx: finite(k.MeasuredErrorPx), Cracks: k.Cracks, FirstCrack: k.FirstCrack,
			CheckedSamples: k.CheckedSamples, UncoveredSamples: k.Uncovered,
			MedianErrorPx: finite(k.Histogram.Quantile(0.5)), P99ErrorPx: finite(k.Histogram.Quantile(0.99)),
			PictureErrorPx: finite(k.Picture.Worst), BareErrorPx: finite(k.BareErrorPx), Pinholes: k.Picture.Pinholes,
		}
	}
	if s.hud != nil { // what there is to say of the frame is known only now
		if report.checkReport != nil {
			s.hud.figures.Measured = report.MeasuredErrorPx
		}
		if img, err = s.picture(target, v, look); err != nil {
			return nil, err
		}
	}
	if c.Mesh != "" {
		if err := writeMesh(s.app, c.Mesh, s.terrain.Mesh()); err != nil {
			return nil, err
		}
	}
	driver := s.driver()
	if r := s.app.settings.recipe; r != nil {
		r.differs(s.app, c.World, driver)
	}
	return report, c.writePicture(s.app, img, text{cameraKeyword, poseJSON(v)}, s.app.recipeOf(c.World, driver, v).text())
}

// check measures what was drawn.
func (c *renderCmd) check(s *stage, report *renderReport) (vkterrain.Check, error) {
	if s.views == nil {
		return s.terrain.Check()
	}
	return checkViews(s.terrain, s.views, report.Views)
}

func (c *renderCmd) writePicture(a *app, img *image.RGBA, texts ...text) error {
	if c.Out != "-" {
		return writePNG(c.Out, img, png.DefaultCompression, texts...)
	}
	data, err := encodePNG(img, png.DefaultCompression, texts...)
	if err == nil {
		_, err = a.stdout.Write(data)
	}
	return outputError(err)
}

// measuredFrames is how many frames the times are the median of.
const measuredFrames = 3

// measure draws the settled view again and says what that takes.
func (c *renderCmd) measure(s *stage, target *vk.Target, v *lodcpu.View, look *pipeline.Look) (*renderReport, error) {
	var frame, gpu, refine []float64
	for i := range measuredFrames + s.dev.FramesInFlight {
		t, err := s.draw(target, v, look, false)
		if err != nil {
			return nil, err
		}
		if err := s.dev.WaitIdle(); err != nil {
			return nil, err
		}
		if i < measuredFrames {
			frame = append(frame, microseconds(t.cpu))
			refine = append(refine, microseconds(s.terrain.Stats().Refine))
		}
		if i >= s.dev.FramesInFlight {
			gpu = append(gpu, microseconds(t.gpu))
		}
	}
	st := s.terrain.Stats()
	if over := c.overBudget(lodcpu.Counts{Triangles: st.Triangles + st.Props.Triangles, Indices: st.Indices + st.Props.Indices}); over != "" {
		s.app.log.warnf("%s", over)
	}
	return &renderReport{
		GPU: s.dev.GPU.Name, HazePerM: v.Haze, Algo: c.Algo.String(), Topology: c.Topology.String(), Width: v.Width, Height: v.Height, Tau: v.Tau,
		bound: c.bound(v.Tau, st.Tau, st.Algorithm), Anchored: st.Anchored,
		Triangles: st.Triangles, Indices: st.Indices, IndexBytes: st.IndexBytes, Degenerates: st.Degenerates, Tiles: st.Tiles, Draws: st.Draws,
		RefineUs: median(refine), FrameUs: median(frame), GPUUs: median(gpu), BytesGPU: st.BytesGPU, BytesRead: st.BytesRead,
		nodeReport: c.nodeFlags.report(s.terrain), propsReport: reportProps(s.terrain),
		Views: reportViews(s.terrain, s.views, c.bound),
	}, nil
}

// bound returns what a view keeps of which tau pixels were asked.
func (c *renderCmd) bound(tau, px float64, algo vkterrain.Algorithm) bound {
	switch {
	case algo == vkterrain.BilLOD && c.classic():
		return unbounded(whyClassic)
	case c.Levels.given && !c.Levels.full:
		return unbounded(whyLevels)
	}
	return kept(px, tau, 1, c.budgetFlags())
}

// print says what was drawn, in the log where a result is on standard output.
func (c *renderCmd) print(a *app, r *renderReport) error {
	name := c.Out
	if name == "-" {
		name = "picture"
	}
	lines := []string{fmt.Sprintf("%s: %d×%d, %s triangles in %d tiles, refined in %.2f ms, drawn in %.2f ms by %s",
		name, r.Width, r.Height, grouped(int64(r.Triangles)), r.Tiles, r.RefineUs/1000, r.GPUUs/1000, r.GPU)}
	lines = append(lines, r.notes()...)
	if p := r.propsReport; p != nil {
		lines = append(lines, p.line(&c.propsFlags))
	}
	if k := r.checkReport; k != nil {
		lines = append(lines, fmt.Sprintf("largest screen error %.3f px (%s), over %s samples, half of them within %.3f px; %.3f px in the picture; %d cracks",
			k.MeasuredErrorPx, r.allAllowed(), grouped(int64(k.CheckedSamples)), k.MedianErrorPx, k.PictureErrorPx, k.Cracks))
		if r.HazePerM > 0 {
			lines = append(lines, fmt.Sprintf("that is as seen through the air; without it %.3f px", k.BareErrorPx))
		}
	}
	for _, line := range lines {
		if c.Out == "-" || c.Mesh == "-" {
			a.log.infof("%s", line)
		} else if _, err := fmt.Fprintln(a.stdout, oneLine(line)); err != nil {
			return outputError(err)
		}
	}
	return nil
}

// allAllowed says the bounds of all views.
func (r *renderReport) allAllowed() string {
	if len(r.Views) == 0 {
		return r.allowed()
	}
	var list []string
	for i := range r.Views {
		list = append(list, r.Views[i].allowed())
	}
	return strings.Join(list, "; ")
}

// notes say why bounds are not what was asked for.
func (r *renderReport) notes() (lines []string) {
	if len(r.Views) == 0 && r.Note != "" {
		return []string{r.Note}
	}
	for i := range r.Views {
		if note := r.Views[i].Note; note != "" {
			lines = append(lines, fmt.Sprintf("view %d: %s", i+1, note))
		}
	}
	return lines
}

// writeMesh writes a mesh: u32 vertices, u32 triangles, three float64 a vertex
// (world metres), three u32 a triangle; little endian.
func writeMesh(a *app, path string, m *vkterrain.Mesh) error {
	write := func(w io.Writer) error {
		le := binary.LittleEndian
		b := bufio.NewWriterSize(w, 1<<16)
		var buf [24]byte
		le.PutUint32(buf[0:], uint32(len(m.Vertices)))
		le.PutUint32(buf[4:], uint32(len(m.Triangles)))
		b.Write(buf[:8])
		for _, v := range m.Vertices {
			for i, c := range v {
				le.PutUint64(buf[8*i:], math.Float64bits(c))
			}
			b.Write(buf[:24])
		}
		for _, t := range m.Triangles {
			for i, v := range t {
				le.PutUint32(buf[4*i:], v)
			}
			b.Write(buf[:12])
		}
		return outputError(b.Flush()) // it keeps the first error
	}
	if path == "-" {
		return write(a.stdout)
	}
	return writeFile(path, write)
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
