package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

type exportCmd struct {
	World    string `arg:"" help:"World file, or a built-in world."`
	Format   string `required:"" enum:"png16,raw,geotiff,obj,stl,gltf,ply,ogre" placeholder:"FORMAT" help:"Heights: png16, raw, geotiff (with GDAL), ogre. Mesh: obj, stl, gltf, ply."`
	Out      string `short:"o" required:"" placeholder:"F" help:"File to write; - is standard output, for one file of png16, raw, obj, stl, ply and binary glTF."`
	Progress string `enum:"auto,plain,json,none" default:"auto" help:"Progress on stderr: auto, plain, json (one object a line) or none."`
	JSON     bool   `name:"json" help:"Print one JSON object of what was written."`

	Level uint8  `group:"heights" placeholder:"L" help:"png16, raw, geotiff: every 2^L-th column and row (0: all)."`
	Type  string `group:"heights" enum:",u16le,i16le,i32le,f32le" default:"" placeholder:"TYPE" help:"raw: u16le, i16le or i32le for height units, f32le for metres (the first that loses nothing)."`
	Page  int    `group:"heights" placeholder:"N" help:"ogre: samples a side of a terrain, 2^k+1; worlds that are larger become a group (2049)."`

	Rect     rectangle `group:"mesh" placeholder:"W,N,E,S" help:"Only this rectangle of the world, in metres, as a progressive mesh: in full, or what --vertices or --error leaves of it."`
	Vertices int       `group:"mesh" placeholder:"N" help:"With --rect: at most N vertices."`

	Error *float64 `group:"mesh" placeholder:"M" help:"Mesh that is at most M metres off anywhere, whatever the camera."`
	Tau   float64  `group:"mesh" default:"1" placeholder:"PX" help:"Without --error: largest screen error in pixels, for the camera (1)."`
	Size  pixels   `group:"mesh" default:"1280x720" placeholder:"WxH" help:"Size of the camera's picture (1280x720)."`
	Cull  string   `group:"mesh" enum:"on,off" default:"on" help:"off keeps the tiles that the camera does not see."`
	Base  *float64 `group:"mesh" placeholder:"M" help:"Close the mesh with walls and a floor M metres below its lowest point, for 3D printing."`
	Up    string   `group:"mesh" enum:"auto,y,z" default:"auto" help:"Axis that points up in obj, stl and ply: y, z, or auto (z in stl)."`
	cameraFlags
}

// mesh says whether a format is one of triangles.
func (c *exportCmd) mesh() bool {
	return slices.Contains([]string{"obj", "stl", "gltf", "ply"}, c.Format)
}

// camera says whether any flag speaks of a camera.
func (c *exportCmd) camera() bool {
	return c.Eye.given || c.Yaw != nil || c.Pitch != nil || c.Fov != nil || c.Camera != ""
}

func (c *exportCmd) Validate() error {
	const most = 1e9
	heights := c.Format == "png16" || c.Format == "raw" || c.Format == "geotiff"
	switch {
	case c.Error != nil && !(*c.Error >= 0 && *c.Error <= most):
		return fmt.Errorf("--error %v: must be 0 to %g metres", *c.Error, most)
	case c.Base != nil && !(*c.Base > 0 && *c.Base <= most):
		return fmt.Errorf("--base %v: must be above 0 and at most %g metres", *c.Base, most)
	case !heights && c.Level != 0:
		return fmt.Errorf("--level is for png16, raw and geotiff, not for %s", c.Format)
	case c.Type != "" && c.Format != "raw":
		return fmt.Errorf("--type is for raw, not for %s", c.Format)
	case c.Page != 0 && c.Format != "ogre":
		return fmt.Errorf("--page is for ogre, not for %s", c.Format)
	case c.Page != 0 && (c.Page < 3 || c.Page > 4097 || (c.Page-1)&(c.Page-2) != 0):
		return fmt.Errorf("--page %d: must be 2^k+1 between 3 and 4097", c.Page)
	case c.Out == "-" && (c.Format == "geotiff" || c.Format == "ogre"):
		return fmt.Errorf("-o -: %s does not go to standard output", c.Format)
	case c.Out == "-" && c.JSON:
		return errors.New("standard output takes one result: the file or --json")
	}
	return c.checkRect()
}

