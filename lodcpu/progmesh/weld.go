package progmesh

import (
	"math"
	"slices"
)

// table finds equal things by their hash, with open addressing: it holds 1 + the
// place of each, or 0.
type table []int32

func newTable(n int) table {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return make(table, size)
}

// slot returns where to begin to look for something of a hash.
func (t table) slot(hash uint64) int {
	hash *= 0x9e3779b97f4a7c15
	return int((hash ^ hash>>32) & uint64(len(t)-1))
}

func (t table) next(slot int) int { return (slot + 1) & (len(t) - 1) }

// attributes are a vertex's position, normal and texture coordinates, bit by bit.
type attributes [8]uint32

func attributesOf(s *Source, i int) (a attributes) {
	for k := range 3 {
		a[k] = bits(s.Positions[i][k])
		if s.Normals != nil {
			a[3+k] = bits(s.Normals[i][k])
		}
	}
	for k := range 2 {
		if s.UVs != nil {
			a[6+k] = bits(s.UVs[i][k])
		}
	}
	return a
}

// bits returns a number's bits; both zeros have the same.
func bits(f float32) uint32 {
	if f == 0 {
		return 0
	}
	return math.Float32bits(f)
}

// hashOf mixes words.
func hashOf(words []uint32) (h uint64) {
	for _, w := range words {
		h = (h ^ uint64(w)) * 0xff51afd7ed558ccd
		h ^= h >> 29
	}
	return h
}

// weld fills in points and faces. Equal vertices become one, and vertices at one
// position become one point; triangles without three points are dropped, and
// those that are there already.
func (b *builder) weld(s *Source) {
	n := len(s.Positions)
	b.heads, b.vertices = make([]head, 0, n), make([]int32, 0, n)
	same, of := make([]int32, n), make([]int32, n)
	plain := s.Normals == nil && s.UVs == nil
	places, wholes, seams := newTable(n), table(nil), false
	if !plain {
		wholes = newTable(n)
	}
	for i := range s.Positions {
		a := attributesOf(s, i)
		same[i] = int32(i)
		if !plain {
			at := wholes.slot(hashOf(a[:]))
			for ; wholes[at] != 0 && attributesOf(s, int(wholes[at]-1)) != a; at = wholes.next(at) {
			}
			if j := wholes[at] - 1; j >= 0 {
				same[i], of[i] = j, of[j]
				continue
			}
			wholes[at] = int32(i) + 1
		}
		at := places.slot(hashOf(a[:3]))
		for ; places[at] != 0 && s.Positions[b.vertices[places[at]-1]] != s.Positions[i]; at = places.next(at) {
		}
		p := places[at] - 1
		switch {
		case p < 0:
			p = int32(len(b.heads))
			places[at] = p + 1
			b.heads, b.vertices = append(b.heads, head{at: short{s.Positions[i][0], s.Positions[i][1], s.Positions[i][2]}}), append(b.vertices, int32(i))
		case plain:
			same[i] = b.vertices[p]
		default:
			b.heads[p].kind |= seamed
			seams = true
		}
		of[i] = p
	}
	b.settle(of)
	b.protect(s.Weights, of)
	b.take(s.Triangles, same, of)
	b.parent = make([]int32, n)
	if seams {
		b.now = make([][6]int32, len(b.faces))
		for f, c := range b.corners {
			t := b.faces[f]
			b.now[f] = [6]int32{t[0], t[1], t[2], c[0], c[1], c[2]}
		}
	}
}

// settle puts points in the order of a Morton curve, so that what is near in space
// is near in memory, and renames them in of.
func (b *builder) settle(of []int32) {
	lo, hi := b.box()
	side := hi.minus(lo)
	scale := (1<<mortonBits - 1) / max(side.x, side.y, side.z)
	keys := make([]uint64, len(b.heads)) // on the curve, and the place till now
	for i := range b.heads {
		p := b.heads[i].at.long().minus(lo).times(scale)
		keys[i] = (spread(p.x)|spread(p.y)<<1|spread(p.z)<<2)<<32 | uint64(i)
	}
	keys = byHigh(keys)
	now := make([]int32, len(keys))
	for i, key := range keys {
		now[uint32(key)] = int32(i)
	}
	b.heads, b.vertices = inOrder(b.heads, keys), inOrder(b.vertices, keys)
	for v, p := range of {
		of[v] = now[p]
	}
}

