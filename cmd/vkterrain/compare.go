package main

import (
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

type compareCmd struct {
	A         string      `arg:"" name:"a" help:"World file, endless, or a built-in world; or a PNG picture."`
	B         string      `arg:"" optional:"" name:"b" help:"Another picture of the same size, to compare with the first."`
	Out       string      `short:"o" placeholder:"F.png" help:"Sheet of the pictures side by side; of two pictures, how much each pixel differs."`
	Algo      []algorithm `group:"picture" default:"soar,quadtree,billod" placeholder:"LIST" help:"Algorithms, with commas between (soar,quadtree,billod)."`
	Tau       []float64   `group:"picture" default:"1,4,16" placeholder:"LIST" help:"Largest screen errors in pixels, with commas between (1,4,16)."`
	View      viewMode    `group:"picture" default:"wireframe" placeholder:"MODE" help:"shaded, wireframe, lod, error or normals (wireframe)."`
	Topology  topology    `group:"picture" default:"strip" placeholder:"strip|list" help:"Triangles as strip or list (strip)."`
	Size      pixels      `group:"picture" default:"960x540" placeholder:"WxH" help:"Size of each picture (960x540)."`
	Tolerance int         `group:"picture" placeholder:"N" help:"Of two pictures: how much of 255 a colour may differ (0)."`
	JSON      bool        `name:"json" help:"Print one JSON object."`
	cameraFlags
}

// Help is what --help adds.
func (compareCmd) Help() string {
	return `Draws one view of a world by several algorithms and tolerances, and says what each draws and how exact it is; psnr is that of the
shaded picture beside one of a quarter of the smallest tolerance. Of two pictures it says how much they differ: the exit code is 0 where
no colour does by more than --tolerance, and 1 otherwise.

Examples:

  vkterrain compare alps.vkt -o sheet.png
  vkterrain compare alps.vkt --algo soar,billod --tau 2 --json
  vkterrain compare before.png after.png -o where.png`
}

func (c *compareCmd) Validate() error {
	for _, tau := range c.Tau {
		if !(tau > 0) {
			return fmt.Errorf("--tau %v: must be above 0", tau)
		}
	}
	if len(c.Algo) == 0 || len(c.Tau) == 0 {
		return errors.New("--algo and --tau must name at least one each")
	}
	if c.Tolerance < 0 || c.Tolerance > 255 {
		return fmt.Errorf("--tolerance %d: must be between 0 and 255", c.Tolerance)
	}
	return nil
}

func (c *compareCmd) Run(a *app) error {
	if err := distinct([]string{c.A, c.B, c.Camera}, []string{c.Out}); err != nil {
		return err
	}
	if c.Out != "" {
		if err := writable(c.Out); err != nil {
			return err
		}
	}
	if c.B != "" {
		for _, flag := range []string{"algo", "tau", "view", "topology", "size", "eye", "yaw", "pitch", "fov", "camera"} {
			a.idle(flag, "two pictures are compared as they are")
		}
		return c.pictures(a)
	}
	if err := a.named(&c.A, a.checkGPU); err != nil {
		return err
	}
	a.idle("tolerance", "it is that of two pictures")
	if isPNG(c.A) {
		return usageError(fmt.Errorf("%s is a picture: name another one to compare it with", c.A))
	}
	return c.algorithms(a)
}

// isPNG says whether a file begins like a PNG.
func isPNG(path string) bool {
	f, err := openRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(pngSignature))
	_, err = f.Read(head)
	return err == nil && string(head) == pngSignature
}

// compared is one picture of compare --json.
type compared struct {
	Algo            string  `json:"algo"`
	Tau             float64 `json:"tau"`
	Triangles       int     `json:"triangles"`
	Indices         int     `json:"indices"`
	IndexBytes      int     `json:"index_bytes"`
	Tiles           int     `json:"tiles"`
	RefineUs        float64 `json:"refine_us"`
	GPUUs           float64 `json:"gpu_us"`
	MeasuredErrorPx float64 `json:"measured_error_px"`
	Cracks          int     `json:"cracks"`
	PSNR            float64 `json:"psnr_db"` // of the shaded picture

	picture *image.RGBA
}

// comparison is what compare --json prints of a world.
type comparison struct {
	GPU    string     `json:"gpu"`
	World  string     `json:"world"`
	Width  int        `json:"width"`
	Height int        `json:"height"`
	Camera pose       `json:"camera"`
	Runs   []compared `json:"runs"`
}

