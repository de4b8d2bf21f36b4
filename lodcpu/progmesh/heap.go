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

// entry is a point that waits, below a key. Of equal keys the lower point is first, so
// that the order is always the same.
type entry uint64

func entryOf(key uint32, p int32) entry { return entry(key)<<32 | entry(uint32(p)) }

func (e entry) key() uint32 { return uint32(e >> 32) }

func (e entry) point() int32 { return int32(uint32(e)) }

// queue is a heap, each entry above eight others, which are a line of the cache. It does
// not know where a point's entry is: one that comes to wait for less gets another one, and
// what is too low or left over is found out when it comes to the top.
type queue struct {
	heap []entry // from place 7 on
}

const (
	arity = 8
	root  = arity - 1
)

// newQueue makes a heap of entries.
func newQueue(entries []entry) *queue {
	q := &queue{make([]entry, root+len(entries), root+len(entries)+len(entries)/2)}
	copy(q.heap[root:], entries)
	for i := len(q.heap)/arity + root - 1; i >= root; i-- {
		q.sink(i, q.heap[i])
	}
	return q
}

func (q *queue) empty() bool { return len(q.heap) == root }

func (q *queue) top() entry { return q.heap[root] }

// push adds an entry.
func (q *queue) push(e entry) {
	q.heap = append(q.heap, e)
	heap := q.heap
	i := len(heap) - 1
	for i > root {
		above := i/arity + root - 1
		if e >= heap[above] {
			break
		}
		heap[i] = heap[above]
		i = above
	}
	heap[i] = e
}

// replace puts an entry in the place of the top.
func (q *queue) replace(e entry) { q.sink(root, e) }

// pop takes the top out.
func (q *queue) pop() {
	last := len(q.heap) - 1
	e := q.heap[last]
	if q.heap = q.heap[:last]; last > root {
		q.sink(root, e)
	}
}

// sink puts an entry at place i or below, and what is less above it.
func (q *queue) sink(i int, e entry) {
	heap := q.heap
	for {
		first := arity * (i - root + 1)
		if first >= len(heap) {
			break
		}
		below := heap[first:min(first+arity, len(heap))]
		least, at := below[0], 0
		for k, x := range below {
			if x < least {
				least, at = x, k
			}
		}
		if e <= least {
			break
		}
		heap[i] = least
		i = first + at
	}
	heap[i] = e
}
