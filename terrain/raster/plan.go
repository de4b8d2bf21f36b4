package raster

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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

	rows rowCache // noHeight where there is none
	fill *filler  // nil where there are no voids
	done rowCache // heights twice, and 1 more where the sample is a hole

	numbers []float64
	void    []bool // of rows: whether they have one
}

// Plan reads the whole raster once, a row at a time, and decides on its quantum.
func (r *Reader) Plan() (*Plan, error) {
	i := &r.Info
	if i.Width < 2 || i.Height < 2 {
		return nil, named(r.path, unsupported("%d×%d samples: a terrain needs at least 2×2", i.Width, i.Height))
	}
	if err := r.checkGaps(); err != nil {
		return nil, named(r.path, err)
	}
	sum := newSummary(i.Integer)
	p := &Plan{r: r, numbers: make([]float64, i.Width)}
	if r.voids != VoidsReport {
		p.fill, p.void = newFiller(i.Width, i.Height), make([]bool, i.Height)
	}
	for y := range i.Height {
		if err := r.ReadRows(y, p.numbers); err != nil {
			return nil, err
		}
		before := sum.voids
		if sum.add(p.numbers); p.fill != nil {
			p.void[y] = sum.voids > before
			p.fill.add(y, p.numbers)
		}
	}
	n := int64(i.Width) * int64(i.Height)
	switch {
	case sum.voids == n:
		return nil, named(r.path, unsupported("all %d samples are voids", n))
	case sum.voids > 0 && r.voids == VoidsReport:
		return nil, named(r.path, unsupported("%d of %d samples are voids; --voids fill fills them, --voids hole leaves them out", sum.voids, n))
	}
	if err := p.measure(sum, n-sum.voids); err != nil {
		return nil, named(r.path, err)
	}
	p.prepareFill(sum.voids)
	return p, nil
}

// prepareFill makes room for rows, and coarse heights for the voids.
func (p *Plan) prepareFill(voids int64) {
	w, h := p.grid.Width, p.grid.Height
	room := max(1, rowCacheBytes/4/w)
	if voids == 0 {
		p.fill, p.void, p.rows = nil, nil, newRowCache(w, h, room)
		return
	}
	if p.r.voids == VoidsHole {
		p.grid.Holes = voids
	} else {
		p.Filled = voids
	}
	p.fill.finish(p.quantum, p.shift)
	p.rows = newRowCache(w, h, p.fill.block+2*p.fill.halo)
	p.done = newRowCache(w, h, max(room, 2*p.fill.block))
}

