package ogre

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/vkterrain/vkterrain/terrain"
)

// Terrain is a whole terrain in memory.
type Terrain struct {
	Info
	Tail
	// Heights and Deltas are row-major and, unlike everything else in this
	// project, south row first, in metres.
	Heights, Deltas []float32
}

// Chunk is where a level is in a file of version 2.
type Chunk struct {
	Offset   int64 // of the chunk's header
	Stored   int64 // bytes of the payload
	Inflated int64 // bytes of heights and deltas
}

// Reader reads a terrain file level by level. All its methods may be called
// from any goroutine. The fields must not be changed.
type Reader struct {
	Info
	Version int
	Chunks  []Chunk // by level; nil in version 1

	r    io.ReaderAt
	file *os.File // nil unless opened by OpenFile

	tail int64 // offset of it
	end  int64 // of TERR

	// In version 1:
	heights, deltas int64 // offsets of them
	blends          blendMode
}

// ReadFile reads the whole terrain file at path.
func ReadFile(path string) (*Terrain, error) {
	r, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := r.Terrain()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// OpenFile opens the terrain file at path.
func OpenFile(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = unsupported("header", 0, "not a regular file")
	}
	if err == nil {
		var r *Reader
		if r, err = Open(f, st.Size()); err == nil {
			r.file = f
			return r, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("%s: %w", path, err)
}

// Open reads the general information of a terrain file of size bytes and finds
// its levels. r must allow concurrent use and stay valid while the Reader is
// used. Of version 1 it also reads the tail.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	if size == 0 {
		return nil, truncated("header", 0, "the file is empty")
	}
	var b [2]byte
	if err := readFull(r, b[:min(size, 2)], 0); err != nil {
		return nil, readError("header", 0, err)
	}
	if isZlib(b[0], b[1]) {
		data, err := inflateFile(r, size)
		if err != nil {
			return nil, err
		}
		r, size = bytes.NewReader(data), int64(len(data))
	}
	rd := &Reader{r: r}
	d := rd.decoder("header", 0, size)
	d.depth = 0
	d.fileHeader()
	version, _ := d.enterVersion(idTerrain, 1, 2)
	if d.err != nil {
		return nil, d.err
	}
	rd.Version, rd.end = int(version), d.end
	if version == 1 {
		rd.openV1(d)
	} else {
		rd.openV2(d)
	}
	if d.err != nil {
		return nil, d.err
	}
	return rd, nil
}

// decoder returns one of the bytes from start to end, which are part of a chunk.
func (r *Reader) decoder(part string, start, end int64) *decoder {
	return &decoder{
		r:    bufio.NewReader(io.NewSectionReader(r.r, start, end-start)),
		part: part, base: start, end: end - start, depth: 1,
	}
}

// openV2 reads the general information and finds the levels. It leaves the
// buffer of d alone afterwards, to skip them.
func (r *Reader) openV2(d *decoder) {
	d.part = "general information"
	outer := d.enter(idInfo)
	d.info(&r.Info)
	d.leave(outer)
	if d.err != nil {
		return
	}
	levels := r.Levels()
	r.Chunks = make([]Chunk, levels)
	at := d.pos
	for level := levels - 1; level >= 0; level-- {
		l := r.decoder(levelName(level), at, r.end)
		l.enter(idLevel)
		c := Chunk{at, l.end - l.pos, 8 * int64(r.LevelSamples(terrain.Level(level)))}
		if l.err == nil && c.Inflated > maxInflate*c.Stored {
			l.corrupt("%d bytes cannot hold %d samples", c.Stored, c.Inflated/8)
		}
		if l.err != nil {
			d.err = l.err
			return
		}
		r.Chunks[level] = c
		at += chunkLen + c.Stored
	}
	r.tail = at
	if t := r.decoder("tail", at, r.end); t.next(idLevel) {
		t.corrupt("more than the %d levels that the sizes give", levels)
		d.err = t.err
	}
}

func levelName(level int) string { return fmt.Sprintf("level %d", level) }

// openV1 reads the general information and the tail, whose length tells where
// the deltas are.
func (r *Reader) openV1(d *decoder) {
	d.part = "general information"
	d.info(&r.Info)
	if d.err != nil {
		return
	}
	plane := 4 * int64(r.Size) * int64(r.Size)
	quadtree := 4 * int64(r.QuadTreeLen())
	r.heights = d.pos
	r.tail = r.heights + plane
	if need := 2*plane + quadtree; need > d.end-d.pos {
		d.corrupt("%d bytes left where heights, deltas and quadtree alone have %d", d.end-d.pos, need)
		return
	}
	exact := d.end - plane - quadtree
	var ends [blendModes]int64
	r.blends, d.err = chooseBlends(func(m blendMode) (bool, error) {
		r.blends = m
		_, end, err := r.mapsV1()
		ends[m] = end
		return end == exact, err
	})
	r.deltas = ends[r.blends]
}

