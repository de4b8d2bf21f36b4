package ogre

import (
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
)

// Sentinels of what can be wrong with a file; match them with [errors.Is].
var (
	ErrCorrupt     = errors.New("damaged OGRE file")
	ErrUnsupported = errors.New("unsupported OGRE file")
)

// FormatError says where and why bytes are not an OGRE file. It unwraps to
// [ErrCorrupt] or [ErrUnsupported], and to [io.ErrUnexpectedEOF] where the file
// ends too early.
type FormatError struct {
	// Offset is the byte of the file; inside of a compressed payload the byte
	// where that begins. A file of version 1 that is compressed as a whole is
	// taken as what it inflates to.
	Offset int64
	Part   string // "header", "general information", "level 2", "tail" and so on
	Msg    string

	kinds []error
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s at byte %d: %s", e.Part, e.Offset, e.Msg)
}

func (e *FormatError) Unwrap() []error { return e.kinds }

func corrupt(part string, offset int64, format string, args ...any) error {
	return &FormatError{offset, part, fmt.Sprintf(format, args...), []error{ErrCorrupt}}
}

func truncated(part string, offset int64, format string, args ...any) error {
	return &FormatError{offset, part, fmt.Sprintf(format, args...), []error{ErrCorrupt, io.ErrUnexpectedEOF}}
}

func unsupported(part string, offset int64, format string, args ...any) error {
	return &FormatError{offset, part, fmt.Sprintf(format, args...), []error{ErrUnsupported}}
}

// readError turns the failure of a read into a FormatError where the data
// ended, and leaves other input errors as they are.
func readError(part string, offset int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return truncated(part, offset, "the file ends here")
	}
	return fmt.Errorf("%s at byte %d: %w", part, offset, err)
}

// inflateError is readError for a zlib stream that begins at offset.
func inflateError(part string, offset int64, err error) error {
	var input flate.CorruptInputError
	var internal flate.InternalError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return corrupt(part, offset, "the compressed data ends too early")
	case errors.Is(err, zlib.ErrChecksum):
		return corrupt(part, offset, "the compressed data does not match its checksum")
	case errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrDictionary),
		errors.As(err, &input), errors.As(err, &internal):
		return corrupt(part, offset, "the compressed data makes no sense")
	}
	return fmt.Errorf("%s at byte %d: %w", part, offset, err)
}
