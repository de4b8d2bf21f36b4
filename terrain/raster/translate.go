package raster

import (
	"context"
	"errors"
	"math"
	"os/exec"
	"time"
)

// ErrNoGDAL is that GDAL's programs are missing; it says which package they are in.
var ErrNoGDAL = errors.New(needGDAL)

// HasGDAL returns [ErrNoGDAL] where gdal_translate is not installed.
func HasGDAL() error {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		return ErrNoGDAL
	}
	return nil
}

// Translate runs gdal_translate on two local files. It ends with ctx. Its error is
// one line.
func Translate(ctx context.Context, args ...string) error {
	if err := HasGDAL(); err != nil {
		return err
	}
	_, err := gdalRun(ctx, time.Duration(math.MaxInt64), "gdal_translate", append([]string{"-q"}, args...)...)
	var fe *FormatError
	if errors.As(err, &fe) { // which names no file here
		return errors.New(fe.Msg)
	}
	return err
}
