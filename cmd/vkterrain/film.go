package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// film turns frames into a video with ffmpeg. A goroutine of its own feeds it.
type film struct {
	path, partial string
	frames        chan *image.RGBA
	spare         chan *image.RGBA
	done          chan error
}

// How long ffmpeg may take: to say what it can, and for a step of its work.
const (
	probeTime = 5 * time.Second
	stallTime = 2 * time.Minute
)

// newFilm starts ffmpeg. Where there is none, frames become pictures in a folder; where
// one cannot, it says why and returns nil.
func newFilm(ctx context.Context, log *logger, path string, size pixels, fps int) *film {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return newSequence(log, filepath.Join(filepath.Dir(path), framesFolder))
	}
	codec, err := findCodec(ctx, program, probeTime)
	if err != nil {
		if ctx.Err() == nil {
			log.warnf("no film: %v", err)
		}
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
	ctx, stop := context.WithCancelCause(ctx)
	cmd := group(ctx, program, args...)
	go func() {
		f.done <- f.feed(ctx, cmd, stop)
		stop(nil)
	}()
	return f
}

// group prepares a program that an interrupt does not reach, because that is
// ours to pass on: all it started ends with ctx.
func group(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for pipes that something else still holds
	return cmd
}

var errStalled = errors.New("it hangs")

// findCodec returns the arguments of the best encoder that works.
func findCodec(ctx context.Context, program string, patience time.Duration) ([]string, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	ask := func(args ...string) (string, error) {
		var stdout, stderr bytes.Buffer
		cmd := group(ctx, program, args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if ctx.Err() != nil {
			return "", fmt.Errorf("ffmpeg hangs: no answer in %v", patience)
		}
		if err != nil {
			said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
			return "", fmt.Errorf("ffmpeg fails: %w: %s", err, said)
		}
		return stdout.String(), nil
	}
	list, err := ask("-v", "error", "-encoders")
	if err != nil {
		return nil, err
	}
	has := strings.Fields(list)
	err = errors.New("this ffmpeg has neither libx264 nor mpeg4")
	for _, codec := range [][]string{
		{"-c:v", "libx264", "-preset", "veryfast", "-crf", "19"},
		{"-c:v", "mpeg4", "-q:v", "3"},
	} {
		if !slices.Contains(has, codec[1]) {
			continue
		}
		try := append([]string{"-v", "error", "-f", "lavfi", "-i", "color=s=64x64:r=25:d=0.04", "-pix_fmt", "yuv420p"}, codec...)
		if _, err = ask(append(try, "-f", "null", "-")...); err == nil {
			return codec, nil
		}
	}
	return nil, err
}

// feed writes frames into ffmpeg until there are no more.
func (f *film) feed(ctx context.Context, cmd *exec.Cmd, stop context.CancelCauseFunc) error {
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
	watchdog := time.AfterFunc(stallTime, func() { stop(errStalled) })
	defer watchdog.Stop()
	for img := range f.frames {
		watchdog.Reset(stallTime)
		if _, err = in.Write(img.Pix); err != nil {
			break
		}
		watchdog.Stop() // frames take what they take
	}
	watchdog.Reset(stallTime)
	in.Close()
	if waited := cmd.Wait(); waited != nil {
		err = waited
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = fmt.Errorf("%w: %s", waited, strings.ReplaceAll(text, f.partial, f.path))
		}
	}
	if errors.Is(context.Cause(ctx), errStalled) {
		err = errStalled
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
	if f.partial == "" { // pictures are where they belong
		if err != nil || !keep {
			os.RemoveAll(f.path)
		}
		return err
	}
	if err == nil && keep {
		if err = os.Rename(f.partial, f.path); err == nil {
			return nil
		}
		err = naming(f.path, err)
	}
	os.Remove(f.partial)
	return outputError(err)
}

// framesFolder is where pictures go that should have been a film.
const framesFolder = "frames"

// newSequence writes frames as PNG files into a folder, in place of what an earlier film
// left there.
func newSequence(log *logger, folder string) *film {
	old, _ := filepath.Glob(filepath.Join(folder, "frame-[0-9][0-9][0-9][0-9][0-9].png"))
	for _, name := range old {
		os.Remove(name)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		log.warnf("no film: %v", naming(folder, err))
		return nil
	}
	log.infof("no ffmpeg on PATH: the film's frames go into %s", folder)
	f := &film{path: folder, frames: make(chan *image.RGBA, 3), done: make(chan error, 1)}
	go func() {
		var err error
		n := 0
		for img := range f.frames {
			if err == nil {
				err = writePNG(filepath.Join(folder, fmt.Sprintf("frame-%05d.png", n)), img, png.BestSpeed)
			}
			n++
		}
		f.done <- err
	}()
	return f
}
