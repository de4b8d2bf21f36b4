package soar_test

import (
	"syscall"
	"time"
	"unsafe"
)

// spent returns the processor time that this thread has taken, which other
// programs disturb less than they do the clock on the wall.
func spent() time.Duration {
	const thread = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&t)), 0); failed != 0 {
		panic("soar_test: " + failed.Error())
	}
	return time.Duration(t.Nano())
}
