package progmesh

import "slices"

// reduce collapses the cheapest edge until there is none.
func (b *builder) reduce() {
	b.full = slices.Clone(b.corners)
	for p := range b.positions {
		b.weigh(int32(p))
	}
	for len(b.queue.heap) > 0 {
		p := b.queue.heap[0].point
		if b.legal(p, b.targets[p]) {
			b.collapse(p, b.targets[p])
		} else {
			b.retry(p)
		}
	}
}

// retry puts p back into the queue with its cheapest legal collapse, or takes it
// out until its surroundings change.
func (b *builder) retry(p int32) {
	choices := b.choices(p)
	slices.SortFunc(choices, func(x, y choice) int {
		if x.less(y) {
			return -1
		}
		return 1
	})
	for _, c := range choices {
		if b.legal(p, c.target) {
			b.targets[p] = c.target
			b.queue.set(p, c.cost, c.length)
			return
		}
	}
	b.queue.remove(p)
	b.kinds[p] |= stuck
}

// collapse moves p onto q. The caller has seen that it is legal.
func (b *builder) collapse(p, q int32) {
	if b.observe != nil {
		b.observe(p, q)
	}
	s := &b.scratch
	s.ring = b.neighbours(s.ring[:0], p)
	err := 0.0
	for _, f := range b.around[p] {
		err = max(err, b.errors[f])
	}
	err += b.moved(p, q, s.ring)
	b.match(p, q) // fills in from and to
	now := int32(len(b.steps))
	b.queue.remove(p)
	for i, v := range s.from {
		b.parent[v] = s.to[i]
	}
	b.removed = append(b.removed, s.from...)
	for _, f := range b.around[p] {
		if b.has(f, q) {
			b.remove(f, p, now)
			continue
		}
		b.replace(f, p, q, err)
	}
	b.around[p] = nil
	b.kinds[q] |= b.kinds[p] & rim
	if b.quadrics != nil {
		b.quadrics[q].add(&b.quadrics[p])
		b.know(q)
	}
	b.worst = max(b.worst, err)
	b.left -= len(s.from)
	b.steps = append(b.steps, step{uint32(b.left), uint32(b.drawn), b.worst})
	b.update(p, q)
}

// remove takes a face away from all its points but p.
func (b *builder) remove(f, p, now int32) {
	for _, r := range b.faces[f] {
		if r != p {
			b.around[r] = without(b.around[r], f)
		}
	}
	b.dead[f] = now
	b.drawn--
}

// without returns the list less f, in its order.
func without(list []int32, f int32) []int32 {
	at := index(list, f)
	return append(list[:at], list[at+1:]...)
}

// replace gives a face q for p, and an error.
func (b *builder) replace(f, p, q int32, err float64) {
	s := &b.scratch
	for k, r := range b.faces[f] {
		if r == p {
			b.faces[f][k] = q
			if at := index(s.from, b.corners[f][k]); at >= 0 {
				b.corners[f][k] = s.to[at]
			}
		}
	}
	b.normals[f] = b.normal(b.faces[f]).unit()
	b.errors[f] = err
	b.around[q] = append(b.around[q], f)
}

// update weighs again what the collapse of p onto q may have changed, and what was
// stuck near them.
func (b *builder) update(p, q int32) {
	s := &b.scratch
	if b.o.Cost == Quadric {
		s.more = b.neighbours(s.more[:0], q)
		for _, r := range s.more {
			b.compare(r, p, q)
		}
		b.weigh(q)
	} else {
		for _, r := range s.ring { // their faces changed
			b.weigh(r)
		}
	}
	for _, r := range s.ring {
		if len(b.around[r]) == 0 {
			b.queue.remove(r)
		}
		for _, f := range b.around[r] {
			for _, t := range b.faces[f] {
				if b.kinds[t]&stuck != 0 {
					b.weigh(t)
				}
			}
		}
	}
}

// compare weighs a neighbour r of q again after the collapse of p onto q: only what
// a collapse onto q costs has changed.
func (b *builder) compare(r, p, q int32) {
	if b.targets[r] == p || b.targets[r] == q || b.queue.at[r] < 0 || b.kinds[r]&(rim|seamed) != 0 {
		b.weigh(r)
		return
	}
	now := &b.queue.heap[b.queue.at[r]]
	c := b.choice(r, q)
	if old := (choice{b.targets[r], now.cost, float64(now.length)}); c.less(old) {
		b.targets[r] = q
		b.queue.set(r, c.cost, c.length)
	}
}
