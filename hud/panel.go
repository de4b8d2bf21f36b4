package hud

import (
	"strconv"
	"time"
)

// Figures are what a [Panel] shows of a frame. A time or number below 0 is not known.
type Figures struct {
	Frame            time.Duration // from one frame to the next
	CPU, GPU, Upload time.Duration // of a frame

	Triangles, Indices, Degenerates int
	Tiles, Draws, Views             int
	Things                          int
	Levels                          [12]int // tiles by the finest level that is loaded, the finest first

	TauAsked, TauKept, Measured float64 // pixels: the tolerance, the bound that is kept, and what a check found

	Memory    [4]Memory
	Waiting   int // levels that are wanted and not read
	Uploading int // levels on their way to the GPU

	// Wanted is how many bytes on the GPU the view wants where caps do not allow them, else 0.
	Wanted int64
}

// Memory is what something takes, and may take: 0 is no limit. Without a name it is not shown.
type Memory struct {
	Name        string
	Bytes, Most int64
}

// history is how many frames a graph shows.
const history = 120

// Panel shows figures, and what frames have taken so far. The zero value is ready.
type Panel struct {
	now   Figures
	times [history][3]float32 // milliseconds: CPU, GPU, upload
	next  int
	shown time.Duration // of the frame, smoothed
	text  []byte
}

// Add adds a frame.
func (p *Panel) Add(f *Figures) {
	p.now = *f
	p.times[p.next] = [3]float32{milliseconds(f.CPU), milliseconds(f.GPU), milliseconds(f.Upload)}
	p.next = (p.next + 1) % history
	if p.shown == 0 {
		p.shown = f.Frame
	}
	p.shown += (f.Frame - p.shown) / 16
}

func milliseconds(d time.Duration) float32 { return max(0, float32(d.Seconds()*1000)) }

// Scale returns how large the cells of letters are to be in a picture of that size, on a
// screen that shows things contentScale times as large as usual: so that a panel takes no
// more than two thirds of the width.
func Scale(width, height int, contentScale float64) int {
	return max(1, min(int(2*max(contentScale, 1)+0.5), height/240, width*2/3/(panelWidth+2*panelEdge)))
}

// Colours of a panel.
var (
	backColor  = Color{8, 10, 14, 200}
	textColor  = Color{228, 232, 238, 255}
	faintColor = Color{150, 160, 172, 255}
	cpuColor   = Color{255, 176, 72, 255}
	gpuColor   = Color{86, 156, 255, 255}
	loadColor  = Color{110, 214, 140, 255}
	warnColor  = Color{255, 92, 72, 255}
	lineColor  = Color{228, 232, 238, 70}
)

// Of a panel, in cells.
const (
	panelWidth  = 300
	panelEdge   = 6
	lineHeight  = GlyphHeight + 4
	graphHeight = 42
	barHeight   = 5
)

// pen writes a panel into a layer.
type pen struct {
	*Panel
	l           *Layer
	left, scale int
	x, y        int // pixels
}

// Draw adds the panel to a layer, with its upper left corner at (x, y), and returns where it
// ends below.
func (p *Panel) Draw(l *Layer, x, y, scale int) (bottom int) {
	height := p.height()
	l.Rect(x, y, (panelWidth+2*panelEdge)*scale, height*scale, backColor)
	w := pen{Panel: p, l: l, left: x + panelEdge*scale, scale: scale, x: x + panelEdge*scale, y: y + panelEdge*scale}
	w.frames()
	w.graph()
	w.mesh()
	w.levels()
	w.accuracy()
	w.memory()
	w.queue()
	return y + height*scale
}

// height returns the height of the panel in cells.
func (p *Panel) height() int {
	lines := 6
	for i := range p.now.Memory {
		if p.now.Memory[i].Name != "" {
			lines++
		}
	}
	if p.limited() {
		lines++
	}
	return 2*panelEdge + lines*lineHeight + graphHeight + 4
}

// limited says whether the view is drawn coarser than asked.
func (p *Panel) limited() bool {
	return p.now.Wanted > 0 || p.now.TauKept > p.now.TauAsked*1.0001
}

