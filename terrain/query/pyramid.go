package query

// span is the least and the greatest of some heights in units.
type span[T uint16 | int32] struct{ lo, hi T }

// pyramid holds the spans of a grid of blocks, and of ever larger squares of
// them: each side of the next floor is half as long, rounded up, until one block
// is left.
type pyramid[T uint16 | int32] struct {
	floors []floor
	spans  []span[T]
}

type floor struct{ nx, nz, first int }

func newPyramid[T uint16 | int32](nx, nz int) (p pyramid[T]) {
	count := 0
	for {
		p.floors = append(p.floors, floor{nx, nz, count})
		count += nx * nz
		if nx*nz == 1 {
			break
		}
		nx, nz = (nx+1)/2, (nz+1)/2
	}
	p.spans = make([]span[T], count)
	return p
}

func (p *pyramid[T]) set(x, z int, s span[T]) { p.spans[z*p.floors[0].nx+x] = s }

// build fills all floors above the lowest.
func (p *pyramid[T]) build() {
	for i := 1; i < len(p.floors); i++ {
		below, f := p.floors[i-1], p.floors[i]
		for z := range f.nz {
			for x := range f.nx {
				s := p.spans[below.first+2*z*below.nx+2*x]
				for _, d := range [3][2]int{{1, 0}, {0, 1}, {1, 1}} {
					bx, bz := min(2*x+d[0], below.nx-1), min(2*z+d[1], below.nz-1)
					t := p.spans[below.first+bz*below.nx+bx]
					s.lo, s.hi = min(s.lo, t.lo), max(s.hi, t.hi)
				}
				p.spans[f.first+z*f.nx+x] = s
			}
		}
	}
}

// at returns the span of block x, z of a floor.
func (p *pyramid[T]) at(level, x, z int) span[T] {
	f := p.floors[level]
	return p.spans[f.first+z*f.nx+x]
}
