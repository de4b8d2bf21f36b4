//go:build !nowindow

package main

import (
	"image"
	"strings"

	"github.com/vkterrain/vkterrain/hud"
)

// Colours of what is written over the picture beside figures.
var (
	helpBack  = hud.Color{8, 10, 14, 215}
	helpText  = hud.Color{228, 232, 238, 255}
	helpFaint = hud.Color{150, 160, 172, 255}
	helpTick  = hud.Color{110, 214, 140, 255}
)

// Of the help, in cells.
const (
	helpEdge = 8
	helpLine = hud.GlyphHeight + 3
)

// drawOver draws the help and the box of the levels over the picture; top is where figures
// end.
func (s *screen) drawOver(l *hud.Layer, scale, width, height, top int) {
	if s.help {
		drawHelp(l, s.helpLines, width, height)
	}
	if s.Show != nil {
		s.drawModelLine(l, width, height)
	}
	if s.boxShown() && !s.help {
		s.drawBox(l, 4*scale, top+4*scale, scale)
	} else {
		s.inbox.setBox(image.Rectangle{})
	}
}

// drawHelp writes two columns in the middle of a picture, as large as there is room for.
func drawHelp(l *hud.Layer, lines [][2]string, width, height int) {
	first, second := 0, 0
	for _, line := range lines {
		first, second = max(first, len(line[0])), max(second, len(line[1]))
	}
	w, h := (first+2+second)*hud.GlyphAdvance+2*helpEdge, len(lines)*helpLine+2*helpEdge
	scale := max(1, min(width/w, height/h, 3))
	x, y := max(0, (width-w*scale)/2), max(0, (height-h*scale)/2)
	l.Rect(x, y, w*scale, h*scale, helpBack)
	x, y = x+helpEdge*scale, y+helpEdge*scale
	for _, line := range lines {
		l.Text(x, y, scale, helpText, line[0])
		l.Text(x+(first+2)*hud.GlyphAdvance*scale, y, scale, helpFaint, line[1])
		y += helpLine * scale
	}
}

// helpOf returns the lines of the help: what is printed at the start, in the letters that a
// picture has.
func helpOf(b bindings, pages pageKeys) (lines [][2]string) {
	for _, line := range b.controls(pages) {
		lines = append(lines, [2]string{strings.ToUpper(line[0]), strings.ToUpper(line[1])})
	}
	for i, part := range strings.Split(padHelp, "; ") {
		name := ""
		if i == 0 {
			name = "GAMEPAD"
		}
		lines = append(lines, [2]string{name, strings.ToUpper(part)})
	}
	return lines
}