// mapsV1 reads the tail of version 1, without the quadtree, and returns where it
// ends.
func (r *Reader) mapsV1() (t *Tail, end int64, err error) {
	d := r.decoder("tail", r.tail, r.end-4*int64(r.Size)*int64(r.Size)-4*int64(r.QuadTreeLen()))
	t = d.maps(r.blends)
	return t, r.tail + d.pos, d.err
}

func (r *Reader) readTailV1() (*Tail, error) {
	t, end, err := r.mapsV1()
	if err != nil {
		return nil, err
	}
	d := r.decoder("quadtree", end+4*int64(r.Size)*int64(r.Size), r.end)
	t.QuadTree = make([]float32, r.QuadTreeLen())
	d.floats(t.QuadTree)
	return t, d.err
}

// Close closes the file that OpenFile opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// ReadLevel reads the level samples of level, in the order of the package
// comment, and nothing else. heights and deltas must have room for
// [Info.LevelSamples] each. It panics if they do not or there is no such level.
func (r *Reader) ReadLevel(level terrain.Level, heights, deltas []float32) error {
	if int(level) >= r.Levels() {
		panic(fmt.Sprintf("ogre: ReadLevel(%d) of %d levels", level, r.Levels()))
	}
	n := r.LevelSamples(level)
	if len(heights) < n || len(deltas) < n {
		panic(fmt.Sprintf("ogre: ReadLevel(%d) needs room for %d samples, got %d and %d", level, n, len(heights), len(deltas)))
	}
	heights, deltas = heights[:n], deltas[:n]
	if r.Version == 1 {
		if err := r.readRows(level, r.heights, heights); err != nil {
			return err
		}
		return r.readRows(level, r.deltas, deltas)
	}
	d := r.levelPayload(level)
	d.floats(heights)
	d.floats(deltas)
	d.finish(0)
	return d.err
}

// levelPayload returns a decoder of the heights and deltas of a level in version 2.
func (r *Reader) levelPayload(level terrain.Level) *decoder {
	c := r.Chunks[level]
	start := c.Offset + chunkLen
	d := r.payload(levelName(int(level)), start, start+c.Stored, c.Inflated, c.Inflated)
	if d.err == nil {
		d.end = c.Inflated
		d.depth = 1
	}
	return d
}

// readRows reads the level samples of level from the grid at offset.
func (r *Reader) readRows(level terrain.Level, offset int64, dst []float32) error {
	row := make([]byte, 4*r.Size)
	var err error
	r.levelRows(level, func(y, x, step int) {
		if err != nil {
			return
		}
		at := offset + int64(y)*int64(len(row))
		if err = readFull(r.r, row, at); err != nil {
			err = readError(levelName(int(level)), at, err)
			return
		}
		for ; x < r.Size; x += step {
			dst[0] = math.Float32frombits(le.Uint32(row[4*x:]))
			dst = dst[1:]
		}
	})
	return err
}

// ReadGrid reads level and all coarser ones and returns the heights and deltas
// of its grid, [Info.Side] samples a side, south row first.
func (r *Reader) ReadGrid(level terrain.Level) (heights, deltas []float32, err error) {
	if int(level) >= r.Levels() {
		panic(fmt.Sprintf("ogre: ReadGrid(%d) of %d levels", level, r.Levels()))
	}
	n := r.LevelSamples(level)
	planes := make([]float32, 2*n)
	side := r.Side(level)
	heights, deltas = make([]float32, side*side), make([]float32, side*side)
	for l := r.Levels() - 1; l >= int(level); l-- {
		from := terrain.Level(l)
		if err := r.ReadLevel(from, planes[:n], planes[n:]); err != nil {
			return nil, nil, err
		}
		r.scatter(from, level, planes[:n], heights)
		r.scatter(from, level, planes[n:], deltas)
	}
	return heights, deltas, nil
}

// Heights reads the heights of all levels, south row first, and checks the deltas
// without keeping them: it takes little more memory than the heights.
func (r *Reader) Heights() ([]float32, error) {
	grid := make([]float32, r.Size*r.Size)
	row := make([]float32, r.Size)
	for l := r.Levels() - 1; l >= 0; l-- {
		level := terrain.Level(l)
		if r.Version == 1 {
			if l == 0 {
				return grid, r.gridV1(grid)
			}
			continue
		}
		d := r.levelPayload(level)
		for _, keep := range []bool{true, false} { // heights, then deltas
			r.levelRows(level, func(y, x, step int) {
				n := (r.Size-1-x)/step + 1
				d.floats(row[:n])
				for i := 0; keep && i < n; i++ {
					grid[y*r.Size+x+i*step] = row[i]
				}
			})
		}
		d.finish(0)
		if d.err != nil {
			return nil, d.err
		}
	}
	return grid, nil
}

