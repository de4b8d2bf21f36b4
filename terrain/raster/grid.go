package raster

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// gridKeys are the names of an ESRI ASCII grid's header.
var gridKeys = []string{
	"ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize", "dx", "dy", "nodata_value",
}

// byteOrderMark is what some editors begin a text with.
const byteOrderMark = "\xef\xbb\xbf"

// isGrid says whether head begins like an ESRI ASCII grid.
func isGrid(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	fields := bytes.Fields(head[:min(len(head), 256)])
	return len(fields) > 0 && isGridKey(string(fields[0]))
}

func isGridKey(word string) bool { return slices.Contains(gridKeys, strings.ToLower(word)) }

// gridHeader is the header of a grid: any order of keys, of which ncols and
// nrows must be there.
type gridHeader struct {
	values map[string]float64
	lines  map[string]int
}

// openGrid opens an ESRI ASCII grid.
func (in *input) openGrid(s *stream, i *Info) (decoder, measure, error) {
	r, err := startGrid(s, 0, 0)
	if err != nil {
		return nil, measure{}, err
	}
	defer r.close()
	h := &r.header
	w, err := h.count("ncols")
	if err != nil {
		return nil, measure{}, err
	}
	rows, err := h.count("nrows")
	if err != nil {
		return nil, measure{}, err
	}
	// A value has a digit and something after it.
	if n := int64(w) * int64(rows); s.size >= 0 && 2*n-1 > s.size {
		return nil, measure{}, truncated("the grid claims %d×%d values, which its %d bytes cannot hold", w, rows, s.size)
	}
	i.Kind, i.Type, i.Width, i.Height, i.Unit = "asc", "f64", w, rows, 1
	if v, ok := h.values["nodata_value"]; ok && !math.IsNaN(v) {
		i.NoData = []float64{v}
	}
	m, err := h.place(in, i)
	return &sequence{width: w, height: rows, start: func() (rowReader, error) { return startGrid(s, w, rows) }}, m, err
}

// count returns the value of a key that counts samples.
func (h *gridHeader) count(key string) (int, error) {
	v, ok := h.values[key]
	switch {
	case !ok:
		return 0, corrupt("the header of the grid has no %s", key)
	case v != math.Trunc(v) || v < 1 || v > 1<<31:
		return 0, corrupt("line %d: %s is %v", h.lines[key], key, v)
	case v > MaxSide:
		return 0, unsupported("line %d: %s is %v: more than %d", h.lines[key], key, v, MaxSide)
	}
	return int(v), nil
}

// place sets where the grid lies and how long its steps are.
func (h *gridHeader) place(in *input, i *Info) (measure, error) {
	dx, okX := h.values["dx"]
	dy, okY := h.values["dy"]
	if size, ok := h.values["cellsize"]; ok && !okX && !okY {
		dx, dy, okX, okY = size, size, true, true
	}
	if !okX || !okY {
		i.warn("the header says no cellsize")
		return measure{}, nil
	}
	if !(dx > 0 && dy > 0) || math.IsInf(dx, 0) || math.IsInf(dy, 0) {
		return measure{}, corrupt("the header of the grid has cells of %v by %v", dx, dy)
	}
	x, pointX, okX := h.corner("x", dx)
	y, pointY, okY := h.corner("y", dy)
	if !okX || !okY {
		i.warn("the header says no corner")
		return measure{metres: 1}, nil
	}
	i.PixelIsPoint = pointX && pointY
	i.GeoTransform = &[6]float64{x, dx, 0, y + float64(i.Height)*dy, 0, -dy}
	return in.placeBeside(i), nil
}

// corner returns the coordinate of the lower left corner, and whether the
// header gives the centre of the cell there.
func (h *gridHeader) corner(axis string, step float64) (v float64, point, ok bool) {
	if v, ok = h.values[axis+"llcorner"]; ok {
		return v, false, true
	}
	v, ok = h.values[axis+"llcenter"]
	return v - step/2, true, ok
}

// gridRows reads the values of a grid.
type gridRows struct {
	words
	header        gridHeader
	width, height int
	n             int64 // values read
	first         bool  // the word at hand is the first value
}

