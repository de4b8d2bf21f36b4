package chunkfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// Reader reads a world, from one file or from a manifest and its shards. All its
// methods may be called from any goroutine.
type Reader struct {
	version  uint32
	world    *terrain.World
	tables   *Tables
	layout   *terrain.Layout
	nx       int
	size     int64
	first    io.Closer // the file that was opened by its name
	files    []file
	tiles    []terrain.TileInfo
	at       []int32 // of each tile of the world in tiles, -1 where it is missing; nil if none is
	chunks   []entry // by tile, then level
	layers   []entry // by tile, then level, then layer
	problems []error
	names    []string // of the shards that the manifest names
}

// file is one of the files of a world.
type file struct {
	r     io.ReaderAt
	close io.Closer // nil where there is nothing to close
	tiles int       // number of the first tile that is not in it, but in the next
}

// OpenFile opens the world at path, a file or a manifest with its shards beside it.
func OpenFile(path string) (*Reader, error) {
	dir := filepath.Dir(path)
	r, err := openNamed(func(name string) (io.ReaderAt, int64, io.Closer, error) {
		name = filepath.Join(dir, name)
		// To open a pipe would wait for who writes to it.
		if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
			return nil, 0, nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, 0, nil, err
		}
		st, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, 0, nil, err
		}
		return f, st.Size(), f, nil
	}, filepath.Base(path))
	var pe *fs.PathError
	if err != nil && !errors.As(err, &pe) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return r, err
}

// OpenFS opens the world of that name in fsys. Files that cannot be read at any
// place are read into memory.
func OpenFS(fsys fs.FS, name string) (*Reader, error) {
	dir := path.Dir(name)
	r, err := openNamed(func(name string) (io.ReaderAt, int64, io.Closer, error) {
		f, err := fsys.Open(path.Join(dir, name))
		if err != nil {
			return nil, 0, nil, err
		}
		st, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, 0, nil, err
		}
		if r, ok := f.(io.ReaderAt); ok {
			return r, st.Size(), f, nil
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		return bytesAt(b), int64(len(b)), nil, err
	}, path.Base(name))
	var pe *fs.PathError
	if err != nil && !errors.As(err, &pe) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return r, err
}

// bytesAt is a file in memory.
type bytesAt []byte

func (b bytesAt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// opener opens a file beside the first one.
type opener func(name string) (io.ReaderAt, int64, io.Closer, error)

func openNamed(open opener, name string) (*Reader, error) {
	r, size, closer, err := open(name)
	if err != nil {
		return nil, err
	}
	rd, err := openAny(r, size, open)
	if err != nil {
		if closer != nil {
			closer.Close()
		}
		return nil, err
	}
	rd.first = closer
	return rd, nil
}

// Open reads header and directory of a world file of size bytes, no manifest. r
// must allow concurrent use and stay valid while the Reader is used.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	return openAny(r, size, func(string) (io.ReaderAt, int64, io.Closer, error) {
		return nil, 0, nil, errors.New("its shards are files beside it, and it was opened without a name")
	})
}

func openAny(r io.ReaderAt, size int64, open opener) (*Reader, error) {
	if size < prefixLen {
		return nil, truncated("header", size, "a world file has more than %d bytes", size)
	}
	b := make([]byte, min(size, headLen))
	if err := readFull(r, b, 0); err != nil {
		return nil, readError("header", 0, err)
	}
	if string(b[:8]) != magic {
		return nil, &FormatError{0, "header", "not a vkterrain world file", []error{ErrUnsupported}}
	}
	switch v := le.Uint32(b[8:]); v {
	case oldVersion:
		return openOld(r, size)
	case version:
	default:
		return nil, unsupported(8, "format version %d, this program reads versions %d to %d", v, oldVersion, version)
	}
	if n := le.Uint32(b[12:]); n != headLen {
		return nil, corrupt("header", 12, "header of %d bytes", n)
	}
	if size < headLen {
		return nil, truncated("header", size, "the file is cut: %d bytes", size)
	}
	h, err := parseHead(b, size)
	if err != nil {
		return nil, err
	}
	tail, err := readTail(r, h)
	if err != nil {
		return nil, err
	}
	if h.kind == kindManifest {
		return openManifest(r, h, tail, open)
	}
	rd := &Reader{version: version}
	if err := rd.addFile(r, h, tail, nil); err != nil {
		return nil, err
	}
	return rd, nil
}

