package raster

import (
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Plan is a raster as whole quanta, which need not be in memory. It is a
// [terrain.RowReader]. It reads from the [Reader] it was made of, which must stay
// open and not be read from by others.
//
// The quantum is the unit of the file where that holds whole numbers that span
// at most 65,535. For all other files it is the coarsest of
//
//   - the unit times a power of two, at most 1 where 1 will do
//   - 0.1, 0.01 and 0.001 of the unit, and for whole numbers their greatest
//     common divisor
//
// that loses nothing: every height of the file, as a float32, is a whole number
// of quanta. Where there is none the heights are rounded. The quantum is then a
// power of two of the unit: the finest that can hold the heights, but no finer
// than 1/128 unit where they span 128 units or more, else 1/16,384 of the span.
// Grid.MaxError says how far off that is. It also counts by how much all
// heights are shifted together where Info.Offset is no whole number of quanta.
type Plan struct {
	Filled int64 // voids that have a height now and are no holes

	r              *Reader
	grid           terrain.Grid
	quantum, shift float64 // of numbers: in units, in quanta

	rows   rowCache
	filled []int32 // all samples, where there are voids
}

// Plan reads the whole raster once, a row at a time, and decides on its quantum.
func (r *Reader) Plan() (*Plan, error) {
	i := &r.Info
	if i.Width < 2 || i.Height < 2 {
		return nil, named(r.path, unsupported("%d×%d samples: a terrain needs at least 2×2", i.Width, i.Height))
	}
	sum := newSummary(i.Integer)
	row := make([]float64, i.Width)
	for y := range i.Height {
		if err := r.ReadRows(y, row); err != nil {
			return nil, err
		}
		sum.add(row)
	}
	n := int64(i.Width) * int64(i.Height)
	switch {
	case sum.voids == n:
		return nil, named(r.path, unsupported("all %d samples are voids", n))
	case sum.voids > 0 && r.voids == VoidsReport:
		return nil, named(r.path, unsupported("%d of %d samples are voids; --voids fill fills them", sum.voids, n))
	}
	p := &Plan{r: r}
	if err := p.measure(sum, n-sum.voids); err != nil {
		return nil, named(r.path, err)
	}
	p.rows = newRowCache(i.Width, i.Height)
	if r.voids == VoidsHole {
		p.grid.Holes = sum.voids
	} else {
		p.Filled = sum.voids
	}
	return p, nil
}

// measure sets what follows from the n heights that there are.
func (p *Plan) measure(sum *summary, n int64) error {
	i := &p.r.Info
	quantum, exact := sum.quantum()
	g := terrain.Grid{Width: i.Width, Height: i.Height, Spacing: i.Spacing, Quantum: quantum * i.Unit}
	if !exact {
		g.MaxError = g.Quantum / 2
	}
	// What is added to every height is a whole number of quanta too.
	offset := i.Offset / g.Quantum
	shift := math.Round(offset)
	g.MaxError += math.Abs(offset-shift) * g.Quantum
	if lo, hi := sum.lo/quantum+shift, sum.hi/quantum+shift; lo < -fieldMax || hi > fieldMax {
		return unsupported("heights of %v to %v m in steps of %v m: more than 24 bits hold; take a larger height unit",
			i.metres(sum.lo), i.metres(sum.hi), g.Quantum)
	}
	p.quantum, p.shift = quantum, shift
	g.Min, g.Max = p.quanta(sum.lo), p.quanta(sum.hi)
	g.Mean = (sum.sum/float64(n)/quantum + shift) * g.Quantum
	p.grid = g
	return nil
}

// quanta returns the height of a number that stands for no void.
func (p *Plan) quanta(number float64) int32 {
	if !p.r.Info.Integer {
		number = float64(float32(number))
	}
	return int32(math.Round(number/p.quantum) + p.shift)
}

// Grid describes the heights. Min, Max and Mean are of those that the raster has:
// heights made for voids lie between Min and Max.
func (p *Plan) Grid() terrain.Grid { return p.grid }

// ReadRows fills heights with whole rows, the first of them row z; see
// [terrain.RowReader]. Rows are read fastest in order; what was read last is
// kept.
func (p *Plan) ReadRows(z int, heights []int32, void []bool) error {
	w := p.grid.Width
	if n := len(heights) / w; n*w != len(heights) || z < 0 || z+n > p.grid.Height || void != nil && len(void) != len(heights) {
		panic(fmt.Sprintf("raster: %d heights and %d voids from row %d of %d×%d", len(heights), len(void), z, w, p.grid.Height))
	}
	if err := p.prepareFill(); err != nil {
		return err
	}
	for at := 0; at < len(heights); at, z = at+w, z+1 {
		row := heights[at : at+w]
		if void == nil && p.filled != nil {
			copy(row, p.filled[z*w:])
			continue
		}
		source, err := p.sourceRow(z)
		if err != nil {
			return err
		}
		copy(row, source)
		if void != nil {
			markHoles(void[at:at+w], row, p.grid.Holes > 0)
		}
		if p.filled != nil {
			copy(row, p.filled[z*w:])
		}
	}
	return nil
}

// markHoles says which samples are voids that stay.
func markHoles(void []bool, row []int32, holes bool) {
	for x, h := range row {
		void[x] = holes && h == noHeight
	}
}

// noHeight is a void among the quanta of a plan.
const noHeight = math.MinInt32

// sourceRow returns row z with noHeight for voids. It is good until the next
// call.
func (p *Plan) sourceRow(z int) ([]int32, error) {
	return p.rows.get(z, func(numbers []float64, row []int32) error {
		if err := p.r.ReadRows(z, numbers); err != nil {
			return err
		}
		for x, v := range numbers {
			if v != v {
				row[x] = noHeight
			} else {
				row[x] = p.quanta(v)
			}
		}
		return nil
	})
}

// prepareFill fills the voids, if there are any, the first time.
func (p *Plan) prepareFill() error {
	w, h := p.grid.Width, p.grid.Height
	if p.filled != nil || p.Filled+p.grid.Holes == 0 {
		return nil
	}
	if n := int64(w) * int64(h); n > MaxSamples {
		return named(p.r.path, unsupported("%d×%d samples with voids to fill: more than the %d that fit in memory", w, h, MaxSamples))
	}
	samples := make([]int32, w*h)
	for z := range h {
		row, err := p.sourceRow(z)
		if err != nil {
			return err
		}
		copy(samples[z*w:], row)
	}
	fillVoids(samples, w, h)
	p.filled = samples
	return nil
}

// rowCacheBytes is the size of a rowCache.
const rowCacheBytes = 32 << 20

// rowCache keeps the rows that were read last: those from lo up to hi. Row y lies
// at y modulo the number of rows that there is room for.
type rowCache struct {
	width, room int
	lo, hi      int
	rows        []int32
	numbers     []float64
}

func newRowCache(w, h int) rowCache {
	return rowCache{width: w, room: min(h, max(1, rowCacheBytes/4/w)), numbers: make([]float64, w)}
}

// get returns row y, which read makes where it is not there.
func (c *rowCache) get(y int, read func(numbers []float64, row []int32) error) ([]int32, error) {
	at := y % c.room * c.width
	if y >= c.lo && y < c.hi {
		return c.rows[at : at+c.width], nil
	}
	if y != c.hi {
		c.lo, c.hi = y, y
	}
	if c.rows == nil {
		c.rows = make([]int32, c.room*c.width)
	}
	c.lo = max(c.lo, c.hi+1-c.room) // the row that this one lies on
	row := c.rows[at : at+c.width]
	if err := read(c.numbers, row); err != nil {
		c.lo, c.hi = 0, 0
		return nil, err
	}
	c.hi++
	return row, nil
}
