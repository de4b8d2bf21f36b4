//go:build !linux

package watch

import "time"

// HasThread says whether the system tells what a thread does.
const HasThread = false

// ThreadTime is 0.
func ThreadTime() time.Duration { return 0 }

// ThreadID is 0.
func ThreadID() int { return 0 }

// Switches is 0.
func Switches() int { return 0 }

// FileReads is 0.
func FileReads() int { return 0 }
