package progmesh

// reduce collapses the cheapest edge until there is none.
func (b *builder) reduce() {
	for p := range b.heads {
		b.weigh(int32(p))
	}
	if b.o.Measure {
		b.meter = newMeter(b)
	}
	for len(b.queue.heap) > 0 {
		p := b.queue.heap[0].point
		if q := b.heads[p].target; b.legal(p, q) {
			b.collapse(p, q)
			if b.meter != nil && b.left <= b.meter.next {
				b.steps[len(b.steps)-1].err = b.meter.measure()
			}
		} else {
			b.retry(p)
		}
	}
}

// retry puts p back into the queue with its cheapest legal collapse, or takes it
// out until its surroundings change.
func (b *builder) retry(p int32) {
	choices := b.choices(p)
	for len(choices) > 0 {
		best := 0
		for i := range choices {
			if choices[i].less(choices[best]) {
				best = i
			}
		}
		c := choices[best]
		if b.legal(p, c.target) {
			b.aim(p, c)
			return
		}
		last := len(choices) - 1
		choices[best], choices = choices[last], choices[:last]
	}
	b.queue.remove(p)
	b.heads[p].kind |= stuck
	b.isStuck[p] = true
	b.stuck++
}

// collapse moves p onto q. The caller has just seen that it is legal.
func (b *builder) collapse(p, q int32) {
	if b.observe != nil {
		b.observe(p, q, costOf(b.queue.heap[0].key)/b.scale)
	}
	s := &b.scratch
	s.ring = b.neighbours(s.ring[:0], p)
	e := edgeTo(b.ring(p), q)
	err, since := b.before(p)
	d := b.moved(p, q, &e)
	err, since = err+d, since+d
	b.queue.remove(p)
	for i, v := range s.from {
		b.parent[v] = s.to[i]
	}
	b.removed = append(b.removed, s.from...)
	for i := range e.sides {
		b.dead[e.faces[i]] = int32(len(b.steps))
		b.drawn--
	}
	if b.meter != nil {
		b.meter.gone(b.ring(p), &e)
	}
	b.replace(p, q, &e, err, since)
	for _, r := range s.ring {
		if r != q {
			b.exchange(r, p, q, &e)
		}
	}
	b.splice(p, q, &e)
	b.heads[q].kind |= b.heads[p].kind & rim
	if b.quadrics != nil {
		b.quadrics[q].add(&b.quadrics[p])
		b.heads[q].w += b.heads[p].w
		b.know(q)
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
	ring, at := b.ring(p), b.point(q)
	for i := range ring {
		f := ring[i].face
		if f < 0 || e.has(f) {
			continue
		}
		b.normals[f] = b.point(ring[i].to).minus(at).cross(b.point(ring[after(ring, i)].to).minus(at)).unit().narrow()
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
	s := &b.scratch
	if b.o.Cost == Quadric {
		s.around = b.neighbours(s.around[:0], q)
		for _, r := range s.around {
			b.compare(r, p, q)
		}
		b.weigh(q)
	} else {
		for _, r := range s.ring { // their faces changed
			b.weigh(r)
		}
	}
	for _, r := range s.ring {
		if b.heads[r].n == 0 {
			b.queue.remove(r)
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

// compare weighs a neighbour r of q again after the collapse of p onto q: only what
// a collapse onto q costs has changed.
func (b *builder) compare(r, p, q int32) {
	h := &b.heads[r]
	if h.target == p || h.kind != 0 {
		b.weigh(r)
		return
	}
	if h.target != q && b.squares[q]*b.scale*b.scale > costOf(h.key)*(h.w+b.heads[q].w)*(1+1e-6) {
		return // what q stands for is too far off already
	}
	c := b.choice(r, q)
	if c.less(choice{h.target, h.key}) {
		b.aim(r, c)
	} else if h.target == q { // another one may be cheaper now
		b.weigh(r)
	}
}