// exportReport is what export --json prints of every file.
type exportReport struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Bytes  int64  `json:"bytes"` // of all files
	*heightsExport
	*meshExport
	*ogreExport
}

func (c *exportCmd) Run(a *app) error {
	if err := c.idle(a.given); err != nil {
		return usageError(err)
	}
	if err := distinct([]string{c.World, c.Camera}, c.results()); err != nil {
		return err
	}
	if files := slices.DeleteFunc(c.results(), func(f string) bool { return f == "-" }); len(files) > 0 {
		if err := writable(files...); err != nil {
			return err
		}
	}
	if f, ok := a.stdout.(*os.File); ok && c.Out == "-" && isTerminal(f) {
		return usageError(errors.New("not writing binary data to a terminal: give -o FILE"))
	}
	if err := a.named(&c.World, nil); err != nil {
		return err
	}
	r, err := openWorld(c.World)
	if err != nil {
		return err
	}
	defer r.Close()
	if levels := r.World().Layout().Levels; int(c.Level) >= levels {
		return usageError(fmt.Errorf("--level %d: %s has levels 0 to %d", c.Level, c.World, levels-1))
	}
	report := &exportReport{File: c.Out, Format: c.Format}
	switch {
	case c.mesh():
		report.meshExport, err = c.writeMesh(a, r)
	case c.Format == "ogre":
		report.ogreExport, err = c.writeOGRE(a, r)
	default:
		report.heightsExport, err = c.writeHeights(a, r)
	}
	if err != nil {
		return err
	}
	for _, f := range c.written(report) {
		if st, err := os.Stat(f); err == nil {
			report.Bytes += st.Size()
		}
	}
	if c.JSON {
		return a.printJSON(report)
	}
	for _, line := range report.lines() {
		if c.Out == "-" { // where the result goes
			a.log.infof("%s: %s", c.Out, line)
		} else if _, err := fmt.Fprintf(a.stdout, "%s: %s\n", oneLine(c.Out), line); err != nil {
			return outputError(err)
		}
	}
	return nil
}

// results are the files that are known before anything is written.
func (c *exportCmd) results() []string {
	if c.Format == "gltf" && !c.binary() {
		return []string{c.Out, c.buffer()}
	}
	return []string{c.Out}
}

// written are the files that there are.
func (c *exportCmd) written(r *exportReport) []string {
	if r.ogreExport != nil {
		return append(c.results(), r.ogreExport.files...)
	}
	return c.results()
}

// binary says whether glTF goes into one file; the name decides.
func (c *exportCmd) binary() bool {
	return c.Out == "-" || strings.EqualFold(filepath.Ext(c.Out), ".glb")
}

// buffer is the file beside a .gltf.
func (c *exportCmd) buffer() string {
	return strings.TrimSuffix(c.Out, filepath.Ext(c.Out)) + ".bin"
}

// lines say for people what was written.
func (r *exportReport) lines() []string {
	switch {
	case r.meshExport != nil:
		return r.meshExport.lines()
	case r.ogreExport != nil:
		return r.ogreExport.lines()
	}
	return r.heightsExport.lines()
}

// write writes one file, or standard output.
func (c *exportCmd) write(a *app, write func(w io.Writer) error) error {
	if c.Out == "-" {
		return write(a.stdout)
	}
	return writeFile(c.Out, write)
}

// failed says whether the world or the result is at fault.
func (c *exportCmd) failed(err error) error {
	if err == nil || exitCode(err) == exitOutput {
		return err
	}
	var coded *codeError
	if errors.As(err, &coded) {
		return err
	}
	return inputError(fmt.Errorf("%s: %w", c.World, err))
}

// meshExport is what export says of a mesh.
type meshExport struct {
	Vertices        int      `json:"vertices"`
	Triangles       int      `json:"triangles"`
	Tiles           int      `json:"tiles"`
	MeasuredErrorM  float64  `json:"measured_error_m"`
	MeasuredErrorPx *float64 `json:"measured_error_px,omitempty"`
	Closed          bool     `json:"closed"`

	forWhole bool // for the camera that nobody asked for

	OriginM [3]float64 `json:"origin_m"` // add to the file's coordinates, Y up, for those of the world
}

