package streaming_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// chrome is an event as Chrome's trace event format has it.
type chrome struct {
	Ph, Name, Cat, ID string
	Ts, Dur           float64
	Pid, Tid          int
	Args              map[string]any
}

// read parses a trace.
func read(t *testing.T, trace *streaming.Trace) []chrome {
	t.Helper()
	var b bytes.Buffer
	n, err := trace.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d of %d bytes: %v", b.Len(), n, err)
	}
	var file struct{ TraceEvents []chrome }
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatalf("%v in\n%s", err, b.Bytes())
	}
	return file.TraceEvents
}

// TestTrace flies to and fro, and wants each level's life without a gap.
func TestTrace(t *testing.T) {
	d := newDisk(t, 4)
	synctest.Test(t, func(t *testing.T) {
		disk := &disk{data: d.disk.data, delay: 5 * time.Millisecond}
		file, err := chunkfile.Open(disk, int64(len(disk.data)))
		if err != nil {
			t.Fatal(err)
		}
		var reads atomic.Int32
		disk.breaks(func([]byte, int64) error {
			if reads.Add(1) == 3 {
				return errors.New("the \"disk\"")
			}
			return nil
		})
		trace := streaming.NewTrace(1 << 16)
		m := streaming.New(file, streaming.Options{Loaders: 2, Reads: 3, HoldUpdates: -1, HoldMargin: -1, Trace: trace})
		g := newGPU(t, m, d.fake)
		g.late, g.truth = 2, d.truth
		for i := range 300 {
			start := time.Now()
			g.draw(d.within(4*math.Abs(math.Sin(float64(i)/50)), 2, 200))
			time.Sleep(time.Second / 60)
			trace.Span("frame", "CPU", start, time.Since(start))
		}
		closed(t, m)
		if m.Trace() != trace {
			t.Error("another trace")
		}
		phases, frames, failures, counters := map[string]int{}, 0, 0, 0
		open, last := map[string]chrome{}, map[string]chrome{}
		next := map[string]string{ // where only one thing can come
			"reading": "decoding", "decoding": "delivered", "uploading": "loaded", "loaded": "unloading", "unloading": "prepared", "prepared": "uploading",
		}
		for _, e := range read(t, trace) {
			switch e.Ph {
			case "b":
				if before, ok := last[e.ID]; ok && e.Ts < before.Ts-0.002 {
					t.Errorf("%s: %s begins before %s ends", e.ID, e.Name, before.Name)
				} else if want := next[before.Name]; ok && want != "" && want != e.Name && (before.Name != "prepared" || e.Name != "waiting") {
					t.Errorf("%s: %s after %s", e.ID, e.Name, before.Name)
				}
				open[e.ID] = e
				phases[e.Name]++
			case "e":
				if b := open[e.ID]; b.Name != e.Name || b.Ts > e.Ts || e.Cat != "level" {
					t.Errorf("%s: %s ends, %s began", e.ID, e.Name, b.Name)
				}
				last[e.ID] = e
			case "X":
				if frames++; e.Pid != 1 || math.Abs(e.Dur-16666.7) > 1 {
					t.Errorf("frame %+v", e)
				}
			case "n":
				if failures++; !strings.Contains(e.Name, `the "disk"`) {
					t.Errorf("failure %q", e.Name)
				}
			case "C":
				counters++
			}
		}
		for _, p := range []string{"waiting", "reading", "decoding", "delivered", "prepared", "uploading", "loaded", "unloading", "failed"} {
			if phases[p] == 0 {
				t.Errorf("no level was ever %s: %v", p, phases)
			}
		}
		if frames != 300 || failures != 1 || counters != 300 {
			t.Errorf("%d frames, %d failures, %d counters", frames, failures, counters)
		}
	})
}

// TestTraceKeepsTheNewest fills a short trace, without allocating.
func TestTraceKeepsTheNewest(t *testing.T) {
	trace := streaming.NewTrace(10)
	f := newFake(2)
	m := streaming.New(f, streaming.Options{Sync: true, Trace: trace})
	defer closed(t, m)
	m.Update(f.within(0, 0, 1e6))
	at := time.Now()
	if n := testing.AllocsPerRun(100, func() { trace.Span("frame", "one", at, time.Millisecond) }); n > 0 {
		t.Errorf("%g allocations a span", n)
	}
	trace.Span("frame", "last", at, time.Millisecond)
	names := map[string]int{}
	for _, e := range read(t, trace) {
		if e.Ph == "X" {
			names[e.Name]++
		}
	}
	if names["one"] != 9 || names["last"] != 1 {
		t.Errorf("%v", names)
	}
}
