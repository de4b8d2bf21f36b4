package ogre

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/vkterrain/vkterrain/terrain"
)

// Align says in which plane of OGRE's world a terrain lies.
type Align uint8

// Alignments. The columns of a terrain run along X, X and -Z; its rows, from the
// first one, along -Z, Y and Y; heights along Y, Z and X.
const (
	AlignXZ Align = iota
	AlignXY
	AlignYZ
)

func (a Align) String() string {
	switch a {
	case AlignXZ:
		return "X_Z"
	case AlignXY:
		return "X_Y"
	case AlignYZ:
		return "Y_Z"
	}
	return fmt.Sprintf("Align(%d)", uint8(a))
}

// world returns the position in OGRE's world of (x, y, h): x along the columns,
// y along the rows, h up.
func (a Align) world(x, y, h float32) [3]float32 {
	switch a {
	case AlignXY:
		return [3]float32{x, y, h}
	case AlignYZ:
		return [3]float32{h, y, -x}
	}
	return [3]float32{x, h, -y}
}

// terrain is the inverse of world.
func (a Align) terrain(p [3]float32) (x, y, h float32) {
	switch a {
	case AlignXY:
		return p[0], p[1], p[2]
	case AlignYZ:
		return -p[2], p[1], p[0]
	}
	return p[0], -p[2], p[1]
}

// Limits of what is read and written.
const (
	// MaxSize is the largest size of a terrain: 67 million samples.
	MaxSize = 8193
	// MaxBatch is OGRE's own limit of batch sizes.
	MaxBatch = 129
)

// Info is the general information of a terrain.
type Info struct {
	Align     Align
	Size      int        // samples a side, 2^k+1
	WorldSize float32    // metres a side
	MaxBatch  int        // samples a side of a quadtree leaf, 2^k+1
	MinBatch  int        // samples a side of the coarsest level of a leaf, 2^k+1
	Pos       [3]float32 // of the centre in OGRE's world, metres
}

// Levels returns the number of levels of detail; level Levels-1 is the coarsest.
func (i *Info) Levels() int { return log2(i.Size-1) - log2(i.MinBatch-1) + 1 }

// LeafLevels returns the number of levels of a leaf of the quadtree.
func (i *Info) LeafLevels() int { return log2(i.MaxBatch-1) - log2(i.MinBatch-1) + 1 }

// Depth returns the depth of the quadtree, 1 where the root is a leaf.
func (i *Info) Depth() int { return i.Levels() - i.LeafLevels() + 1 }

// QuadTreeLen returns the number of values of the quadtree.
func (i *Info) QuadTreeLen() int {
	leaf := i.Depth() - 1
	return (1<<(2*leaf)-1)/3 + i.LeafLevels()<<(2*leaf)
}

// Spacing returns the metres between samples.
func (i *Info) Spacing() float64 { return float64(i.WorldSize) / float64(i.Size-1) }

// Side returns the samples a side of a level with all coarser ones.
func (i *Info) Side(level terrain.Level) int { return (i.Size-1)>>level + 1 }

// LevelSamples returns the number of samples that a level adds to the coarser ones.
func (i *Info) LevelSamples(level terrain.Level) int {
	n := i.Side(level) * i.Side(level)
	if int(level) < i.Levels()-1 {
		n -= i.Side(level+1) * i.Side(level+1)
	}
	return n
}

// levelRows calls f for each row that holds level samples, with its first column
// and the step between columns, in the order of the file.
func (i *Info) levelRows(level terrain.Level, f func(y, x, step int)) {
	s := 1 << level
	coarsest := int(level) == i.Levels()-1
	for y := 0; y < i.Size; y += s {
		switch {
		case coarsest || y&s != 0:
			f(y, 0, s)
		default:
			f(y, s, 2*s)
		}
	}
}

// scatter writes the level samples of level to the grid of level to.
func (i *Info) scatter(level, to terrain.Level, samples, grid []float32) {
	side := i.Side(to)
	i.levelRows(level, func(y, x, step int) {
		row := grid[(y>>to)*side:][:side]
		for ; x < i.Size; x += step {
			row[x>>to] = samples[0]
			samples = samples[1:]
		}
	})
}

// gather appends the level samples of level of a whole grid to dst.
func (i *Info) gather(level terrain.Level, dst, grid []float32) []float32 {
	i.levelRows(level, func(y, x, step int) {
		row := grid[y*i.Size:][:i.Size]
		for ; x < i.Size; x += step {
			dst = append(dst, row[x])
		}
	})
	return dst
}

// check returns what is wrong with i, or "".
func (i *Info) check() string {
	switch {
	case i.Align > AlignYZ:
		return fmt.Sprintf("alignment %d; 0, 1 and 2 exist", i.Align)
	case !powerPlus1(i.Size):
		return fmt.Sprintf("size %d is not 2^k+1", i.Size)
	case !powerPlus1(i.MinBatch) || !powerPlus1(i.MaxBatch):
		return fmt.Sprintf("batch sizes %d and %d are not 2^k+1", i.MinBatch, i.MaxBatch)
	case i.MinBatch > i.MaxBatch || i.MaxBatch > i.Size || i.MaxBatch > MaxBatch:
		return fmt.Sprintf("batch sizes %d and %d of a terrain of size %d; min ≤ max ≤ size and max ≤ %d must hold",
			i.MinBatch, i.MaxBatch, i.Size, MaxBatch)
	case !(i.WorldSize > 0) || i.WorldSize > math.MaxFloat32:
		return fmt.Sprintf("world size %v m", i.WorldSize)
	}
	return ""
}

func powerPlus1(n int) bool { return n >= 2 && bits.OnesCount(uint(n-1)) == 1 }

func log2(n int) int { return bits.Len(uint(n)) - 1 }
