package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"
)

type traceCmd struct {
	File string `arg:"" help:"Trace of bench --trace."`
	Out  string `name:"out" short:"o" required:"" placeholder:"F.png" help:"Picture to write."`
	traceWindow
}

// traceWindow is the part of a trace that is drawn.
type traceWindow struct {
	From         float64 `name:"from" default:"-1" placeholder:"MS" help:"Where the picture begins, in milliseconds since the start of the trace; where the most happens to levels if below 0 (-1)."`
	Milliseconds float64 `name:"length" default:"2000" placeholder:"MS" help:"How much it shows (2000)."`
}

func (c *traceCmd) Validate() error {
	if !(c.From >= -1 && c.From < 1e12) {
		return fmt.Errorf("--from %v: must be 0 or more milliseconds", c.From)
	}
	if !(c.Milliseconds >= 1 && c.Milliseconds <= 1e6) {
		return fmt.Errorf("--length %v: must be between 1 and 1000000", c.Milliseconds)
	}
	return nil
}

func (c *traceCmd) Run(a *app) error {
	f, err := openRegular(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := readTrace(f)
	if err != nil {
		return unusable(c.File, err)
	}
	return m.picture(c.Out, c.traceWindow)
}

// Sizes of the picture, in pixels.
const (
	traceWidth    = 1600
	traceLeft     = 190 // of what is drawn
	traceRight    = 30
	traceMargin   = 16
	traceRow      = 26 // height of a track
	traceGap      = 14 // between rows
	traceLane     = 5  // of what overlaps
	mostLanes     = 24
	traceLives    = 520 // most for the lives of levels
	traceGraph    = 70  // of bytes
	traceTextSize = 2
	traceText     = glyphHeight * traceTextSize
)

var (
	traceInk   = color.RGBA{40, 44, 52, 255}
	tracePaper = color.RGBA{255, 255, 255, 255}
	traceGrid  = color.RGBA{226, 229, 234, 255}
	traceOther = color.RGBA{120, 130, 145, 255}
)

// traceColors are those of spans, in the order of the legend.
var traceColors = []struct {
	name, means string
	color       color.RGBA
}{
	{"wait", "wait for the GPU", color.RGBA{238, 214, 208, 255}},
	{"prepare", "prepare", color.RGBA{70, 120, 200, 255}},
	{"record", "record", color.RGBA{120, 170, 235, 255}},
	{"submit", "submit", color.RGBA{35, 65, 130, 255}},
	{"terrain", "draw", color.RGBA{60, 150, 90, 255}}, // of bench; fly says window
	{"upload", "copy", color.RGBA{230, 120, 30, 255}},
	{"waiting", "waiting", color.RGBA{190, 195, 203, 255}},
	{"reading", "reading", color.RGBA{90, 160, 210, 255}},
	{"decoding", "decoding", color.RGBA{150, 90, 190, 255}},
	{"delivered", "delivered", color.RGBA{205, 160, 225, 255}},
	{"prepared", "prepared", color.RGBA{240, 200, 70, 255}},
	{"uploading", "uploading", color.RGBA{230, 120, 30, 255}},
	{"loaded", "loaded", color.RGBA{130, 190, 130, 255}},
	{"unloading", "unloading", color.RGBA{95, 110, 95, 255}},
	{"failed", "failed", color.RGBA{205, 60, 60, 255}},
}

func traceColor(name string) color.RGBA {
	if name == "window" {
		name = "terrain"
	}
	for _, c := range traceColors {
		if c.name == name {
			return c.color
		}
	}
	return traceOther
}

// traceCanvas draws a window of a trace.
type traceCanvas struct {
	img      *image.RGBA
	from, to float64 // milliseconds
	y        int     // where the next row begins
}

// picture draws a window of the trace into a file.
func (m *traceModel) picture(path string, w traceWindow) error {
	from := w.From
	if from < 0 {
		from = m.busiest(w.Milliseconds)
	}
	c := &traceCanvas{from: from, to: from + w.Milliseconds}
	c.img = image.NewRGBA(image.Rect(0, 0, traceWidth, 3000))
	draw.Draw(c.img, c.img.Rect, image.NewUniform(tracePaper), image.Point{}, draw.Src)
	c.y = traceMargin
	c.text(traceMargin, c.y, fmt.Sprintf("vkterrain: %s s of a trace, from %s s on", short(w.Milliseconds/1000), short(roundTo(from/1000, 3))))
	c.y += traceText + traceGap
	axis := c.y
	c.y += traceText + 6
	for i := range m.tracks {
		c.track(&m.tracks[i])
	}
	c.lanes("reads", m.phase("reading", c.from, c.to))
	c.lanes("decodes", m.phase("decoding", c.from, c.to))
	c.graph(m.bytes)
	c.lives(m.changing(c.from, c.to))
	c.axis(axis)
	c.legend()
	c.numbers(m)
	return writePNG(path, c.img.SubImage(image.Rect(0, 0, traceWidth, c.y+traceMargin)).(*image.RGBA), png.BestCompression)
}

func (c *traceCanvas) text(x, y int, s string) int {
	return drawText(c.img, x, y, traceTextSize, traceInk, s)
}

// label writes the name of a row of some height.
func (c *traceCanvas) label(name string, height int) {
	c.text(traceMargin, c.y+max((height-traceText)/2, 0), name)
}

// x returns where a moment is.
func (c *traceCanvas) x(at float64) int {
	share := min(max((at-c.from)/(c.to-c.from), 0), 1)
	return traceLeft + int(math.Round(share*(traceWidth-traceLeft-traceRight)))
}

// bar draws a span of some height, a pixel wide at least.
func (c *traceCanvas) bar(s traceSpan, y, height int) {
	x := c.x(s.from)
	r := image.Rect(x, y, max(c.x(s.to), x+1), y+height)
	draw.Draw(c.img, r, image.NewUniform(traceColor(s.name)), image.Point{}, draw.Src)
}

// track draws spans that do not overlap.
func (c *traceCanvas) track(t *traceTrack) {
	c.label(t.name, traceRow)
	for _, s := range t.within(c.from, c.to) {
		c.bar(s, c.y, traceRow)
	}
	c.y += traceRow + traceGap
}

// lanes draws spans that overlap, one above the other.
func (c *traceCanvas) lanes(name string, spans []traceSpan) {
	var ends []float64
	for _, s := range spans {
		lane := slices.IndexFunc(ends, func(end float64) bool { return end <= s.from })
		if lane < 0 && len(ends) < mostLanes {
			lane = len(ends)
			ends = append(ends, 0)
		}
		if lane < 0 {
			lane = 0 // it covers another one
		}
		ends[lane] = s.to
		c.bar(s, c.y+lane*traceLane, traceLane-1)
	}
	height := max(len(ends)*traceLane, traceRow)
	c.label(name, height)
	c.y += height + traceGap
}

// graph draws how many bytes tiles take.
func (c *traceCanvas) graph(bytes []traceBytes) {
	most := 1.0
	for _, b := range bytes {
		most = max(most, b.cpu, b.gpu)
	}
	c.label("tiles, MiB", traceRow)
	c.text(traceMargin, c.y+traceRow+4, "0 to "+short(roundTo(most/(1<<20), 1)))
	at := func(v float64) int { return c.y + traceGraph - int(v/most*traceGraph) }
	for i := 1; i < len(bytes); i++ {
		b, before := bytes[i], bytes[i-1]
		if b.at < c.from || before.at > c.to {
			continue
		}
		for _, line := range []struct {
			value float64
			color color.RGBA
		}{{before.cpu, traceColor("prepared")}, {before.gpu, traceColor("terrain")}} {
			y := at(line.value)
			draw.Draw(c.img, image.Rect(c.x(before.at), y-1, c.x(b.at), y+1), image.NewUniform(line.color), image.Point{}, draw.Src)
		}
	}
	x := c.text(traceMargin, c.y+2*traceRow-2, "CPU")
	draw.Draw(c.img, image.Rect(x, c.y+2*traceRow, x+20, c.y+2*traceRow+8), image.NewUniform(traceColor("prepared")), image.Point{}, draw.Src)
	x = c.text(x+30, c.y+2*traceRow-2, "GPU")
	draw.Draw(c.img, image.Rect(x, c.y+2*traceRow, x+20, c.y+2*traceRow+8), image.NewUniform(traceColor("terrain")), image.Point{}, draw.Src)
	c.y += traceGraph + traceGap
}

// lives draws a line for each level, the first asked for first.
func (c *traceCanvas) lives(levels []traceTrack) {
	height := min(max(traceLives/max(len(levels), 1), 1), 6)
	shown := min(len(levels), traceLives/height)
	c.label("levels", traceRow)
	note := fmt.Sprint(shown)
	if shown < len(levels) {
		note += fmt.Sprintf(" of %d", len(levels))
	}
	c.text(traceMargin, c.y+traceRow, note)
	for i := range levels[:shown] {
		for _, s := range levels[i].within(c.from, c.to) {
			c.bar(s, c.y+i*height, max(height-1, 1))
		}
	}
	c.y += max(shown*height, 2*traceRow) + traceGap
}

// axis draws moments at y, and lines from there down behind what is drawn.
func (c *traceCanvas) axis(y int) {
	step := 1.0
	for i := 0; (c.to-c.from)/step > 12; i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	for n := 0; float64(n)*step <= c.to-c.from; n++ {
		at := float64(n) * step
		x := c.x(c.from + at)
		for line := y + traceText + 2; line < c.y; line++ {
			if c.img.RGBAAt(x, line) == tracePaper {
				c.img.SetRGBA(x, line, traceGrid)
			}
		}
		label := short(at)
		if n == 0 {
			label += " ms"
		}
		c.text(min(x, traceWidth-len(label)*glyphAdvance*traceTextSize-4), y, label)
	}
}

// legend says what the colours mean.
func (c *traceCanvas) legend() {
	x := traceMargin
	for _, e := range traceColors {
		width := traceText + 8 + len(e.means)*glyphAdvance*traceTextSize + 20
		if x+width > traceWidth-traceMargin {
			x, c.y = traceMargin, c.y+traceText+8
		}
		draw.Draw(c.img, image.Rect(x, c.y, x+traceText, c.y+traceText), image.NewUniform(e.color), image.Point{}, draw.Src)
		c.text(x+traceText+8, c.y, e.means)
		x += width
	}
	c.y += traceText
}

// numbers says what frames and copies took.
func (c *traceCanvas) numbers(m *traceModel) {
	var frame, drawing, copies []float64
	for i := range m.tracks {
		for _, s := range m.tracks[i].within(c.from, c.to) {
			switch took := s.to - s.from; s.name {
			case "prepare":
				frame = append(frame, took)
			case "record", "submit":
				if n := len(frame); n > 0 {
					frame[n-1] += took
				}
			case "terrain", "window":
				drawing = append(drawing, took)
			case "upload":
				copies = append(copies, took)
			}
		}
	}
	all := 0.0
	for _, ms := range copies {
		all += ms
	}
	for _, line := range []string{
		fmt.Sprintf("%d frames: CPU without the wait: %s. GPU: %s.", len(frame), traceTook(frame), traceTook(drawing)),
		fmt.Sprintf("%d of them copy levels to the GPU: %s, %.2f ms in all.", len(copies), traceTook(copies), all),
	} {
		c.y += 8
		c.text(traceMargin, c.y, line)
		c.y += traceText
	}
}

// traceTook says what things took, in milliseconds.
func traceTook(ms []float64) string {
	if len(ms) == 0 {
		return "not measured"
	}
	return fmt.Sprintf("median %.2f ms, longest %.2f ms", median(ms), slices.Max(ms))
}
