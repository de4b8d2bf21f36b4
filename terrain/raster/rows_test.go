package raster_test

import (
	"context"
	"math"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/raster"
)

// ramped is rows of x + 10·y, with a void at (1, 1).
type ramped struct{ closed int }

func (r *ramped) Close() error { r.closed++; return nil }

func (r *ramped) ReadRows(y int, dst []float64) error {
	for i := range dst {
		dst[i] = float64(i%3 + 10*(y+i/3))
		if i%3 == 1 && y+i/3 == 1 {
			dst[i] = math.NaN()
		}
	}
	return nil
}

func TestNewReader(t *testing.T) {
	rows := &ramped{}
	info := raster.Info{Kind: "ramp", Type: "f32", Width: 3, Height: 2, Offset: 100, Spacing: 7}
	r, err := raster.NewReader(context.Background(), "a ramp", info, raster.Options{HeightUnit: 0.5, Voids: raster.VoidsFill}, rows)
	if err != nil {
		t.Fatal(err)
	}
	if r.Info.Spacing != 7 || r.Info.Unit != 0.5 || r.Info.Offset != 50 {
		t.Errorf("%+v", r.Info)
	}
	s, err := r.Load()
	if err != nil || s.At(2, 1) != int32((50+0.5*12)/s.Quantum) || s.Filled != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if err := r.Close(); err != nil || rows.closed != 1 {
		t.Errorf("closed %d times, %v", rows.closed, err)
	}
	if _, err := raster.NewReader(context.Background(), "a ramp", info, raster.Options{Spacing: -1}, rows); err == nil {
		t.Error("a spacing of -1 m is taken")
	}
}
