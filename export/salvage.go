package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Loss is what of a tile is damaged.
type Loss struct {
	Key terrain.Key

	// Level is the coarsest level that is lost. All finer ones are lost with it:
	// they are coded as differences from it.
	Level terrain.Level

	// Whole says that nothing of the tile is left.
	Whole bool

	// MaxError bounds in metres how far the heights that stand for the lost ones are
	// off: the coefficients of the file's directory say how far from the coarser
	// levels any sample is. Where nothing is left it is the tile's range of heights.
	MaxError float64
}

// Salvaged is the height field of a damaged world: what is whole of it, and in place
// of lost samples the surface of the coarser levels of their tile. Samples on seams
// come from whichever tile still has them. Of a tile of which nothing is left the
// surface is spanned between what its neighbours have of its border.
//
// It is a [terrain.RowReader], to be baked again; it keeps a row of tiles in memory
// and is for one goroutine.
type Salvaged struct {
	Losses []Loss // by tile, row by row

	ctx     context.Context
	r       *chunkfile.Reader
	lost    map[terrain.Key]*Loss
	decoder *chunkfile.Decoder
	refiner lodcpu.Refiner
	indices []uint32
	holes   int64

	tiles   int // the row of tiles that is at hand; -1 for none
	heights []int32
	state   []uint8
}

// How a sample is known.
const (
	unknown = iota
	guessed
	hole
	known
)

// Salvage reads all of r to find out what is lost. progress, if not nil, is called
// for each tile.
func Salvage(ctx context.Context, r *chunkfile.Reader, progress func(done, total int)) (*Salvaged, error) {
	w, layout := r.World(), r.World().Layout()
	s := &Salvaged{
		ctx: ctx, r: r, lost: map[terrain.Key]*Loss{}, decoder: chunkfile.NewDecoder(), tiles: -1,
		refiner: lodcpu.LeaveHoles(soar.New(layout, lodcpu.List), layout, lodcpu.List),
	}
	s.indices = make([]uint32, s.refiner.MaxIndices(0))
	verts := make([]terrain.Vertex, len(layout.Grid))
	nx, ny := w.Tiles()
	for i := range nx * ny {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.examine(terrain.Key{X: int32(i % nx), Y: int32(i / nx)}, verts); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(i+1, nx*ny)
		}
	}
	for i := range s.Losses {
		s.lost[s.Losses[i].Key] = &s.Losses[i]
	}
	s.heights, s.state = make([]int32, w.Width*layout.Size), make([]uint8, w.Width*layout.Size)
	if w.Holes {
		return s, s.countHoles()
	}
	return s, nil
}

// examine finds out what is lost of a tile.
func (s *Salvaged) examine(k terrain.Key, verts []terrain.Vertex) error {
	w, levels := s.r.World(), s.r.World().Layout().Levels
	t := s.r.Tile(k)
	if t == nil {
		s.Losses = append(s.Losses, Loss{Key: k, Level: terrain.Level(levels - 1), Whole: true, MaxError: float64(w.Max-w.Min) * w.Quantum})
		return nil
	}
	lost := int(s.r.Finest(k)) - 1 // -1 is none
	for l := levels - 1; l > lost; l-- {
		err := s.r.ReadLevel(s.decoder, verts, k, terrain.Level(l))
		if err != nil && !errors.Is(err, chunkfile.ErrCorrupt) {
			return err // of reading: it may go better another time
		}
		if err != nil {
			lost = l
		}
	}
	if lost < 0 {
		return nil
	}
	// What is filled in is rounded to whole quanta.
	loss := Loss{Key: k, Level: terrain.Level(lost), Whole: lost == levels-1, MaxError: float64(t.Coef[lost]) + w.Quantum/2}
	if spread := float64(t.Max-t.Min) * w.Quantum; loss.Whole || !(loss.MaxError <= spread) {
		loss.MaxError = spread
	}
	s.Losses = append(s.Losses, loss)
	return nil
}

func (s *Salvaged) countHoles() error {
	w := s.r.World()
	row, void := make([]int32, w.Width), make([]bool, w.Width)
	for z := range w.Height {
		if err := s.ReadRows(z, row, void); err != nil {
			return err
		}
		for _, v := range void {
			if v {
				s.holes++
			}
		}
	}
	return nil
}

// MaxError returns the largest error of all losses, metres.
func (s *Salvaged) MaxError() float64 {
	e := 0.0
	for i := range s.Losses {
		e = max(e, s.Losses[i].MaxError)
	}
	return e
}

// Grid implements [terrain.RowReader]. MaxError is the world's own: what was lost
// is not in it, or every triangle would be drawn for its sake.
func (s *Salvaged) Grid() terrain.Grid {
	w := s.r.World()
	return terrain.Grid{
		Width: w.Width, Height: w.Height, Spacing: w.Spacing, Quantum: w.Quantum, MaxError: w.MaxError,
		Min: w.Min, Max: w.Max, Mean: w.Mean, Holes: s.holes, Geo: w.Geo,
	}
}

