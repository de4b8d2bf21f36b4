package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// logLevel says which messages are shown.
type logLevel int

const (
	levelError logLevel = iota
	levelWarn
	levelInfo
	levelDebug
)

// UnmarshalText is how the command line reads a level.
func (l *logLevel) UnmarshalText(b []byte) error {
	switch strings.ToLower(string(b)) {
	case "error":
		*l = levelError
	case "warn", "warning":
		*l = levelWarn
	case "info":
		*l = levelInfo
	case "debug":
		*l = levelDebug
	default:
		return fmt.Errorf("%q is none of error, warn, info, debug", b)
	}
	return nil
}

// logger writes messages, a line each. Any goroutine may use it.
type logger struct {
	mu       sync.Mutex
	w        io.Writer
	level    logLevel
	progress bool // a line without its end is on the screen
}

func (l *logger) print(level logLevel, prefix, format string, args ...any) {
	if level > l.level {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endProgress()
	fmt.Fprintf(l.w, "vkterrain: %s%s\n", prefix, oneLine(fmt.Sprintf(format, args...)))
}

// fail tells why the program ends. Users need no package names.
func (l *logger) fail(err error) {
	text := err.Error()
	for _, prefix := range []string{"vk: ", "synth: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	l.print(levelError, "", "%s", text)
}

func (l *logger) warnf(format string, args ...any) { l.print(levelWarn, "warning: ", format, args...) }
func (l *logger) infof(format string, args ...any) { l.print(levelInfo, "", format, args...) }
func (l *logger) debugf(format string, args ...any) {
	l.print(levelDebug, "", format, args...)
}

// overwrite replaces the line that progress stands in.
func (l *logger) overwrite(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, "\r\x1b[K%s", line)
	l.progress = true
}

// raw writes a whole line as it is.
func (l *logger) raw(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endProgress()
	fmt.Fprintln(l.w, line)
}

// endProgress removes a progress line; the caller holds the lock.
func (l *logger) endProgress() {
	if l.progress {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.progress = false
	}
}

// clear removes a progress line that nothing followed.
func (l *logger) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endProgress()
}
