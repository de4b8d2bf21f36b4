package vkterrain

import (
	"slices"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// reliefSamples is how many samples the grid that casts shadows has at most.
const reliefSamples = 1100 * 1100

// reliefs read the heights that cast shadows, in the background.
type reliefs struct {
	wanted, reading, stale bool
	stop                   atomic.Bool
	done                   chan *pipeline.Relief
	kept                   *pipeline.Relief // for another device
}

// start begins to read src, again if the last is still being read.
func (r *reliefs) start(src source) {
	if !r.wanted {
		return
	}
	if r.stale = r.reading; r.stale {
		return
	}
	r.reading = true
	if r.done == nil {
		r.done = make(chan *pipeline.Relief, 1)
	}
	go func() { r.done <- readRelief(src, &r.stop) }()
}

// close waits for what is being read.
func (r *reliefs) close() {
	r.stop.Store(true)
	if r.reading {
		<-r.done
		r.reading = false
	}
}

// wait waits for what is being read.
func (r *reliefs) wait() {
	if r.reading {
		relief := <-r.done
		r.done <- relief
	}
}

// followRelief takes the heights that have been read.
func (t *Terrain) followRelief() error {
	r := &t.relief
	if !r.reading {
		return nil
	}
	select {
	case r.kept = <-r.done:
	default:
		return nil
	}
	r.reading = false
	if r.stale {
		r.start(t.source)
	}
	return t.renderer.SetRelief(r.kept)
}

// readRelief reads the heights of a whole world, coarse enough for so many samples.
// Where tiles cannot be read nothing casts a shadow. It returns nil for worlds that are
// too small.
func readRelief(src source, stop *atomic.Bool) *pipeline.Relief {
	w := src.World()
	layout := w.Layout()
	level := 0
	for (w.Width>>level)*(w.Height>>level) > reliefSamples {
		level++
	}
	step := 1 << level
	r := &pipeline.Relief{
		Width: (w.Width-1)/step + 1, Height: (w.Height-1)/step + 1, Spacing: w.Spacing * float64(step), X: w.OriginX, Z: w.OriginZ,
	}
	if r.Width < 2 || r.Height < 2 {
		return nil
	}
	r.Heights, r.Normals = make([]float32, r.Width*r.Height), make([][2]uint8, r.Width*r.Height)
	for i := range r.Heights {
		r.Heights[i], r.Normals[i] = float32(float64(w.Min)*w.Quantum), terrain.EncodeNormal(0, 1, 0)
	}
	for _, info := range src.Tiles() {
		if level > 0 { // nested: the largest of what the grid leaves out
			r.Detail = max(r.Detail, float64(info.Coef[min(level, layout.Levels)-1]))
		}
	}
	p := paintOf(src, r)
	d := chunkfile.NewDecoder()
	for _, info := range src.Tiles() {
		if stop.Load() {
			return nil
		}
		tile, err := src.ReadTile(d, info.Key, terrain.Level(min(level, layout.Levels-1)))
		if err != nil {
			continue // whoever draws it is told
		}
		p.read(d, info.Key, tile.Level)
		for id, v := range tile.Verts {
			at := layout.Grid[id]
			x, z := int(info.Key.X)*layout.Cells+int(at.X), int(info.Key.Y)*layout.Cells+int(at.Z)
			if x%step == 0 && z%step == 0 && x/step < r.Width && z/step < r.Height {
				i := z/step*r.Width + x/step
				r.Heights[i], r.Normals[i] = float32(float64(tile.Info.Base+int32(v.Height))*w.Quantum), v.Normal
				p.put(r, i, id)
			}
		}
	}
	return r
}

// paint reads what a world was baked with of the ground's colours and materials. The zero
// value has nothing.
type paint struct {
	file   layerReader
	layout *terrain.Layout
	layers [2]paintLayer
}

// paintLayer is one of the two: colours and weights.
type paintLayer struct {
	number int // of the world's layers, or -1
	size   int // bytes a vertex
	bytes  []byte
	ok     bool // of the tile that was read last
}

// paintOf makes room in r for the paint of a world that has some.
func paintOf(src source, r *pipeline.Relief) *paint {
	p := &paint{layout: src.World().Layout()}
	p.file, _ = src.(layerReader)
	for i, name := range [2]string{bake.LayerColour, bake.LayerMaterial} {
		p.layers[i].number = slices.IndexFunc(src.World().Layers, func(l terrain.Layer) bool { return l.Name == name })
		if p.layers[i].number >= 0 {
			p.layers[i].size = src.World().Layers[p.layers[i].number].Bytes
		}
	}
	r.Coloured, r.Weighed = p.layers[0].number >= 0, p.layers[1].number >= 0
	if p.file == nil || !r.Coloured && !r.Weighed {
		r.Coloured, r.Weighed, p.file = false, false, nil
		return p
	}
	r.Paint = make([]pipeline.Paint, len(r.Heights))
	return p
}

// read reads the paint of a tile down to a level. Where that fails the tile stays black, and
// whoever draws it is told.
func (p *paint) read(d *chunkfile.Decoder, k terrain.Key, finest terrain.Level) {
	for i := range p.layers {
		l := &p.layers[i]
		if l.ok = p.file != nil && l.number >= 0; !l.ok {
			continue
		}
		l.bytes = slices.Grow(l.bytes[:0], l.size*p.layout.Count(finest))[:l.size*p.layout.Count(finest)]
		for level := p.layout.Levels - 1; level >= int(finest) && l.ok; level-- {
			l.ok = p.file.ReadLayer(d, l.bytes, k, terrain.Level(level), l.number) == nil
		}
	}
}

// put puts what a vertex has to place i of r.
func (p *paint) put(r *pipeline.Relief, i, id int) {
	for n := range p.layers {
		l := &p.layers[n]
		if !l.ok {
			continue
		}
		for k, b := range l.bytes[l.size*id:][:l.size] {
			r.Paint[i] |= pipeline.Paint(b) << (32*n + 8*k)
		}
	}
}
