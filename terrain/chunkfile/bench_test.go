package chunkfile_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
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
