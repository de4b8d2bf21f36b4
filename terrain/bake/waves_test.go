package bake_test

import "github.com/vkterrain/vkterrain/terrain"

// wavesMem is the memory that a bake of waves gets.
const wavesMem = 72 << 20

// waves is a large field that is computed as it is read.
type waves struct{}

const wavesWidth, wavesHeight = 4001, 1201

func (waves) Grid() terrain.Grid {
	return terrain.Grid{Width: wavesWidth, Height: wavesHeight, Spacing: 10, Quantum: 0.5, Min: -4096, Max: 8191}
}

func (waves) ReadRows(z int, heights []int32, _ []bool) error {
	for i := range heights {
		x, z := i%wavesWidth, z+i/wavesWidth
		u, v := x%512-256, z%512-256
		heights[i] = int32((u*u-v*v)/16 + (x*7+z*13)%23)
	}
	return nil
}
