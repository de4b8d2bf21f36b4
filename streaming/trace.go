package streaming

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
)

// Trace records what becomes of levels, beside the times of frames, for Perfetto and
// chrome://tracing. It keeps the newest of what happened and takes its memory at once.
// Any number of managers may share one, if one goroutine calls them all; it is that
// goroutine's.
type Trace struct {
	start   time.Time
	events  []traced
	next    int // of a ring
	wrapped bool
	groups  int
	tracks  []string
}

// traced is one thing that happened.
type traced struct {
	kind   tracedKind
	level  terrain.Level
	group  int16 // a manager, or a track
	state  phase
	key    terrain.Key
	name   string
	at     time.Duration // since the start of the trace
	length time.Duration
	value  [2]int64
}

type tracedKind uint8

const (
	tracedPhase   tracedKind = iota // of a level
	tracedSpan                      // of a track
	tracedFailure                   // of a level
	tracedBytes                     // of a manager: CPU, GPU
)

// phase is what a level goes through.
type phase uint8

const (
	phaseWaiting phase = iota
	phaseReading
	phaseDecoding
	phaseDelivered
	phaseCancelled
	phaseStuck
	phaseFailed
	phasePrepared
	phaseUploading
	phaseLoaded
	phaseUnloading
)

func (p phase) String() string {
	return [...]string{
		"waiting", "reading", "decoding", "delivered", "cancelled", "stuck", "failed", "prepared", "uploading", "loaded", "unloading",
	}[p]
}

// phaseOf is the phase of a state. That of Preparing has four.
func phaseOf(s State) phase {
	switch s {
	case Cancelled:
		return phaseCancelled
	case Stuck:
		return phaseStuck
	case Failed:
		return phaseFailed
	case Prepared:
		return phasePrepared
	case Uploading:
		return phaseUploading
	case Loaded:
		return phaseLoaded
	case Unloading:
		return phaseUnloading
	case Absent, Preparing:
	}
	return phaseWaiting
}

// NewTrace makes a trace that keeps the newest events of that number, of some 100 bytes
// each.
func NewTrace(events int) *Trace {
	return &Trace{start: time.Now(), events: make([]traced, max(events, 1))}
}

func (t *Trace) add(e traced) {
	t.events[t.next] = e
	if t.next++; t.next == len(t.events) {
		t.next, t.wrapped = 0, true
	}
}

// Span records that something took from start on so long. Track and name are those that
// it is shown by, as "frame" and "CPU"; what is on one track must not overlap but as
// one inside the other.
func (t *Trace) Span(track, name string, start time.Time, length time.Duration) {
	group := -1
	for i, n := range t.tracks {
		if n == track {
			group = i
		}
	}
	if group < 0 {
		t.tracks = append(t.tracks, track)
		group = len(t.tracks) - 1
	}
	t.add(traced{kind: tracedSpan, group: int16(group), name: name, at: start.Sub(t.start), length: length})
}

// WriteTo writes the trace as JSON in Chrome's trace event format.
func (t *Trace) WriteTo(w io.Writer) (n int64, err error) {
	b := bufio.NewWriter(w)
	count := &counter{w: b}
	count.string("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n")
	count.string(`{"ph":"M","pid":1,"name":"process_name","args":{"name":"frames"}}`)
	for i, name := range t.tracks {
		count.string(",\n" + `{"ph":"M","pid":1,"tid":` + strconv.Itoa(i) + `,"name":"thread_name","args":{"name":` + quoted(name) + "}}")
	}
	for i := range t.groups {
		count.string(",\n" + `{"ph":"M","pid":` + strconv.Itoa(i+2) + `,"name":"process_name","args":{"name":"levels ` + strconv.Itoa(i) + `"}}`)
	}
	if t.wrapped {
		for i := t.next; i < len(t.events); i++ {
			count.event(&t.events[i])
		}
	}
	for i := range t.next {
		count.event(&t.events[i])
	}
	count.string("\n]}\n")
	if count.err == nil {
		count.err = b.Flush()
	}
	return count.n, count.err
}

