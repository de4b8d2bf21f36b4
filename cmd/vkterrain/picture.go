package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
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

// pngText finds the text with a keyword in a PNG.
func pngText(data []byte, keyword string) (string, bool) {
	for at := len(pngSignature); at+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		if n > len(data)-at-12 {
			return "", false
		}
		body := data[at+8 : at+8+n]
		if string(data[at+4:at+8]) == "tEXt" {
			if value, ok := bytes.CutPrefix(body, []byte(keyword+"\x00")); ok {
				return string(value), true
			}
		}
		at += n + 12
	}
	return "", false
}