// startGrid reads the header of a grid.
func startGrid(s *stream, w, h int) (*gridRows, error) {
	f, err := s.open()
	if err != nil {
		return nil, damaged(s.what, err)
	}
	g := &gridRows{words: words{what: s.what, f: f, line: 1, r: bufio.NewReaderSize(f, 1<<16)}, width: w, height: h}
	if err := g.readHeader(); err != nil {
		f.Close()
		return nil, err
	}
	return g, nil
}

// readHeader reads keys and their values up to the first word that is no key.
func (g *gridRows) readHeader() error {
	g.header = gridHeader{map[string]float64{}, map[string]int{}}
	for begin := true; ; begin = false {
		word, err := g.word()
		if err == io.EOF {
			return truncated("line %d: the grid ends in its header", g.line)
		} else if err != nil {
			return err
		}
		if begin {
			word = bytes.TrimPrefix(word, []byte(byteOrderMark))
		}
		key := strings.ToLower(string(word))
		if !isGridKey(key) {
			if _, err := parseValue(word); err != nil {
				return corrupt("line %d: %q is neither a number nor one of %s", g.line, word, strings.Join(gridKeys, ", "))
			}
			g.first = true
			return nil
		}
		if g.header.lines[key] > 0 {
			return corrupt("line %d: a second %s", g.line, key)
		}
		g.header.lines[key] = g.line
		value, err := g.word()
		if err != nil && err != io.EOF {
			return err
		}
		v, err := parseValue(value)
		if err != nil {
			return corrupt("line %d: %s is %q", g.header.lines[key], key, value)
		}
		g.header.values[key] = v
	}
}

func (g *gridRows) row(dst []float64) error {
	for x := range dst {
		word := g.at
		if !g.first {
			var err error
			if word, err = g.word(); err == io.EOF {
				return truncated("line %d: the grid ends after %d of %d values", g.line, g.n, int64(g.width)*int64(g.height))
			} else if err != nil {
				return err
			}
		}
		g.first = false
		v, err := parseValue(word)
		if err != nil {
			return corrupt("line %d: %q is no number (value %d of %d)", g.line, word, g.n+1, int64(g.width)*int64(g.height))
		}
		dst[x] = v
		g.n++
	}
	return nil
}

// end wants no further word.
func (g *gridRows) end() error {
	switch word, err := g.word(); err {
	case io.EOF:
		return nil
	case nil:
		return corrupt("line %d: %q follows the last of %d values", g.line, word, g.n)
	default:
		return err
	}
}

func (g *gridRows) close() error { return g.f.Close() }

// parseValue parses a number, short whole ones fast.
func parseValue(word []byte) (float64, error) {
	digits := word
	if len(word) > 1 && word[0] == '-' {
		digits = word[1:]
	}
	if len(digits) > 0 && len(digits) < 16 {
		n := int64(0)
		for _, c := range digits {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = 10*n + int64(c-'0')
		}
		if n > 0 && len(digits) < len(word) {
			return float64(-n), nil
		} else if n >= 0 {
			return float64(n), nil
		}
	}
	s := string(word)
	if strings.ContainsAny(s, "xX_pP") { // what only Go takes for numbers
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(s, 64)
	if errors.Is(err, strconv.ErrRange) {
		return v, nil // infinite
	}
	return v, err
}

// words splits a text at white space.
type words struct {
	what string
	f    io.ReadCloser
	r    *bufio.Reader
	line int    // of the word read last
	at   []byte // the word read last; the next one overwrites it
}

// maxWord is the length of the longest word.
const maxWord = 128

// word returns the next word, and io.EOF at the end.
func (w *words) word() ([]byte, error) {
	w.at = w.at[:0]
	for {
		c, err := w.r.ReadByte()
		switch {
		case err == io.EOF && len(w.at) > 0:
			return w.at, nil
		case err == io.EOF:
			return nil, err
		case err != nil:
			return nil, damaged(w.what, err)
		case c > ' ' && len(w.at) == maxWord:
			return nil, corrupt("line %d: a word of more than %d characters", w.line, maxWord)
		case c > ' ':
			w.at = append(w.at, c)
		case len(w.at) > 0:
			return w.at, w.r.UnreadByte() // a line may end here
		case c == '\n':
			w.line++
		}
	}
}
