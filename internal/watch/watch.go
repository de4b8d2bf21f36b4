// Package watch says what a function has done that must neither wait nor allocate, by
// the account of those who know: the Go runtime, which notes where goroutines are blocked
// and where memory is allocated, and the system, which knows what a thread has done. It is
// for tests and benchmarks.
package watch

import (
	"runtime"
	"strings"
)

// Watch looks at a function, and all that it calls in the same goroutine.
type Watch struct {
	function        string
	rate            int // of memory profiles before
	blocked, memory map[stack]total
}

// stack is where something happened, the innermost function first.
type stack [32]uintptr

// total is how often, and with how many bytes.
type total struct{ count, bytes int64 }

// Report is what happened between Start and Stop.
type Report struct {
	// Waits is how often the function was blocked: by a lock that somebody had, a channel
	// with nothing in it or no room, or another goroutine that was not done.
	Waits int64
	// Allocations and Bytes are of the heap.
	Allocations, Bytes int64
	// Waited and Allocated name the functions where most of that was, from the inside out;
	// empty if there was none.
	Waited, Allocated string
}

// New begins to note what is blocked and allocated anywhere. function is the end of a
// name as in "pkg.(*T).method". What was allocated before is forgotten as the program
// goes on: let it do some work before Start.
func New(function string) *Watch {
	w := &Watch{function: function, rate: runtime.MemProfileRate}
	runtime.SetBlockProfileRate(1)
	runtime.MemProfileRate = 1
	return w
}

// Start counts from here on. It takes a while.
func (w *Watch) Start() { w.blocked, w.memory = blocked(), memory() }

// Stop ends what New began, and returns what happened since Start.
func (w *Watch) Stop() (r Report) {
	now := blocked()
	allocated := memory()
	runtime.SetBlockProfileRate(0)
	runtime.MemProfileRate = w.rate
	sum, where := w.of(now, w.blocked)
	r.Waits, r.Waited = sum.count, where
	sum, where = w.of(allocated, w.memory)
	r.Allocations, r.Bytes, r.Allocated = sum.count, sum.bytes, where
	return r
}

// of returns what came to before by now in the function, and where the most of it did.
func (w *Watch) of(now, before map[stack]total) (sum total, where string) {
	most := int64(0)
	for s, t := range now {
		n := t.count - before[s].count
		if n <= 0 {
			continue
		}
		names, in := s.names(w.function)
		if !in {
			continue
		}
		sum.count, sum.bytes = sum.count+n, sum.bytes+t.bytes-before[s].bytes
		if n > most {
			most, where = n, names
		}
	}
	return sum, where
}

// names returns the functions of a stack down to one, and whether that is in it.
func (s *stack) names(function string) (names string, in bool) {
	n := 0
	for n < len(s) && s[n] != 0 {
		n++
	}
	var all []string
	for frames, more := runtime.CallersFrames(s[:n]), n > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if strings.HasSuffix(f.Function, function) {
			return strings.Join(all, " < "), true
		}
		if !strings.HasPrefix(f.Function, "runtime.") {
			all = append(all, f.Function[strings.LastIndexByte(f.Function, '/')+1:])
		}
	}
	return "", false
}

// blocked returns how often goroutines have been blocked, by where.
func blocked() map[stack]total {
	all := map[stack]total{}
	for _, r := range profile(runtime.BlockProfile) {
		t := all[r.Stack0]
		t.count += r.Count
		all[r.Stack0] = t
	}
	return all
}

// memory returns what has been allocated, by where. The runtime knows that only after two
// collections.
func memory() map[stack]total {
	for range 3 {
		runtime.GC()
	}
	all := map[stack]total{}
	for _, r := range profile(func(p []runtime.MemProfileRecord) (int, bool) { return runtime.MemProfile(p, true) }) {
		t := all[r.Stack0]
		t.count, t.bytes = t.count+r.AllocObjects, t.bytes+r.AllocBytes
		all[r.Stack0] = t
	}
	return all
}

// profile returns all records that read has.
func profile[T any](read func([]T) (int, bool)) []T {
	for n := 1024; ; n *= 2 {
		records := make([]T, n)
		if n, ok := read(records); ok {
			return records[:n]
		}
	}
}