// readWorld reads what begins every tail.
func readWorld(h *head, tail *StreamReader) (*terrain.World, rect, error) {
	var n [4]byte
	if _, err := io.ReadFull(tail, n[:]); err != nil {
		return nil, rect{}, tailError(h, err)
	}
	if le.Uint32(n[:]) > MaxRun {
		return nil, rect{}, corrupt("directory", h.tailOff, "description of %d bytes", le.Uint32(n[:]))
	}
	b := make([]byte, le.Uint32(n[:]))
	if _, err := io.ReadFull(tail, b); err != nil {
		return nil, rect{}, tailError(h, err)
	}
	c := cursor{b: b}
	w, tiles, msg := parseWorld(&c)
	if msg == "" && len(c.b) > 0 {
		msg = "description of the world is too long"
	}
	if msg != "" {
		return nil, rect{}, corrupt("directory", h.tailOff, "%s", msg)
	}
	return w, tiles, nil
}

func tailError(h *head, err error) error {
	var fe *FormatError
	if errors.As(err, &fe) {
		return corrupt("directory", h.tailOff+fe.Offset, "%s", fe.Msg)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("directory", h.tailOff, "it ends early")
	}
	return fmt.Errorf("directory at byte %d: %w", h.tailOff, err)
}

// readRest reads what is left of a tail, at most limit bytes.
func readRest(h *head, tail *StreamReader, limit int64) (*cursor, error) {
	b, err := io.ReadAll(io.LimitReader(tail, limit+1))
	switch {
	case err != nil:
		return nil, tailError(h, err)
	case int64(len(b)) > limit:
		return nil, corrupt("directory", h.tailOff, "more than %d bytes", limit)
	case tail.consumed != h.tailLen:
		return nil, corrupt("directory", h.tailOff, "%d bytes after its end", h.tailLen-tail.consumed)
	}
	return &cursor{b: b}, nil
}

// addFile adds the tiles of a world or shard; want are those that the manifest says
// it has, nil if there is none.
func (r *Reader) addFile(f io.ReaderAt, h *head, tail *StreamReader, want *rect) error {
	w, tiles, err := readWorld(h, tail)
	if err != nil {
		return err
	}
	if want != nil && tiles != *want {
		return corrupt("directory", h.tailOff, "tiles of rows %d to %d, the manifest says %d to %d", tiles.y0, tiles.y1-1, want.y0, want.y1-1)
	}
	count := tiles.count()
	if int64(count) > (h.tailOff-headLen)/leastChunk {
		return corrupt("directory", h.tailOff, "%d tiles in %d bytes", count, h.tailOff-headLen)
	}
	if int64(count) > (freeMemory+memoryPerByte*h.size)/tileMemory(w) {
		return corrupt("directory", h.tailOff, "%d tiles in a file of %d bytes", count, h.size)
	}
	if h.kind == kindWorld && count != tileCount(w) {
		return corrupt("directory", h.tailOff, "%d tiles, the world's size gives %d", count, tileCount(w))
	}
	c, err := readRest(h, tail, int64(mostTables)+int64(count)*int64(mostEntry(w)))
	if err != nil {
		return err
	}
	tables, rest, ok := parseTables(c.b)
	if !ok {
		return corrupt("directory", h.tailOff, "impossible tables")
	}
	c.b = rest
	if r.world == nil {
		r.world, r.layout, r.size = w, w.Layout(), h.size
		r.nx, _ = w.Tiles()
	} else if !sameWorld(r.world, w) {
		return corrupt("directory", h.tailOff, "another world than the manifest's")
	}
	if len(r.files) == 0 {
		r.tables = tables
		if count != tileCount(w) {
			r.at = slices.Repeat([]int32{-1}, tileCount(w))
		}
	} else if !bytes.Equal(tables.append(nil), r.tables.append(nil)) {
		return corrupt("directory", h.tailOff, "other tables than the first shard's")
	}
	return r.addTiles(f, h, tiles, c)
}

