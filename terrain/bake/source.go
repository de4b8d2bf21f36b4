package bake

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// maxHeight bounds heights in quanta, so that a float32 holds them exactly.
const maxHeight = 1 << 24

// chunkSamples is about how many samples are read at a time where few will do.
const chunkSamples = 1 << 18

// source is a field as it is baked: its heights in the world's quanta, those of
// holes between the extremes of the others.
type source struct {
	r terrain.RowReader
	terrain.Grid

	coarser int32 // quanta of r in one of the world; odd, so that nothing lies half-way
	widest  int   // rows read at a time where few will do
}

// newSource returns src with heights that may be off by lossy metres in all. It
// refuses what cannot become a world.
func newSource(src terrain.RowReader, lossy float64) (*source, error) {
	s := &source{r: src, Grid: src.Grid(), coarser: 1}
	if s.Width < 2 || s.Height < 2 {
		return nil, fmt.Errorf("%d×%d samples: a terrain needs at least 2×2", s.Width, s.Height)
	}
	if err := terrain.CheckScale(s.Spacing, s.Quantum); err != nil {
		return nil, err
	}
	if !(s.MaxError >= 0) || math.IsInf(s.MaxError, 0) {
		return nil, fmt.Errorf("heights %v m off their source's: must be 0 or more", s.MaxError)
	}
	if !(lossy >= 0) || math.IsInf(lossy, 0) {
		return nil, fmt.Errorf("heights may be %v m off: must be 0 or more", lossy)
	}
	if s.Holes == int64(s.Width)*int64(s.Height) {
		return nil, fmt.Errorf("all %d samples are holes", s.Holes)
	}
	if s.Min <= -maxHeight || s.Max >= maxHeight {
		return nil, fmt.Errorf("heights of %d to %d units of %v m: more than 24 bits hold; take a larger height unit", s.Min, s.Max, s.Quantum)
	}
	if lossy > 0 && s.MaxError > lossy {
		return nil, fmt.Errorf("heights are up to %v m off those of the source as it is read, more than the %v m allowed", s.MaxError, lossy)
	}
	// A step of 2k+1 quanta is at most k off.
	if k := int32(min(math.Floor((lossy-s.MaxError)/s.Quantum), maxHeight)); k > 0 {
		s.coarser = 2*k + 1
		s.MaxError += float64(k) * s.Quantum
		s.Quantum *= float64(s.coarser)
		s.Min, s.Max = s.coarse(s.Min), s.coarse(s.Max)
		if err := terrain.CheckScale(s.Spacing, s.Quantum); err != nil {
			return nil, err
		}
	}
	s.widest = max(1, chunkSamples/s.Width)
	return s, nil
}

// coarse returns height h of the reader in quanta of the world.
func (s *source) coarse(h int32) int32 {
	return int32(floorDiv(int(h)+int(s.coarser/2), int(s.coarser)))
}

// readRows fills heights, and void where there are holes, with whole rows from
// row z on.
func (s *source) readRows(z int, heights []int32, void []bool) error {
	if s.Holes == 0 {
		void = nil
	}
	if err := s.r.ReadRows(z, heights, void); err != nil {
		return err
	}
	if s.coarser > 1 {
		for i, h := range heights {
			heights[i] = s.coarse(h)
		}
	}
	for i, v := range void {
		if v {
			heights[i] = min(max(heights[i], s.Min), s.Max)
		}
	}
	return nil
}

// scan reads all rows once: it fills the far view and the mean of s, and returns
// a hash of all that is in s.
func (s *source) scan(ctx context.Context, far *farView, progress func(done, total int)) ([]byte, error) {
	rows := make([]int32, s.widest*s.Width)
	var void []bool
	if s.Holes > 0 {
		void = make([]bool, len(rows))
	}
	digest := sha256.New()
	var sum, count int64
	for z := 0; z < s.Height; z += s.widest {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(s.widest, s.Height-z)
		rows := rows[:n*s.Width]
		if void != nil {
			void = void[:len(rows)]
		}
		if err := s.readRows(z, rows, void); err != nil {
			return nil, err
		}
		digestRows(digest, rows, void)
		for r := range n {
			far.add(z+r, rows[r*s.Width:(r+1)*s.Width])
		}
		for i, h := range rows {
			if void != nil && void[i] {
				continue
			}
			if h < s.Min || h > s.Max {
				return nil, fmt.Errorf("row %d has a height of %v m, outside those of the whole", z+i/s.Width, float64(h)*s.Quantum)
			}
			sum += int64(h)
			count++
		}
		progress(z+n, s.Height)
	}
	if count == 0 {
		return nil, fmt.Errorf("all %d samples are holes", int64(s.Width)*int64(s.Height))
	}
	s.Mean = float64(sum) / float64(count) * s.Quantum
	return digest.Sum(nil), nil
}

// digestRows adds rows to a hash.
func digestRows(h hash.Hash, rows []int32, void []bool) {
	var block [4096]byte
	for len(rows) > 0 {
		n := min(len(rows), len(block)/4)
		for i, v := range rows[:n] {
			binary.LittleEndian.PutUint32(block[4*i:], uint32(v))
		}
		h.Write(block[:4*n])
		rows = rows[n:]
	}
	for len(void) > 0 {
		n := min(len(void), len(block))
		for i, v := range void[:n] {
			block[i] = 0
			if v {
				block[i] = 1
			}
		}
		h.Write(block[:n])
		void = void[n:]
	}
}
