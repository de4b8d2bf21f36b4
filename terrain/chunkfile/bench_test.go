package chunkfile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// benchWorld bakes hills, flats and noise and opens them in memory.
func benchWorld(b *testing.B) *chunkfile.Reader {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench.vkt")
	if _, err := bake.Bake(context.Background(), testworld.Rough(513, 513, 1), bake.Options{}, path); err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	r, err := chunkfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkReadLevel decodes whole tiles; MB/s are bytes of vertices.
func BenchmarkReadLevel(b *testing.B) {
	r := benchWorld(b)
	layout, tiles := r.World().Layout(), r.Tiles()
	d := chunkfile.NewDecoder()
	verts := make([]terrain.Vertex, len(layout.Grid))
	b.SetBytes(int64(len(verts)) * terrain.VertexBytes)
	for i := 0; b.Loop(); i++ {
		for l := layout.Levels - 1; l >= 0; l-- {
			if err := r.ReadLevel(d, verts, tiles[i%len(tiles)].Key, terrain.Level(l)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkDecodePugetSound decodes the finest level of every tile of a real map, in
// turn with zstd (klauspost/compress, default level) decoding the same bytes, once
// one vertex after the other, once byte by byte of all vertices, which is smaller. It reports the
// median rates in MB/s of vertices, and our bytes in the file next to those of the frames.
func BenchmarkDecodePugetSound(b *testing.B) {
	r := pugetSound(b)
	layout, tiles := r.World().Layout(), r.Tiles()
	lo, hi := layout.Range(0)
	bytesOut := (hi - lo) * terrain.VertexBytes
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	defer unzip.Close()
	d := chunkfile.NewDecoder()
	var frames [2][][]byte // whole vertices, planes of bytes
	var verts [][]terrain.Vertex
	var stored, framed int64
	for _, info := range tiles {
		t, err := r.ReadTile(d, info.Key, 0)
		if err != nil {
			b.Fatal(err)
		}
		raw, planes := make([]byte, bytesOut), make([]byte, bytesOut)
		for i, v := range t.Verts[lo:hi] {
			at := raw[i*terrain.VertexBytes:]
			binary.LittleEndian.PutUint16(at, v.Height)
			binary.LittleEndian.PutUint16(at[2:], v.Coef)
			copy(at[4:], []byte{v.Normal[0], v.Normal[1], v.SkyView, v.Curvature})
			for k := range terrain.VertexBytes {
				planes[k*(hi-lo)+i] = at[k]
			}
		}
		verts = append(verts, t.Verts)
		frames[0], frames[1] = append(frames[0], z.EncodeAll(raw, nil)), append(frames[1], z.EncodeAll(planes, nil))
		n, _ := r.LevelBytes(info.Key, 0)
		stored, framed = stored+n, framed+int64(len(frames[1][len(frames[1])-1]))
	}
	var rates [3][]float64
	out := make([]byte, 0, bytesOut)
	for i := 0; b.Loop(); i++ {
		k := i % len(tiles)
		for n := range rates {
			start := time.Now()
			if n == 0 {
				err = r.ReadLevel(d, verts[k], tiles[k].Key, 0)
			} else {
				out, err = unzip.DecodeAll(frames[n-1][k], out[:0])
			}
			rates[n] = append(rates[n], float64(bytesOut)/1e6/time.Since(start).Seconds())
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	for n, unit := range []string{"MB/s", "zstd-MB/s", "zstd-planes-MB/s"} {
		slices.Sort(rates[n])
		b.ReportMetric(rates[n][len(rates[n])/2], unit)
	}
	b.ReportMetric(float64(stored)/float64(framed), "bytes-of-planes")
}

// pugetSound bakes a real map of 1025×1025 samples in memory.
func pugetSound(b *testing.B) *chunkfile.Reader {
	b.Helper()
	src, err := raster.Open(shared.Path(b, "data/png16/ps_height_1k.png"), raster.Options{Spacing: 160, HeightUnit: 0.1})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "ps.vkt")
	if _, err := bake.Bake(context.Background(), &src.Field, bake.Options{}, path); err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	r, err := chunkfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkEncodeTile codes whole tiles; MB/s are bytes of vertices.
func BenchmarkEncodeTile(b *testing.B) {
	r := benchWorld(b)
	d := chunkfile.NewDecoder()
	enc := chunkfile.NewEncoder(r.World(), nil)
	var tiles []*terrain.Tile
	for _, info := range r.Tiles() {
		t, err := r.ReadTile(d, info.Key, 0)
		if err != nil {
			b.Fatal(err)
		}
		tiles = append(tiles, t)
	}
	b.SetBytes(int64(len(tiles[0].Verts)) * terrain.VertexBytes)
	for i := 0; b.Loop(); i++ {
		t := tiles[i%len(tiles)]
		enc.EncodeTile(t.Info, t.Verts)
	}
}
