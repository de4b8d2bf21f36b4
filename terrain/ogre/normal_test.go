package ogre_test

import (
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// TestNormalMap wants the normals that OGRE made. Terrains of a group had
// neighbours, so their borders differ.
func TestNormalMap(t *testing.T) {
	for _, s := range samples(t) {
		o := read(t, s.data)
		for _, m := range o.Maps {
			if m.Name != ogre.NormalMap {
				continue
			}
			got := o.NormalMap()
			border := strings.HasPrefix(s.name, "group_")
			bad := 0
			for i := range got.Pix {
				x, y := i/3%got.Size, i/3/got.Size
				if border && (x == 0 || y == 0 || x == got.Size-1 || y == got.Size-1) {
					continue
				}
				if got.Pix[i] != m.Pix[i] {
					bad++
				}
			}
			if bad > 0 {
				t.Errorf("%s: %d of %d bytes differ", s.name, bad, len(got.Pix))
			}
		}
	}
}