// ReadRows implements [terrain.RowReader].
func (s *Salvaged) ReadRows(z int, heights []int32, void []bool) error {
	width := s.r.World().Width
	cells := s.r.World().Layout().Cells
	_, ny := s.r.World().Tiles()
	for at := 0; at < len(heights); at, z = at+width, z+1 {
		y := min(z/cells, ny-1)
		if y != s.tiles {
			if err := s.load(y); err != nil {
				return err
			}
		}
		from := (z - y*cells) * width
		copy(heights[at:at+width], s.heights[from:])
		for x := range width {
			if void != nil {
				void[at+x] = s.state[from+x] == hole
			}
		}
	}
	return nil
}

// load puts row y of the tiles together: what is known first, so that it goes
// before guesses wherever tiles meet.
func (s *Salvaged) load(y int) error {
	s.tiles = -1
	nx, ny := s.r.World().Tiles()
	clear(s.state)
	for _, row := range []int{y, y - 1, y + 1} {
		for x := range nx {
			k := terrain.Key{X: int32(x), Y: int32(row)}
			if row < 0 || row >= ny || row != y && !s.near(k, y) {
				continue
			}
			if err := s.ctx.Err(); err != nil {
				return err
			}
			t, err := s.whole(k)
			if err != nil {
				return err
			}
			if t != nil {
				s.put(t, y)
			}
		}
	}
	for x := range nx {
		if loss := s.lost[terrain.Key{X: int32(x), Y: int32(y)}]; loss != nil {
			if err := s.guess(loss); err != nil {
				return err
			}
		}
	}
	s.tiles = y
	return nil
}

// near says whether a tile of another row touches a damaged one of row y.
func (s *Salvaged) near(k terrain.Key, y int) bool {
	for d := int32(-1); d <= 1; d++ {
		if s.lost[terrain.Key{X: k.X + d, Y: int32(y)}] != nil {
			return true
		}
	}
	return false
}

// whole reads what is whole of a tile; nil if that is nothing.
func (s *Salvaged) whole(k terrain.Key) (*terrain.Tile, error) {
	level := terrain.Level(0)
	if loss := s.lost[k]; loss != nil {
		if loss.Whole {
			return nil, nil
		}
		level = loss.Level + 1
	}
	return s.r.ReadTile(s.decoder, k, level)
}

// put writes the vertices of t that lie in row y of the tiles.
func (s *Salvaged) put(t *terrain.Tile, y int) {
	layout := s.r.World().Layout()
	for id := range t.Verts {
		v, p := &t.Verts[id], layout.Grid[id]
		at, ok := s.at(int(t.Info.Key.X)*layout.Cells+int(p.X), int(t.Info.Key.Y)*layout.Cells+int(p.Z), y)
		if !ok {
			continue
		}
		s.heights[at], s.state[at] = t.Info.Base+int32(v.Height), known
		if v.Hole() {
			s.state[at] = hole
		}
	}
}

// at returns where a sample lies in row y of the tiles.
func (s *Salvaged) at(column, row, y int) (at int, ok bool) {
	w, layout := s.r.World(), s.r.World().Layout()
	z := row - y*layout.Cells
	if column >= w.Width || row >= w.Height || z < 0 || z > layout.Cells {
		return 0, false
	}
	return z*w.Width + column, true
}

// set guesses a sample of the row of tiles of k, if nothing better is known.
func (s *Salvaged) set(k terrain.Key, x, z int, height float64, state uint8) {
	layout, w := s.r.World().Layout(), s.r.World()
	at, ok := s.at(int(k.X)*layout.Cells+x, int(k.Y)*layout.Cells+z, int(k.Y))
	if ok && s.state[at] == unknown {
		s.heights[at] = min(max(int32(math.Round(height)), w.Min), w.Max)
		s.state[at] = state
	}
}

// guess fills what is lost of a tile.
func (s *Salvaged) guess(loss *Loss) error {
	layout := s.r.World().Layout()
	if loss.Whole {
		s.span(loss.Key)
		return nil
	}
	t, err := s.whole(loss.Key)
	if err != nil {
		return err
	}
	var all lodcpu.Neighbourhood
	for i := range all {
		all[i] = int8(t.Level)
	}
	law := lodcpu.FullLaw(s.r.World())
	c, ok := s.refiner.Refine(s.indices, t, &all, &law)
	if !ok {
		panic("export: a tile needs more indices than its bound")
	}
	lodcpu.Triangles(lodcpu.List, s.indices[:c.Indices], func(a, b, c uint32) { s.triangle(t, [3]uint32{a, b, c}) })
	for z := range layout.Size {
		for x := range layout.Size { // beside a hole there is no triangle
			s.set(loss.Key, x, z, float64(t.Info.Min), hole)
		}
	}
	return nil
}

