package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
)

// longestTrace is the most bytes of a trace that is read.
const longestTrace = 1 << 30

// traceModel is what a trace in Chrome's format says, in milliseconds since its start.
type traceModel struct {
	tracks []traceTrack
	lives  []traceTrack // of levels, the first request first
	bytes  []traceBytes
}

// traceTrack is spans of one kind, in order.
type traceTrack struct {
	name  string
	spans []traceSpan
}

type traceSpan struct {
	name     string
	from, to float64
}

// traceBytes is what tiles took at a moment.
type traceBytes struct{ at, cpu, gpu float64 }

// traceEvent is one of the file. Times are microseconds.
type traceEvent struct {
	Phase string `json:"ph"`
	Name  string
	At    float64 `json:"ts"`
	Dur   float64
	Pid   int
	Tid   int
	ID    string
	Args  struct {
		Name     string
		CPU, GPU float64
	}
}

// readTrace reads what streaming.Trace writes.
func readTrace(r io.Reader) (*traceModel, error) {
	var file struct{ TraceEvents []traceEvent }
	if err := json.NewDecoder(io.LimitReader(r, longestTrace)).Decode(&file); err != nil {
		return nil, err
	}
	m := &traceModel{}
	m.collect(file.TraceEvents)
	if len(m.tracks) == 0 || len(m.tracks[0].spans) == 0 {
		return nil, errors.New("no trace of frames")
	}
	return m, nil
}

// collect sorts events by what they are about.
func (m *traceModel) collect(events []traceEvent) {
	type levelID struct {
		pid int
		id  string
	}
	byLevel := map[levelID]int{}
	for i := range events {
		e := &events[i]
		at := e.At / 1000
		if math.IsNaN(at) || math.IsInf(at, 0) || !(e.Dur >= 0 && e.Dur < math.MaxFloat32) {
			continue
		}
		level := levelID{e.Pid, e.ID}
		switch n, known := byLevel[level]; {
		case e.Phase == "M" && e.Name == "thread_name" && e.Pid == 1:
			m.track(e.Tid).name = e.Args.Name
		case e.Phase == "X" && e.Pid == 1:
			t := m.track(e.Tid)
			t.spans = append(t.spans, traceSpan{e.Name, at, at + e.Dur/1000})
		case e.Phase == "C":
			m.bytes = append(m.bytes, traceBytes{at, e.Args.CPU, e.Args.GPU})
		case e.Phase == "b":
			if !known {
				n = len(m.lives)
				byLevel[level] = n
				m.lives = append(m.lives, traceTrack{name: e.ID})
			}
			m.lives[n].spans = append(m.lives[n].spans, traceSpan{e.Name, at, at})
		case e.Phase == "e" && known:
			l := &m.lives[n]
			l.spans[len(l.spans)-1].to = at
		}
	}
	for _, t := range append(slices.Clone(m.tracks), m.lives...) {
		slices.SortStableFunc(t.spans, func(a, b traceSpan) int { return cmp.Compare(a.from, b.from) })
	}
	for i := range m.lives {
		m.lives[i].goOn()
	}
	slices.SortFunc(m.tracks, func(a, b traceTrack) int { return cmp.Compare(a.name, b.name) })
	slices.SortStableFunc(m.lives, func(a, b traceTrack) int { return cmp.Compare(a.spans[0].from, b.spans[0].from) })
	slices.SortStableFunc(m.bytes, func(a, b traceBytes) int { return cmp.Compare(a.at, b.at) })
}

// goOn lets a level be loaded to the end that was uploaded and of which nothing more is
// known: a trace has only what has ended.
func (t *traceTrack) goOn() {
	if last := t.spans[len(t.spans)-1]; last.name == "uploading" {
		t.spans = append(t.spans, traceSpan{"loaded", last.to, math.MaxFloat64})
	}
}

// mostTracks bounds the tracks of a file that is none of ours.
const mostTracks = 16

// track returns a track by its number.
func (m *traceModel) track(n int) *traceTrack {
	n = min(max(n, 0), mostTracks-1)
	for len(m.tracks) <= n {
		m.tracks = append(m.tracks, traceTrack{})
	}
	return &m.tracks[n]
}

// within returns what of a track lies in a window.
func (t *traceTrack) within(from, to float64) []traceSpan {
	var list []traceSpan
	for _, s := range t.spans {
		if s.to >= from && s.from <= to {
			list = append(list, s)
		}
	}
	return list
}

// phase returns all spans of a phase of levels, in order.
func (m *traceModel) phase(name string, from, to float64) []traceSpan {
	var list []traceSpan
	for i := range m.lives {
		for _, s := range m.lives[i].within(from, to) {
			if s.name == name {
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b traceSpan) int { return cmp.Compare(a.from, b.from) })
	return list
}

// busiest returns where a window of that length begins, within the frames, in which the
// most happens to levels.
func (m *traceModel) busiest(length float64) float64 {
	var events []float64
	for _, l := range m.lives {
		for _, s := range l.spans {
			events = append(events, s.from)
		}
	}
	slices.Sort(events)
	frames := m.tracks[0].spans
	end := frames[len(frames)-1].to
	best, most, first, last := frames[0].from, -1, 0, 0
	for _, f := range frames {
		if f.from+length > end && most >= 0 {
			break
		}
		for first < len(events) && events[first] < f.from {
			first++
		}
		for last = max(last, first); last < len(events) && events[last] <= f.from+length; {
			last++
		}
		if n := last - first; n > most {
			best, most = f.from, n
		}
	}
	return best
}

// changing returns the levels of which something happens in a window, beyond that they are
// there.
func (m *traceModel) changing(from, to float64) []traceTrack {
	var list []traceTrack
	for _, l := range m.lives {
		for _, s := range l.spans {
			if s.from >= from && s.from <= to {
				list = append(list, l)
				break
			}
		}
	}
	return list
}
