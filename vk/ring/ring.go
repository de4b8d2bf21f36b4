// Package ring is the arithmetic of a ring buffer whose parts are in use until
// a timeline value is reached. It knows numbers only: package vk puts a mapped
// buffer behind it for staging, package pipeline for indices.
package ring

// Span is a part of the ring, in the units of the ring.
type Span struct {
	Offset, Size uint64
}

// section is what was reserved between two Submits.
type section struct {
	value uint64
	end   uint64 // position (ever growing) behind the section
}

// Ring hands out spans of [0, size) in order and takes them back in order. Use
// New. It is not safe for concurrent use, and does not allocate once it has
// seen as many open sections as it ever will.
//
// Positions grow for ever and are taken modulo the size, so full and empty
// never look alike.
type Ring struct {
	size       uint64
	head, tail uint64 // spans live in [tail, head)
	sealed     uint64 // position behind the last submitted section
	sections   []section
	first      int // sections[first:] are open
}

// New makes a ring of size units. It panics when size is 0.
func New(size uint64) *Ring {
	if size == 0 {
		panic("ring: size 0")
	}
	return &Ring{size: size, sections: make([]section, 0, 16)}
}

// Size gives the units of the whole ring.
func (r *Ring) Size() uint64 { return r.size }

// Used gives the units that are reserved or lost to alignment and wrapping.
func (r *Ring) Used() uint64 { return r.head - r.tail }

// Reserve takes n contiguous units whose offset is a multiple of align (any
// number; 0 means 1). ok is false, and nothing changes, when the ring has no
// room until some value is reached, or n is 0 or above the size.
func (r *Ring) Reserve(n, align uint64) (span Span, ok bool) {
	if n == 0 || n > r.size {
		return Span{}, false
	}
	if align == 0 {
		align = 1
	}
	if r.head == r.tail && r.first == len(r.sections) {
		// Empty: start over, so that the largest span fits.
		up := r.size - r.head%r.size
		if r.head%r.size == 0 {
			up = 0
		}
		r.head += up
		r.tail, r.sealed = r.head, r.head
	}
	at := r.head % r.size
	start := at
	if rest := start % align; rest != 0 {
		start += align - rest
	}
	skip := start - at
	if start >= r.size || n > r.size-start {
		skip = r.size - at // wrap; offset 0 suits every alignment
		start = 0
	}
	free := r.size - (r.head - r.tail)
	if skip > free || n > free-skip {
		return Span{}, false
	}
	r.head += skip + n
	return Span{Offset: start, Size: n}, true
}

// Submit says that everything reserved since the last Submit is in use until
// value is reached. Values must not fall; Submit panics when one does.
func (r *Ring) Submit(value uint64) {
	if r.head == r.sealed {
		return
	}
	if n := len(r.sections); n > r.first {
		last := &r.sections[n-1]
		if value < last.value {
			panic("ring: value fell")
		}
		if value == last.value {
			last.end, r.sealed = r.head, r.head
			return
		}
	}
	if r.first > 0 && len(r.sections) == cap(r.sections) {
		n := copy(r.sections, r.sections[r.first:])
		r.sections, r.first = r.sections[:n], 0
	}
	r.sections = append(r.sections, section{value, r.head})
	r.sealed = r.head
}

// Release takes back every section whose value is at most completed.
func (r *Ring) Release(completed uint64) {
	for r.first < len(r.sections) && r.sections[r.first].value <= completed {
		r.tail = r.sections[r.first].end
		r.first++
	}
	if r.first == len(r.sections) {
		r.sections, r.first = r.sections[:0], 0
	}
}

// Oldest gives the value that must be reached before anything more can be
// released; ok is false when no section is open.
func (r *Ring) Oldest() (value uint64, ok bool) {
	if r.first == len(r.sections) {
		return 0, false
	}
	return r.sections[r.first].value, true
}
