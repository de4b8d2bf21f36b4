package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

// windowFlags say how a window behaves. What they leave open the environment
// may say.
type windowFlags struct {
	PresentMode string `group:"picture" enum:"fifo,relaxed,mailbox,immediate," default:"" placeholder:"MODE" help:"fifo waits for the screen, relaxed too unless a frame is late; mailbox and immediate draw as fast as they can, mailbox without tearing (fifo)."`
	Fullscreen  bool   `group:"picture" help:"Fill the screen, as F11 does."`
	Frames      int    `group:"picture" placeholder:"N" help:"Close the window after N frames."`
	Trace       string `hidden:"" placeholder:"FILE" help:"Write what happens to FILE, one JSON object a line."`
	Perfetto    string `group:"picture" placeholder:"F.json" help:"Write what frames, the GPU and levels did lately to F.json when the window is closed, as bench --trace does."`
	captureFlags
}

// environment fills what no flag gave.
func (f *windowFlags) environment() error {
	if f.PresentMode == "" {
		f.PresentMode = os.Getenv("VKTERRAIN_PRESENT_MODE")
	}
	if f.Trace == "" {
		f.Trace = os.Getenv("VKTERRAIN_TRACE")
	}
	if s := os.Getenv("VKTERRAIN_FRAMES"); f.Frames == 0 && s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			return usageError(fmt.Errorf("VKTERRAIN_FRAMES=%s: not a number", s))
		}
		f.Frames = n
	}
	switch {
	case f.PresentMode != "" && !slices.Contains([]string{"fifo", "relaxed", "mailbox", "immediate"}, f.PresentMode):
		return usageError(fmt.Errorf("present mode %q: must be fifo, relaxed, mailbox or immediate", f.PresentMode))
	case f.Frames < 0:
		return usageError(fmt.Errorf("%d frames: must be 0 or more", f.Frames))
	}
	return usageError(f.captureFlags.check())
}
