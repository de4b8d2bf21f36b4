package main_test

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// TestHoles bakes rasters with their voids as holes: cases VOID-1 and VOID-3.
// Heights are the reference's bit by bit, or to what a bake says they are off;
// every level holds heights of the source or none; and what is drawn has no cracks
// and keeps its tolerance.
func TestHoles(t *testing.T) {
	floats := map[string]bool{} // hashes of the same heights with other voids
	for _, file := range []string{
		"hgt/d_N46W122.hgt.gz",
		"geotiff/d_nodata_int16_m32768.tif",
		"geotiff/d_nodata_float32_m9999.tif",
		"geotiff/d_nodata_float32_mflt.tif",
		"geotiff/d_nodata_float32_nan.tif",
	} {
		t.Run(file, func(t *testing.T) {
			if filepath.Ext(file) == ".tif" {
				needGDAL(t)
			} else if testing.Short() {
				t.Skip("large")
			}
			path, want := shared.Path(t, "data", file), referenceOf(t, file)
			world := filepath.Join(t.TempDir(), "w.vkt")
			baked := ok(t, "bake", path, "-o", world, "--voids", "hole", "--json").parse(t)
			info := ok(t, "info", world, "--json").parse(t)
			off := number(t, info, "max_error_m")
			for key, v := range map[string]float64{"voids": float64(want.VoidCount), "min": want.Min, "max": want.Max} {
				if math.Abs(number(t, info, key)-v) > off || info[key] != baked[key] {
					t.Errorf("%s: info says %v, bake %v, want %g", key, info[key], baked[key], v)
				}
			}
			got := hash([]byte(ok(t, "dump", world).stdout))
			if off == 0 && got != want.Hash {
				t.Errorf("dump: hash %s, want %s", got, want.Hash)
			}
			if off > 0 {
				floats[got] = true
			}
			for level := 1; level < int(number(t, info, "levels")); level++ {
				checkRange(t, ok(t, "dump", world, "--level", strconv.Itoa(level)).stdout, want.Min-off, want.Max+off)
			}
			checkDrawn(t, world)
		})
	}
	if len(floats) > 1 {
		t.Errorf("the same heights are dumped in %d ways", len(floats))
	}
}

// checkRange wants all heights of a dump between lo and hi, or void.
func checkRange(t *testing.T, dump string, lo, hi float64) {
	t.Helper()
	heights := 0
	for i := 0; i+4 <= len(dump); i += 4 {
		bits := binary.LittleEndian.Uint32([]byte(dump[i : i+4]))
		h := float64(math.Float32frombits(bits))
		switch {
		case bits == 0x7fc00000:
		case h >= lo && h <= hi:
			heights++
		default:
			t.Fatalf("a height of %g m, the source has %g to %g", h, lo, hi)
		}
	}
	if heights < 16 {
		t.Errorf("%d heights", heights)
	}
}

// checkDrawn draws a world with holes in both topologies.
func checkDrawn(t *testing.T, world string) {
	t.Helper()
	needGPU(t)
	for _, topology := range []string{"strip", "list"} {
		r := ok(t, "render", world, "-o", filepath.Join(t.TempDir(), "p.png"), "--size", "320x240", "--tau", "1",
			"--topology", topology, "--check", "--json").parse(t)
		if number(t, r, "cracks") != 0 || number(t, r, "measured_error_px") > 1 || number(t, r, "uncovered_samples") != 0 ||
			number(t, r, "checked_samples") < 1000 || number(t, r, "triangles") < 100 {
			t.Errorf("%s: %v", topology, r)
		}
	}
}
