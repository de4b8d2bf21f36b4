package raster

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// damaged tells what a decompressor found from what the file system did.
func damaged(what string, err error) error {
	var input flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return truncated("%s: it ends early", what)
	}
	for _, e := range []error{
		zlib.ErrChecksum, zlib.ErrDictionary, zlib.ErrHeader, gzip.ErrChecksum, gzip.ErrHeader,
		zip.ErrFormat, zip.ErrAlgorithm, zip.ErrChecksum,
	} {
		if errors.Is(err, e) {
			return corrupt("%s: %v", what, err)
		}
	}
	if errors.As(err, &input) {
		return corrupt("%s: %v", what, err)
	}
	return err // the file could not be read
}

// stream is bytes that can be read from their start, again and again.
type stream struct {
	name string // of what is read, without what packs it
	size int64  // −1 where only reading tells
	what string // how errors call it
	open func() (io.ReadCloser, error)
}

// plain returns the stream of an unpacked file.
func (in *input) plain(what string) *stream {
	return &stream{name: filepath.Base(in.path), size: in.size, what: what, open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(in.f, 0, in.size)), nil
	}}
}

func isGzip(head []byte) bool { return len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b }

func isZip(head []byte) bool { return len(head) >= 4 && string(head[:4]) == "PK\x03\x04" }

// gzip returns the stream of a gzip file.
func (in *input) gzip() *stream {
	name := filepath.Base(in.path)
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".gz") {
		name = name[:len(name)-len(ext)]
	}
	return &stream{name: name, size: -1, what: "damaged gzip file", open: func() (io.ReadCloser, error) {
		return gzip.NewReader(bufio.NewReaderSize(io.NewSectionReader(in.f, 0, in.size), 1<<16))
	}}
}

// maxZipFiles is how many files are looked at in a zip file.
const maxZipFiles = 1000

// zip returns the stream of the one tile in a zip file.
func (in *input) zip() (*stream, error) {
	z, err := zip.NewReader(in.f, in.size)
	if err != nil {
		return nil, damaged("damaged zip file", err)
	}
	var found *zip.File
	for k, f := range z.File {
		switch {
		case k == maxZipFiles:
			return nil, unsupported("a zip file of %d files; unpack the one that is meant", len(z.File))
		case !strings.EqualFold(path.Ext(f.Name), ".hgt") || strings.HasPrefix(path.Base(f.Name), "."):
		case found != nil:
			return nil, unsupported("a zip file with several tiles (%q, %q); unpack the one that is meant", found.Name, f.Name)
		default:
			found = f
		}
	}
	if found == nil {
		return nil, unsupported("a zip file without an SRTM tile (.hgt); unpack it")
	}
	size := int64(min(found.UncompressedSize64, 1<<62))
	return &stream{name: path.Base(found.Name), size: size, what: "damaged zip file", open: found.Open}, nil
}

// head returns up to n bytes that the stream begins with.
func (s *stream) head(n int) ([]byte, error) {
	r, err := s.open()
	if err != nil {
		return nil, damaged(s.what, err)
	}
	defer r.Close()
	b := make([]byte, n)
	n, err = io.ReadFull(r, b)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF || err != nil && n == 0 {
		return nil, damaged(s.what, err)
	}
	return b[:n], nil
}

// length returns the bytes of the stream, limit + 1 where there are more.
func (s *stream) length(limit int64) (int64, error) {
	if s.size >= 0 {
		return s.size, nil
	}
	r, err := s.open()
	if err != nil {
		return 0, damaged(s.what, err)
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(r, limit+1))
	if err != nil {
		return 0, damaged(s.what, err)
	}
	return n, nil
}

// decodePacked opens what a gzip or zip file holds.
func (in *input) decodePacked(i *Info) (decoder, measure, error) {
	var s *stream
	var err error
	if isGzip(in.head) {
		s = in.gzip()
	} else if s, err = in.zip(); err != nil {
		return nil, measure{}, err
	}
	head, err := s.head(headLen)
	switch {
	case err != nil:
		return nil, measure{}, err
	case isGrid(head):
		return in.openGrid(s, i)
	}
	_, _, named := parseHGTName(s.name)
	if ext := path.Ext(s.name); in.o.HGT == "" && !named && ext != "" && !strings.EqualFold(ext, ".hgt") {
		return nil, measure{}, unsupported("holds %q, which is neither an SRTM tile nor an ESRI ASCII grid; unpack it", s.name)
	}
	return in.openHGT(s, i)
}
