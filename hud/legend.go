package hud

import "strconv"

// Legend is what colours of a picture stand for.
type Legend struct {
	Title  string
	Colors []Color
	Names  []string // of the colours
}

// Legends of the views of package pipeline that show how a picture is made; colours are
// those of shaders/modes.glsl.
var (
	PixelsLegend = Legend{
		"ERROR LEFT, PX", []Color{{8, 8, 18, 255}, {26, 71, 158, 255}, {46, 158, 97, 255}, {242, 217, 77, 255}, {217, 31, 20, 255}},
		[]string{"1/8", "1/2", "1", "2", "8"},
	}
	ErrorLegend = Legend{
		"ERROR IF LEFT OUT, TAU", []Color{{26, 77, 153, 255}, {242, 217, 77, 255}, {217, 31, 20, 255}}, []string{"1", "4", "16"},
	}
	MorphLegend = Legend{
		"HEIGHT REACHED", []Color{{242, 89, 26, 255}, {250, 224, 89, 255}, {87, 102, 117, 255}}, []string{"0", "ALMOST", "ALL"},
	}
	OverdrawLegend = Legend{
		"TIMES DRAWN", []Color{{87, 54, 24, 255}, {144, 89, 40, 255}, {182, 113, 51, 255}, {207, 128, 58, 255}}, []string{"1", "2", "3", "4"},
	}
)

// LevelsLegend returns that of the colours of so many levels.
func LevelsLegend(levels int) Legend {
	l := Legend{Title: "LEVEL, 0 IS FINEST"}
	for i := range min(levels, len(levelColors)) {
		l.Colors, l.Names = append(l.Colors, levelColors[i]), append(l.Names, strconv.Itoa(i))
	}
	return l
}

// Draw adds the legend to a layer, with its lower left corner at (x, y).
func (g *Legend) Draw(l *Layer, x, y, scale int) {
	if len(g.Colors) == 0 {
		return
	}
	const swatch = 30
	width := max(len(g.Colors)*swatch, len(g.Title)*GlyphAdvance)
	top := y - (2*panelEdge+3*lineHeight)*scale
	l.Rect(x, top, (width+2*panelEdge)*scale, y-top, backColor)
	left := x + panelEdge*scale
	l.Text(left, top+panelEdge*scale, scale, textColor, g.Title)
	at := top + (panelEdge+lineHeight)*scale
	for i, c := range g.Colors {
		l.Rect(left+i*swatch*scale, at, swatch*scale, lineHeight*scale, c)
		l.Text(left+i*swatch*scale, at+(lineHeight+4)*scale, scale, textColor, g.Names[i])
	}
}

// Slider shows where something is between two ends.
type Slider struct {
	Title string
	At    float64  // 0 to 1
	Marks []string // evenly spaced, the first and the last at the ends
}

// sliderWidth is in cells.
const sliderWidth = 168

// Draw adds the slider to a layer, with its lower right corner at (x, y).
func (s *Slider) Draw(l *Layer, x, y, scale int) {
	left := x - (sliderWidth+2*panelEdge)*scale
	top := y - (2*panelEdge+3*lineHeight)*scale
	l.Rect(left, top, x-left, y-top, backColor)
	left += panelEdge * scale
	l.Text(left, top+panelEdge*scale, scale, textColor, s.Title)
	bar := top + (panelEdge+lineHeight+lineHeight/2)*scale
	l.Rect(left, bar, sliderWidth*scale, scale, faintColor)
	for i, mark := range s.Marks {
		at := left + sliderWidth*scale*i/max(len(s.Marks)-1, 1)
		l.Rect(at, bar-2*scale, scale, 5*scale, faintColor)
		wide := len(mark) * GlyphAdvance * scale
		from := left + (sliderWidth*scale-wide)*i/max(len(s.Marks)-1, 1)
		l.Text(from, bar+lineHeight*scale/2+scale, scale, faintColor, mark)
	}
	knob := left + int(min(max(s.At, 0), 1)*float64(sliderWidth*scale))
	l.Rect(knob-2*scale, bar-5*scale, 4*scale, 11*scale, cpuColor)
}
