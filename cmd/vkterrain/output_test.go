package main

import (
	"io"
	"math"
	"testing"
)

// TestPrintJSON prints what JSON cannot hold.
func TestPrintJSON(t *testing.T) {
	a := &app{stdout: io.Discard}
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if err := a.printJSON(map[string]any{"max": v}); err == nil || exitCode(err) != exitInput {
			t.Errorf("%v: %v", v, err)
		}
	}
	if err := a.printJSON(map[string]any{"max": math.MaxFloat64}); err != nil {
		t.Error(err)
	}
}
