package progmesh

import "math"

// tiny is a cost that is none. Keys below its own are of lengths.
const tiny = 1.0 / (1 << 50) / (1 << 50)

// keyOf packs a cost and a squared length, neither negative, so that keys are in the order
// of costs, and of lengths where there is no cost.
func keyOf(cost, squared float32) uint32 {
	if cost < tiny {
		return math.Float32bits(squared) >> 4
	}
	return math.Float32bits(cost)
}

// costOf returns the cost in a key.
func costOf(key uint32) float64 {
	if c := float64(math.Float32frombits(key)); c >= tiny {
		return c
	}
	return 0
}

// none is the key of a point that does not wait.
const none = math.MaxUint32

// entry is a point below a key: one that waits, or one to go to. Of equal keys the lower
// point is first, so that the order is always the same. It has 61 bits.
type entry uint64

const pointBits = 29 // as many as MaxVertices takes

func entryOf(key uint32, p int32) entry { return entry(key)<<pointBits | entry(uint32(p)) }

func (e entry) key() uint32 { return uint32(e >> pointBits) }

func (e entry) point() int32 { return int32(e & (1<<pointBits - 1)) }

// queue is a heap, each entry above eight others, which are a line of the cache. It does
// not know where a point's entry is: one that comes to wait for less gets another one, and
// what is too low or left over is found out when it comes to the top.
type queue struct {
	heap []entry // from place root on, full of last at the end, to a multiple of arity
	end  int
}

const (
	arity = 8
	root  = arity - 1
	last  = entry(1)<<61 - 1 // after all others
)

var lasts = [arity]entry{last, last, last, last, last, last, last, last}

// newQueue makes a heap of entries.
func newQueue(entries []entry) *queue {
	q := &queue{make([]entry, 0, len(entries)+len(entries)/4+2*arity), root + len(entries)}
	q.heap = append(append(q.heap, lasts[:root]...), entries...)
	q.heap = append(q.heap, lasts[:-len(q.heap)&(arity-1)]...)
	for i := q.end/arity + root - 1; i >= root; i-- {
		if i < q.end {
			q.sink(i, q.heap[i])
		}
	}
	return q
}

func (q *queue) empty() bool { return q.end == root }

func (q *queue) top() entry { return q.heap[root] }

// push adds an entry.
func (q *queue) push(e entry) {
	if q.end == len(q.heap) {
		q.heap = append(q.heap, lasts[:]...)
	}
	heap, i := q.heap, q.end
	for i > root {
		above := i/arity + root - 1
		if e >= heap[above] {
			break
		}
		heap[i] = heap[above]
		i = above
	}
	heap[i] = e
	q.end++
}

// replace puts an entry in the place of the top.
func (q *queue) replace(e entry) { q.sink(root, e) }

// pop takes the top out.
func (q *queue) pop() {
	q.end--
	e := q.heap[q.end]
	q.heap[q.end] = last
	if q.end > root {
		q.sink(root, e)
	}
}

// sink puts an entry at place i or below, and what is less above it. Which of eight is
// least is found without a branch: their places take the three bits that entries leave.
func (q *queue) sink(i int, e entry) {
	heap, end := q.heap, q.end
	for {
		first := arity * (i - root + 1)
		if first >= end {
			break
		}
		below := (*[arity]entry)(heap[first:])
		one, two := min(below[0]<<3, below[1]<<3|1), min(below[2]<<3|2, below[3]<<3|3)
		three, four := min(below[4]<<3|4, below[5]<<3|5), min(below[6]<<3|6, below[7]<<3|7)
		least := min(min(one, two), min(three, four))
		if e <= least>>3 {
			break
		}
		heap[i] = least >> 3
		i = first + int(least&7)
	}
	heap[i] = e
}
