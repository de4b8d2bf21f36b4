package watch

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// HasThread says whether the system tells what a thread does.
const HasThread = true

// ThreadTime returns the processor time of the calling thread: CLOCK_THREAD_CPUTIME_ID. It
// grows neither while the thread waits nor while others have its processor.
func ThreadTime() time.Duration {
	const clock = 3
	var t syscall.Timespec
	if _, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0); failed != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}

// ThreadID names the calling thread. It is that of one goroutine only if the goroutine is
// locked to it.
func ThreadID() int { return syscall.Gettid() }

// Switches returns how often the calling thread has given up its processor because it
// had to wait.
func Switches() int {
	const thread = 1
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return int(u.Nvcsw)
}

// FileReads returns how often the calling thread has read from files, pipes and the like.
// Asking counts too, once or twice.
func FileReads() int {
	data, err := os.ReadFile("/proc/thread-self/io")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(data, []byte("syscr: "))
	count, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.Atoi(string(count))
	return n
}
