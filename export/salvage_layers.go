package export

import (
	"errors"
	"fmt"
	"image"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Layer returns a layer of 3 or 4 bytes a vertex as a picture with a pixel a sample.
// Lost samples have what the nearest one north-west of them has, of the coarser
// levels of their tile; of a tile without any left, the mean of all tiles' corners.
func (s *Salvaged) Layer(layer int) (*image.NRGBA, error) {
	w, layout := s.r.World(), s.r.World().Layout()
	size := w.Layers[layer].Bytes
	if size != 3 && size != 4 {
		panic(fmt.Sprintf("export: a layer of %d bytes is no picture", size))
	}
	m := image.NewNRGBA(image.Rect(0, 0, w.Width, w.Height))
	set := make([]bool, w.Width*w.Height)
	for i := 3; i < len(m.Pix) && size == 3; i += 4 {
		m.Pix[i] = 255
	}
	verts := make([]byte, len(layout.Grid)*size)
	var sum [4]int64
	var count int64
	var empty []terrain.Key
	nx, ny := w.Tiles()
	for i := range nx * ny {
		k := terrain.Key{X: int32(i % nx), Y: int32(i / nx)}
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		level, err := s.readLayer(verts, k, layer)
		if err != nil {
			return nil, err
		}
		if int(level) == layout.Levels {
			empty = append(empty, k)
			continue
		}
		for c := range size {
			sum[c] += int64(verts[c])
		}
		count++
		s.paint(m, k, level == 0, set, func(x, z int) []byte {
			id := layout.ID[z>>level<<level*layout.Size+x>>level<<level]
			return verts[int(id)*size:][:size]
		})
	}
	mean := make([]byte, size)
	for c := range mean {
		mean[c] = byte(sum[c] / max(1, count))
	}
	for _, k := range empty {
		s.paint(m, k, false, set, func(x, z int) []byte { return mean })
	}
	return m, nil
}

// readLayer reads what is whole of a tile's layer and returns the finest level of
// that, or the number of levels for nothing.
func (s *Salvaged) readLayer(dst []byte, k terrain.Key, layer int) (terrain.Level, error) {
	levels := s.r.World().Layout().Levels
	if s.r.Tile(k) == nil {
		return terrain.Level(levels), nil
	}
	for l := levels - 1; l >= int(s.r.Finest(k)); l-- {
		err := s.r.ReadLayer(s.decoder, dst, k, terrain.Level(l), layer)
		if errors.Is(err, chunkfile.ErrCorrupt) {
			return terrain.Level(l + 1), nil
		}
		if err != nil {
			return 0, err
		}
	}
	return s.r.Finest(k), nil
}

// paint sets the pixels of a tile: all of them if it is whole, else those that no other
// tile has set.
func (s *Salvaged) paint(m *image.NRGBA, k terrain.Key, whole bool, set []bool, at func(x, z int) []byte) {
	layout := s.r.World().Layout()
	x0, z0 := int(k.X)*layout.Cells, int(k.Y)*layout.Cells
	for z := z0; z < min(z0+layout.Size, m.Rect.Max.Y); z++ {
		for x := x0; x < min(x0+layout.Size, m.Rect.Max.X); x++ {
			pixel := m.Pix[m.PixOffset(x, z):][:4]
			if whole || !set[z*m.Rect.Max.X+x] {
				copy(pixel, at(x-x0, z-z0))
				set[z*m.Rect.Max.X+x] = true
			}
		}
	}
}
