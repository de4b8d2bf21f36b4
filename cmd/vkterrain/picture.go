package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"strings"
)

const (
	pngSignature  = "\x89PNG\r\n\x1a\n"
	cameraKeyword = "vkterrain-camera" // of the text that holds a picture's pose
)

// text is an entry of a PNG: a keyword and Latin-1.
type text struct{ keyword, value string }

// writePNG writes a picture in one step. Alpha is dropped.
func writePNG(path string, img *image.RGBA, level png.CompressionLevel, texts ...text) error {
	data, err := encodePNG(img, level, texts...)
	if err != nil {
		return outputError(naming(path, err))
	}
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return outputError(err)
	})
}

// encodePNG makes a PNG with texts after its header.
func encodePNG(img *image.RGBA, level png.CompressionLevel, texts ...text) ([]byte, error) {
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: level}
	if err := e.Encode(&b, img); err != nil {
		return nil, err
	}
	const header = len(pngSignature) + 12 + 13 // and the IHDR chunk
	data := b.Bytes()
	out := append(make([]byte, 0, len(data)+512), data[:header]...)
	for _, t := range append([]text{{"Software", "vkterrain " + version()}}, texts...) {
		out = appendText(out, t)
	}
	return append(out, data[header:]...), nil
}

// appendText appends a tEXt chunk.
func appendText(b []byte, t text) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(t.keyword)+1+len(t.value)))
	start := len(b)
	b = append(b, "tEXt"...)
	b = append(append(append(b, t.keyword...), 0), t.value...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// pngText finds the text with a keyword in a PNG, and reads nothing else of it.
func pngText(r io.ReadSeeker, keyword string) (string, bool) {
	if _, err := r.Seek(int64(len(pngSignature)), io.SeekStart); err != nil {
		return "", false
	}
	for {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return "", false
		}
		n := int64(binary.BigEndian.Uint32(head[:]))
		kind := string(head[4:])
		if kind == "IEND" || strings.ContainsFunc(kind, func(c rune) bool { return (c|0x20) < 'a' || (c|0x20) > 'z' }) {
			return "", false // the end, or no PNG any more
		}
		if kind == "tEXt" && n <= longestPose {
			body := make([]byte, n)
			if _, err := io.ReadFull(r, body); err != nil {
				return "", false
			}
			if value, ok := bytes.CutPrefix(body, []byte(keyword+"\x00")); ok {
				return string(value), true
			}
			n = 0
		}
		if _, err := r.Seek(n+4, io.SeekCurrent); err != nil {
			return "", false
		}
	}
}