// byHigh sorts by the upper halves, which are below 1<<(3·mortonBits).
func byHigh(keys []uint64) []uint64 {
	other := make([]uint64, len(keys))
	for shift := 32; shift < 32+3*mortonBits; shift += mortonBits {
		var starts [1<<mortonBits + 1]int
		for _, k := range keys {
			starts[k>>shift&(1<<mortonBits-1)+1]++
		}
		for i := range 1 << mortonBits {
			starts[i+1] += starts[i]
		}
		for _, k := range keys {
			at := &starts[k>>shift&(1<<mortonBits-1)]
			other[*at] = k
			*at++
		}
		keys, other = other, keys
	}
	return keys
}

func inOrder[T any](list []T, keys []uint64) []T {
	sorted := make([]T, len(list))
	for i, key := range keys {
		sorted[i] = list[uint32(key)]
	}
	return sorted
}

// mortonBits are those of one coordinate.
const mortonBits = 10

// spread returns a coordinate's bits with two zeros between each.
func spread(c float64) uint64 {
	v := uint64(0)
	if c > 0 {
		v = uint64(min(c, 1<<mortonBits-1))
	}
	v = (v | v<<16) & 0x030000ff
	v = (v | v<<8) & 0x0300f00f
	v = (v | v<<4) & 0x030c30c3
	return (v | v<<2) & 0x09249249
}

// protect gives each point the largest weight of its vertices.
func (b *builder) protect(weights []float64, of []int32) {
	if weights == nil {
		return
	}
	b.weights = make([]float64, len(b.heads))
	for v, w := range weights {
		b.weights[of[v]] = max(b.weights[of[v]], w)
	}
}

// take fills in the faces, sorted by their lowest points.
func (b *builder) take(triangles [][3]uint32, same, of []int32) {
	starts := make([]int32, len(b.heads)+1)
	lowest := func(t [3]uint32) int32 { return min(of[t[0]], of[t[1]], of[t[2]]) }
	for _, t := range triangles {
		starts[lowest(t)+1]++
	}
	for i := range b.heads {
		starts[i+1] += starts[i]
	}
	sorted := make([][3]uint32, len(triangles))
	for _, t := range triangles {
		at := &starts[lowest(t)]
		sorted[*at] = t
		*at++
	}
	b.faces, b.corners = make([][3]int32, 0, len(triangles)), make([][3]int32, 0, len(triangles))
	first := 0
	for _, t := range sorted {
		face, corner := [3]int32{of[t[0]], of[t[1]], of[t[2]]}, [3]int32{same[t[0]], same[t[1]], same[t[2]]}
		if face[0] == face[1] || face[1] == face[2] || face[2] == face[0] {
			continue
		}
		for face[0] > face[1] || face[0] > face[2] {
			face, corner = [3]int32{face[1], face[2], face[0]}, [3]int32{corner[1], corner[2], corner[0]}
		}
		if first < len(b.faces) && b.faces[first][0] != face[0] {
			first = len(b.faces)
		}
		if !b.known(face, first) {
			b.faces, b.corners = append(b.faces, face), append(b.corners, corner)
		}
	}
}

// known says whether a face is there already, in those from first on, which have the
// same lowest point. Of many it asks a map.
func (b *builder) known(face [3]int32, first int) bool {
	const many = 64
	if len(b.faces)-first < many {
		return slices.Contains(b.faces[first:], face)
	}
	if b.many.known == nil || b.many.first != first {
		b.many.first, b.many.known = first, make(map[[3]int32]struct{})
		for _, f := range b.faces[first:] {
			b.many.known[f] = struct{}{}
		}
	}
	_, ok := b.many.known[face]
	b.many.known[face] = struct{}{}
	return ok
}
