package progmesh

// entry is a point that waits, with what its collapse costs.
type entry struct {
	cost   float64
	length float32
	point  int32
}

// queue is a binary heap of points, the cheapest collapse first. Of equal costs the
// shorter edge is first, then the lower point, so that the order is always the same.
type queue struct {
	heap []entry
	at   []int32 // by point: its place in heap, or -1
}

func newQueue(points int) *queue {
	q := &queue{heap: make([]entry, 0, points), at: make([]int32, points)}
	for i := range q.at {
		q.at[i] = -1
	}
	return q
}

func (a *entry) less(b *entry) bool {
	if a.cost != b.cost {
		return a.cost < b.cost
	}
	if a.length != b.length {
		return a.length < b.length
	}
	return a.point < b.point
}

// set puts p into the queue or moves it to where it belongs.
func (q *queue) set(p int32, cost, length float64) {
	e := entry{cost, float32(length), p}
	if q.at[p] < 0 {
		q.at[p] = int32(len(q.heap))
		q.heap = append(q.heap, e)
	}
	q.heap[q.at[p]] = e
	q.down(q.up(int(q.at[p])))
}

// remove takes p out of the queue, if it is in it.
func (q *queue) remove(p int32) {
	i := int(q.at[p])
	if i < 0 {
		return
	}
	last := len(q.heap) - 1
	q.put(i, q.heap[last])
	q.heap = q.heap[:last]
	q.at[p] = -1
	if i < last {
		q.down(q.up(i))
	}
}

func (q *queue) put(i int, e entry) { q.heap[i], q.at[e.point] = e, int32(i) }

func (q *queue) up(i int) int {
	e := q.heap[i]
	for i > 0 {
		above := (i - 1) / 2
		if !e.less(&q.heap[above]) {
			break
		}
		q.put(i, q.heap[above])
		i = above
	}
	q.put(i, e)
	return i
}

func (q *queue) down(i int) {
	e := q.heap[i]
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			break
		}
		if child+1 < len(q.heap) && q.heap[child+1].less(&q.heap[child]) {
			child++
		}
		if !q.heap[child].less(&e) {
			break
		}
		q.put(i, q.heap[child])
		i = child
	}
	q.put(i, e)
}
