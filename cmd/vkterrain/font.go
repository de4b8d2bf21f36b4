package main

import (
	"image"
	"image/color"
	"strings"

	"github.com/vkterrain/vkterrain/hud"
)

// Cells of the font.
const (
	glyphWidth, glyphHeight = hud.GlyphWidth, hud.GlyphHeight
	glyphAdvance            = hud.GlyphAdvance
)

// glyphs is the font.
var glyphs = hud.Font()

// drawText writes s in capitals with its top left corner at (x, y), each pixel
// of the font scale pixels large, and returns where the text ends.
func drawText(img *image.RGBA, x, y, scale int, c color.RGBA, s string) int {
	for _, r := range strings.ToUpper(s) {
		g, ok := glyphs[r]
		if !ok {
			g = glyphs['?']
		}
		for row, bits := range g {
			for column := range glyphWidth {
				if bits>>(glyphWidth-1-column)&1 == 0 {
					continue
				}
				for i := range scale * scale {
					img.SetRGBA(x+column*scale+i%scale, y+row*scale+i/scale, c)
				}
			}
		}
		x += glyphAdvance * scale
	}
	return x
}
