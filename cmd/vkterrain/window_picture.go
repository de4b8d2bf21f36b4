//go:build !nowindow

package main

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"time"

	"github.com/vkterrain/vkterrain/vk"
)

// picture is what F12 asked for, on its way from the GPU to a file.
type picture struct {
	image    vk.Image
	readback vk.Buffer
	value    uint64 // when the GPU is done; 0: not recorded yet
	pose     string
}

func (p *picture) destroy() {
	p.readback.Destroy()
	p.image.Destroy()
}

// recordPicture draws the frame once more, into an image of its own: what is on
// the window's images need not be readable.
func (s *screen) recordPicture(f *vk.Frame, p *picture) (err error) {
	if p.value != 0 {
		return nil
	}
	w, h := s.chain.Width, s.chain.Height
	p.image, err = s.dev.NewImage(vk.ImageInfo{Name: "picture", Width: w, Height: h, Format: s.format,
		Usage: vk.ImageColor | vk.ImageTransferSrc})
	if err != nil {
		return err
	}
	p.readback, err = s.dev.NewBuffer(vk.BufferInfo{Name: "picture readback", Kind: vk.Readback, Usage: vk.UsageTransferDst,
		Size: uint64(w) * uint64(h) * 4})
	if err != nil {
		return err
	}
	f.Cmd.BeginPass("picture")
	s.pass(f.Cmd, &p.image, nil)
	f.Cmd.ImageBarrier(vk.ImageBarrier{Image: &p.image, Old: vk.LayoutColor, New: vk.LayoutTransferSrc,
		Src: vk.Sync{Stage: vk.StageColorOutput, Access: vk.AccessColorWrite},
		Dst: vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead}})
	f.Cmd.CopyImageToBuffer(&p.image, p.readback.Handle, vk.ImageCopy{Width: w, Height: h})
	f.Cmd.BufferBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite},
		vk.Sync{Stage: vk.StageHost, Access: vk.AccessHostRead}, p.readback.Range(0, p.readback.Size))
	f.Cmd.EndPass()
	p.value, p.pose = f.Value, poseJSON(&s.view)
	return nil
}

// keepPictures writes those that the GPU is done with, in the background.
func (s *screen) keepPictures() {
	waiting := s.pictures[:0]
	for _, p := range s.pictures {
		if p.value == 0 || !s.dev.Graphics.Reached(p.value) {
			waiting = append(waiting, p)
			continue
		}
		img := image.NewRGBA(image.Rect(0, 0, int(p.image.Width), int(p.image.Height)))
		copy(img.Pix, p.readback.Bytes())
		p.destroy()
		path := freePath(time.Now(), ".png")
		s.trace.write(s, "picture", path)
		s.encoders.Go(func() { s.writePicture(path, img, p.pose) })
	}
	clear(s.pictures[len(waiting):])
	s.pictures = waiting
}

func (s *screen) writePicture(path string, img *image.RGBA, pose string) {
	if s.format == vk.FormatBGRA8 {
		for i := 0; i+2 < len(img.Pix); i += 4 {
			img.Pix[i], img.Pix[i+2] = img.Pix[i+2], img.Pix[i]
		}
	}
	if err := writePNG(path, img, png.BestSpeed, text{cameraKeyword, pose}); err != nil {
		s.log.warnf("%v", err)
		return
	}
	s.log.infof("wrote %s", path)
}

// freePath returns a name that is not taken, in the working folder.
func freePath(now time.Time, extension string) string {
	base := "vkterrain-" + now.Format("20060102-150405.000")
	for i := 0; ; i++ {
		path := base + extension
		if i > 0 {
			path = fmt.Sprintf("%s-%d%s", base, i, extension)
		}
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}
