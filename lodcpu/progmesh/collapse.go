package progmesh

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
	h.target, h.kind = c.target, h.kind&^stale
	stays := c.key <= h.key
	if h.key = c.key; !stays {
		b.wait(h, p)
	}
	return stays
}

// retry gives p, which is at the top of the queue and in b.star, its cheapest legal
// collapse, or takes it out until its surroundings change.
func (b *builder) retry(p int32) {
	h := &b.heads[p]
	choices := b.choices(p, &b.star)
	for len(choices) > 0 {
		best := 0
		for i := range choices {
			if choices[i].less(choices[best]) {
				best = i
			}
		}
		c := choices[best]
		if b.legal(p, c.target) {
			h.target, h.key = c.target, c.key
			b.wait(h, p)
			return
		}
		last := len(choices) - 1
		choices[best], choices = choices[last], choices[:last]
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
	err, since := b.before(b.star.ring)
	d := b.moved(p, q, &e)
	err, since = err+d, since+d
	b.heads[p].queued = none
	for i, v := range s.from {
		b.parent[v] = s.to[i]
	}
	b.removed = append(b.removed, s.from...)
	for i := range e.sides {
		b.dead[e.faces[i]] = int32(len(b.steps))
		b.drawn--
	}
	if b.meter != nil {
		b.meter.gone(b.star.ring, &e)
	}
	b.replace(p, q, &e, err, since)
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
		bound = b.meter.bound(bound, since)
	}
	b.left -= len(s.from)
	b.steps = append(b.steps, step{vertices: uint32(b.left), triangles: uint32(b.drawn), err: bound})
	b.update(p, q)
}

// replace gives the faces of p but those of an edge another point, and errors.
func (b *builder) replace(p, q int32, e *edge, err, since float64) {
	s := &b.scratch
	ring := b.star.ring
	for i := range ring {
		f := ring[i].face
		if f < 0 || e.has(f) {
			continue
		}
		b.pasts[f].err = above(err)
		if b.meter != nil {
			b.meter.since[f] = above(since)
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
	for _, s := range b.ring(r) {
		if b.isStuck[s.to] {
			b.weigh(s.to)
		}
	}
}

// compare weighs the neighbours of q again after the collapse of p onto q. Only what a
// collapse onto q costs has changed, and onto p, which is gone: so the rest can wait until
// a neighbour comes to the top of the queue.
func (b *builder) compare(p, q int32) {
	ring, to, at := b.ring(q), &b.quadrics[q], b.heads[q].at.long()
	for i := range ring {
		r := ring[i].to
		h := &b.heads[r]
		if h.kind&fixed != 0 {
			continue
		}
		if h.kind&stuck != 0 {
			b.weigh(r)
			continue
		}
		b.weighed++
		c := choice{q, b.quadrics[r].onto(to, at.minus(h.at.long()).short(), float32(b.weight(r)))}
		if c.less(choice{h.target, h.key}) {
			b.aim(r, c)
		} else if h.target == p || h.target == q {
			h.kind |= stale
		}
	}
}