// measure sets what follows from the n heights that there are.
func (p *Plan) measure(sum *summary, n int64) error {
	i := &p.r.Info
	for _, v := range []float64{sum.lo, sum.hi} {
		if m := i.metres(v); !(max(math.Abs(v), math.Abs(m)) <= math.MaxFloat32) {
			return tooHigh(m)
		}
	}
	quantum, exact := sum.quantum()
	g := terrain.Grid{Width: i.Width, Height: i.Height, Spacing: i.Spacing, Quantum: quantum * i.Unit, Geo: i.Geo()}
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

// Memory returns the bytes that reading the plan takes at most, about, besides
// what GDAL's programs take.
func (p *Plan) Memory() int64 {
	w := int64(p.grid.Width)
	n := 4*w*int64(p.rows.room+p.done.room) + 8*w + p.r.memory()
	if p.fill != nil {
		n += 4*int64(len(p.fill.base.heights)) + int64(len(p.void))
	}
	return n
}

// memory returns about how much r takes to read rows.
func (r *Reader) memory() int64 {
	const decompressor = 128 << 10
	switch d := r.dec.(type) {
	case *gdalRows:
		return int64(d.window) * int64(d.rowBytes())
	case *mosaic:
		n := int64(mosaicStrip) + int64(maxOpenParts)*decompressor
		if slices.ContainsFunc(d.open, func(p *part) bool { _, gdal := p.r.dec.(*gdalRows); return gdal }) {
			n += mosaicGDAL
		}
		return n
	case *resampled:
		return int64(len(d.lines))*int64(d.width)*40 + d.r.memory()
	case *sequence:
		if c, is := d.current.(*pngRows); is && c.h.interlaced {
			return 4 * int64(d.width) * int64(d.height)
		}
	}
	return decompressor
}

// ReadRows fills heights with whole rows, the first of them row z; see
// [terrain.RowReader]. Rows are read fastest in order; what was read last is
// kept.
func (p *Plan) ReadRows(z int, heights []int32, void []bool) error {
	w := p.grid.Width
	if n := len(heights) / w; n*w != len(heights) || z < 0 || z+n > p.grid.Height || void != nil && len(void) != len(heights) {
		panic(fmt.Sprintf("raster: %d heights and %d voids from row %d of %d×%d", len(heights), len(void), z, w, p.grid.Height))
	}
	for at := 0; at < len(heights); at, z = at+w, z+1 {
		var holes []bool
		if void != nil {
			holes = void[at : at+w]
		}
		if err := p.readRow(z, heights[at:at+w], holes); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) readRow(z int, heights []int32, void []bool) error {
	if p.fill == nil {
		row, err := p.sourceRow(z)
		copy(heights, row)
		clear(void)
		return err
	}
	row := p.done.get(z)
	if row == nil {
		if err := p.fillRows(z - z%p.fill.block); err != nil {
			return err
		}
		row = p.done.get(z)
	}
	for x, h := range row {
		heights[x] = h >> 1
	}
	for x := range void {
		void[x] = row[x]&1 != 0
	}
	return nil
}

// noHeight is a void among the quanta of a source.
const noHeight = math.MinInt32

// sourceRow returns row z with noHeight for voids. It is good until the row
// leaves p.rows.
func (p *Plan) sourceRow(z int) ([]int32, error) {
	if row := p.rows.get(z); row != nil {
		return row, nil
	}
	if err := p.r.ReadRows(z, p.numbers); err != nil {
		return nil, err
	}
	row := p.rows.put(z)
	plain, shift := p.r.Info.Integer && p.quantum == 1, int32(p.shift)
	for x, v := range p.numbers {
		switch {
		case v != v:
			row[x] = noHeight
		case plain: // most are
			row[x] = int32(v) + shift
		default:
			row[x] = p.quanta(v)
		}
	}
	return row, nil
}

// fillRows puts the rows of the blocks that begin at row z among those done.
func (p *Plan) fillRows(z int) error {
	f := p.fill
	n := min(f.block, p.grid.Height-z)
	first, last := z, z+n
	voids := slices.Contains(p.void[z:z+n], true)
	if voids {
		first, last = max(0, z-f.halo), min(p.grid.Height, z+n+f.halo)
	}
	for y := first; y < last; y++ {
		if _, err := p.sourceRow(y); err != nil {
			return err
		}
	}
	rows := make([][]int32, n)
	for k := range rows {
		rows[k] = p.done.put(z + k)
		copy(rows[k], p.rows.get(z+k))
	}
	if voids {
		p.fillBlocks(z, rows)
	}
	for k, row := range rows {
		p.mark(row, p.rows.get(z+k))
	}
	return nil
}

// fillBlocks fills the voids of the rows of blocks that begin at row z, several
// blocks at a time.
func (p *Plan) fillBlocks(z int, rows [][]int32) {
	block, w := p.fill.block, p.grid.Width
	count := (w + block - 1) / block
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(count, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				x := int(next.Add(1)-1) * block
				if x >= w {
					return
				}
				if anyVoid(rows, x, min(x+block, w)) {
					p.fill.fillBlock(x, z, p.rows.get, rows)
				}
			}
		})
	}
	wg.Wait()
}

// anyVoid says whether columns from x0 up to x1 have a void.
func anyVoid(rows [][]int32, x0, x1 int) bool {
	for _, row := range rows {
		if slices.Contains(row[x0:x1], noHeight) {
			return true
		}
	}
	return false
}

// mark makes a row of heights one that is done.
func (p *Plan) mark(row, source []int32) {
	holes := p.grid.Holes > 0
	for x, h := range row {
		row[x] = 2 * h
		if source[x] == noHeight {
			row[x] = 2 * min(max(h, p.grid.Min), p.grid.Max)
			if holes {
				row[x]++
			}
		}
	}
}

// rowCacheBytes is about the size of a rowCache.
const rowCacheBytes = 32 << 20

// rowCache keeps the rows that were put last: those from lo up to hi. Row y lies
// at y modulo the number of rows that there is room for.
type rowCache struct {
	width, room int
	lo, hi      int
	rows        []int32
}

func newRowCache(w, h, room int) rowCache { return rowCache{width: w, room: min(h, room)} }

// get returns row y, nil where it is not there.
func (c *rowCache) get(y int) []int32 {
	if y < c.lo || y >= c.hi {
		return nil
	}
	at := y % c.room * c.width
	return c.rows[at : at+c.width]
}

// put returns where row y is to be written. Rows that do not end before it are
// forgotten.
func (c *rowCache) put(y int) []int32 {
	if c.rows == nil {
		c.rows = make([]int32, c.room*c.width)
	}
	if y != c.hi {
		c.lo = y
	}
	c.hi = y + 1
	c.lo = max(c.lo, c.hi-c.room)
	return c.get(y)
}
