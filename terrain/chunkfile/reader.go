package chunkfile

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// Reader reads a world file. All its methods may be called from any goroutine.
type Reader struct {
	r      io.ReaderAt
	file   *os.File // nil unless opened by OpenFile
	world  *terrain.World
	layout *terrain.Layout
	nx     int
	size   int64
	tiles  []terrain.TileInfo
	chunks []entry // by tile, then level
}

// OpenFile opens the world file at path.
func OpenFile(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
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

// Open reads header and directory of a world file of size bytes. r must allow
// concurrent use and stay valid while the Reader is used.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	prefix := make([]byte, prefixLen)
	if size < prefixLen {
		return nil, truncated("header", size, "a world file has more than %d bytes", size)
	}
	if err := readFull(r, prefix, 0); err != nil {
		return nil, readError("header", 0, err)
	}
	n, err := parsePrefix(prefix)
	if err != nil {
		return nil, err
	}
	if int64(n) > size {
		return nil, truncated("header", size, "the file is cut: %d bytes", size)
	}
	b := make([]byte, n)
	if err := readFull(r, b, 0); err != nil {
		return nil, readError("header", 0, err)
	}
	h, err := parseHeader(b, size)
	if err != nil {
		return nil, err
	}
	return openDirectory(r, size, h)
}

// openDirectory reads and checks the directory.
func openDirectory(r io.ReaderAt, size int64, h *header) (*Reader, error) {
	count, each := tileCount(h.world), h.entryLen
	start, length := int64(h.len), int64(count)*int64(each)
	if each < tileLen+levelLen || int64(count) > (size-start)/int64(each) {
		return nil, corrupt("header", 28, "%d directory entries of %d bytes in a file of %d", count, each, size)
	}
	layout := h.world.Layout() // allocates what one tile needs
	if want := entryLen(layout); each != want {
		return nil, corrupt("header", 28, "directory entries of %d bytes, the tile size gives %d", each, want)
	}
	nx, _ := h.world.Tiles()
	rd := &Reader{r: r, world: h.world, layout: layout, nx: nx, size: size}
	b := make([]byte, length)
	if err := readFull(r, b, start); err != nil {
		return nil, readError("directory", start, err)
	}
	if crc32.Checksum(b, castagnoli) != h.dirCRC {
		return nil, corrupt("directory", start, "checksum does not match")
	}
	rd.tiles = make([]terrain.TileInfo, count)
	rd.chunks = make([]entry, count*rd.layout.Levels)
	next := start + length
	for i := range rd.tiles {
		at := start + int64(i*each)
		parseTile(b[i*each:], &rd.tiles[i], rd.tileChunks(i))
		if err := rd.checkEntry(i, at, &next); err != nil {
			return nil, err
		}
		rd.world.Holes = rd.world.Holes || rd.tiles[i].Holes
	}
	if next != size {
		return nil, corrupt("directory", start, "chunks end at byte %d, the file at %d", next, size)
	}
	return rd, nil
}

// checkEntry checks tile i, whose chunks must begin at *next.
func (r *Reader) checkEntry(i int, at int64, next *int64) error {
	t := &r.tiles[i]
	if want := r.key(i); t.Key != want {
		return corrupt("directory", at, "tile %v where %v belongs", t.Key, want)
	}
	if msg := checkTile(r.world, t); msg != "" {
		return corrupt("directory", at, "tile %v: %s", t.Key, msg)
	}
	chunks := r.tileChunks(i)
	for level := len(chunks) - 1; level >= 0; level-- {
		lo, hi := r.layout.Range(terrain.Level(level))
		c := chunks[level]
		if c.off != *next || c.heights > c.stored || int64(c.stored) > r.size-c.off ||
			int64(c.heights) > int64(maxHeights(hi-lo)) ||
			int64(c.stored-c.heights) > int64(maxAttrs(hi-lo)) {
			return corrupt("directory", at, "tile %v level %d: impossible place or size", t.Key, level)
		}
		*next += int64(c.stored)
	}
	return nil
}

// Close closes the file that OpenFile opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// World returns the description of the world; it must not be changed.
func (r *Reader) World() *terrain.World { return r.world }

// Tiles returns all tiles in row-major order; they must not be changed.
func (r *Reader) Tiles() []terrain.TileInfo { return r.tiles }

// Tile returns what is known of tile k, always the same pointer, or nil if the
// world has no such tile.
func (r *Reader) Tile(k terrain.Key) *terrain.TileInfo {
	if i := r.index(k); i >= 0 {
		return &r.tiles[i]
	}
	return nil
}

// LevelBytes returns the size of a chunk and of its height section in the file,
// 0 if there is no such chunk.
func (r *Reader) LevelBytes(k terrain.Key, level terrain.Level) (stored, heights int64) {
	i := r.index(k)
	if i < 0 || int(level) >= r.layout.Levels {
		return 0, 0
	}
	c := r.tileChunks(i)[level]
	return int64(c.stored), int64(c.heights)
}

// ReadLevel reads the level samples of level of tile k into verts, which must
// have room for them and hold all coarser levels; levels are read coarsest
// first. It changes nothing else in verts. Reads with different decoders may
// run at the same time. It panics if the world has no such tile or level.
func (r *Reader) ReadLevel(d *Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error {
	i := r.index(k)
	if i < 0 || int(level) >= r.layout.Levels {
		panic("chunkfile: ReadLevel of a chunk that does not exist: " + chunkName(k, level))
	}
	if n := r.layout.Count(level); len(verts) < n {
		panic(fmt.Sprintf("chunkfile: ReadLevel of %s needs %d vertices, got %d", chunkName(k, level), n, len(verts)))
	}
	c := r.tileChunks(i)[level]
	if err := r.readChunk(d, c, k, level); err != nil {
		return err
	}
	if err := d.level(r.world, verts, level, d.chunk[:c.heights], d.chunk[c.heights:]); err != nil {
		return corrupt(chunkName(k, level), c.off, "%v", err)
	}
	return nil
}

// readChunk reads the bytes of a chunk into d.chunk and checks them.
func (r *Reader) readChunk(d *Decoder, c entry, k terrain.Key, level terrain.Level) error {
	d.chunk = slices.Grow(d.chunk[:0], int(c.stored))[:c.stored]
	if err := readFull(r.r, d.chunk, c.off); err != nil {
		return readError(chunkName(k, level), c.off, err)
	}
	if checksum(d.chunk) != c.crc {
		return corrupt(chunkName(k, level), c.off, "checksum does not match")
	}
	return nil
}

// ReadTile reads tile k down to level. It panics like ReadLevel.
func (r *Reader) ReadTile(d *Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error) {
	t := &terrain.Tile{Info: r.Tile(k), Level: level, Verts: make([]terrain.Vertex, r.layout.Count(level))}
	for l := r.layout.Levels - 1; l >= int(level); l-- {
		if err := r.ReadLevel(d, t.Verts, k, terrain.Level(l)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (r *Reader) index(k terrain.Key) int {
	if !r.world.Has(k) {
		return -1
	}
	return int(k.Y)*r.nx + int(k.X)
}

func (r *Reader) key(i int) terrain.Key {
	return terrain.Key{X: int32(i % r.nx), Y: int32(i / r.nx)}
}

func (r *Reader) tileChunks(i int) []entry {
	n := r.layout.Levels
	return r.chunks[i*n : i*n+n : i*n+n]
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

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
