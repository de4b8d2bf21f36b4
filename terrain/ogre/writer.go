package ogre

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// Write writes t as a file of version 2. What it writes is what OGRE's own
// Terrain::save writes. Nothing is written if t is not a valid terrain.
func Write(w io.Writer, t *Terrain) error {
	b, err := encode(t)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// WriteFile writes t to path. What is there stays as it is until everything is
// written; then the new file takes its place in one step.
func WriteFile(path string, t *Terrain) error {
	b, err := encode(t)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, b)
}

// replaceFile puts a file with b at path. It grows under a name that is always
// the same, so that what a killed program left is removed by the next one.
func replaceFile(path string, b []byte) (err error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(tmp)
		}
	}()
	if _, err = f.Write(b); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// check returns what is wrong with t, or nil.
func (t *Terrain) check() error {
	if msg := t.Info.check(); msg != "" {
		return fmt.Errorf("no OGRE terrain: %s", msg)
	}
	if t.Size > MaxSize {
		return fmt.Errorf("size %d is above the limit of %d", t.Size, MaxSize)
	}
	if n := t.Size * t.Size; len(t.Heights) != n || len(t.Deltas) != n {
		return fmt.Errorf("%d heights and %d deltas, want %d", len(t.Heights), len(t.Deltas), n)
	}
	if err := t.Tail.check(&t.Info); err != nil {
		return err
	}
	if n := t.Tail.bound(); n > maxTail(t.Size) {
		return fmt.Errorf("%d bytes of maps are above the limit of %d", n, maxTail(t.Size))
	}
	return nil
}

// encode returns the file of t.
func encode(t *Terrain) ([]byte, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	var c compressor
	payload := appendHeader(nil, idInfo, 1, infoLen)
	payload = appendInfo(payload, &t.Info)
	var stored int // bytes of the level just written
	for level := t.Levels() - 1; level >= 0; level-- {
		z := c.deflate(nil, t.level(terrain.Level(level)))
		stored = len(z)
		payload = append(appendHeader(payload, idLevel, 1, stored), z...)
	}
	tail, stops := t.Tail.append(nil)
	z := c.deflate(nil, tail)
	// OGRE stops looking for maps where its position in the inflated tail is that
	// of the end of the file.
	pad := 0
	for slices.Contains(stops, headerLen+chunkLen+len(payload)+pad+len(z)) {
		pad++
	}
	if pad > 0 {
		header := appendHeader(nil, idLevel, 1, stored+pad)
		copy(payload[len(payload)-stored-chunkLen:], header)
		payload = append(payload, make([]byte, pad)...)
	}
	length := len(payload) + len(z)
	if int64(length) > math.MaxUint32 {
		return nil, fmt.Errorf("a file of %d bytes; its format ends at 2^32", length)
	}
	out := append(appendHeader(nil, idHeader, 1, 1), 0)
	out = appendHeader(out, idTerrain, 2, length)
	out = append(out, payload...)
	return append(out, z...), nil
}

// level returns the heights and deltas of a level.
func (t *Terrain) level(level terrain.Level) []byte {
	n := t.LevelSamples(level)
	planes := t.gather(level, make([]float32, 0, 2*n), t.Heights)
	planes = t.gather(level, planes, t.Deltas)
	return appendFloats(make([]byte, 0, 4*len(planes)), planes)
}

// bound returns the most bytes that the tail can have without compression.
func (t *Tail) bound() int64 {
	n := int64(1<<16) + 4*int64(len(t.QuadTree))
	for _, b := range t.Blends {
		n += int64(len(b))
	}
	for i := range t.Maps {
		n += int64(len(t.Maps[i].Pix))
	}
	for _, l := range t.Layers {
		for _, s := range l.Textures {
			n += int64(4 + len(s))
		}
	}
	return n
}

// append appends the tail and returns where OGRE looks whether a map follows.
func (t *Tail) append(b []byte) (out []byte, stops []int) {
	b = appendLayers(b, &t.Declaration, t.Layers)
	b = le.AppendUint16(b, uint16(t.BlendSize))
	for _, pix := range t.Blends {
		b = append(b, pix...)
	}
	stops = append(stops, len(b))
	for i := range t.Maps {
		m := &t.Maps[i]
		b = appendHeader(b, idMap, 1, 4+len(m.Name)+2+len(m.Pix))
		b = appendString(b, m.Name)
		b = le.AppendUint16(b, uint16(m.Size))
		b = append(b, m.Pix...)
		stops = append(stops, len(b))
	}
	at := len(b)
	b = appendFloats(b, t.QuadTree)
	if len(t.QuadTree) > 0 && le.Uint32(b[at:]) == idMap {
		b[at]++ // or it were taken for a map
	}
	return b, stops
}

// appendHeader appends a chunk header.
func appendHeader(b []byte, id uint32, version uint16, length int) []byte {
	b = le.AppendUint32(b, id)
	b = le.AppendUint16(b, version)
	b = le.AppendUint32(b, uint32(length))
	return le.AppendUint32(b, checksum(id, version, uint32(length)))
}

func appendInfo(b []byte, i *Info) []byte {
	b = append(b, byte(i.Align))
	b = le.AppendUint16(b, uint16(i.Size))
	b = appendFloats(b, []float32{i.WorldSize})
	b = le.AppendUint16(b, uint16(i.MaxBatch))
	b = le.AppendUint16(b, uint16(i.MinBatch))
	return appendFloats(b, i.Pos[:])
}

// appendLayers appends a declaration and a list of layers.
func appendLayers(b []byte, c *Declaration, layers []Layer) []byte {
	decl := []byte{byte(len(c.Samplers))}
	for _, s := range c.Samplers {
		decl = appendHeader(decl, idSampler, 1, 4+len(s.Alias)+1)
		decl = append(appendString(decl, s.Alias), s.Format)
	}
	decl = append(decl, byte(len(c.Elements)))
	for _, e := range c.Elements {
		decl = appendHeader(decl, idElement, 1, 4)
		decl = append(decl, e.Sampler, e.Semantic, e.FirstChannel, e.Channels)
	}
	b = append(appendHeader(b, idDecl, 1, len(decl)), decl...)
	b = append(b, byte(len(layers)))
	for _, l := range layers {
		body := appendFloats(nil, []float32{l.WorldSize})
		for _, s := range l.Textures {
			body = appendString(body, s)
		}
		b = append(appendHeader(b, idLayer, 1, len(body)), body...)
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(le.AppendUint32(b, uint32(len(s))), s...)
}

func appendFloats(b []byte, f []float32) []byte {
	for _, v := range f {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
