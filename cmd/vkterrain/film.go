package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// film turns frames into a video with ffmpeg. A goroutine of its own feeds it.
type film struct {
	path, partial string
	frames        chan *image.RGBA
	spare         chan *image.RGBA
	done          chan error
}

// newFilm starts ffmpeg, or returns nil where there is none that can.
func newFilm(ctx context.Context, log *logger, path string, size pixels, fps int) *film {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		log.infof("no ffmpeg on PATH: no film")
		return nil
	}
	codec := findCodec(ctx, program)
	if codec == nil {
		log.warnf("this ffmpeg has neither libx264 nor mpeg4: no film")
		return nil
	}
	f := &film{
		path: path, partial: filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial"),
		frames: make(chan *image.RGBA, 3), done: make(chan error, 1),
	}
	args := append([]string{
		"-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", fmt.Sprintf("%dx%d", size.W, size.H),
		"-r", fmt.Sprint(fps), "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
	}, codec...)
	args = append(args, "-movflags", "+faststart", "-f", "mp4", "file:"+f.partial)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt is ours to pass on
	go func() { f.done <- f.feed(cmd) }()
	return f
}

// findCodec returns the arguments of the best encoder that works.
func findCodec(ctx context.Context, program string) []string {
	for _, codec := range [][]string{
		{"-c:v", "libx264", "-preset", "veryfast", "-crf", "19"},
		{"-c:v", "mpeg4", "-q:v", "3"},
	} {
		try := append([]string{"-v", "quiet", "-f", "lavfi", "-i", "color=s=64x64:r=25:d=0.04", "-pix_fmt", "yuv420p"}, codec...)
		if exec.CommandContext(ctx, program, append(try, "-f", "null", "-")...).Run() == nil {
			return codec
		}
	}
	return nil
}

// feed writes frames into ffmpeg until there are no more.
func (f *film) feed(cmd *exec.Cmd) error {
	defer func() {
		for range f.frames { // whatever happened, nobody waits
		}
	}()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for img := range f.frames {
		if _, err = in.Write(img.Pix); err != nil {
			break
		}
	}
	in.Close()
	if waited := cmd.Wait(); waited != nil {
		err = waited
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = fmt.Errorf("%w: %s", waited, text)
		}
	}
	if err != nil {
		return fmt.Errorf("ffmpeg: %w", err)
	}
	return nil
}

// add takes the next frame; it waits if ffmpeg is behind.
func (f *film) add(img *image.RGBA) {
	if f != nil {
		f.frames <- img
	}
}

// finish completes the video, or throws it away if keep is false.
func (f *film) finish(keep bool) error {
	if f == nil {
		return nil
	}
	close(f.frames)
	err := <-f.done
	if err == nil && keep {
		if err = os.Rename(f.partial, f.path); err == nil {
			return nil
		}
	}
	os.Remove(f.partial)
	return outputError(err)
}
