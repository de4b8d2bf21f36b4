package progmesh

import "math"

// keyOf packs a cost and a length, neither negative, so that keys are in the order of
// costs, and where those are the same in the order of lengths.
func keyOf(cost, length float64) uint64 {
	return uint64(math.Float32bits(float32(cost)))<<32 | uint64(math.Float32bits(float32(length)))
}

// costOf returns the cost in a key.
func costOf(key uint64) float64 { return float64(math.Float32frombits(uint32(key >> 32))) }

// entry is a point that waits, with what its collapse costs.
type entry struct {
	key   uint64
	point int32
}

// queue is a heap of points, each above four others, the cheapest collapse first. Of
// equal keys the lower point is first, so that the order is always the same.
type queue struct {
	heap []entry
	at   []int32 // by point: its place in heap, or -1
}

const arity = 4

func newQueue(points int) *queue {
	q := &queue{heap: make([]entry, 0, points), at: make([]int32, points)}
	for i := range q.at {
		q.at[i] = -1
	}
	return q
}

func (a entry) less(b entry) bool { return a.key < b.key || a.key == b.key && a.point < b.point }

// set puts p into the queue or moves it to where it belongs.
func (q *queue) set(p int32, key uint64) {
	e, i := entry{key, p}, int(q.at[p])
	if i < 0 {
		i = len(q.heap)
		q.heap = append(q.heap, e)
	}
	q.move(i, e)
}

// remove takes p out of the queue, if it is in it.
func (q *queue) remove(p int32) {
	i := int(q.at[p])
	if i < 0 {
		return
	}
	last := len(q.heap) - 1
	e := q.heap[last]
	q.heap = q.heap[:last]
	q.at[p] = -1
	if i < last {
		q.move(i, e)
	}
}

// move puts an entry at place i, which is free, or where it belongs from there.
func (q *queue) move(i int, e entry) {
	i = q.down(q.up(i, e), e)
	q.heap[i] = e
	q.at[e.point] = int32(i)
}

// up moves what is above place i and dearer than e down, and returns the place that
// is free then.
func (q *queue) up(i int, e entry) int {
	heap := q.heap
	for i > 0 {
		above := (i - 1) / arity
		if !e.less(heap[above]) {
			break
		}
		heap[i] = heap[above]
		q.at[heap[i].point] = int32(i)
		i = above
	}
	return i
}

// down moves what is below place i and cheaper than e up.
func (q *queue) down(i int, e entry) int {
	heap := q.heap
	for {
		first := arity*i + 1
		if first >= len(heap) {
			return i
		}
		least := first
		for k := first + 1; k < min(first+arity, len(heap)); k++ {
			if heap[k].less(heap[least]) {
				least = k
			}
		}
		if !heap[least].less(e) {
			return i
		}
		heap[i] = heap[least]
		q.at[heap[i].point] = int32(i)
		i = least
	}
}