// counter writes and counts.
type counter struct {
	w   *bufio.Writer
	n   int64
	err error
	buf []byte
}

func (c *counter) string(s string) { c.bytes([]byte(s)) }

func (c *counter) bytes(b []byte) {
	if c.err != nil {
		return
	}
	n, err := c.w.Write(b)
	c.n, c.err = c.n+int64(n), err
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

// event writes one event. Phases of a level, which overlap with those of others, are
// asynchronous events with the id of the level.
func (c *counter) event(e *traced) {
	b := append(c.buf[:0], ",\n"...)
	head := func(ph, name string, at time.Duration) {
		b = append(b, `{"ph":"`+ph+`","name":`+quoted(name)+`,"ts":`...)
		b = strconv.AppendFloat(b, float64(at)/1e3, 'f', 3, 64)
	}
	id := func() {
		b = append(b, `,"pid":`...)
		b = strconv.AppendInt(b, int64(e.group)+2, 10)
		b = append(b, `,"tid":0,"cat":"level","id":"tile `+e.key.String()+" level "+strconv.Itoa(int(e.level))+`"`...)
	}
	switch e.kind {
	case tracedPhase:
		head("b", e.state.String(), e.at)
		id()
		b = append(b, "},\n"...)
		head("e", e.state.String(), e.at+e.length)
		id()
	case tracedSpan:
		head("X", e.name, e.at)
		b = append(b, `,"dur":`...)
		b = strconv.AppendFloat(b, float64(e.length)/1e3, 'f', 3, 64)
		b = append(b, `,"pid":1,"tid":`...)
		b = strconv.AppendInt(b, int64(e.group), 10)
	case tracedFailure:
		head("n", e.name, e.at)
		id()
	case tracedBytes:
		head("C", "bytes", e.at)
		b = append(b, `,"pid":`...)
		b = strconv.AppendInt(b, int64(e.group)+2, 10)
		b = append(b, `,"args":{"CPU":`...)
		b = strconv.AppendInt(b, e.value[0], 10)
		b = append(b, `,"GPU":`...)
		b = strconv.AppendInt(b, e.value[1], 10)
		b = append(b, '}')
	}
	c.buf = append(b, '}')
	c.bytes(c.buf)
}

// tracing is what a manager has of its trace.
type tracing struct {
	*Trace
	group int16
	since time.Duration // of the manager's start
}

// trace begins to record into t, which may be nil.
func (m *Manager) traceInto(t *Trace) {
	if t == nil {
		return
	}
	m.trace = &tracing{Trace: t, group: int16(t.groups), since: m.start.Sub(t.start)}
	t.groups++
}

// changed records that a level leaves a state.
func (r *tracing) changed(t *Tile, level terrain.Level, s State, now time.Duration) {
	began := t.entered[level]
	t.entered[level] = now
	if s == Absent {
		return
	}
	e := traced{kind: tracedPhase, level: level, group: r.group, key: t.Info.Key}
	span := func(p phase, from, to time.Duration) {
		e.state, e.at, e.length = p, from+r.since, to-from
		r.add(e)
	}
	if j := t.job; s == Preparing && j != nil && j.ended > 0 {
		span(phaseWaiting, began, j.began)
		span(phaseReading, j.began, j.arrived)
		span(phaseDecoding, j.arrived, j.ended)
		span(phaseDelivered, j.ended, now)
		return
	}
	span(phaseOf(s), began, now)
}

// failed records a failure.
func (r *tracing) failed(t *Tile, level terrain.Level, err error, now time.Duration) {
	r.add(traced{kind: tracedFailure, level: level, group: r.group, key: t.Info.Key, name: err.Error(), at: now + r.since})
}

// Trace returns where the manager records, or nil; see [Options].
func (m *Manager) Trace() *Trace {
	if m.trace == nil {
		return nil
	}
	return m.trace.Trace
}