// algorithms compares what several algorithms and tolerances draw.
func (c *compareCmd) algorithms(a *app) error {
	w, err := worldOf(c.A)
	if err != nil {
		return err
	}
	v := vkterrain.DefaultView(w, c.Size.W, c.Size.H)
	v.Tau = c.Tau[0]
	if err := c.apply(&v); err != nil {
		return err
	}
	s, err := a.openStage(c.Size, 1)
	if err != nil {
		return err
	}
	r := &comparison{GPU: s.dev.GPU.Name, World: worldName(c.A), Width: c.Size.W, Height: c.Size.H, Camera: poseOf(&v)}
	err = c.all(s, w, v, r)
	if closed := s.close(); err == nil {
		err = closed
	}
	if err == nil && c.Out != "" {
		err = writePNG(c.Out, c.sheet(r), png.DefaultCompression, text{cameraKeyword, poseJSON(&v)})
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(r)
	}
	return r.print(a)
}

// all draws every picture.
func (c *compareCmd) all(s *stage, w *terrain.World, v lodcpu.View, r *comparison) error {
	target, err := s.newTarget("compare", c.Size, 1)
	if err != nil {
		return err
	}
	shaded := (&lookFlags{Fog: "on", Sea: "auto"}).look(w)
	shown := shaded
	shown.View = c.View.ViewMode
	var reference *image.RGBA
	p := newProgress(s.app.log, "auto", fmt.Sprintf("drawing %d pictures", len(c.Algo)*len(c.Tau)))
	for _, algo := range c.Algo {
		if err := s.open(c.A, vkterrain.Options{Algorithm: algo.Algorithm, Topology: c.Topology.Topology, Samples: 1, Workers: s.app.refiners()}); err != nil {
			return err
		}
		if reference == nil {
			v.Tau = c.finest() / 4
			if reference, err = s.picture(target, &v, &shaded); err != nil {
				return err
			}
		}
		for _, tau := range c.Tau {
			v.Tau = tau
			k, err := s.compared(target, &v, &shaded, &shown, reference)
			if err != nil {
				return err
			}
			k.Algo = algo.String()
			r.Runs = append(r.Runs, k)
			p.at(float64(len(r.Runs)) / float64(len(c.Algo)*len(c.Tau)))
		}
		err := s.whole()
		if closed := s.terrain.Close(); err == nil {
			err = closed
		}
		s.terrain = nil
		if err != nil {
			return err
		}
	}
	return nil
}

// finest returns the smallest tolerance.
func (c *compareCmd) finest() float64 {
	least := c.Tau[0]
	for _, t := range c.Tau {
		least = min(least, t)
	}
	return least
}

// compared draws v and measures it.
func (s *stage) compared(target *vk.Target, v *lodcpu.View, shaded, shown *pipeline.Look, reference *image.RGBA) (k compared, err error) {
	picture, err := s.picture(target, v, shaded)
	if err != nil {
		return k, err
	}
	psnr := difference(picture, reference, 0).PSNR
	var refine, gpu []float64
	for i := range measuredFrames + s.dev.FramesInFlight {
		t, err := s.draw(target, v, shaded, false)
		if err == nil {
			err = s.dev.WaitIdle()
		}
		if err != nil {
			return k, err
		}
		refine = append(refine, microseconds(s.terrain.Stats().Refine))
		if i >= s.dev.FramesInFlight {
			gpu = append(gpu, microseconds(t.gpu))
		}
	}
	check, err := s.terrain.Check()
	if err != nil {
		return k, inputError(err)
	}
	if picture, err = s.picture(target, v, shown); err != nil {
		return k, err
	}
	st := s.terrain.Stats()
	return compared{
		Tau: v.Tau, Triangles: st.Triangles, Indices: st.Indices, IndexBytes: st.IndexBytes, Tiles: st.Tiles, RefineUs: median(refine), GPUUs: median(gpu),
		MeasuredErrorPx: finite(check.MeasuredErrorPx), Cracks: check.Cracks, PSNR: psnr, picture: picture,
	}, nil
}

// print prints a table.
func (r *comparison) print(a *app) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "algo\ttau px\terror px\ttriangles\tindices\tindex bytes\ttiles\trefine us\tGPU ms\tpsnr dB\tcracks\t")
	for _, k := range r.Runs {
		fmt.Fprintf(t, "%s\t%s\t%.3f\t%d\t%d\t%d\t%d\t%.0f\t%.2f\t%.1f\t%d\t\n", k.Algo, short(k.Tau), k.MeasuredErrorPx, k.Triangles, k.Indices, k.IndexBytes,
			k.Tiles, k.RefineUs, k.GPUUs/1000, k.PSNR, k.Cracks)
	}
	t.Flush()
	_, err := fmt.Fprint(a.stdout, b.String())
	return outputError(err)
}