func (m *meshExport) lines() []string {
	line := fmt.Sprintf("%s triangles, %s vertices; at most %s m off", grouped(int64(m.Triangles)), grouped(int64(m.Vertices)), short(roundTo(m.MeasuredErrorM, 4)))
	if m.MeasuredErrorPx != nil {
		line += fmt.Sprintf(", %s px in the picture", short(roundTo(*m.MeasuredErrorPx, 3)))
	}
	lines := []string{line}
	if m.forWhole {
		lines = append(lines, "it is what is drawn for a view of the whole, finer in the south; --error M makes an even one")
	}
	if m.OriginM != [3]float64{} {
		lines = append(lines, fmt.Sprintf("its coordinates count from %s, %s, %s in the world", plain(m.OriginM[0]), plain(m.OriginM[1]), plain(m.OriginM[2])))
	}
	return lines
}

func (c *exportCmd) writeMesh(a *app, r *chunkfile.Reader) (*meshExport, error) {
	p := newProgress(a.log, c.Progress, "exporting "+c.Out)
	o := export.Options{Workers: a.Workers, Cull: c.Cull == "on", Progress: func(done, total int) { p.at(float64(done) / float64(total)) }}
	if c.Error != nil {
		o.MaxError = *c.Error
	} else if !c.Rect.given {
		v := vkterrain.DefaultView(r.World(), c.Size.W, c.Size.H)
		v.Tau = c.Tau
		if err := c.apply(&v); err != nil {
			return nil, err
		}
		o.View = &v
	}
	m, err := c.buildMesh(a, r, o)
	if err != nil {
		return nil, err
	}
	if len(m.Triangles) == 0 {
		return nil, inputError(fmt.Errorf("%s: the camera sees nothing of it", c.World))
	}
	report := &meshExport{
		Vertices: len(m.Vertices), Triangles: len(m.Triangles), Tiles: m.Tiles,
		MeasuredErrorM: m.Error, OriginM: m.Origin,
	}
	if o.View != nil {
		report.MeasuredErrorPx, report.forWhole = &m.ErrorPx, !c.camera()
	}
	if c.Base != nil {
		m.Close(*c.Base)
		report.Vertices, report.Triangles, report.Closed = len(m.Vertices), len(m.Triangles), true
	}
	return report, c.failed(c.writeTriangles(a, m))
}

// buildMesh makes the mesh of the whole world, or of a rectangle.
func (c *exportCmd) buildMesh(a *app, r *chunkfile.Reader, o export.Options) (*export.Mesh, error) {
	if c.Rect.given {
		return c.region(a, r, o.Progress)
	}
	m, err := export.Build(a.ctx, r, o)
	return m, c.failed(err)
}

// writeTriangles writes the files of a mesh.
func (c *exportCmd) writeTriangles(a *app, m *export.Mesh) error {
	up := export.YUp
	if c.Up == "z" || c.Up == "auto" && c.Format == "stl" {
		up = export.ZUp
	}
	switch {
	case c.Format == "obj":
		return c.write(a, func(w io.Writer) error { return outputError(m.WriteOBJ(w, up)) })
	case c.Format == "ply":
		return c.write(a, func(w io.Writer) error { return outputError(m.WritePLY(w, up)) })
	case c.Format == "stl":
		return c.write(a, func(w io.Writer) error { return outputError(m.WriteSTL(w, up)) })
	case c.binary():
		return c.write(a, func(w io.Writer) error { return outputError(m.WriteGLB(w)) })
	}
	// The buffer first: a .gltf is never there without it.
	var files fileSet
	defer files.drop()
	if err := files.write(c.buffer(), func(w io.Writer) error { return outputError(m.WriteGLTFBuffer(w)) }); err != nil {
		return err
	}
	uri := (&url.URL{Path: filepath.Base(c.buffer())}).EscapedPath()
	if err := files.write(c.Out, func(w io.Writer) error { return outputError(m.WriteGLTF(w, uri)) }); err != nil {
		return err
	}
	return files.place()
}

// heightRange returns the extreme heights of a world in quanta.
func heightRange(w *terrain.World) (lo, hi int64) {
	if w.Min > w.Max { // nothing but holes
		return 0, 0
	}
	return int64(w.Min), int64(w.Max)
}

// exact says whether rasters of float32 metres are read again as whole quanta of
// the same size.
func exact(quantum float64) bool {
	if m, _ := math.Frexp(quantum); m == 0.5 && quantum <= 1 {
		return true
	}
	return slices.Contains([]float64{0.1, 0.01, 0.001}, quantum)
}
