package raster

import (
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
)

// damaged tells what a decompressor found from what the file system did.
func damaged(what string, err error) error {
	var input flate.CorruptInputError
	for _, e := range []error{zlib.ErrChecksum, zlib.ErrDictionary, zlib.ErrHeader, gzip.ErrChecksum, gzip.ErrHeader} {
		if errors.Is(err, e) {
			return corrupt("%s: %v", what, err)
		}
	}
	if errors.As(err, &input) {
		return corrupt("%s: %v", what, err)
	}
	return err // the file could not be read
}
