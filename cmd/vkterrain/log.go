package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// logLevel says which messages are shown.
type logLevel int

const (
	levelError logLevel = iota
	levelWarn
	levelInfo
	levelDebug
)

func (l logLevel) String() string { return [...]string{"error", "warn", "info", "debug"}[l] }

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
	json     bool // an object a line
	progress bool // a line without its end is on the screen
}

func (l *logger) print(level logLevel, prefix, format string, args ...any) {
	if level > l.level {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endProgress()
	text := oneLine(fmt.Sprintf(format, args...))
	if !l.json {
		fmt.Fprintf(l.w, "vkterrain: %s%s\n", prefix, text)
		return
	}
	b, err := json.Marshal(logLine{time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), level.String(), strings.ToValidUTF8(text, "\ufffd")})
	if err != nil {
		panic("main: " + err.Error())
	}
	fmt.Fprintf(l.w, "%s\n", b)
}

// logLine is a message of --log-format json.
type logLine struct {
	Time    string `json:"time"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

// logFormat is text or json.
type logFormat string

// UnmarshalText is how the command line reads a format.
func (f *logFormat) UnmarshalText(b []byte) error {
	switch string(b) {
	case "text", "json":
		*f = logFormat(b)
		return nil
	}
	return fmt.Errorf("%q is neither text nor json", b)
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
