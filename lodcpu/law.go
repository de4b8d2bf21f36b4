package lodcpu

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/terrain"
)

// Law is the activation law that every algorithm evaluates: vertex v is active if and only if
//
//	|Eye − p(v)| < A + B·c(v) + Radius[order(v)]
//
// or, where Haze is more than 0, with [Law.Reach] of c(v) in place of B·c(v),
// with c the nested coefficient in metres. Radius grows by at least the longest
// parent-child distance from one order to the next, so an active vertex has
// active ancestors, whoever asks. So it has if Cull is set: active is then what the
// law makes active and is visible.
type Law struct {
	Eye    mgl64.Vec3
	A, B   float64
	Haze   float64 // 1/m; 0 or less is none
	Radius []float32

	// Extent bounds the distance to any descendant, by order. Radius is at least as
	// large; it may have more in it, see [Morph].
	Extent []float32

	// Cull asks more of a vertex: it must be visible too.
	Cull Cull

	Spacing, Quantum   float64
	OriginX, OriginZ   float64
	RimColumn, RimLine int // last column and row of the source; samples beyond are clamped
}

// Law returns the law that keeps the screen error of every full-resolution
// sample in v's picture at or below v.Tau.
//
// A sample that is drawn e metres off, where its true position has depth Z and
// picture coordinates (a, b), is e·kappa·S(a, b)/Z' pixels off, Z' being the
// depth of what is drawn: at least Z − e·|w|, with w the vertical's component
// along the view direction. With |eye − p| = Z·sqrt(1 + a² + b²) this is at most
// tau wherever |eye − p| ≥ e·(kappa/tau·F + |w|·sqrt(1 + R²)), F being
// [View.Stretch] and R the tangent of half the diagonal field of view. F need be
// that of the part of the picture in which the world's box is: there is no sample
// elsewhere.
//
// In a world with holes it also keeps their outlines as close. They are off in
// some horizontal direction, by no more than the coefficient of a vertex that is
// left out: one at the outline has at least its diamond's width. Such an offset e
// covers at most e·kappa·sqrt(1 + R²)/Z' pixels, whatever its direction, and Z' is
// at least Z − e·cos(pitch); and the vertex is no farther than e from the sample.
// What is seen from above has much larger holes than errors of height, so there
// this is the larger B. A view that is Isotropic has it in any world.
//
// Where v has haze, the screen error that is kept is what is left of it through the air, see
// [View.Haze].
func (v *View) Law(w *terrain.World) Law {
	l := placedLaw(w)
	s := v.sightOf(w)
	l.Eye, l.Haze = v.Eye, v.Haze
	l.B = v.errorFactor(&s, v.Pitch, v.Pitch, w.Holes)
	return l
}

// FullLaw keeps every vertex active: the full-resolution surface.
func FullLaw(w *terrain.World) Law {
	l := placedLaw(w)
	l.A = math.Inf(1)
	return l
}

func placedLaw(w *terrain.World) Law {
	column, row := w.Rim()
	return Law{
		Radius: w.Radius, Extent: w.Radius, Spacing: w.Spacing, Quantum: w.Quantum,
		OriginX: w.OriginX, OriginZ: w.OriginZ,
		RimColumn: column, RimLine: row,
	}
}

// Needs returns the finest level of tile t that may hold an active vertex. c
// and the radii grow with the level, so all coarser ones are needed too.
func (l *Law) Needs(layout *terrain.Layout, t *terrain.TileInfo) terrain.Level {
	return l.needs(layout, t, l.Distance(layout, t))
}

// needs is Needs of a tile that is d metres away.
func (l *Law) needs(layout *terrain.Layout, t *terrain.TileInfo, d float64) terrain.Level {
	d *= 1 - 1e-12 // rounding must not lose a vertex
	for level := range layout.Levels - 1 {
		// The larger of the two orders of the level: its squares' centres.
		r := float64(l.Radius[2*level+1])
		if d < l.A+l.Reach(float64(t.Coef[level]))+r {
			return terrain.Level(level)
		}
	}
	return terrain.Level(layout.Levels - 1)
}

// Distance returns the distance in metres from the eye to t's bounding box.
func (l *Law) Distance(layout *terrain.Layout, t *terrain.TileInfo) float64 {
	lo, hi := l.Bounds(layout, t)
	return distance(&lo, &hi, &l.Eye)
}

// Farthest returns the distance in metres from the eye to the farthest place in t's
// bounding box.
func (l *Law) Farthest(layout *terrain.Layout, t *terrain.TileInfo) float64 {
	lo, hi := l.Bounds(layout, t)
	sum := 0.0
	for i := range 3 {
		d := max(math.Abs(lo[i]-l.Eye[i]), math.Abs(hi[i]-l.Eye[i]))
		sum += d * d
	}
	return math.Sqrt(sum)
}

// Bounds returns the box in world metres that holds all of tile t.
func (l *Law) Bounds(layout *terrain.Layout, t *terrain.TileInfo) (lo, hi mgl64.Vec3) {
	x0, z0 := int(t.Key.X)*layout.Cells, int(t.Key.Y)*layout.Cells
	lo = mgl64.Vec3{l.worldX(x0), float64(t.Min) * l.Quantum, l.worldZ(z0)}
	hi = mgl64.Vec3{l.worldX(x0 + layout.Cells), float64(t.Max) * l.Quantum, l.worldZ(z0 + layout.Cells)}
	return lo, hi
}

func (l *Law) worldX(column int) float64 {
	return l.OriginX + float64(float64(min(column, l.RimColumn))*l.Spacing)
}

func (l *Law) worldZ(row int) float64 {
	return l.OriginZ + float64(float64(min(row, l.RimLine))*l.Spacing)
}

// AxisOffsets fills dx[i] and dz[i] with the distances in metres from the eye
// eastwards to column i and southwards to row i of tile k, at every step-th grid
// position. They come from the world's grid coordinates alone, so both tiles of a
// seam compute the same bits.
func (l *Law) AxisOffsets(layout *terrain.Layout, k terrain.Key, step int, dx, dz []float64) {
	x0, z0 := int(k.X)*layout.Cells, int(k.Y)*layout.Cells
	for i := 0; i <= layout.Cells; i += step {
		dx[i], dz[i] = l.OffsetX(x0+i), l.OffsetZ(z0+i)
	}
}

// OffsetX returns the distance in metres from the eye eastwards to a column of the
// world, and OffsetZ that southwards to a row.
func (l *Law) OffsetX(column int) float64 { return l.worldX(column) - l.Eye[0] }

// OffsetZ: see OffsetX.
func (l *Law) OffsetZ(row int) float64 { return l.worldZ(row) - l.Eye[2] }

// AxisSquares fills dx[i] and dz[i] with the squared distances in m² from the
// eye along X and Z to column i and row i of tile k, at every step-th grid
// position. They come from the world's grid coordinates alone, so both tiles of
// a seam compute the same bits.
func (l *Law) AxisSquares(layout *terrain.Layout, k terrain.Key, step int, dx, dz []float64) {
	x0, z0 := int(k.X)*layout.Cells, int(k.Y)*layout.Cells
	for i := 0; i <= layout.Cells; i += step {
		x, z := l.worldX(x0+i)-l.Eye[0], l.worldZ(z0+i)-l.Eye[2]
		dx[i], dz[i] = x*x, z*z
	}
}