// sameWorld says whether two files describe the same world.
func sameWorld(a, b *terrain.World) bool {
	return bytes.Equal(appendWorld(nil, a, rect{}), appendWorld(nil, b, rect{}))
}

// addTiles reads directory entries.
func (r *Reader) addTiles(f io.ReaderAt, h *head, in rect, c *cursor) error {
	levels, layers := r.layout.Levels, len(r.world.Layers)
	first, next := len(r.tiles), int64(headLen)
	r.tiles = append(r.tiles, make([]terrain.TileInfo, in.count())...)
	r.chunks = append(r.chunks, make([]entry, in.count()*levels)...)
	r.layers = append(r.layers, make([]entry, in.count()*levels*layers)...)
	for i := first; i < len(r.tiles); i++ {
		x, y := in.x0+(i-first)%(in.x1-in.x0), in.y0+(i-first)/(in.x1-in.x0)
		t := &r.tiles[i]
		t.Key = terrain.Key{X: int32(x), Y: int32(y)}
		msg := ""
		if !parseTile(c, r.layout.Nodes(), t, r.tileChunks(i), r.tileLayers(i)) {
			msg = "its entry is cut"
		} else if msg = checkTile(r.world, t); msg == "" {
			msg = r.place(i, h.tailOff, &next)
		}
		if msg != "" {
			return corrupt("directory", h.tailOff, "tile %v: %s", t.Key, msg)
		}
	}
	if next != h.tailOff || len(c.b) != 0 {
		return corrupt("directory", h.tailOff, "chunks end at byte %d, the directory begins at %d", next, h.tailOff)
	}
	for i := first; i < len(r.tiles); i++ {
		t := &r.tiles[i]
		r.world.Holes = r.world.Holes || t.Holes
		if r.at != nil {
			r.at[int(t.Key.Y)*r.nx+int(t.Key.X)] = int32(i)
		}
	}
	r.files = append(r.files, file{r: f, tiles: len(r.tiles)})
	return nil
}

// place finds where the chunks of tile i are, the first being at *next, and says what
// is impossible about them, or nothing.
func (r *Reader) place(i int, end int64, next *int64) string {
	chunks, layers := r.tileChunks(i), r.tileLayers(i)
	missing := false
	for level := len(chunks) - 1; level >= 0; level-- {
		lo, hi := r.layout.Range(terrain.Level(level))
		c := &chunks[level]
		missing = missing || c.stored == 0
		if missing && (c.stored != 0 || level == len(chunks)-1) {
			return fmt.Sprintf("level %d is missing, but not a finer one", level)
		}
		if c.heights > c.stored || int64(c.stored) > end-*next || int64(c.stored) > int64(maxChunk(hi-lo)) {
			return fmt.Sprintf("level %d has an impossible size", level)
		}
		c.off = *next
		*next += int64(c.stored)
		for k := range r.world.Layers {
			l := &layers[level*len(r.world.Layers)+k]
			if int64(l.stored) > end-*next || int64(l.stored) > int64(r.world.Layers[k].Bytes*maxStream(hi-lo)) || (l.stored == 0) != missing {
				return fmt.Sprintf("layer %d of level %d has an impossible size", k, level)
			}
			l.off = *next
			*next += int64(l.stored)
		}
	}
	return ""
}

// maxChunk is the largest size of a chunk of n samples.
func maxChunk(n int) int { return 4*maxPass(n) + 7*maxStream(n) }

