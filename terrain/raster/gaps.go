package raster

import (
	"math"
	"slices"
)

// mostFilled is the share of samples between files above which a fill is refused:
// next to nothing of the result would be known.
const mostFilled = 0.99

// gap returns how many samples of the whole lie between its files, of none.
func (m *mosaic) gap() int64 {
	var rims []int // where rows begin to lie in other parts
	for _, p := range m.parts {
		rims = append(rims, p.y, p.y+p.info.Height)
	}
	slices.Sort(rims)
	rims = slices.Compact(rims)
	n := int64(m.info.Width) * int64(m.info.Height)
	first := 0 // of the parts that reach the row, which are sorted by row
	for k := range len(rims) - 1 {
		y := rims[k]
		for first < len(m.parts) && m.parts[first].y+m.high <= y {
			first++
		}
		var across []*part
		for _, p := range m.parts[first:] {
			if p.y > y {
				break
			}
			if p.y+p.info.Height > y {
				across = append(across, p)
			}
		}
		slices.SortFunc(across, func(a, b *part) int { return a.x - b.x })
		covered, end := 0, 0
		for _, p := range across {
			last := p.x + p.info.Width
			covered += max(0, last-max(end, p.x))
			end = max(end, last)
		}
		n -= int64(covered) * int64(rims[k+1]-y)
	}
	return n
}

// checkGaps refuses files that lie too far apart for what is made of voids, before
// any height is read.
func (r *Reader) checkGaps() error {
	d, resampledTo := r.dec, false
	if s, is := d.(*resampled); is {
		d, resampledTo = s.r.dec, true
	}
	m, is := d.(*mosaic)
	if !is {
		return nil
	}
	gap, n := m.gap(), int64(m.info.Width)*int64(m.info.Height)
	share := float64(gap) / float64(n)
	// A new spacing may close small gaps, but not those that are most of all.
	stop := r.voids == VoidsReport && gap > 0 && (!resampledTo || share > 0.5)
	stop = stop || r.voids == VoidsFill && share > mostFilled
	if !stop {
		return nil
	}
	// Rounded down: not all of it lies between files.
	percent := math.Floor(share*1e4) / 100
	if r.voids == VoidsFill {
		return unsupported("%d of %d samples (%.4g %%) lie between the %d files, more than the %g %% that --voids fill makes up; --voids hole leaves them out",
			gap, n, percent, len(m.parts), 100*mostFilled)
	}
	hint := "--voids fill fills them, --voids hole leaves them out"
	if share > mostFilled {
		hint = "--voids hole leaves them out"
	}
	return unsupported("%d of %d samples (%.4g %%) lie between the %d files and are voids; %s", gap, n, percent, len(m.parts), hint)
}
