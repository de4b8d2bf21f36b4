package vkterrain

import "github.com/vkterrain/vkterrain/vk"

// measured is what the GPU said of a frame that is done.
type measured struct {
	passes   []vk.PassTime
	upload   vk.PassTime
	counters vk.Statistics
}

// take takes what is known when a frame begins. Passes of one name, as those of several
// views, become one.
func (m *measured) take(f *vk.Frame) {
	m.passes, m.upload, m.counters = m.passes[:0], f.Upload, f.Statistics
next:
	for _, p := range f.Times {
		for i := range m.passes {
			if o := &m.passes[i]; o.Name == p.Name && o.Level == p.Level {
				o.Time += p.Time
				continue next
			}
		}
		m.passes = append(m.passes, p)
	}
}