// gridV1 reads the heights of version 1, which lie row by row, and the deltas.
func (r *Reader) gridV1(grid []float32) error {
	for _, at := range []int64{r.deltas, r.heights} { // the heights stay
		d := r.decoder("level 0", at, at+4*int64(len(grid)))
		if d.floats(grid); d.err != nil {
			return d.err
		}
	}
	return nil
}

// Terrain reads everything.
func (r *Reader) Terrain() (*Terrain, error) {
	tail, err := r.ReadTail()
	if err != nil {
		return nil, err
	}
	t := &Terrain{Info: r.Info, Tail: *tail}
	t.Heights, t.Deltas, err = r.ReadGrid(0)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// ReadTail reads layers, maps and quadtree.
func (r *Reader) ReadTail() (*Tail, error) {
	if r.Version == 1 {
		return r.readTailV1()
	}
	var tails [blendModes]*Tail
	m, err := chooseBlends(func(m blendMode) (exact bool, err error) {
		d := r.payload("tail", r.tail, r.end, -1, maxTail(r.Size))
		t := d.maps(m)
		t.QuadTree = make([]float32, r.QuadTreeLen())
		d.floats(t.QuadTree)
		end := d.pos
		d.finish(maxJunk)
		if d.err == nil {
			tails[m] = t
		}
		return d.pos == end, d.err
	})
	if err != nil {
		return nil, err
	}
	return tails[m], nil
}

// maxJunk is how much may follow the quadtree, which OGRE does not look at.
const maxJunk = 1 << 16

// payload returns a decoder of the payload from start to end: a zlib stream, or
// plain bytes, raw of them where that is not negative. No more than limit bytes
// will come of it.
func (r *Reader) payload(part string, start, end, raw, limit int64) *decoder {
	d := &decoder{part: part, base: start, inflated: true, end: limit}
	stored := end - start
	section := func() *io.SectionReader { return io.NewSectionReader(r.r, start, stored) }
	z, err := zlib.NewReader(bufio.NewReader(section()))
	if err == nil {
		d.r = bufio.NewReader(z)
		// OGRE tries four bytes.
		if _, err = d.r.Peek(4); err == nil {
			if possible := maxInflate * stored; possible < limit {
				d.end, d.depth = possible, 1 // more is damage
			}
			return d
		}
	}
	plain := bufio.NewReader(section())
	if raw < 0 {
		id, err := plain.Peek(4)
		if err == nil && le.Uint32(id) == idDecl {
			raw = stored
		}
	}
	if raw != stored {
		d.err = inflateError(part, start, err)
		return d
	}
	return &decoder{r: plain, part: part, base: start, end: stored, depth: 1}
}

// finish goes to the end of a payload, to check the sum of a zlib stream, and
// allows at most so many bytes before it.
func (d *decoder) finish(junk int64) {
	if d.err != nil {
		return
	}
	n, err := io.CopyN(io.Discard, d.r, junk+1)
	switch {
	case err == nil:
		d.corrupt("%d bytes are all that belongs here, but more follow", d.pos)
	case err != io.EOF:
		d.readError(err)
	}
	d.pos += n
}

// inflateFile inflates a whole file of version 1, as OGRE 1.8 wrote it.
func inflateFile(r io.ReaderAt, size int64) ([]byte, error) {
	const part = "compressed file"
	z, err := zlib.NewReader(bufio.NewReader(io.NewSectionReader(r, 0, size)))
	if err != nil {
		return nil, inflateError(part, 0, err)
	}
	d := &decoder{r: bufio.NewReader(z), part: part, inflated: true, end: maxInflate * size, depth: 1}
	head, err := d.r.Peek(headerLen + chunkLen + infoLen)
	if err != nil {
		return nil, inflateError(part, 0, err)
	}
	h := &decoder{r: bufio.NewReader(bytes.NewReader(head)), part: part, inflated: true, end: d.end, depth: 1}
	h.fileHeader()
	h.enterVersion(idTerrain, 1, 1)
	var info Info
	h.info(&info)
	total := h.end
	if limit := maxTail(info.Size) + 8*int64(info.Size)*int64(info.Size); h.err == nil && total > limit {
		h.unsupported("%d bytes; at most %d", total, limit)
	}
	if h.err != nil {
		return nil, h.err
	}
	data := d.bytes(total)
	d.finish(maxJunk)
	return data, d.err
}

// isZlib says whether bytes begin a zlib stream.
func isZlib(a, b byte) bool { return a&0x0f == 8 && a>>4 <= 7 && (int(a)<<8|int(b))%31 == 0 }

// readFull is ReadAt that may end exactly at the end of the file.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return err
}