// triangle guesses the samples under a triangle of a tile.
func (s *Salvaged) triangle(t *terrain.Tile, tri [3]uint32) {
	w, layout := s.r.World(), s.r.World().Layout()
	rimX, rimZ := w.Width-1-int(t.Info.Key.X)*layout.Cells, w.Height-1-int(t.Info.Key.Y)*layout.Cells
	var x, z, h [3]int
	for i, id := range tri {
		g := layout.Grid[id]
		x[i], z[i], h[i] = min(int(g.X), rimX), min(int(g.Z), rimZ), int(t.Verts[id].Height)
	}
	covered(x, z, func(column, row int, u, v float64) {
		s.set(t.Info.Key, column, row, float64(t.Info.Base)+float64(h[0])+u*float64(h[1]-h[0])+v*float64(h[2]-h[0]), guessed)
	})
}

// covered calls yield for each grid position in a triangle, its border included,
// with how much of the second and the third corner there is in it.
func covered(x, z [3]int, yield func(column, row int, u, v float64)) {
	area := (x[1]-x[0])*(z[2]-z[0]) - (x[2]-x[0])*(z[1]-z[0])
	if area == 0 {
		return
	}
	for row := min(z[0], z[1], z[2]); row <= max(z[0], z[1], z[2]); row++ {
		for column := min(x[0], x[1], x[2]); column <= max(x[0], x[1], x[2]); column++ {
			u := (column-x[0])*(z[2]-z[0]) - (x[2]-x[0])*(row-z[0])
			v := (x[1]-x[0])*(row-z[0]) - (column-x[0])*(z[1]-z[0])
			if area < 0 {
				u, v = -u, -v
			}
			if s := max(area, -area); u >= 0 && v >= 0 && u+v <= s {
				yield(column, row, float64(u)/float64(s), float64(v)/float64(s))
			}
		}
	}
}

// spanRounds is how often the surface of a lost tile is evened out.
const spanRounds = 400

// span spans a coarse grid between the samples that are known of a tile's border,
// each inner point being the mean of its neighbours, and guesses all others by it.
func (s *Salvaged) span(k terrain.Key) {
	layout := s.r.World().Layout()
	n := layout.Nodes()
	step := layout.Cells / n
	lo, hi := s.r.World().Min, s.r.World().Max
	if info := s.r.Tile(k); info != nil {
		lo, hi = info.Min, info.Max
	}
	grid, fixed := make([]float64, (n+1)*(n+1)), make([]bool, (n+1)*(n+1))
	for i := range grid {
		grid[i] = (float64(lo) + float64(hi)) / 2
		column, row := int(k.X)*layout.Cells+i%(n+1)*step, int(k.Y)*layout.Cells+i/(n+1)*step
		if at, ok := s.at(column, row, int(k.Y)); ok && s.state[at] == known {
			grid[i], fixed[i] = float64(s.heights[at]), true
		}
	}
	if slices.Contains(fixed, true) {
		even(grid, fixed, n+1)
	}
	for z := range layout.Size {
		for x := range layout.Size {
			i, j := min(x/step, n-1), min(z/step, n-1)
			u, v := float64(x-i*step)/float64(step), float64(z-j*step)/float64(step)
			at := j*(n+1) + i
			north := grid[at]*(1-u) + grid[at+1]*u
			south := grid[at+n+1]*(1-u) + grid[at+n+2]*u
			s.set(k, x, z, north*(1-v)+south*v, guessed)
		}
	}
}

// even makes every point that is not fixed the mean of its neighbours.
func even(grid []float64, fixed []bool, side int) {
	for range spanRounds {
		for i := range grid {
			if fixed[i] {
				continue
			}
			sum, count := 0.0, 0.0
			for _, d := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				x, z := i%side+d[0], i/side+d[1]
				if x >= 0 && x < side && z >= 0 && z < side {
					sum += grid[z*side+x]
					count++
				}
			}
			grid[i] = sum / count
		}
	}
}

// CutFile reads a world file that may be cut, as one of Size bytes whose end is
// zeros: so that what lies before the cut can be salvaged.
type CutFile struct {
	R    io.ReaderAt
	Size int64 // of what R has
}

// ReadAt implements [io.ReaderAt].
func (c CutFile) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 {
		return 0, fmt.Errorf("read at byte %d", at)
	}
	n := 0
	if at < c.Size {
		var err error
		n, err = c.R.ReadAt(b[:min(int64(len(b)), c.Size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
	}
	clear(b[n:])
	return len(b), nil
}
