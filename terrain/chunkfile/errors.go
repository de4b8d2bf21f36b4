package chunkfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/vkterrain/vkterrain/terrain"
)

// Sentinels of what can be wrong with a file; match them with [errors.Is].
var (
	ErrCorrupt     = errors.New("damaged world file")
	ErrUnsupported = errors.New("unsupported world file")

	// ErrMissing is a level that a repaired file lacks.
	ErrMissing = errors.New("the file has lost this level")
)

// FormatError says where and why bytes are not a world file. It unwraps to
// [ErrCorrupt] or [ErrUnsupported], and to [io.ErrUnexpectedEOF] where the file
// ends too early.
type FormatError struct {
	Offset int64  // byte of the file
	Chunk  string // "header", "directory" or "tile X,Y level L"
	Msg    string

	kinds []error
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s at byte %d: %s", e.Chunk, e.Offset, e.Msg)
}

func (e *FormatError) Unwrap() []error { return e.kinds }

func corrupt(chunk string, offset int64, format string, args ...any) error {
	return &FormatError{offset, chunk, fmt.Sprintf(format, args...), []error{ErrCorrupt}}
}

func truncated(chunk string, offset int64, format string, args ...any) error {
	return &FormatError{offset, chunk, fmt.Sprintf(format, args...), []error{ErrCorrupt, io.ErrUnexpectedEOF}}
}

func unsupported(offset int64, format string, args ...any) error {
	return &FormatError{offset, "header", fmt.Sprintf(format, args...), []error{ErrUnsupported}}
}

// readError turns the failure of a ReadAt into a FormatError where the data
// ended, and leaves other input errors as they are.
func readError(chunk string, offset int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return truncated(chunk, offset, "the file ends here")
	}
	return fmt.Errorf("%s at byte %d: %w", chunk, offset, err)
}

func chunkName(k terrain.Key, l terrain.Level) string { return fmt.Sprintf("tile %v level %d", k, l) }

// ChunkError is one damaged chunk found by [Reader.Verify].
type ChunkError struct {
	Key   terrain.Key
	Level terrain.Level
	Err   error
}

func (e ChunkError) Error() string { return e.Err.Error() }

func (e ChunkError) Unwrap() error { return e.Err }

// ShardError is a shard that is missing, or damaged as a whole.
type ShardError struct {
	Name  string
	Tiles int // how many the world lacks for it
	Err   error
}

func (e *ShardError) Error() string { return fmt.Sprintf("shard %s: %v", e.Name, e.Err) }

func (e *ShardError) Unwrap() error { return e.Err }
