package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// progress tells how far a piece of work is. One goroutine uses it.
type progress struct {
	log   *logger
	mode  string // auto, plain, json, none
	what  string
	start time.Time
	next  time.Time
	shown int    // percent, of the plain form
	named string // phase of the work, of the json form; "" where it has none
}

// newProgress starts telling. auto is a line that changes on a terminal, and
// one line otherwise, once something is done: an error before that stands alone.
func newProgress(log *logger, mode, what string) *progress {
	if log.level < levelInfo {
		mode = "none"
	}
	if mode == "auto" {
		mode = "begin"
		if isTerminal(os.Stderr) && !log.json {
			mode = "line"
		}
	}
	return &progress{log: log, mode: mode, what: what, start: time.Now()}
}

// phase tells that share of the work is done, in the phase that has the name. The
// json form has a line for the beginning of each.
func (p *progress) phase(name string, share float64) {
	if name != p.named {
		p.named, p.next = name, time.Time{}
	}
	p.at(share)
}

// at tells that share (0 to 1) of the work is done.
func (p *progress) at(share float64) {
	switch p.mode {
	case "begin":
		if share > 0 {
			p.mode = "none"
			p.log.infof("%s ...", p.what)
		}
	case "line":
		now := time.Now()
		if now.Before(p.next) {
			return
		}
		p.next = now.Add(100 * time.Millisecond)
		p.log.overwrite(fmt.Sprintf("%s: %3.0f %%", p.what, 100*share))
	case "plain":
		if percent := int(10*share) * 10; percent > p.shown {
			p.shown = percent
			p.log.infof("%s: %d %%", p.what, percent)
		}
	case "json":
		now := time.Now()
		if share < 1 && now.Before(p.next) {
			return
		}
		p.next = now.Add(200 * time.Millisecond)
		b, _ := json.Marshal(progressLine{math.Round(1000*share) / 1000, p.what, roundTo(time.Since(p.start).Seconds(), 3), p.named})
		p.log.raw(string(b))
	}
}

// progressLine is a line of --progress json.
type progressLine struct {
	Progress float64 `json:"progress"`
	What     string  `json:"what"`
	Seconds  float64 `json:"seconds"`
	Phase    string  `json:"phase,omitempty"`
}

// isTerminal says whether somebody may be looking at f.
func isTerminal(f *os.File) bool {
	var state syscall.Termios
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&state)))
	return errno == 0
}

func roundTo(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}
