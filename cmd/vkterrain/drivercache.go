package main

import (
	"os"
	"path/filepath"
	"syscall"
)

// driverCacheRoom is how much room Mesa's cache of shaders has to have, in bytes: its index
// takes 1.3 MB at once.
const driverCacheRoom = 8 << 20

// spareDriverCache turns Mesa's cache of shaders off where its disk is full. Mesa maps its
// index into memory without asking whether there is room for it, and the first write ends the
// program with a bus error, whatever it was about to do.
func (a *app) spareDriverCache() {
	dir := os.Getenv("MESA_SHADER_CACHE_DIR")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return
		}
	}
	if free, ok := freeBytes(dir); !ok || free >= driverCacheRoom {
		return
	}
	a.log.infof("the disk of %s is full: the driver keeps no shaders there", dir)
	for _, name := range []string{"MESA_SHADER_CACHE_DISABLE", "MESA_GLSL_CACHE_DISABLE"} { // the latter of Mesa before 22
		os.Setenv(name, "true")
	}
}

// freeBytes returns how much may be written below a folder, or where it would be made.
func freeBytes(dir string) (n uint64, ok bool) {
	for {
		var s syscall.Statfs_t
		err := syscall.Statfs(dir, &s)
		if err == nil {
			return s.Bavail * uint64(s.Bsize), true
		}
		parent := filepath.Dir(dir)
		if err != syscall.ENOENT || parent == dir {
			return 0, false
		}
		dir = parent
	}
}
