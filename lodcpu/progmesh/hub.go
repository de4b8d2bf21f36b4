package progmesh

// hub finds the spokes of a fixed point of many faces, so that a collapse beside it does not
// look through all of them.
type hub struct {
	at   map[int32][]int32 // where the pairs are that a point is of, by point; pairs count by one
	uses map[int32]int     // faces by the vertex they have at the hub, nil where each point has one
}

// leastHub is the least number of spokes for which that pays.
var leastHub int32 = 4 * maxFaces

// findHubs makes the hubs.
func (b *builder) findHubs() {
	b.hubs = map[int32]*hub{}
	for i := range b.heads {
		p := int32(i)
		if b.heads[p].kind&fixed == 0 || b.room(p).to < leastHub {
			continue
		}
		h := &hub{at: map[int32][]int32{}}
		if b.now != nil {
			h.uses = map[int32]int{}
		}
		ring := b.ring(p)
		for i := 0; i < len(ring); i += 2 {
			h.add(ring, int32(i/2))
			if h.uses != nil {
				h.uses[b.corner(ring[i].face, p)]++
			}
		}
		b.hubs[p] = h
	}
}

func (h *hub) add(ring []spoke, pair int32) {
	one, two := ring[2*pair].to, ring[2*pair+1].to
	h.at[one] = append(h.at[one], pair)
	h.at[two] = append(h.at[two], pair)
}

func (h *hub) remove(ring []spoke, pair int32) {
	for _, p := range [2]int32{ring[2*pair].to, ring[2*pair+1].to} {
		list := h.at[p]
		k := index(list, pair)
		list[k] = list[len(list)-1]
		if list = list[:len(list)-1]; len(list) == 0 {
			delete(h.at, p)
		} else {
			h.at[p] = list
		}
	}
}

// exchangeAtHub is exchangePairs for the spokes of hub r; it returns how many are left.
func (b *builder) exchangeAtHub(h *hub, r, p, q int32, e *edge) int32 {
	ring := b.ring(r)
	for len(h.at[p]) > 0 {
		pair := h.at[p][0]
		h.remove(ring, pair)
		one, two := &ring[2*pair], &ring[2*pair+1]
		if !e.has(one.face) {
			if one.to == p {
				one.to = q
			}
			if two.to == p {
				two.to = q
			}
			h.add(ring, pair)
			continue
		}
		if h.uses != nil {
			h.uses[b.corner(one.face, r)]--
		}
		if last := int32(len(ring)/2 - 1); pair != last {
			h.remove(ring, last)
			*one, *two = ring[2*last], ring[2*last+1]
			h.add(ring, pair)
		}
		ring = ring[:len(ring)-2]
	}
	return int32(len(ring))
}
