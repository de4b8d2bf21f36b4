package ogre_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/ogre"
)

func write(t testing.TB, o *ogre.Terrain) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ogre.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWriteSamples wants the bytes that OGRE gave a terrain; of the samples that
// something else wrote, those of the original that they were made from.
func TestWriteSamples(t *testing.T) {
	all := samples(t)
	originals := map[string]string{
		"py_v1_t0033_xz_plain":       "t0033_xz_plain",
		"py_v1_t0129_xy_full":        "t0129_xy_full",
		"py_v2_level9_t0129_xy_full": "t0129_xy_full",
		"py_v2_pad_t0033":            "t0033_xz_plain",
		"py_v2_stored_t0033":         "t0033_xz_plain",
	}
	files := map[string][]byte{}
	for _, s := range all {
		files[s.name] = s.data
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			want := s.data
			if strings.HasPrefix(s.name, "py_") {
				if want = files[originals[s.name]]; want == nil {
					t.Fatal("no original")
				}
			}
			if got := write(t, read(t, s.data)); !bytes.Equal(got, want) {
				t.Errorf("%d bytes, want the %d of OGRE", len(got), len(want))
			}
		})
	}
	for _, r := range references(t) {
		b := readFile(t, shared.Path(t, "data", r.File))
		if got := write(t, read(t, b)); !bytes.Equal(got, b) {
			t.Errorf("%s: %d bytes, want the %d of OGRE", r.File, len(got), len(b))
		}
	}
}

// TestDerive wants the deltas and the quadtree that OGRE derived.
func TestDerive(t *testing.T) {
	for _, s := range samples(t) {
		o := read(t, s.data)
		o.Deltas, o.QuadTree = nil, nil
		o.Derive()
		if got := sumFloats(o.Deltas); got != s.Deltas {
			t.Errorf("%s: deltas hash to %s, want %s", s.name, got, s.Deltas)
		}
		if got := sumFloats(o.QuadTree); got != s.Quad {
			t.Errorf("%s: quadtree hashes to %s, want %s", s.name, got, s.Quad)
		}
	}
}
