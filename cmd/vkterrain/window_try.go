//go:build !nowindow

package main

import (
	"bytes"
	"errors"
	golog "log"
	"strings"

	"github.com/go-gl/glfw/v3.3/glfw"
)

func init() { tryDisplay = func() error { return guard(connectOnce) } }

// connectOnce connects to the display and ends that.
func connectOnce() error {
	if err := startGLFW(); err != nil {
		return err
	}
	glfw.Terminate()
	return nil
}

// startGLFW connects to the display. The binding logs what it thinks unimportant,
// such as that there is none.
func startGLFW() error {
	var said bytes.Buffer
	writer, prefix := golog.Writer(), golog.Flags()
	golog.SetOutput(&said)
	golog.SetFlags(0)
	err := glfw.Init()
	golog.SetOutput(writer)
	golog.SetFlags(prefix)
	if text := strings.TrimSpace(said.String()); err == nil && text != "" {
		err = errors.New(text)
	}
	return err
}