func (w *pen) line() { w.x, w.y = w.left, w.y+lineHeight*w.scale }

// say writes a word.
func (w *pen) say(c Color, s string) { w.x = w.l.Text(w.x, w.y, w.scale, c, s) }

// put writes what has been put together.
func (w *pen) put(c Color) {
	w.x = w.l.Bytes(w.x, w.y, w.scale, c, w.text)
	w.text = w.text[:0]
}

// count writes a name and a number with gaps between thousands.
func (w *pen) count(name string, n int) {
	w.say(faintColor, name)
	w.text = grouped(w.text[:0], int64(n))
	w.text = append(w.text, ' ', ' ')
	w.put(textColor)
}

func grouped(to []byte, n int64) []byte {
	from := len(to)
	to = strconv.AppendInt(to, n, 10)
	for i := len(to) - 3; i > from && to[i-1] != '-'; i -= 3 {
		to = append(to, 0)
		copy(to[i+1:], to[i:])
		to[i] = ' '
	}
	return to
}

// number appends a number with three digits or so, or a dash for one that is not known.
func number(to []byte, v float64) []byte {
	switch {
	case !(v >= 0):
		return append(to, '-')
	case v < 10:
		return strconv.AppendFloat(to, v, 'f', 2, 64)
	case v < 100:
		return strconv.AppendFloat(to, v, 'f', 1, 64)
	}
	return strconv.AppendFloat(to, v, 'f', 0, 64)
}

// bytes appends a size.
func bytes(to []byte, n int64) []byte {
	return append(number(to, float64(n)/(1<<20)), " MIB"...)
}

// time writes a time in milliseconds beside its colour in the graph.
func (w *pen) time(name string, c Color, d time.Duration) {
	w.say(c, name)
	v := d.Seconds() * 1000
	if d < 0 {
		v = -1
	}
	w.text = append(number(w.text[:0], v), ' ', ' ')
	w.put(textColor)
}

func (w *pen) frames() {
	rate := -1.0
	if w.shown > 0 {
		rate = 1 / w.shown.Seconds()
	}
	w.text = append(number(w.text[:0], rate), " FPS  "...)
	w.put(textColor)
	w.time("CPU ", cpuColor, w.now.CPU)
	w.time("GPU ", gpuColor, w.now.GPU)
	w.time("UPLOAD ", loadColor, w.now.Upload)
	w.say(faintColor, "MS")
	w.line()
}

// graph draws what frames have taken: the newest at the right, three columns a frame.
func (w *pen) graph() {
	const target = 1000.0 / 60
	full := w.full(target)
	s, height := w.scale, graphHeight*w.scale
	width := panelWidth * s / history
	for i := range history {
		at := &w.times[(w.next+i)%history]
		x := w.left + i*panelWidth*s/history
		for k, c := range [3]Color{cpuColor, gpuColor, loadColor} {
			h := min(int(at[k]/full*float32(height)), height)
			part := max(width/3, 1)
			w.l.Rect(x+k*part, w.y+height-h, part, h, c)
		}
	}
	at := w.y + height - int(float32(target)/full*float32(height))
	w.l.Rect(w.left, at, panelWidth*s, max(s/2, 1), lineColor)
	w.text = append(number(w.text[:0], float64(full)), " MS"...)
	w.l.Bytes(w.left+(panelWidth-len(w.text)*GlyphAdvance)*s, w.y, s, faintColor, w.text)
	w.l.Rect(w.left, w.y+height, panelWidth*s, max(s/2, 1), lineColor)
	w.y += height + 4*s
}

// full returns what the height of the graph is, milliseconds: some frames may take longer.
func (p *Panel) full(least float32) float32 {
	const cut = 4 // frames
	for full := least; ; full *= 2 {
		longer := 0
		for i := range p.times {
			if max(p.times[i][0], p.times[i][1], p.times[i][2]) > full {
				longer++
			}
		}
		if longer <= cut {
			return full
		}
	}
}

