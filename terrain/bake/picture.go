package bake

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"
)

// picture is stretched over the field: its rim is the rim of the cells around the
// samples. A sample gets the mean of what its cell covers, or of one pixel's size
// where its cell is smaller, which interpolates between pixels.
type picture struct {
	nrgba *image.NRGBA
	x, z  []taps // of each column and each row of samples
}

// taps are the pixels of one axis that a cell covers.
type taps struct {
	first, last int     // may be outside the picture by a pixel, which is its rim
	head, tail  float64 // how much of the first and the last; those between in full
}

// newPicture stretches m over width×height samples. It returns nil for nil.
func newPicture(m image.Image, width, height int) *picture {
	if m == nil {
		return nil
	}
	p := &picture{nrgba: asNRGBA(m)}
	size := p.nrgba.Rect.Size()
	p.x, p.z = cover(width, size.X), cover(height, size.Y)
	return p
}

// asNRGBA returns m with 8 bits a channel, its alpha not multiplied in.
func asNRGBA(m image.Image) *image.NRGBA {
	if n, ok := m.(*image.NRGBA); ok {
		return n
	}
	n := image.NewNRGBA(image.Rectangle{Max: m.Bounds().Size()})
	draw.Draw(n, n.Rect, m, m.Bounds().Min, draw.Src)
	return n
}

// checkPictures refuses pictures that say nothing.
func checkPictures(overlay, mask image.Image) error {
	for _, m := range []image.Image{overlay, mask} {
		if m != nil && m.Bounds().Empty() {
			return errors.New("a picture without a pixel")
		}
	}
	if mask != nil && mask.ColorModel() != color.NRGBAModel && mask.ColorModel() != color.NRGBA64Model {
		return errors.New("the picture of weights has no four channels: red, green, blue and alpha that is not multiplied in")
	}
	return nil
}

// cover returns what each of n cells covers of an axis of pixels.
func cover(n, pixels int) []taps {
	all := make([]taps, n)
	scale := float64(pixels) / float64(n)
	half := max(1, scale) / 2
	for i := range all {
		middle := (float64(i) + 0.5) * scale
		from, to := middle-half, middle+half
		first := int(math.Floor(from))
		last := int(math.Ceil(to)) - 1
		t := taps{first: first, last: last, head: float64(first+1) - from, tail: to - float64(last)}
		if first == last {
			t.head = to - from
		}
		all[i] = t
	}
	return all
}

// weight returns how much of pixel i counts.
func (t *taps) weight(i int) float64 {
	switch i {
	case t.first:
		return t.head
	case t.last:
		return t.tail
	}
	return 1
}

// at returns the four channels at a sample, 0 to 255.
func (p *picture) at(x, z int) (c [4]float64) {
	tx, tz := &p.x[x], &p.z[z]
	size := p.nrgba.Rect.Size()
	sum := 0.0
	for v := tz.first; v <= tz.last; v++ {
		row := p.nrgba.Pix[min(max(v, 0), size.Y-1)*p.nrgba.Stride:]
		wz := tz.weight(v)
		for u := tx.first; u <= tx.last; u++ {
			w := float64(wz * tx.weight(u))
			pixel := row[4*min(max(u, 0), size.X-1):][:4]
			for k := range c {
				c[k] += float64(w * float64(pixel[k]))
			}
			sum += w
		}
	}
	for k := range c {
		c[k] /= sum
	}
	return c
}

// bytes returns what p takes in memory.
func (p *picture) bytes() int64 {
	if p == nil {
		return 0
	}
	return int64(len(p.nrgba.Pix)) + 32*int64(len(p.x)+len(p.z))
}
