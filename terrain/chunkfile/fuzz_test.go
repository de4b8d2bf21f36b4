package chunkfile_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// FuzzOpen reads any bytes, as they are and with their checksums made right:
// an error or a world, no panic, and no memory out of proportion.
func FuzzOpen(f *testing.F) {
	f.Add([]byte{})
	for _, w := range []*world{fill(5, 5, 5, flat), fill(9, 6, 5, smooth(2)), fill(17, 17, 17, smooth(3)), fill(3, 3, 3, noise(1))} {
		f.Add(write(f, w))
	}
	frozen, err := os.ReadFile(filepath.Join("testdata", "v1.vkt"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(frozen)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := damage(b); err != nil {
			errorsAreClean(t, err)
		}
		c := bytes.Clone(b)
		if parts, ok := chunkfile.TakeApart(c); ok {
			c = parts.Build()
		} else if !chunkfile.ResealOld(c) {
			return
		}
		if r, err := open(c); err == nil && len(r.World().Layout().Grid) > 1<<16 {
			return // a tile of 2049×2049 is fine but slow
		}
		if err := damage(c); err != nil {
			errorsAreClean(t, err)
		}
	})
}

// baked returns a world of side×side samples whose finest levels only their borders change, as
// those are that programs make.
func baked(t testing.TB, side, size int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "baked.vkt")
	if _, err := bake.Bake(context.Background(), testworld.Rough(side, side, 2), bake.Options{TileSize: size}, path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBakedSurvivesLies changes bytes of chunks, tables and directory behind valid checksums.
func TestBakedSurvivesLies(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for size, side := range map[int]int{17: 33, 65: 65, 129: 129} {
		parts, ok := chunkfile.TakeApart(baked(t, side, size))
		if !ok {
			t.Fatal("not taken apart")
		}
		if err := damage(parts.Build()); err != nil {
			t.Fatal(err)
		}
		for _, part := range [][]byte{parts.Chunks, parts.Directory} {
			for range 60 {
				old := bytes.Clone(part)
				for range 1 + rng.IntN(3) {
					part[rng.IntN(len(part))] = byte(rng.Uint32())
				}
				if err := damage(parts.Build()); err != nil {
					errorsAreClean(t, err)
				}
				copy(part, old)
			}
		}
	}
}

// FuzzParts reads any chunks, world and directory behind valid checksums.
func FuzzParts(f *testing.F) {
	var seeds [][]byte
	for _, w := range []*world{fill(5, 5, 5, flat), fill(9, 6, 5, smooth(2)), fill(17, 17, 17, smooth(3)), fill(40, 20, 33, noise(1))} {
		seeds = append(seeds, write(f, w))
	}
	seeds = append(seeds, baked(f, 33, 17), baked(f, 65, 65), baked(f, 129, 129))
	for _, b := range seeds {
		parts, ok := chunkfile.TakeApart(b)
		if !ok {
			f.Fatal("not taken apart")
		}
		f.Add(parts.Chunks, parts.World, parts.Directory)
	}
	f.Fuzz(func(t *testing.T, chunks, world, directory []byte) {
		b := chunkfile.Loose{Chunks: chunks, World: world, Directory: directory}.Build()
		if r, err := open(b); err == nil && len(r.World().Layout().Grid) > 1<<16 {
			return // a tile of 2049×2049 is fine but slow
		}
		if err := damage(b); err != nil {
			errorsAreClean(t, err)
		}
	})
}

// FuzzRoundTrip writes vertices made of any bytes and reads them back.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte("some heights"))
	f.Add(uint8(4), bytes.Repeat([]byte{0, 1, 2, 3, 250, 0xff, 0x7f, 0x80}, 100))
	f.Fuzz(func(t *testing.T, size uint8, b []byte) {
		side := 1<<(1+size%5) + 1
		at := func(i int) byte {
			if len(b) == 0 {
				return 0
			}
			return b[i%len(b)]
		}
		w := fill(side, side, side, func(x, z int) terrain.Vertex {
			i := (z*side + x) * terrain.VertexBytes
			return terrain.Vertex{
				Height: uint16(at(i)) | uint16(at(i+1))<<8, Coef: uint16(at(i+2)) | uint16(at(i+3))<<8,
				Normal: [2]uint8{at(i + 4), at(i + 5)}, SkyView: at(i + 6), Curvature: at(i + 7),
			}
		})
		same(t, w, write(t, w))
	})
}

// FuzzStream reads any bytes as a stream: an error or bytes, no panic, and no
// memory out of proportion.
func FuzzStream(f *testing.F) {
	var out bytes.Buffer
	s := chunkfile.NewStreamWriter(&out)
	for i := range 4 {
		if i%2 == 1 {
			s.StartCompressing()
		} else {
			s.StopCompressing()
		}
		if _, err := s.Write(bytes.Repeat([]byte("heights "), 20)); err != nil {
			f.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := io.Copy(io.Discard, chunkfile.NewStreamReader(bytes.NewReader(b)))
		if err != nil {
			errorsAreClean(t, err)
		}
		if n > chunkfile.MaxRun*int64(len(b)/13+1) {
			t.Errorf("%d bytes became %d", len(b), n)
		}
	})
}
