package ogre

import "math"

func (a vec) add(b vec) vec { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }

// unit returns a with length 1, and zero where it has none.
func (a vec) unit() vec {
	length := float32(math.Sqrt(float64(a.dot(a))))
	if !(length > 0) {
		return a
	}
	inv := 1 / length
	return vec{a.x * inv, a.y * inv, a.z * inv}
}

// ring is the columns and rows of the eight neighbours, counter-clockwise from
// the east.
var ring = [8][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// NormalMap makes the map of that name as OGRE does for a terrain without
// neighbours: a normal is the sum of those of the eight triangles around a
// sample. OGRE makes it again when it loads a terrain without one.
func (t *Terrain) NormalMap() Map {
	at := t.lattice()
	last := t.Size - 1
	point := func(x, y int) vec {
		x, y = min(max(x, 0), last), min(max(y, 0), last)
		p := t.Align.world(at[x], at[y], t.Heights[y*t.Size+x])
		return vec{p[0], p[1], p[2]}
	}
	m := Map{Name: NormalMap, Size: t.Size, Pix: make([]byte, 0, 3*t.Size*t.Size)}
	for y := last; y >= 0; y-- {
		for x := range t.Size {
			c := point(x, y)
			var around [8]vec
			for i, r := range ring {
				around[i] = point(x+r[0], y+r[1])
			}
			var sum vec
			for i := range around {
				sum = sum.add(around[i].sub(c).cross(around[(i+1)%8].sub(c)).unit())
			}
			n := sum.unit()
			m.Pix = append(m.Pix, normalByte(n.x), normalByte(n.y), normalByte(n.z))
		}
	}
	return m
}

func normalByte(v float32) byte { return byte(int32(float32(float32(v+1)*0.5) * 255)) }
