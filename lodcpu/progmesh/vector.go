package progmesh

import "math"

// vector is a struct, not an array, so that the compiler keeps it in registers.
type vector struct{ x, y, z float64 }

func (a vector) minus(b vector) vector { return vector{a.x - b.x, a.y - b.y, a.z - b.z} }

func (a vector) plus(b vector) vector { return vector{a.x + b.x, a.y + b.y, a.z + b.z} }

func (a vector) times(f float64) vector { return vector{a.x * f, a.y * f, a.z * f} }

func (a vector) dot(b vector) float64 { return a.x*b.x + a.y*b.y + a.z*b.z }

func (a vector) cross(b vector) vector {
	return vector{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

func (a vector) length() float64 { return math.Sqrt(a.dot(a)) }

// unit returns a's direction, 0 if it has none.
func (a vector) unit() vector {
	l := a.length()
	if !(l > 0) {
		return vector{}
	}
	return a.times(1 / l)
}

// direction is unit for any finite a, however long or short.
func (a vector) direction() vector {
	longest := max(math.Abs(a.x), math.Abs(a.y), math.Abs(a.z))
	if longest == 0 {
		return vector{}
	}
	_, exponent := math.Frexp(longest)
	return vector{math.Ldexp(a.x, -exponent), math.Ldexp(a.y, -exponent), math.Ldexp(a.z, -exponent)}.unit()
}

// axis returns the direction of the axis that a is nearest to.
func (a vector) axis() vector {
	x, y, z := math.Abs(a.x), math.Abs(a.y), math.Abs(a.z)
	switch max(x, y, z) {
	case x:
		return vector{x: math.Copysign(1, a.x)}
	case y:
		return vector{y: math.Copysign(1, a.y)}
	}
	return vector{z: math.Copysign(1, a.z)}
}

// short is what is stored of a vector.
type short struct{ x, y, z float32 }

func (a vector) short() short { return short{float32(a.x), float32(a.y), float32(a.z)} }

func (a short) long() vector { return vector{float64(a.x), float64(a.y), float64(a.z)} }
