package watch_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/watch"
)

// worker has a function that is watched.
type worker struct {
	mu   sync.Mutex
	kept any
}

func (w *worker) frame(do func(w *worker)) { do(w) }

// TestWatch plants waits and allocations in a function, and sees them counted; what others
// do is not.
func TestWatch(t *testing.T) {
	for _, c := range []struct {
		name               string
		waits, allocations int64
		where              string
		do                 func(w *worker)
	}{
		{name: "nothing", do: func(*worker) {}},
		{name: "lock", waits: 1, where: "Mutex", do: func(w *worker) { w.mu.Lock(); w.mu.Unlock() }},
		{name: "memory", allocations: 1, where: "TestWatch", do: func(w *worker) { w.kept = new([4096]byte) }},
		{name: "another goroutine", waits: 1, do: func(w *worker) {
			done := make(chan int) // not on the heap
			go func() {
				time.Sleep(20 * time.Millisecond)
				close(done)
			}()
			<-done
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &worker{}
			watched := watch.New("watch_test.(*worker).frame")
			for range 4096 { // work, so that all is seen from here on
				w.kept = new([4096]byte)
			}
			watched.Start()
			w.mu.Lock()
			time.AfterFunc(50*time.Millisecond, w.mu.Unlock)
			w.frame(c.do)
			w.mu.Lock() // here, too, but nobody is asked
			w.mu.Unlock()
			r := watched.Stop()
			if c.name == "another goroutine" {
				r.Allocations = 0 // of the channel and the goroutine
			}
			if r.Waits != c.waits || r.Allocations != c.allocations || !strings.Contains(r.Waited+r.Allocated, c.where) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestThread: time passes only as the thread works, and waits and reads are counted.
func TestThread(t *testing.T) {
	if !watch.HasThread {
		t.Skip("this system tells nothing of threads")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	switches, start := watch.Switches(), watch.ThreadTime()
	time.Sleep(50 * time.Millisecond)
	slept := watch.ThreadTime() - start
	for watch.ThreadTime()-start < 60*time.Millisecond {
	}
	if watch.Switches() == switches {
		t.Error("no switch while it slept")
	}
	if slept > 25*time.Millisecond {
		t.Errorf("%v of work while it slept", slept)
	}
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	asking := -watch.FileReads()
	asking += watch.FileReads()
	calls := watch.FileReads()
	if _, err := os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	if n := watch.FileReads() - calls - asking; n < 1 || n > 2 {
		t.Errorf("%d calls for a file, asking is %d", n, asking)
	}
	id, other := watch.ThreadID(), make(chan int)
	go func() {
		runtime.LockOSThread()
		other <- watch.ThreadID()
	}()
	if o := <-other; id == 0 || o == id || watch.ThreadID() != id {
		t.Errorf("thread %d, another one %d", id, o)
	}
}
