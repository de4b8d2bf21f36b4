// Package testworld makes small worlds in memory for tests: a field of every
// kind of roughness cut into tiles, without a file in between.
package testworld

import (
	"math"
	"math/rand/v2"

	"github.com/vkterrain/vkterrain/terrain"
)

// World is a terrain in memory at full resolution.
type World struct {
	terrain.World
	Field *terrain.Field
	Infos map[terrain.Key]*terrain.TileInfo
	tiles map[terrain.Key][]terrain.Vertex
}

// Rough returns a field with hills, a cliff, flats and noise.
func Rough(w, h int, seed uint64) *terrain.Field {
	rng := rand.New(rand.NewPCG(seed, 0x7e57))
	f := &terrain.Field{Width: w, Height: h, Spacing: 10, Quantum: 0.125, Samples: make([]int32, w*h)}
	fx, fz := 0.02+rng.Float64()*0.05, 0.02+rng.Float64()*0.05
	for z := range h {
		for x := range w {
			v := 900*math.Sin(float64(x)*fx)*math.Cos(float64(z)*fz) + 200*math.Sin(float64(x+z)*0.31)
			if x > 2*w/3 {
				v += 700 // cliff
			}
			if z > h/3 { // the north is smooth
				v += rng.Float64() * 60
			}
			if x < w/5 && z > h/2 {
				v = 100 // flat
			}
			f.Samples[z*w+x] = int32(math.Round(v))
		}
	}
	return f
}

// Punch makes some discs of f holes, and gives their samples odd heights.
func Punch(f *terrain.Field, discs int, seed uint64) *terrain.Field {
	rng := rand.New(rand.NewPCG(seed, 0x401e5))
	f.Void = make([]bool, len(f.Samples))
	for range discs {
		cx, cz, r := rng.IntN(f.Width), rng.IntN(f.Height), rng.Float64()*float64(min(f.Width, f.Height))/8
		for z := range f.Height {
			for x := range f.Width {
				if math.Hypot(float64(x-cx), float64(z-cz)) <= r {
					f.Void[z*f.Width+x] = true
					f.Samples[z*f.Width+x] = int32(rng.IntN(100))
				}
			}
		}
	}
	return f
}

// hole says whether a sample is one, of the padding too.
func hole(f *terrain.Field, x, z int) bool {
	x, z = min(max(x, 0), f.Width-1), min(max(z, 0), f.Height-1)
	return f.Void != nil && f.Void[z*f.Width+x]
}

// New cuts f into tiles.
func New(f *terrain.Field, tileSize int, originX, originZ float64) *World {
	layout := terrain.LayoutFor(tileSize)
	coefs := terrain.Coefficients(f, layout.Cells, 0)
	w := &World{Field: f, Infos: map[terrain.Key]*terrain.TileInfo{}, tiles: map[terrain.Key][]terrain.Vertex{}}
	w.World = terrain.World{
		Width: f.Width, Height: f.Height, TileSize: tileSize, Spacing: f.Spacing, Quantum: f.Quantum,
		OriginX: originX, OriginZ: originZ, Radius: coefs.Radius,
	}
	w.Min, w.Max, w.Mean = f.Stats()
	nx, nz := w.Tiles()
	for y := range nz {
		for x := range nx {
			w.cut(layout, coefs, terrain.Key{X: int32(x), Y: int32(y)})
		}
	}
	return w
}

func (w *World) cut(layout *terrain.Layout, coefs *terrain.Coefs, k terrain.Key) {
	x0, z0 := int(k.X)*layout.Cells, int(k.Y)*layout.Cells
	info := &terrain.TileInfo{Key: k, Min: math.MaxInt32, Max: math.MinInt32}
	for _, p := range layout.Grid {
		h := w.Field.At(x0+int(p.X), z0+int(p.Z))
		info.Min, info.Max = min(info.Min, h), max(info.Max, h)
	}
	info.Base = info.Min
	verts := make([]terrain.Vertex, len(layout.Grid))
	for id, p := range layout.Grid {
		x, z := int(p.X), int(p.Z)
		c := terrain.CoefUp(float64(coefs.At(x0+x, z0+z)))
		root := (x%layout.Cells == 0 && z%layout.Cells == 0) || (2*x == layout.Cells && 2*z == layout.Cells)
		if root {
			c = terrain.CoefUp(math.Inf(1))
		} else if l := layout.LevelAt(x, z); terrain.CoefMetres(c) > info.Coef[l] {
			info.Coef[l] = terrain.CoefMetres(c)
		}
		verts[id] = terrain.Vertex{
			Height: uint16(w.Field.At(x0+x, z0+z) - info.Base), Coef: c,
			Normal: terrain.EncodeNormal(0, 1, 0), SkyView: 255, Curvature: 128,
		}
		if hole(w.Field, x0+x, z0+z) {
			verts[id].SkyView, info.Holes, w.Holes = 0, true, true
		}
	}
	w.Infos[k], w.tiles[k] = info, verts
}

// Tile returns tile k loaded to level.
func (w *World) Tile(k terrain.Key, level terrain.Level) *terrain.Tile {
	return &terrain.Tile{Info: w.Infos[k], Level: level, Verts: w.tiles[k][:w.Layout().Count(level)]}
}

// Parents lists the parents of global grid position (x, z) in the bisection
// hierarchy of tiles of the given number of cells.
func Parents(x, z, cells int) [][2]int {
	s := (x | z) & -(x | z)
	switch {
	case x&s != 0 && z&s != 0:
		if 2*s >= cells {
			return nil
		}
		px, pz := s, s
		if (x+s)/(2*s)%2 == 0 {
			px = -s
		}
		if (z+s)/(2*s)%2 == 0 {
			pz = -s
		}
		return [][2]int{{x - px, z + pz}, {x + px, z - pz}}
	case x&s != 0:
		return [][2]int{{x, z - s}, {x, z + s}}
	}
	return [][2]int{{x - s, z}, {x + s, z}}
}

// Balance makes levels finer until neighbours, corners included, differ by at
// most one, as package streaming does.
func Balance(levels map[terrain.Key]int8) {
	var queue []terrain.Key
	for k := range levels {
		queue = append(queue, k)
	}
	for len(queue) > 0 {
		k := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for i := range 9 {
			n := terrain.Key{Zoom: k.Zoom, X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1}
			if l, ok := levels[n]; ok && l > levels[k]+1 {
				levels[n] = levels[k] + 1
				queue = append(queue, n)
			}
		}
	}
}
