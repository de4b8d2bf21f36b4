//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package chunkfile

import (
	"os"
	"syscall"
)

// hold marks f as written by this program as long as it is open; it returns false
// where another program has done so.
func hold(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != syscall.EWOULDBLOCK
}
