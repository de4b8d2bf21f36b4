package main

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
)

// linear and display are the two ways between sRGB bytes and light, which has
// 12 bits here.
var linear, display = func() (l [256]uint16, d [4096]uint8) {
	for i := range l {
		v := float64(i) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		l[i] = uint16(math.Round(v * 65535))
	}
	for i := range d {
		v := (float64(i) + 0.5) / 4096
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		d[i] = uint8(math.Round(v * 255))
	}
	return l, d
}()

// shrink returns img at w×h pixels, the mean light of the pixels under each. It
// is for sizes well below that of img.
func shrink(img *image.RGBA, w, h int) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0, y1 := y*b.Dy()/h, max((y+1)*b.Dy()/h, y*b.Dy()/h+1)
		for x := range w {
			x0, x1 := x*b.Dx()/w, max((x+1)*b.Dx()/w, x*b.Dx()/w+1)
			var sum [3]uint32
			for v := y0; v < y1; v++ {
				row := img.Pix[v*img.Stride+4*x0 : v*img.Stride+4*x1]
				for i := 0; i < len(row); i += 4 {
					sum[0] += uint32(linear[row[i]])
					sum[1] += uint32(linear[row[i+1]])
					sum[2] += uint32(linear[row[i+2]])
				}
			}
			n := uint32((y1 - y0) * (x1 - x0))
			at := out.PixOffset(x, y)
			for c := range 3 {
				out.Pix[at+c] = display[(sum[c]+n/2)/n>>4]
			}
			out.Pix[at+3] = 255
		}
	}
	return out
}

// Measures of a contact sheet in pixels.
const (
	sheetColumns = 3
	sheetGap     = 16
	captionRoom  = 34
	titleRoom    = 64
	lineRoom     = 24
)

var (
	paper = color.RGBA{24, 26, 30, 255}
	ink   = color.RGBA{222, 224, 228, 255}
	faint = color.RGBA{150, 156, 166, 255}
)

// gridSheet puts pictures of one size with their captions in columns on one sheet, under a
// title, and lines of text where room is left or below.
func gridSheet(title string, columns int, pictures []*image.RGBA, captions, lines []string) *image.RGBA {
	size := pictures[0].Bounds().Size()
	rows := (len(pictures) + columns - 1) / columns
	width := sheetGap + columns*(size.X+sheetGap)
	height := titleRoom + rows*(size.Y+captionRoom+sheetGap)
	left, top, room := sheetGap, height, width-2*sheetGap
	if free := rows*columns - len(pictures); free > 0 && len(lines)*lineRoom <= size.Y {
		left = width - free*(size.X+sheetGap)
		top, room = height-(size.Y+captionRoom+sheetGap), width-sheetGap-left
	} else {
		height += len(lines)*lineRoom + sheetGap
	}
	sheet := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(sheet, sheet.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	drawText(sheet, sheetGap, 22, 3, ink, title)
	for i, p := range pictures {
		x := sheetGap + i%columns*(size.X+sheetGap)
		y := titleRoom + i/columns*(size.Y+captionRoom+sheetGap)
		draw.Draw(sheet, image.Rect(x, y, x+size.X, y+size.Y), p, p.Bounds().Min, draw.Src)
		drawText(sheet, x, y+size.Y+10, 2, ink, fit(captions[i], size.X, 2))
	}
	for i, line := range lines {
		drawText(sheet, left, top+i*lineRoom, 2, faint, fit(line, room, 2))
	}
	return sheet
}

// fit cuts a text that is too long for width pixels.
func fit(s string, width, scale int) string {
	n := width / (glyphAdvance * scale)
	if r := []rune(s); len(r) > n {
		return strings.TrimSpace(string(r[:max(0, n-2)])) + ".."
	}
	return s
}
