package progmesh

import "slices"

// reduce collapses the cheapest edge until there is none.
func (b *builder) reduce() {
	b.weighAll()
	if b.o.Measure {
		b.meter = newMeter(b)
	}
	for !b.queue.empty() {
		e := b.queue.top()
		p := e.point()
		h := &b.heads[p]
		if e.key() != h.queued {
			b.queue.pop()
			continue
		}
		if e.key() < h.key {
			b.wait(h, p)
			continue
		}
		if b.gather(&b.star, p); h.kind&stale != 0 && !b.fresh(p) {
			continue
		}
		if !b.legal(p, h.target) {
			b.retry(p)
			continue
		}
		b.queue.pop()
		b.collapse(p, h.target)
		if b.meter != nil && b.left <= b.meter.next {
			b.steps[len(b.steps)-1].err = b.meter.measure()
		}
	}
}

// wait puts the top of the queue, which is p's, where it belongs.
func (b *builder) wait(h *head, p int32) {
	h.queued = h.key
	b.queue.replace(entryOf(h.key, p))
}

// fresh weighs p again, which is at the top of the queue and in b.star, and says whether
// it stays there.
func (b *builder) fresh(p int32) bool {
	h, c := &b.heads[p], b.cheapest(p, &b.star)
	stays := c.key() <= h.key
	h.target, h.key, h.kind = c.point(), c.key(), h.kind&^stale
	if !stays {
		b.wait(h, p)
	}
	return stays
}

// retry gives p, which is at the top of the queue and in b.star, its cheapest legal
// collapse, or takes it out until its surroundings change.
func (b *builder) retry(p int32) {
	h := &b.heads[p]
	choices := b.choices(p, &b.star)
	slices.Sort(choices)
	for _, c := range choices {
		if b.legal(p, c.point()) {
			h.target, h.key = c.point(), c.key()
			b.wait(h, p)
			return
		}
	}
	b.queue.pop()
	h.queued = none
	h.kind |= stuck
	b.isStuck[p] = true
	b.stuck++
}

// collapse moves p, whose star is in b.star, onto q. The caller has just seen that it is
// legal.
func (b *builder) collapse(p, q int32) {
	if b.observe != nil {
		b.observe(p, q, costOf(b.heads[p].key)/b.scale)
	}
	s := &b.scratch
	e := edgeTo(b.star.ring, q)
	d := b.moved(p, q, &e)
	err := b.before(b.star.ring) + d
	b.heads[p].queued = none
	for i, v := range s.from {
		b.parent[v] = s.to[i]
	}
	b.removed = append(b.removed, s.from...)
	for i := range e.sides {
		b.dead[e.faces[i]] = int32(len(b.steps))
		b.drawn--
	}
	var moved move
	if b.meter != nil {
		moved = b.meter.before(b.star.ring).plus(d)
		b.meter.gone(b.star.ring, &e)
	}
	b.replace(p, q, &e, err, moved)
	for i := range b.star.ring {
		if r := b.star.ring[i].to; r != q {
			b.exchange(r, p, q, &e)
		}
	}
	b.splice(p, q, &e)
	b.heads[q].kind |= b.heads[p].kind & rim
	if b.quadrics != nil {
		b.quadrics[p].move(b.star.near[e.spoke])
		b.quadrics[q].add(&b.quadrics[p])
	}
	b.worst = max(b.worst, err)
	bound := b.worst
	if b.meter != nil {
		bound = b.meter.bound(bound, moved)
	}
	b.left -= len(s.from)
	b.steps = append(b.steps, step{vertices: uint32(b.left), triangles: uint32(b.drawn), err: bound})
	b.update(p, q)
}

// replace gives the faces of p but those of an edge another point, and errors.
func (b *builder) replace(p, q int32, e *edge, err float64, moved move) {
	s := &b.scratch
	ring := b.star.ring
	for i := range ring {
		f := ring[i].face
		if f < 0 || e.has(f) {
			continue
		}
		b.pasts[f].err = above(err)
		if b.meter != nil {
			b.meter.moves[f] = moved
		}
		if b.now == nil {
			continue
		}
		t := &b.now[f]
		k := index(t[:3], p)
		t[k] = q
		t[3+k] = s.to[index(s.from, t[3+k])]
	}
}

// update weighs again what the collapse of p onto q may have changed, and what was
// stuck near them.
func (b *builder) update(p, q int32) {
	ring := b.star.ring
	if b.o.Cost == Quadric {
		b.weigh(q)
		b.compare(p, q)
	} else {
		for i := range ring { // their faces changed
			b.weigh(ring[i].to)
		}
	}
	for i := range ring {
		r := ring[i].to
		if b.room(r).to == 0 {
			b.heads[r].queued = none
		}
		if b.stuck > 0 {
			b.free(r)
		}
	}
}

// free weighs again what was stuck at r and next to it.
func (b *builder) free(r int32) {
	if b.isStuck[r] {
		b.weigh(r)
	}
	if b.room(r).to > maxFaces { // nothing may go onto r, nor is what lies beyond changed
		return
	}
	for _, s := range b.ring(r) {
		if b.isStuck[s.to] {
			b.weigh(s.to)
		}
	}
}

// compare weighs the neighbours of q, whose star is in b.other unless it is fixed, again
// after the collapse of p onto q. Only what a collapse onto q costs has changed, and onto
// p, which is gone: so the rest can wait until a neighbour comes to the top of the queue.
func (b *builder) compare(p, q int32) {
	if b.heads[q].kind&fixed != 0 {
		b.gather(&b.other, q)
	}
	to := &b.quadrics[q]
	near := b.other.near[:len(b.other.ring)]
	for i, s := range b.other.ring {
		r := s.to
		h := &b.heads[r]
		if h.kind&(fixed|stuck) != 0 {
			continue // the latter are freed
		}
		b.weighed++
		key := b.quadrics[r].onto(to, near[i].times(-1).short(), real(b.weight(r)))
		if c := entryOf(key, q); c < entryOf(h.key, h.target) {
			b.aim(r, c)
		} else if h.target == p || h.target == q {
			h.kind |= stale
		}
	}
}
