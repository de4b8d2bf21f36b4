package streaming

// rank says how soon a tile's turn comes.
type rank struct {
	class int     // larger first
	value float64 // then larger first
	index int     // then the order of the source
}

func (a rank) before(b rank) bool {
	if a.class != b.class {
		return a.class > b.class
	}
	if a.value != b.value {
		return a.value > b.value
	}
	return a.index < b.index
}

// queue is a binary heap, the first in place 0.
type queue []rank

// init makes any order a heap.
func (q queue) init() {
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

// pop removes the first.
func (q *queue) pop() {
	n := len(*q) - 1
	(*q)[0] = (*q)[n]
	*q = (*q)[:n]
	q.down(0)
}

// down moves place i to where it belongs below.
func (q queue) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(q) {
			return
		}
		if c+1 < len(q) && q[c+1].before(q[c]) {
			c++
		}
		if !q[c].before(q[i]) {
			return
		}
		q[i], q[c] = q[c], q[i]
		i = c
	}
}