// sheet puts the pictures side by side, a row an algorithm.
func (c *compareCmd) sheet(r *comparison) *image.RGBA {
	const most = 640 // pixels a picture is wide
	scale := min(1, most/float64(c.Size.W))
	var pictures []*image.RGBA
	var captions []string
	for _, k := range r.Runs {
		p := k.picture
		if scale < 1 {
			p = shrink(p, most, max(1, int(scale*float64(c.Size.H))))
		}
		pictures = append(pictures, p)
		captions = append(captions, fmt.Sprintf("%s, tau %s: %s tri, error %.2f px", k.Algo, short(k.Tau), grouped(int64(k.Triangles)), k.MeasuredErrorPx))
	}
	lines := []string{fmt.Sprintf("%s, %dx%d, %s", r.World, c.Size.W, c.Size.H, r.GPU)}
	return gridSheet("One view, several algorithms and tolerances", len(c.Tau), pictures, captions, lines)
}

// pictureDifference is what compare --json prints of two pictures.
type pictureDifference struct {
	Width     int     `json:"width"`
	Height    int     `json:"height"`
	Max       int     `json:"max"`       // of a colour, of 255
	Mean      float64 `json:"mean"`      // of all colours
	Differing int     `json:"differing"` // pixels by more than the tolerance
	Share     float64 `json:"share"`     // of all pixels
	PSNR      float64 `json:"psnr_db"`   // 99 for the same

	where *image.RGBA
}

// mostPSNR stands for that of two pictures that are the same.
const mostPSNR = 99.0

// difference compares two pictures of one size.
func difference(x, y *image.RGBA, tolerance int) *pictureDifference {
	size := x.Bounds().Size()
	d := &pictureDifference{Width: size.X, Height: size.Y, PSNR: mostPSNR, where: image.NewRGBA(image.Rectangle{Max: size})}
	sum, squares := 0, 0
	for row := range size.Y {
		for column := range size.X {
			i, j, most := x.PixOffset(column, row), y.PixOffset(column, row), 0
			at := d.where.PixOffset(column, row)
			for c := range 3 {
				off := int(x.Pix[i+c]) - int(y.Pix[j+c])
				off = max(off, -off)
				sum += off
				squares += off * off
				most = max(most, off)
				d.where.Pix[at+c] = uint8(255 * math.Sqrt(float64(off)/255)) // small ones show
			}
			d.where.Pix[at+3] = 255
			if most > tolerance {
				d.Differing++
			}
			d.Max = max(d.Max, most)
		}
	}
	n := float64(3 * size.X * size.Y)
	d.Mean, d.Share = float64(sum)/n, float64(d.Differing)/float64(size.X*size.Y)
	if squares > 0 {
		d.PSNR = min(mostPSNR, roundTo(10*math.Log10(255*255*n/float64(squares)), 2))
	}
	return d
}

// pictures compares two pictures.
func (c *compareCmd) pictures(a *app) error {
	x, err := readPicture(c.A)
	if err != nil {
		return err
	}
	y, err := readPicture(c.B)
	if err != nil {
		return err
	}
	if x.Bounds().Size() != y.Bounds().Size() {
		return inputError(fmt.Errorf("%s is %v pixels, %s is %v: only pictures of one size can be compared", c.A, x.Bounds().Size(), c.B, y.Bounds().Size()))
	}
	d := difference(x, y, c.Tolerance)
	if c.Out != "" {
		if err := writePNG(c.Out, d.where, png.DefaultCompression); err != nil {
			return err
		}
	}
	if c.JSON {
		err = a.printJSON(d)
	} else {
		_, err = fmt.Fprintf(a.stdout, "%d of %d pixels differ by more than %d (%.3f %%); at most %d, on average %.4f of 255; psnr %.2f dB\n",
			d.Differing, d.Width*d.Height, c.Tolerance, 100*d.Share, d.Max, d.Mean, d.PSNR)
	}
	if err == nil && d.Differing > 0 {
		return errNo
	}
	return outputError(err)
}

// mostPixels is how large a picture to compare may be.
const mostPixels = 1 << 28

// readPicture reads a PNG.
func readPicture(path string) (*image.RGBA, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := png.DecodeConfig(f)
	if err == nil && head.Width*head.Height > mostPixels {
		err = fmt.Errorf("%d×%d pixels are too many", head.Width, head.Height)
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	var img image.Image
	if err == nil {
		img, err = png.Decode(f)
	}
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			return nil, inputError(readable(err))
		}
		return nil, inputError(fmt.Errorf("%s: not a PNG picture: %w", path, err))
	}
	out := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	return out, nil
}
