package synth

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Endless is land without end: ranges, hills, plains and seas from noise alone. It has
// none of what water does to a land in [Generate], for that needs to know where all
// water goes; but any sample can be had at any time, in any order, and is always the same.
//
// Package endless makes tiles of it.
type Endless struct {
	Spacing float64 // metres between samples
	Quantum float64 // metres a unit
	Seed    uint64
}

// What there is of relief, metres, and how far it goes.
const (
	endlessHigh = 2600.0  // a range's summits
	endlessDeep = 300.0   // the seas
	rangeLength = 9000.0  // from one ridge to the next, metres
	landLength  = 60000.0 // from one land to the next
)

// Bounds are heights in quanta that no sample is beyond.
func (e *Endless) Bounds() terrain.Bounds {
	return terrain.Bounds{Min: int32(math.Floor(-2 * endlessDeep / e.Quantum)), Max: int32(math.Ceil(2 * endlessHigh / e.Quantum))}
}

// What changes slowly is computed every so many metres at most, and in between is a
// spline of it: positions are the same whatever is asked for.
const lattice = 250.0

// Heights fills heights, row by row, with those of samples from column x and row z on,
// in quanta. Any goroutine may call it.
func (e *Endless) Heights(heights []int32, x, z int64, columns int) {
	step := int64(1)
	for float64(2*step)*e.Spacing <= lattice {
		step *= 2
	}
	b, rows := e.Bounds(), len(heights)/columns
	x0, z0 := x&^(step-1)-step, z&^(step-1)-step
	nx, nz := int((x+int64(columns)-1-x0)/step)+3, int((z+int64(rows)-1-z0)/step)+3
	slow, row := make([]lie, nx*nz), make([]lie, nx)
	for i := range slow {
		slow[i] = e.lie(float64(x0+int64(i%nx)*step)*e.Spacing, float64(z0+int64(i/nx)*step)*e.Spacing)
	}
	for j := range rows {
		dz := z + int64(j) - z0
		at, w := int(dz/step)-1, weights(float64(dz%step)/float64(step))
		for i := range row {
			row[i] = blend(&slow[at*nx+i], &slow[(at+1)*nx+i], &slow[(at+2)*nx+i], &slow[(at+3)*nx+i], &w)
		}
		for i := range columns {
			dx := x + int64(i) - x0
			at, w := int(dx/step)-1, weights(float64(dx%step)/float64(step))
			l := blend(&row[at], &row[at+1], &row[at+2], &row[at+3], &w)
			h := math.Round(e.height(float64(x+int64(i))*e.Spacing, float64(z+int64(j))*e.Spacing, &l) / e.Quantum)
			heights[j*columns+i] = int32(min(max(h, float64(b.Min)), float64(b.Max)))
		}
	}
}

// lie is what changes slowly over the land.
type lie struct{ bendX, bendZ, land, belt float64 }

func blend(a, b, c, d *lie, w *[4]float64) lie {
	mix := func(a, b, c, d float64) float64 {
		return float64(float64(a*w[0])+float64(b*w[1])) + float64(float64(c*w[2])+float64(d*w[3]))
	}
	return lie{
		mix(a.bendX, b.bendX, c.bendX, d.bendX), mix(a.bendZ, b.bendZ, c.bendZ, d.bendZ),
		mix(a.land, b.land, c.land, d.land), mix(a.belt, b.belt, c.belt, d.belt),
	}
}

func (e *Endless) lie(x, z float64) (l lie) {
	// Noise bends noise, and what is coarse is turned, so that nothing runs along a
	// lattice.
	x, z = turned(x/landLength, z/landLength)
	l.bendX = fbm(x*1.7, z*1.7, 4, 0.5, e.Seed^0x51)
	l.bendZ = fbm(z*1.7+31.7, x*1.7-12.9, 4, 0.5, e.Seed^0x52)
	u, v := x+float64(0.6*l.bendX), z+float64(0.6*l.bendZ)
	l.land = fbm(u, v, 5, 0.45, e.Seed^0x61) + 0.16
	// Ranges stand where a second noise says so, inland.
	u, v = turned(u*2.3+7.1, v*2.3+3.3)
	l.belt = float64(smooth(0.02, 0.6, l.land) * smooth(-0.3, 0.45, fbm(u, v, 3, 0.5, e.Seed^0x71)))
	return l
}

// turned turns a place by an angle that fits no lattice.
func turned(x, z float64) (u, v float64) {
	const c, s = 0.8525245220595057, 0.5226872289306592 // of 0.55
	return float64(x*c) - float64(z*s), float64(x*s) + float64(z*c)
}

// height returns metres above the sea.
func (e *Endless) height(x, z float64, l *lie) float64 {
	coast := smooth(-0.12, 0.12, l.land)
	ground := 25.0
	if coast > 0 {
		hills := 0.5 + float64(0.5*fbm(x/2600, z/2600, 5, 0.5, e.Seed^0x91))
		ground += float64(160 * hills * smooth(0, 0.35, l.land))
	}
	if l.belt > 0 {
		u, v := turned(x/rangeLength+float64(0.4*l.bendX), z/rangeLength+float64(0.4*l.bendZ))
		ground += float64(endlessHigh * l.belt * ridges(u, v, e.Seed^0x81))
	}
	return float64(ground*coast) - 12 - float64(endlessDeep*0.4*(1-coast)) - float64(endlessDeep*smooth(-0.1, -0.7, l.land))
}

// ridges are sharp crests with valleys between, 0 to about 1: octaves of noise folded
// at 0, each weighted by the one before, so that valley floors are smooth. After Musgrave,
// "Methods for Realistic Landscape Imaging", 1993.
func ridges(x, z float64, seed uint64) float64 {
	const octaves = 7
	sum, amp, weight := 0.0, 0.55, 1.0
	for i := range octaves {
		n := 1 - math.Abs(noise(x, z, seed+uint64(i)*0x632be59bd9b4e019))
		n *= float64(n * weight)
		weight = min(1, max(0, 1.7*n))
		sum += float64(amp * n)
		x, z = float64(x*1.7)-float64(z*1.3)+5.1, float64(x*1.3)+float64(z*1.7)-8.3
		amp *= 0.46
	}
	return sum
}
