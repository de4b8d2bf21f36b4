package progmesh

// BuildUnchecked collapses what is cheapest, as published, and returns what went
// where, and the costs.
func BuildUnchecked(s *Source, c Cost) (from, to []int32, costs []float64) {
	b := &builder{o: Options{Cost: c, Border: BorderFree}, unchecked: true}
	b.weld(s)
	b.prepare()
	b.observe = func(p, q int32) {
		from, to = append(from, p), append(to, q)
		costs = append(costs, b.queue.heap[0].cost)
	}
	b.reduce()
	return from, to, costs
}

// Weighed returns how many collapses are weighed to reduce a mesh.
func Weighed(s *Source, o Options) int {
	b := &builder{o: o}
	b.build(s)
	return b.weighed
}
