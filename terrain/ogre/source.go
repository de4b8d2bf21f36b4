package ogre

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
)

// SourceKind says what a file is.
type SourceKind uint8

// Kinds of files.
const (
	NotOGRE SourceKind = iota
	TerrainFile
	GroupFile
)

// KindOf says what the file of r begins like: the header of OGRE's streams and
// the chunk after it, which a file of version 1 may have compressed. A file that
// is cut in its header is no OGRE file.
func KindOf(r io.ReaderAt) SourceKind {
	head := make([]byte, headerLen+4)
	in := io.NewSectionReader(r, 0, math.MaxInt64)
	if _, err := io.ReadFull(in, head); err != nil {
		return NotOGRE
	}
	if isZlib(head[0], head[1]) {
		z, err := zlib.NewReader(bufio.NewReader(io.NewSectionReader(r, 0, math.MaxInt64)))
		if err != nil {
			return NotOGRE
		}
		if _, err := io.ReadFull(z, head); err != nil {
			return NotOGRE
		}
	}
	want := appendHeader(nil, idHeader, 1, 1)
	if string(head[:len(want)]) != string(want) {
		return NotOGRE
	}
	switch le.Uint32(head[headerLen:]) {
	case idTerrain:
		return TerrainFile
	case idGroup:
		return GroupFile
	}
	return NotOGRE
}

// maxSourceSide is the most samples a side of a group.
const maxSourceSide = 1 << 20

// Source is the height field of a terrain file, or of all terrains of a group
// that lie beside its definition. It reads the terrains of one row of slots at a
// time, and is for one goroutine.
type Source struct {
	Info                  // of the terrain, or of the group; Pos is the centre of slot (0, 0)
	Width, Height int     // samples
	Group         *Group  // nil for a terrain alone
	Single        *Reader // nil for a group
	Terrains      int     // files

	dir                      string
	west, south, east, north int16 // slots of the corners
	slots                    map[[2]int16]string
	row                      int         // slots from the north of what heights has; -1 is none
	heights                  [][]float32 // by slot from the west, south row first; nil where there is none
}

// OpenSource opens the terrain file or the group definition at path. The
// terrains of a group are the files of its slots in the same folder; where the
// rectangle around them has no file, there are voids. Errors name the file.
func OpenSource(path string) (*Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	kind := KindOf(f)
	f.Close()
	if kind == GroupFile {
		return openGroup(path)
	}
	r, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	return &Source{
		Info: r.Info, Width: r.Size, Height: r.Size, Single: r, Terrains: 1, row: -1,
		slots: map[[2]int16]string{{0, 0}: path},
	}, nil
}

func openGroup(path string) (*Source, error) {
	g, err := ReadGroupFile(path)
	if err != nil {
		return nil, err
	}
	s := &Source{Info: g.Info, Group: g, dir: filepath.Dir(path), row: -1, slots: map[[2]int16]string{}}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		x, y, ok := g.ParseSlotFile(e.Name())
		if !ok || e.IsDir() {
			continue
		}
		if len(s.slots) == 0 {
			s.west, s.east, s.south, s.north = x, x, y, y
		}
		s.west, s.east, s.south, s.north = min(s.west, x), max(s.east, x), min(s.south, y), max(s.north, y)
		s.slots[[2]int16{x, y}] = filepath.Join(s.dir, e.Name())
	}
	if s.Terrains = len(s.slots); s.Terrains == 0 {
		return nil, fmt.Errorf("%s: %w", path, unsupported("group definition", 0,
			"no terrain of the group lies beside it; the one of slot (0, 0) would be %s", g.SlotFile(0, 0)))
	}
	cells := g.Size - 1
	s.Width, s.Height = (int(s.east)-int(s.west)+1)*cells+1, (int(s.north)-int(s.south)+1)*cells+1
	if s.Width > maxSourceSide || s.Height > maxSourceSide {
		return nil, fmt.Errorf("%s: %w", path, unsupported("group definition", 0,
			"its terrains span %d×%d samples; at most %d a side", s.Width, s.Height, maxSourceSide))
	}
	return s, nil
}

// Close closes the file of a terrain.
func (s *Source) Close() error {
	s.heights = nil
	if s.Single != nil {
		return s.Single.Close()
	}
	return nil
}

// Origin returns x and z in the world of package terrain of the north-west
// sample, and the height that all heights are above.
func (s *Source) Origin() (x, z, up float64) {
	x, z, up = s.Info.Origin()
	side := float64(s.WorldSize)
	return x + float64(s.west)*side, z - float64(s.north)*side, up
}

// ReadHeights fills dst with the heights in metres of whole rows, the first of
// them row z, counted from the north. Voids are NaN. Where two terrains share a
// sample it is the western or southern one's.
func (s *Source) ReadHeights(z int, dst []float32) error {
	if n := len(dst) / s.Width; n*s.Width != len(dst) || z < 0 || z+n > s.Height {
		panic(fmt.Sprintf("ogre: %d heights from row %d of %d×%d", len(dst), z, s.Width, s.Height))
	}
	for ; len(dst) > 0; dst, z = dst[s.Width:], z+1 {
		if err := s.readRow(z, dst[:s.Width]); err != nil {
			return err
		}
	}
	return nil
}

// readRow reads one row.
func (s *Source) readRow(z int, dst []float32) error {
	cells := s.Size - 1
	slot := min(z/cells, (s.Height-1)/cells-1) // from the north
	if s.row != slot {
		if err := s.load(slot); err != nil {
			return err
		}
	}
	for x := range dst {
		dst[x] = float32(math.NaN())
	}
	y := cells - (z - slot*cells) // of the slot's own rows, south first
	for i := len(s.heights) - 1; i >= 0; i-- {
		if h := s.heights[i]; h != nil {
			copy(dst[i*cells:], h[y*s.Size:][:s.Size])
		}
	}
	return nil
}

// load reads the terrains of a row of slots, counted from the north.
func (s *Source) load(slot int) error {
	s.row = -1
	columns := (s.Width - 1) / (s.Size - 1)
	s.heights = make([][]float32, columns)
	for i := range columns {
		key := [2]int16{s.west + int16(i), s.north - int16(slot)}
		path, ok := s.slots[key]
		if !ok {
			continue
		}
		h, err := s.loadSlot(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		s.heights[i] = h
	}
	s.row = slot
	return nil
}

// loadSlot reads the heights of one terrain.
func (s *Source) loadSlot(path string) ([]float32, error) {
	r := s.Single
	if r == nil {
		var err error
		if r, err = openBare(path); err != nil {
			return nil, err
		}
		defer r.Close()
		if r.Size != s.Size || r.WorldSize != s.WorldSize || r.Align != s.Align {
			return nil, corrupt("general information", headerLen, "%d samples a side over %v m, %v; its group says %d over %v m, %v",
				r.Size, r.WorldSize, r.Align, s.Size, s.WorldSize, s.Align)
		}
	}
	return r.Heights()
}

// openBare is OpenFile without the name in its errors.
func openBare(path string) (*Reader, error) {
	r, err := OpenFile(path)
	var fe *FormatError
	var pe *os.PathError
	switch {
	case errors.As(err, &fe):
		return nil, fe
	case errors.As(err, &pe):
		return nil, pe.Err
	}
	return r, err
}
