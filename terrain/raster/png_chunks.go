package raster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// pngChunks reads the data of IDAT chunks.
type pngChunks struct {
	r       *bufio.Reader
	palette []byte
	kind    string // of the chunk at hand
	left    int64  // of its data
	crc     uint32
}

// begin reads up to the first IDAT chunk.
func (c *pngChunks) begin() error {
	if _, err := c.r.Discard(len(pngSignature)); err != nil {
		return pngError(err)
	}
	for {
		if err := c.header(); err != nil {
			return err
		}
		switch c.kind {
		case "IDAT":
			return nil
		case "IEND":
			return corrupt("damaged PNG: no pixels")
		case "PLTE":
			if c.left > 3*256 {
				return corrupt("damaged PNG: a palette of %d bytes", c.left)
			}
			c.palette = make([]byte, c.left)
			if _, err := io.ReadFull(readerFunc(c.data), c.palette); err != nil && c.left > 0 {
				return pngError(err)
			}
		}
		if err := c.skip(); err != nil {
			return err
		}
	}
}

// header reads the header of a chunk.
func (c *pngChunks) header() error {
	var b [8]byte
	if _, err := io.ReadFull(c.r, b[:]); err != nil {
		return pngError(err)
	}
	c.left, c.kind = int64(binary.BigEndian.Uint32(b[:])), string(b[4:])
	if c.left > 1<<31-1 {
		return corrupt("damaged PNG: a chunk of %d bytes", c.left)
	}
	c.crc = crc32.ChecksumIEEE(b[4:])
	return nil
}

// data reads from the chunk at hand.
func (c *pngChunks) data(b []byte) (int, error) {
	if int64(len(b)) > c.left {
		b = b[:c.left]
	}
	n, err := c.r.Read(b)
	c.left -= int64(n)
	c.crc = crc32.Update(c.crc, crc32.IEEETable, b[:n])
	return n, err
}

// skip reads the rest of the chunk and its checksum.
func (c *pngChunks) skip() error {
	var b [4096]byte
	for c.left > 0 {
		if _, err := c.data(b[:]); err != nil {
			return pngError(err)
		}
	}
	if _, err := io.ReadFull(c.r, b[:4]); err != nil {
		return pngError(err)
	}
	if binary.BigEndian.Uint32(b[:]) != c.crc {
		return corrupt("damaged PNG: the checksum of a chunk is wrong")
	}
	return nil
}

// Read reads from the IDAT chunks; io.EOF is their end.
func (c *pngChunks) Read(b []byte) (int, error) {
	for c.kind == "IDAT" && c.left == 0 {
		if err := c.skip(); err != nil {
			return 0, err
		}
		if err := c.header(); err != nil {
			return 0, err
		}
	}
	if c.kind != "IDAT" {
		return 0, io.EOF
	}
	return c.data(b)
}

// end reads what follows the pixels.
func (c *pngChunks) end() error {
	for {
		if err := c.skip(); err != nil || c.kind == "IEND" {
			return err
		}
		if err := c.header(); err != nil {
			return err
		}
	}
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// pngError says in our words what went wrong below the pixels.
func pngError(err error) error {
	var fe *FormatError
	switch {
	case errors.As(err, &fe):
		return fe
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return truncated("the PNG is cut: not enough pixel data")
	}
	return damaged("damaged PNG", err)
}
