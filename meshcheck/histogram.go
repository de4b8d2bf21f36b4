package meshcheck

import (
	"fmt"
	"math"
	"strings"
)

// Histogram counts errors by their size in pixels. Bins are half an octave wide,
// so that one scale serves every tolerance: see [Histogram.Edge].
type Histogram [26]int

// leastEdge is the upper edge of the first bin, in pixels.
const leastEdge = 1.0 / 64

// Edge returns the upper edge of bin i in pixels: 1/64 for the first, √2 times as
// much for each after it, infinity for the last. Errors equal to it are in bin i.
func (h *Histogram) Edge(i int) float64 {
	if i >= len(h)-1 {
		return math.Inf(1)
	}
	return leastEdge * math.Exp2(float64(i)/2)
}

// Count counts an error of so many pixels.
func (h *Histogram) Count(px float64) {
	i := 0
	if px > leastEdge {
		i = len(h) - 1
		if px < h.Edge(len(h)-2) {
			i = int(math.Ceil(2 * math.Log2(px/leastEdge)))
		}
		// The logarithm is rounded: make up for it.
		for ; px <= h.Edge(i-1); i-- {
		}
		for ; px > h.Edge(i); i++ {
		}
	}
	h[i]++
}

// Add counts what other counted.
func (h *Histogram) Add(other *Histogram) {
	for i, n := range other {
		h[i] += n
	}
}

// Total returns how many errors were counted.
func (h *Histogram) Total() (n int) {
	for _, k := range h {
		n += k
	}
	return n
}

// Quantile returns the edge in pixels that at least the part q of all errors, 0 to
// 1, does not exceed; 0 if there are none.
func (h *Histogram) Quantile(q float64) float64 {
	want := int(math.Ceil(q * float64(h.Total())))
	if want <= 0 {
		return 0
	}
	n := 0
	for i, k := range h {
		if n += k; n >= want {
			return h.Edge(i)
		}
	}
	return math.Inf(1)
}

// String lists the bins that are not empty, each as its upper edge in pixels and
// its share.
func (h *Histogram) String() string {
	var b strings.Builder
	total := h.Total()
	for i, n := range h {
		if n == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if i == len(h)-1 {
			fmt.Fprintf(&b, ">%.3g:", h.Edge(i-1))
		} else {
			fmt.Fprintf(&b, "≤%.3g:", h.Edge(i))
		}
		fmt.Fprintf(&b, "%.2g%%", 100*float64(n)/float64(total))
	}
	return b.String()
}
