package bake

import (
	"fmt"

	"github.com/vkterrain/vkterrain/terrain"
)

// DefaultMaxMem is the memory cap of the zero Options, bytes.
const DefaultMaxMem = 1 << 30

// plan says in what portions a world is made. The bytes of the world do not
// depend on it.
type plan struct {
	rows    int // of tiles a band
	columns int // of tiles a slab, whose heights are in memory together
	block   int // tiles a side that one goroutine makes together
	workers int
}

// bandSamples is about how many rows of samples a band has at most: enough that
// what surrounds it costs little, and few enough that a killed bake loses little.
const bandSamples = 512

// leastBlock is about how many samples a side of a block has at least, if memory
// allows: in smaller ones the way to the samples costs more than the samples.
const leastBlock = 128

// programBytes is about what a program takes without a field.
const programBytes = 20 << 20

// reach returns how far around a tile of cells×cells cells what is made of it
// looks, samples.
func reach(cells int) int { return max(cells, skyReach) }

// newPlan plans a bake within maxMem bytes. Garbage may double what is in use.
func (b *baker) newPlan(workers int, maxMem int64, layers []terrain.Layer) (plan, error) {
	src, cells := b.src, b.cells
	nx, ny := tilesOf(src.Width, cells), tilesOf(src.Height, cells)
	p := plan{rows: min(max(1, bandSamples/cells), ny), columns: nx, workers: workers}
	p.block = max(1, bandSamples/cells)
	for p.block > 1 && p.block*cells > leastBlock && ceilDiv(nx, p.block)*ceilDiv(p.rows, p.block) < 3*workers {
		p.block = (p.block + 1) / 2
	}
	m := memory{src: src, cells: cells, nx: nx}
	m.fixed = b.far.bytes() + b.overlay.bytes() + b.mask.bytes() + int64(nx)*int64(ny)*200 + 8*int64(src.widest*src.Width)
	for _, l := range layers {
		m.layers += int64(l.Bytes)
	}
	for 2*m.of(p)+programBytes > maxMem {
		switch {
		case p.workers > 2 && int64(p.workers)*m.worker(p) > maxMem/8:
			p.workers--
		case p.rows > 1:
			p.rows = (p.rows + 1) / 2
		case p.block > 1:
			p.block = (p.block + 1) / 2
		case p.columns > 1:
			p.columns = (p.columns + 1) / 2
		case p.workers > 1:
			p.workers--
		default:
			return p, &MemoryError{src.Width, src.Height, cells + 1, 2*m.of(p) + programBytes}
		}
	}
	p.block = min(p.block, max(p.rows, p.columns))
	return p, nil
}

// MemoryError says that a bake is not possible within Options.MaxMem.
type MemoryError struct {
	Width, Height, TileSize int
	Need                    int64 // bytes that would do
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%d×%d samples in tiles of %d: not with less than %d MiB of memory; take a larger cap or smaller tiles",
		e.Width, e.Height, e.TileSize, e.Need>>20+1)
}

// tilesOf returns how many tiles n samples take.
func tilesOf(n, cells int) int { return max(1, (n-2)/cells+1) }

// memory counts bytes.
type memory struct {
	src           *source
	cells, nx     int
	fixed, layers int64
}

// of returns what a bake holds at a time.
func (m *memory) of(p plan) int64 {
	c := int64(m.cells)
	around := 2 * int64(reach(m.cells))
	height := min(int64(p.rows)*c+around, int64(m.src.Height))
	width := int64(m.src.Width)
	slab, ahead := height*width, min(int64(p.rows)*c, height)*width
	if p.columns < m.nx {
		slab, ahead = height*min(int64(p.columns)*c+around, width), 0
	}
	sample := int64(4)
	if m.src.Holes > 0 {
		sample = 5
	}
	tiles := int64(min(p.rows+2, tilesOf(m.src.Height, m.cells))) * int64(min(p.columns+2, m.nx))
	coded := int64(p.rows) * int64(m.nx) * c * c * (6 + m.layers)
	return m.fixed + (slab+ahead)*sample + tiles*(c+1)*(c+1)*4 + coded + int64(p.workers)*m.worker(p)
}

// worker returns what one goroutine holds: the encoder with its grids, the
// vertices of a tile, and the analyses of a block.
func (m *memory) worker(p plan) int64 {
	c := int64(m.cells)
	rows, columns := int64(min(p.block, p.rows)), int64(min(p.block, p.columns))
	tile := (c + 1) * (c + 1)
	block := (rows*c + 1) * (columns*c + 1)
	return tile*(192+terrain.VertexBytes+m.layers) + block*24 + (rows*c+2*skyReach)*(columns*c+2*skyReach)*4 + (rows+2)*(columns+2)*c*c*(4+2*m.layers)
}
