package vk

import (
	"image"
)

// TargetInfo describes an offscreen target.
type TargetInfo struct {
	Name          string
	Width, Height uint32
	Samples       uint32 // 0 means 1
	Layers        uint32 // 0 means 1; of more, each draw goes to all, which needs Features.Multiview
}

// Target is a picture that is rendered offscreen and can be read back: colour
// in FormatRGBA8 and depth in FormatD32, multisampled and resolved if wanted. It may have
// layers, such as one for each eye.
type Target struct {
	Color Image // one sample: the picture
	Depth Image
	Multi Image // the multisampled colour; zero without multisampling

	readback Buffer
	dev      *Device
}

// NewTarget makes an offscreen target.
func (d *Device) NewTarget(info TargetInfo) (t *Target, err error) {
	t = &Target{dev: d}
	defer func() {
		if err != nil {
			t.Destroy()
			t = nil
		}
	}()
	ci := ImageInfo{Name: info.Name + " color", Width: info.Width, Height: info.Height, Format: FormatRGBA8, Layers: info.Layers,
		Usage: ImageColor | ImageTransferSrc | ImageSampled}
	if t.Color, err = d.NewImage(ci); err != nil {
		return t, err
	}
	ci = ImageInfo{Name: info.Name + " depth", Width: info.Width, Height: info.Height, Format: FormatD32, Layers: info.Layers,
		Usage: ImageDepth, Samples: info.Samples}
	if t.Depth, err = d.NewImage(ci); err != nil {
		return t, err
	}
	if info.Samples > 1 {
		ci.Name, ci.Format, ci.Usage = info.Name+" samples", FormatRGBA8, ImageColor
		if t.Multi, err = d.NewImage(ci); err != nil {
			return t, err
		}
	}
	t.readback, err = d.NewBuffer(BufferInfo{Name: info.Name + " readback", Kind: Readback, Usage: UsageTransferDst,
		Size: uint64(info.Width) * uint64(info.Height) * 4 * uint64(max(1, info.Layers))})
	return t, err
}

// Begin records the barriers and starts drawing to the whole target, cleared,
// with viewport and scissor set. What was in it is lost.
func (t *Target) Begin(c *CommandBuffer, clear [4]float32, depth float32) {
	colorWrite := Sync{StageColorOutput, AccessColorWrite}
	depthWrite := Sync{StageEarlyDepth | StageLateDepth, AccessDepthRead | AccessDepthWrite}
	c.ImageBarrier(ImageBarrier{&t.Color, LayoutUndefined, LayoutColor, Sync{StageColorOutput | StageTransfer, AccessColorWrite}, colorWrite})
	c.ImageBarrier(ImageBarrier{&t.Depth, LayoutUndefined, LayoutDepth, Sync{StageLateDepth | StageEarlyDepth, AccessDepthWrite}, depthWrite})
	r := Rendering{Width: t.Color.Width, Height: t.Color.Height,
		Color: Attachment{Image: &t.Color, Clear: clear},
		Depth: Attachment{Image: &t.Depth, Clear: [4]float32{depth}, Store: StoreDiscard}}
	if t.Color.Layers > 1 {
		r.ViewMask = 1<<t.Color.Layers - 1
	}
	if t.Multi.Handle != nil {
		c.ImageBarrier(ImageBarrier{&t.Multi, LayoutUndefined, LayoutColor, colorWrite, colorWrite})
		r.Color.Image, r.Color.Resolve, r.Color.Store = &t.Multi, &t.Color, StoreDiscard
	}
	c.BeginRendering(&r)
	c.SetViewport(Viewport{0, 0, float32(r.Width), float32(r.Height), 0, 1})
	c.SetScissor(Scissor{0, 0, r.Width, r.Height})
}

// End ends drawing and leaves Color in LayoutTransferSrc, readable by
// transfers.
func (t *Target) End(c *CommandBuffer) {
	c.EndRendering()
	c.ImageBarrier(ImageBarrier{&t.Color, LayoutColor, LayoutTransferSrc, Sync{StageColorOutput, AccessColorWrite},
		Sync{StageTransfer, AccessTransferRead}})
}

// RecordReadback records the copy of the picture, after End, for Picture.
func (t *Target) RecordReadback(c *CommandBuffer) {
	for layer := range t.Color.Layers {
		c.CopyImageToBuffer(&t.Color, t.readback.Handle, ImageCopy{BufferOffset: uint64(layer) * t.layerBytes(),
			Width: t.Color.Width, Height: t.Color.Height, Layer: layer})
	}
	c.BufferBarrier(Sync{StageTransfer, AccessTransferWrite}, Sync{StageHost, AccessHostRead}, t.readback.Range(0, t.readback.Size))
}

// layerBytes is how many bytes a layer takes that is read back.
func (t *Target) layerBytes() uint64 { return uint64(t.Color.Width) * uint64(t.Color.Height) * 4 }

// Picture copies what RecordReadback wrote. The caller must have waited for
// the frame's value. The alpha of the picture is the target's. Of layers it is the first.
func (t *Target) Picture() *image.RGBA { return t.Layer(0) }

// Layer is Picture of a layer.
func (t *Target) Layer(i int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, int(t.Color.Width), int(t.Color.Height)))
	copy(img.Pix, t.readback.Bytes()[uint64(i)*t.layerBytes():])
	return img
}

// Readback waits for all frames submitted so far and reads the picture, which
// must have been left by End. It waits, so it is for tests and screenshots.
func (t *Target) Readback() (*image.RGBA, error) {
	if err := t.dev.Immediate(t.RecordReadback); err != nil {
		return nil, err
	}
	return t.Picture(), nil
}

// Destroy frees the target now. The caller proves that the GPU is done.
func (t *Target) Destroy() {
	t.readback.Destroy()
	t.Multi.Destroy()
	t.Depth.Destroy()
	t.Color.Destroy()
}
