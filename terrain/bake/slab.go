package bake

import (
	"github.com/vkterrain/vkterrain/terrain"
)

// slab is the part of the source that is in memory: all that the tiles of a band,
// or of some columns of one, depend on.
type slab struct {
	src  *source
	win  terrain.Window
	rows []int32 // whole ones, for a window that is less wide
	void []bool

	ahead readAhead
}

// readAhead are rows that another goroutine reads while tiles are made.
type readAhead struct {
	z0, z1  int
	heights []int32
	void    []bool
	err     error
	done    chan struct{} // nil where nothing is under way
}

func newSlab(src *source) *slab {
	return &slab{src: src, win: terrain.Window{
		Width: src.Width, Height: src.Height, Spacing: src.Spacing, Quantum: src.Quantum,
	}}
}

// load makes the window hold r. What it holds already is kept where r is as wide.
func (s *slab) load(r rect) error {
	w := &s.win
	columns, rows := r.width(), r.z1-r.z0
	kept := 0
	if w.X == r.x0 && w.Columns == columns && r.z0 >= w.Z && r.z0 < w.Z+w.Rows {
		kept = min(w.Z+w.Rows, r.z1) - r.z0
	}
	from := (r.z0 - w.Z) * columns
	old, oldVoid := w.Samples, w.Void
	w.Samples = resized(w.Samples, columns*rows)
	if kept > 0 {
		copy(w.Samples, old[from:from+kept*columns])
	}
	if s.src.Holes > 0 {
		w.Void = resized(w.Void, columns*rows)
		if kept > 0 {
			copy(w.Void, oldVoid[from:from+kept*columns])
		}
	}
	w.X, w.Z, w.Columns, w.Rows = r.x0, r.z0, columns, rows
	return s.read(r.z0+kept, r.z1)
}

// part returns rows z0 to z1 of the window.
func (s *slab) part(z0, z1 int) ([]int32, []bool) {
	w := &s.win
	lo, hi := (z0-w.Z)*w.Columns, (z1-w.Z)*w.Columns
	if w.Void == nil {
		return w.Samples[lo:hi], nil
	}
	return w.Samples[lo:hi], w.Void[lo:hi]
}

// read fills rows z0 to z1 of the window.
func (s *slab) read(z0, z1 int) error {
	if s.win.Columns == s.src.Width {
		if err := s.wait(); err != nil {
			return err
		}
		if a := &s.ahead; a.z0 == z0 && a.z1 > z0 {
			n := min(a.z1, z1)
			heights, void := s.part(z0, n)
			copy(heights, a.heights)
			copy(void, a.void)
			z0 = n
		}
		if z0 >= z1 {
			return nil
		}
		heights, void := s.part(z0, z1)
		return s.src.readRows(z0, heights, void)
	}
	width := s.src.Width
	s.rows = resized(s.rows, s.src.widest*width)
	if s.src.Holes > 0 {
		s.void = resized(s.void, len(s.rows))
	}
	for ; z0 < z1; z0 += s.src.widest {
		n := min(s.src.widest, z1-z0)
		var whole []bool
		if s.src.Holes > 0 {
			whole = s.void[:n*width]
		}
		if err := s.src.readRows(z0, s.rows[:n*width], whole); err != nil {
			return err
		}
		for i := range n {
			heights, void := s.part(z0+i, z0+i+1)
			copy(heights, s.rows[i*width+s.win.X:])
			if void != nil {
				copy(void, whole[i*width+s.win.X:])
			}
		}
	}
	return nil
}

// begin starts to read the rows that a window r, as wide as the field, will need
// besides what the window holds now.
func (s *slab) begin(r rect) {
	a, width := &s.ahead, s.src.Width
	a.z0, a.z1 = max(r.z0, s.win.Z+s.win.Rows), r.z1
	if a.z0 >= a.z1 || s.win.Columns != width || r.width() != width {
		a.z1 = a.z0
		return
	}
	a.heights = resized(a.heights, (a.z1-a.z0)*width)
	if s.src.Holes > 0 {
		a.void = resized(a.void, len(a.heights))
	}
	a.done = make(chan struct{})
	go func() {
		a.err = s.src.readRows(a.z0, a.heights, a.void)
		close(a.done)
	}()
}

// wait waits until no goroutine reads the source.
func (s *slab) wait() error {
	if s.ahead.done == nil {
		return nil
	}
	<-s.ahead.done
	s.ahead.done = nil
	return s.ahead.err
}
