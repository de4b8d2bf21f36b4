//go:build !noasm

package chunkfile

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
)

// TestKernels compares what assembly does with its twins in Go, to the last bit.
func TestKernels(t *testing.T) {
	if !fast {
		t.Skip("this processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(4, 4))
	row := func(n int, most int32) []int32 {
		out := make([]int32, n+planeSlop)
		for i := range out {
			out[i] = rng.Int32N(2*most+1) - most
		}
		return out
	}
	newGuess := func(n int) guess {
		return guess{make([]int32, n+planeSlop), make([]int32, n+planeSlop), make([]uint8, n+planeSlop)}
	}
	for n := 1; n < 70; n++ {
		for _, most := range []int32{0, 3, 500, 65535, 200000} {
			var r [8][]int32
			for i := range r {
				r[i] = row(n+8, most)
			}
			residuals := make([]uint16, n+planeSlop)
			for i := range residuals {
				residuals[i] = uint16(rng.Uint32())
			}
			same := func(name string, do func(fast bool) any) {
				t.Helper()
				if got, want := do(true), do(false); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s of %d samples up to %d: %v, want %v", name, n, most, got, want)
				}
			}
			choose := func(is bool) { fast = is }
			defer choose(true)
			l := &level{geometry: geometry{m: n}}
			l.heights.resize(n)
			for _, p := range []*plane{&l.heights.corners, &l.heights.centres} {
				copy(p.v, row(len(p.v), most))
			}
			for _, p := range l.parts() {
				for rows := 1; rows <= min(p.height, 3); rows++ {
					size, z := rows*p.width, rng.IntN(p.height-rows+1)
					same("guessRows", func(is bool) any {
						choose(is)
						g := newGuess(size)
						l.guessRows(p.kind, z, rows, g)
						return [3]any{g.height[:size], g.near[:size], g.class[:size]}
					})
					guesses, residuals := row(size, most), make([]uint16, size+planeSlop)
					for i := range residuals {
						residuals[i] = uint16(rng.Uint32())
					}
					same("applyRows", func(is bool) any {
						choose(is)
						dst := l.heights.of(p.kind)
						dst.applyRows(z, rows, p.width, guesses, residuals)
						var out []int32
						for i := range rows {
							out = append(out, dst.row(z + i)[planePad:planePad+p.width]...)
						}
						return out
					})
				}
			}
			same("edges", func(is bool) any {
				choose(is)
				out := make([]int32, n+planeSlop)
				edges(out[:n], r[0], r[1], r[2])
				return out[:n]
			})
			for odd := range 2 {
				same("squares", func(is bool) any {
					choose(is)
					out := make([]int32, n+planeSlop)
					squares(out[:n], r[0], r[1], r[2], r[3], r[4], r[5], odd)
					return out[:n]
				})
			}
			shades := [4][]int32{}
			for i := range shades {
				shades[i] = make([]int32, n+planeSlop)
				for k := range shades[i] {
					shades[i][k] = rng.Int32N(64) | rng.Int32N(256)<<16
				}
			}
			g := &shading{sky: rng.Int32N(1000) - 500, bend: rng.Float32() / 100}
			same("shade", func(is bool) any {
				choose(is)
				out := make([]int32, n+planeSlop)
				shade(out[:n], shades[0], shades[1], shades[2], shades[3], r[0], r[1], residuals, g)
				return out[:n]
			})
			errors := row(n, most)
			for i := range errors {
				errors[i] = abs(errors[i])
			}
			for _, s := range []scale{{half: 0.05, slope: 0.001}, {half: rng.Float64(), maxError: rng.Float64(), slope: rng.Float32()}} {
				same("pack", func(is bool) any {
					choose(is)
					out := make([]uint64, n+planeSlop)
					pack(out[:n], r[0], errors, shades[0], r[1], r[2], r[3], r[4], &s)
					return out[:n]
				})
			}
		}
	}
}

// TestVertexKernels compares those that read and make vertices with their twins.
func TestVertexKernels(t *testing.T) {
	if !fast {
		t.Skip("this processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	choose := func(is bool) { fast = is }
	defer choose(true)
	verts := make([]terrain.Vertex, 3000)
	for i := range verts {
		verts[i] = unpackVertex(rng.Uint64())
	}
	for n := 1; n < 70; n++ {
		ids := make([]uint32, n+planeSlop)
		for i := range ids {
			ids[i] = rng.Uint32N(uint32(len(verts)))
		}
		var got [2][2][]int32
		for i := range got {
			choose(i == 1)
			got[i] = [2][]int32{make([]int32, n, n+planeSlop), make([]int32, n, n+planeSlop)}
			gather(got[i][0], got[i][1], verts, ids)
		}
		if !reflect.DeepEqual(got[1], got[0]) {
			t.Fatalf("gather of %d vertices: %v, want %v", n, got[1], got[0])
		}
	}
	for n := 8; n < 70; n += 8 {
		for _, most := range []int32{0, 3, 500, 65535, 200000} {
			for _, maxError := range []float64{0, 0.25, 1e-3, 5e-324, 1e-40, 1e29, 1e300} {
				r := randomRow(rng, n, most)
				s := &scale{half: rng.Float64() + 1e-9, maxError: maxError, slope: rng.Float32()}
				g := &shading{sky: rng.Int32N(1<<16) - 1<<15, bend: rng.Float32() / 100}
				var got [2][]terrain.Vertex
				for i := range got {
					choose(i == 1)
					got[i] = make([]terrain.Vertex, 3*n)
					finish(got[i], &r, s, g)
				}
				if !reflect.DeepEqual(got[1], got[0]) {
					t.Fatalf("finish of %d squares up to %d, error %g: %v, want %v", n, most, maxError, got[1], got[0])
				}
			}
		}
	}
}

// randomRow makes up a row of n squares. Two and two of them are in any order.
func randomRow(rng *rand.Rand, n int, most int32) squareRow {
	r := squareRow{odd: rng.IntN(2), ids: make([]uint32, n)}
	for _, v := range []*[]int32{
		&r.corners, &r.south, &r.north, &r.centres, &r.across, &r.below, &r.down, &r.nearAcross, &r.nearDown,
	} {
		*v = make([]int32, n+1)
		for i := range *v {
			(*v)[i] = rng.Int32N(2*most+1) - most
		}
	}
	for _, v := range []*[]int32{&r.cornerShades, &r.southShades, &r.northShades, &r.centreShades} {
		*v = make([]int32, n+1)
		for i := range *v {
			(*v)[i] = rng.Int32N(64) | rng.Int32N(256)<<16
		}
	}
	for i, k := range rng.Perm(n / 2) {
		r.ids[2*i], r.ids[2*i+1] = uint32(6*k), uint32(6*k+3)
	}
	r.ahead = r.ids
	return r
}

// TestJoin compares the kernel that makes residuals with its twin, with all classes and tokens.
func TestJoin(t *testing.T) {
	if !fast {
		t.Skip("this processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for b := range books {
		for n := range 700 {
			token, class := make([]uint8, n), make([]uint8, n)
			got := make([]uint16, n)
			for i := range got {
				token[i], class[i], got[i] = uint8(rng.Uint32()), uint8(rng.IntN(classes)), uint16(rng.Uint32())
				if rng.IntN(5) == 0 {
					token[i] = escapeToken
				}
			}
			want := slices.Clone(got)
			join(got, token, class, leastLow(b))
			joinGo(want, token, class, leastLow(b))
			if !slices.Equal(got, want) {
				t.Fatalf("%d residuals of book %d: %v, want %v", n, b, got, want)
			}
		}
	}
}

// TestReadLanes compares the assembly that reads four streams with Go's.
func TestReadLanes(t *testing.T) {
	if !fast {
		t.Skip("this processor has no BMI2")
	}
	rng := rand.New(rand.NewPCG(5, 5))
	var w passWriter
	for _, n := range []int{1, 15, 16, 17, 1000, 1023, 1024, 1025, 4098, 4099, 9001} {
		class, residuals := make([]uint8, n), make([]uint16, n)
		for i := range class {
			class[i] = uint8(rng.IntN(classes))
			residuals[i] = uint16(rng.IntN(2 << min(class[i], 15)))
			if rng.IntN(100) == 0 {
				residuals[i] = uint16(rng.Uint32())
			}
		}
		for b := range books {
			in := w.append(nil, defaultTables, b, class, residuals)
			for _, is := range []bool{true, false} {
				fast = is
				got := make([]uint16, n)
				rest, ok := defaultTables.readPass(got, b, class, append(in, make([]byte, bitSlack)...)[:len(in)])
				if !ok || len(rest) != 0 || !reflect.DeepEqual(got, residuals) {
					t.Errorf("%d residuals of book %d, assembly %v: %v", n, b, is, ok)
				}
				// Whatever the bytes are, nothing beyond them is read.
				junk := make([]byte, len(in), len(in)+bitSlack)
				for i := range junk {
					junk[i] = byte(rng.Uint32())
				}
				copy(junk, in[:lanes(n)*laneHeader(n)])
				_, _ = defaultTables.readPass(got, b, class, junk)
			}
			fast = true
		}
	}
}

// FuzzReadPass reads any bytes as a pass, by assembly and by Go: with the same
// residuals, if they are one.
func FuzzReadPass(f *testing.F) {
	if !fast {
		f.Skip("this processor has no BMI2")
	}
	rng := rand.New(rand.NewPCG(10, 10))
	var w passWriter
	for _, n := range []int{3, 700, 5000} {
		class, residuals := classesOf(n, 1), make([]uint16, n)
		for i := range residuals {
			residuals[i] = uint16(rng.IntN(2 << min(class[i], 15)))
		}
		f.Add(uint16(n), uint64(1), uint8(bookMidpoints), w.append(nil, defaultTables, bookMidpoints, class, residuals))
	}
	f.Fuzz(func(t *testing.T, n uint16, seed uint64, book uint8, b []byte) {
		defer func() { fast = true }()
		class := classesOf(int(n), seed)
		in := append(bytes.Clone(b), make([]byte, bitSlack)...)[:len(b)]
		var got [2][]uint16
		var rest [2][]byte
		var ok [2]bool
		for i := range got {
			fast = i == 1
			got[i] = make([]uint16, n)
			rest[i], ok[i] = defaultTables.readPass(got[i], int(book%books), class, in)
		}
		if ok[0] != ok[1] || ok[0] && (!slices.Equal(got[0], got[1]) || len(rest[0]) != len(rest[1])) {
			t.Errorf("assembly %v with %d bytes left, Go %v with %d", ok[1], len(rest[1]), ok[0], len(rest[0]))
		}
	})
}

// classesOf makes up classes.
func classesOf(n int, seed uint64) []uint8 {
	rng := rand.New(rand.NewPCG(seed, 11))
	class := make([]uint8, n)
	for i := range class {
		class[i] = uint8(rng.IntN(classes))
	}
	return class
}
