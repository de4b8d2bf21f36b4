package raster

import (
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"io"
	"io/fs"

	"github.com/vkterrain/vkterrain/terrain"
)

// pngHeaderLen is the length of the signature and the IHDR chunk before its CRC.
const pngHeaderLen = 8 + 8 + 13

const pngSignature = "\x89PNG\r\n\x1a\n"

// isPNG tells a PNG by its signature, cut or damaged in transfer as it may be.
func isPNG(head []byte) bool { return len(head) >= 4 && string(head[:4]) == pngSignature[:4] }

// Colour types of PNG.
const (
	pngGrey      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGreyAlpha = 4
	pngRGBA      = 6
)

// readPNG reads a PNG of size bytes that starts with head.
func readPNG(r io.Reader, head []byte, size int64, o Options) (*Source, error) {
	w, h, err := checkPNG(head, size)
	if err != nil {
		return nil, err
	}
	img, err := png.Decode(r)
	if err != nil {
		return nil, pngError(err)
	}
	s := &Source{Kind: "png", Field: terrain.Field{
		Width: w, Height: h, Spacing: o.Spacing, Quantum: o.HeightUnit, Samples: make([]int32, w*h),
	}}
	switch img := img.(type) {
	case *image.Gray16:
		for i := range s.Samples {
			s.Samples[i] = int32(binary.BigEndian.Uint16(img.Pix[2*i:]))
		}
	case *image.NRGBA64: // grey and alpha; the colours are not multiplied by it
		for i := range s.Samples {
			s.Samples[i] = int32(binary.BigEndian.Uint16(img.Pix[8*i:]))
		}
	default:
		return nil, unsupported("a PNG that decodes to %T", img)
	}
	return s, nil
}

// checkPNG checks what the header claims, before anything is allocated for it.
func checkPNG(head []byte, size int64) (w, h int, err error) {
	if len(head) < pngHeaderLen {
		return 0, 0, truncated("the PNG is cut after %d bytes", size)
	}
	if string(head[:8]) != pngSignature || string(head[12:16]) != "IHDR" {
		return 0, 0, corrupt("the PNG does not begin with a PNG header")
	}
	uw, uh := binary.BigEndian.Uint32(head[16:]), binary.BigEndian.Uint32(head[20:])
	depth, colour := head[24], head[25]
	switch {
	case uw == 0 || uh == 0 || uw > 1<<31-1 || uh > 1<<31-1:
		return 0, 0, corrupt("the PNG claims %d×%d samples", uw, uh)
	case colour == pngRGB || colour == pngRGBA || colour == pngPalette:
		return 0, 0, unsupported("a colour PNG; say what its colours mean with --encoding mapbox|terrarium")
	case colour != pngGrey && colour != pngGreyAlpha:
		return 0, 0, corrupt("the PNG claims colour type %d", colour)
	case depth < 16:
		return 0, 0, unsupported("a PNG of %d bits has only %d height levels; 16 bits are needed", depth, 1<<depth)
	case depth > 16:
		return 0, 0, corrupt("the PNG claims %d bits", depth)
	case uw < 2 || uh < 2:
		return 0, 0, unsupported("%d×%d samples: a terrain needs at least 2×2", uw, uh)
	case uint64(uw)*uint64(uh) > MaxSamples:
		return 0, 0, unsupported("%d×%d samples: more than the %d that fit in memory", uw, uh, MaxSamples)
	}
	// Deflate makes at most 1032 bytes of one.
	bytes := uint64(uw) * uint64(uh) * 2
	if colour == pngGreyAlpha {
		bytes *= 2
	}
	if bytes > 1032*uint64(size) {
		return 0, 0, corrupt("the PNG claims %d×%d samples, which its %d bytes cannot hold", uw, uh, size)
	}
	return int(uw), int(uh), nil
}

// pngError says in our words what image/png found.
func pngError(err error) error {
	var format png.FormatError
	var unsup png.UnsupportedError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return truncated("the PNG is cut")
	case errors.As(err, &format) && format == "not enough pixel data":
		return truncated("the PNG is cut: not enough pixel data")
	case errors.As(err, &format):
		return corrupt("damaged PNG: %s", string(format))
	case errors.As(err, &unsup):
		return unsupported("a PNG with %s", string(unsup))
	}
	var input *fs.PathError
	if errors.As(err, &input) {
		return err // the file could not be read
	}
	return corrupt("damaged PNG: %v", err) // zlib's
}