// openManifest opens a manifest's shards.
func openManifest(m io.ReaderAt, h *head, tail *StreamReader, open opener) (*Reader, error) {
	w, tiles, err := readWorld(h, tail)
	if err != nil {
		return nil, err
	}
	if tiles.count() != tileCount(w) || h.tailOff != headLen {
		return nil, corrupt("directory", h.tailOff, "not all tiles of the world")
	}
	c, err := readRest(h, tail, mostShards(w))
	if err != nil {
		return nil, err
	}
	shards, ok := parseShards(c, w)
	if !ok {
		return nil, corrupt("directory", h.tailOff, "impossible list of shards")
	}
	rd := &Reader{version: version, size: h.size, world: w, layout: w.Layout()}
	rd.nx, _ = w.Tiles()
	for _, s := range shards {
		rd.names = append(rd.names, s.name)
		if err := rd.addShard(s, w, open); err != nil {
			rd.problems = append(rd.problems, &ShardError{s.name, s.tiles.count(), err})
		}
	}
	if len(rd.files) == 0 {
		return nil, fmt.Errorf("none of %d shards can be read, the first of them: %w", len(shards), rd.problems[0])
	}
	return rd, nil
}

// addShard opens a shard of world w.
func (r *Reader) addShard(s shardEntry, w *terrain.World, open opener) error {
	f, size, closer, err := open(s.name)
	if err != nil {
		return err
	}
	before := *r
	err = func() error {
		b := make([]byte, headLen)
		if size != s.size {
			return truncated("header", size, "%d bytes where the manifest says %d", size, s.size)
		}
		if size < headLen {
			return truncated("header", size, "the file is cut: %d bytes", size)
		}
		if err := readFull(f, b, 0); err != nil {
			return readError("header", 0, err)
		}
		if string(b[:8]) != magic || le.Uint32(b[8:]) != version {
			return corrupt("header", 0, "not a shard of this version")
		}
		h, err := parseHead(b, size)
		if err != nil {
			return err
		}
		if h.kind != kindShard || h.tailCRC != s.crc {
			return corrupt("header", 0, "not the shard that the manifest means")
		}
		tail, err := readTail(f, h)
		if err != nil {
			return err
		}
		return r.addFile(f, h, tail, &s.tiles)
	}()
	if err != nil {
		*r = before
		if closer != nil {
			closer.Close()
		}
		return err
	}
	r.size += size
	r.files[len(r.files)-1].close = closer
	return nil
}

// Problems returns what is wrong with a world that opens all the same, each a
// [*ShardError]: shards that are missing or damaged, whose tiles it lacks.
func (r *Reader) Problems() []error { return r.problems }

// Close closes the files that OpenFile or OpenFS opened.
func (r *Reader) Close() error {
	var errs []error
	if r.first != nil {
		errs = append(errs, r.first.Close())
	}
	for _, f := range r.files {
		if f.close != nil {
			errs = append(errs, f.close.Close())
		}
	}
	return errors.Join(errs...)
}

// Version returns the version of the format.
func (r *Reader) Version() int { return int(r.version) }

// Shard says whether this is a shard that was opened by itself: a part of a world.
func (r *Reader) Shard() bool { return r.names == nil && r.at != nil }

// Files returns the number of files that hold the tiles: more than one where the
// world is in shards.
func (r *Reader) Files() int { return len(r.files) }

// World returns the description of the world; it must not be changed.
func (r *Reader) World() *terrain.World { return r.world }

// Tables returns the tables that the world is coded with, nil in version 1.
func (r *Reader) Tables() *Tables { return r.tables }

// Tiles returns all tiles in row-major order; they must not be changed.
func (r *Reader) Tiles() []terrain.TileInfo { return r.tiles }

// Tile returns what is known of tile k, always the same pointer, or nil if there
// is no such tile.
func (r *Reader) Tile(k terrain.Key) *terrain.TileInfo {
	if i := r.index(k); i >= 0 {
		return &r.tiles[i]
	}
	return nil
}

