package export

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Rows gives the heights of a world at one level, the samples of every 2^level-th
// column and row, a few rows at a time. It keeps one row of tiles in memory and is
// for one goroutine.
type Rows struct {
	Width, Height int // samples at the level

	ctx     context.Context
	r       *chunkfile.Reader
	level   terrain.Level
	workers int

	tiles   int // the row of tiles that is at hand; -1 for none
	heights []int32
	void    []bool
}

// NewRows returns the rows of r at level. Its tiles are decoded by workers
// goroutines, as many as there are processors if 0. It panics if there is no such
// level.
func NewRows(ctx context.Context, r *chunkfile.Reader, level terrain.Level, workers int) *Rows {
	w, layout := r.World(), r.World().Layout()
	if int(level) >= layout.Levels {
		panic(fmt.Sprintf("export: level %d of %d", level, layout.Levels))
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	s := &Rows{
		Width: (w.Width-1)>>level + 1, Height: (w.Height-1)>>level + 1,
		ctx: ctx, r: r, level: level, workers: workers, tiles: -1,
	}
	lines := layout.Cells>>level + 1 // of a tile, the last one shared with the next
	s.heights, s.void = make([]int32, s.Width*lines), make([]bool, s.Width*lines)
	return s
}

// Read fills heights with whole rows, in quanta, the first of them row z; where
// void is not nil it has the same length and is told which samples are holes.
// Errors name the chunk.
func (s *Rows) Read(z int, heights []int32, void []bool) error {
	if n := len(heights) / s.Width; n*s.Width != len(heights) || z < 0 || z+n > s.Height || void != nil && len(void) != len(heights) {
		panic(fmt.Sprintf("export: %d heights and %d voids from row %d of %d×%d", len(heights), len(void), z, s.Width, s.Height))
	}
	lines := s.r.World().Layout().Cells >> s.level
	_, ny := s.r.World().Tiles()
	for at := 0; at < len(heights); at, z = at+s.Width, z+1 {
		y := min(z/lines, ny-1)
		if y != s.tiles {
			if err := s.load(y); err != nil {
				return err
			}
		}
		from := (z - y*lines) * s.Width
		copy(heights[at:], s.heights[from:from+s.Width])
		if void != nil {
			copy(void[at:], s.void[from:from+s.Width])
		}
	}
	return nil
}

// load decodes row y of the tiles, several tiles at a time.
func (s *Rows) load(y int) error {
	s.tiles = -1
	nx, _ := s.r.World().Tiles()
	todo := make(chan int, nx)
	for x := range nx {
		todo <- x
	}
	close(todo)
	var wg sync.WaitGroup
	errs := make([]error, nx)
	for range min(s.workers, nx) {
		wg.Go(func() {
			d := chunkfile.NewDecoder()
			for x := range todo {
				if errs[x] = s.ctx.Err(); errs[x] == nil {
					errs[x] = s.tile(d, x, y, x == nx-1)
				}
				if errs[x] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	s.tiles = y
	return nil
}

// tile decodes one tile. The last column of all but the easternmost is the first
// of the next.
func (s *Rows) tile(d *chunkfile.Decoder, x, y int, last bool) error {
	layout := s.r.World().Layout()
	t, err := readTile(s.r, d, terrain.Key{X: int32(x), Y: int32(y)}, s.level)
	if err != nil {
		return err
	}
	for id := range t.Verts {
		v, p := &t.Verts[id], layout.Grid[id]
		column := (x*layout.Cells + int(p.X)) >> s.level
		if column >= s.Width || int(p.X) == layout.Cells && !last {
			continue
		}
		at := int(p.Z)>>s.level*s.Width + column
		s.heights[at], s.void[at] = t.Info.Base+int32(v.Height), v.Hole()
	}
	return nil
}

// readTile reads a tile that a damaged world may lack, or lack levels of.
func readTile(r *chunkfile.Reader, d *chunkfile.Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error) {
	switch {
	case r.Tile(k) == nil:
		return nil, fmt.Errorf("tile %v is missing; vkterrain repair fills its place", k)
	case r.Finest(k) > level:
		return nil, fmt.Errorf("tile %v lacks its finest levels; vkterrain repair fills their place", k)
	}
	return r.ReadTile(d, k, level)
}