func (w *pen) mesh() {
	w.count("TRIANGLES ", w.now.Triangles)
	w.count("INDICES ", w.now.Indices)
	w.line()
	w.count("DEGENERATE ", w.now.Degenerates)
	w.count("TILES ", w.now.Tiles)
	w.count("DRAWS ", w.now.Draws)
	if w.now.Views > 1 {
		w.count("VIEWS ", w.now.Views)
	}
	w.line()
}

// levelColors are those of shaders/modes.glsl.
var levelColors = [9]Color{
	{217, 51, 46, 255}, {242, 153, 38, 255}, {230, 224, 64, 255}, {89, 191, 77, 255}, {51, 166, 191, 255},
	{64, 102, 217, 255}, {140, 77, 204, 255}, {204, 89, 179, 255}, {153, 153, 153, 255},
}

// levels draws how many tiles have which level, as parts of a bar with the levels' colours.
func (w *pen) levels() {
	w.say(faintColor, "LEVELS ")
	all, before := 0, 0
	for _, n := range w.now.Levels {
		all += n
	}
	from, room := w.x, w.left+panelWidth*w.scale-w.x
	for level, n := range w.now.Levels {
		if n == 0 {
			continue
		}
		x, end := from+room*before/all, from+room*(before+n)/all
		before += n
		w.l.Rect(x, w.y-w.scale, end-x-max(w.scale/2, 1), (GlyphHeight+2)*w.scale, levelColors[min(level, len(levelColors)-1)])
		w.text = append(strconv.AppendInt(w.text[:0], int64(level), 10), ':')
		w.text = strconv.AppendInt(w.text, int64(n), 10)
		if len(w.text)*GlyphAdvance*w.scale < end-x {
			w.l.Bytes(x+2*w.scale, w.y, w.scale, Color{0, 0, 0, 255}, w.text)
		}
	}
	w.line()
}

func (w *pen) accuracy() {
	w.say(faintColor, "TAU ")
	w.text = append(number(w.text[:0], w.now.TauAsked), " PX  "...)
	w.put(textColor)
	w.say(faintColor, "KEPT ")
	w.text = append(number(w.text[:0], w.now.TauKept), ' ', ' ')
	kept := textColor
	if w.now.TauKept > w.now.TauAsked*1.0001 {
		kept = warnColor
	}
	w.put(kept)
	w.say(faintColor, "MEASURED ")
	w.text = number(w.text[:0], w.now.Measured)
	w.put(textColor)
	w.line()
}

func (w *pen) memory() {
	const nameRoom, barRoom = 66, 100
	for i := range w.now.Memory {
		m := &w.now.Memory[i]
		if m.Name == "" {
			continue
		}
		w.say(faintColor, m.Name)
		w.x = w.left + nameRoom*w.scale
		if m.Most > 0 {
			c, part := gpuColor, min(float64(m.Bytes)/float64(m.Most), 1)
			if part > 0.97 {
				c = warnColor
			}
			w.l.Rect(w.x, w.y+w.scale, barRoom*w.scale, barHeight*w.scale, lineColor)
			w.l.Rect(w.x, w.y+w.scale, int(part*float64(barRoom*w.scale)), barHeight*w.scale, c)
		}
		w.x += (barRoom + 6) * w.scale
		w.text = bytes(w.text[:0], m.Bytes)
		if m.Most > 0 {
			w.text = bytes(append(w.text, " / "...), m.Most)
		}
		w.put(textColor)
		w.line()
	}
}

func (w *pen) queue() {
	w.count("WAITING ", w.now.Waiting)
	w.count("UPLOADING ", w.now.Uploading)
	if w.now.Things > 0 {
		w.count("THINGS ", w.now.Things)
	}
	if !w.limited() {
		return
	}
	w.line()
	if w.now.Wanted > 0 {
		w.text = bytes(append(w.text[:0], "LIMITED: THE VIEW WANTS "...), w.now.Wanted)
	} else {
		w.text = append(w.text[:0], "LIMITED: THE BUDGET ALLOWS NO FINER MESH"...)
	}
	w.put(warnColor)
}