// Finest returns the finest level that there is of tile k: 0 but in a world that
// was repaired. It panics if there is no such tile.
func (r *Reader) Finest(k terrain.Key) terrain.Level {
	i := r.index(k)
	if i < 0 {
		panic(fmt.Sprintf("chunkfile: Finest of tile %v, which does not exist", k))
	}
	return terrain.Level(slices.IndexFunc(r.tileChunks(i), func(c entry) bool { return c.stored > 0 }))
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
// run at the same time. A level that the file lacks gives [ErrMissing]. It panics
// if there is no such tile or level.
func (r *Reader) ReadLevel(d *Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error {
	i := r.chunk("ReadLevel", k, level)
	if n := r.layout.Count(level); len(verts) < n {
		panic(fmt.Sprintf("chunkfile: ReadLevel of %s needs %d vertices, got %d", chunkName(k, level), n, len(verts)))
	}
	c := r.tileChunks(i)[level]
	if c.stored == 0 {
		return fmt.Errorf("%s: %w", chunkName(k, level), ErrMissing)
	}
	lo, _ := r.layout.Range(level)
	fetch(verts[:lo])
	if err := r.readChunk(d, i, c, chunkName, k, level); err != nil {
		return err
	}
	return r.decodeChunk(d, verts, k, level, c)
}

// ReadLayer reads what a layer has of the level samples of level of tile k into
// dst, [terrain.Layer].Bytes a vertex in the order of ids. dst must have room for
// them and hold all coarser levels. Otherwise it is as ReadLevel.
func (r *Reader) ReadLayer(d *Decoder, dst []byte, k terrain.Key, level terrain.Level, layer int) error {
	i := r.chunk("ReadLayer", k, level)
	size := r.world.Layers[layer].Bytes
	if n := r.layout.Count(level) * size; len(dst) < n {
		panic(fmt.Sprintf("chunkfile: ReadLayer of %s needs %d bytes, got %d", chunkName(k, level), n, len(dst)))
	}
	c := r.tileLayers(i)[int(level)*len(r.world.Layers)+layer]
	name := func(k terrain.Key, level terrain.Level) string {
		return chunkName(k, level) + ", layer " + r.world.Layers[layer].Name
	}
	if c.stored == 0 {
		return fmt.Errorf("%s: %w", name(k, level), ErrMissing)
	}
	if err := r.readChunk(d, i, c, name, k, level); err != nil {
		return err
	}
	if err := d.decodeLayer(r.world, r.tables, dst, size, k, level, d.chunk); err != nil {
		return corrupt(name(k, level), c.off, "%v", err)
	}
	return nil
}

// chunk returns the number of tile k.
func (r *Reader) chunk(what string, k terrain.Key, level terrain.Level) int {
	i := r.index(k)
	if i < 0 || int(level) >= r.layout.Levels {
		panic("chunkfile: " + what + " of a chunk that does not exist: " + chunkName(k, level))
	}
	return i
}

// readChunk reads the bytes of a chunk of tile i into d.chunk and checks them.
func (r *Reader) readChunk(d *Decoder, i int, c entry, name func(terrain.Key, terrain.Level) string, k terrain.Key, level terrain.Level) error {
	d.chunk = slices.Grow(d.chunk[:0], int(c.stored)+bitSlack)[:c.stored]
	if err := readFull(r.fileOf(i), d.chunk, c.off); err != nil {
		return readError(name(k, level), c.off, err)
	}
	if checksum(d.chunk) != c.crc {
		return corrupt(name(k, level), c.off, "checksum does not match")
	}
	return nil
}

// fileOf returns the file that holds tile i.
func (r *Reader) fileOf(i int) io.ReaderAt {
	for n := range r.files {
		if i < r.files[n].tiles {
			return r.files[n].r
		}
	}
	panic("chunkfile: a tile in no file")
}

// ReadTile reads tile k down to level, or to the finest level there is. It panics
// if there is no such tile or level.
func (r *Reader) ReadTile(d *Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error) {
	r.chunk("ReadTile", k, level)
	level = max(level, r.Finest(k))
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
	i := int(k.Y)*r.nx + int(k.X)
	if r.at != nil {
		return int(r.at[i])
	}
	return i
}

func (r *Reader) tileChunks(i int) []entry {
	n := r.layout.Levels
	return r.chunks[i*n : i*n+n : i*n+n]
}

func (r *Reader) tileLayers(i int) []entry {
	n := r.layout.Levels * len(r.world.Layers)
	return r.layers[i*n : i*n+n : i*n+n]
}

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
