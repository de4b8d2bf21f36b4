package soar_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
)

// onlyWide hides that a refiner can write 16 bits itself.
type onlyWide struct{ lodcpu.Refiner }

// BenchmarkIndexSizes refines Puget Sound in turns into indices of 32 bits and of 16: those
// that are written so, and those that are packed from 32, as other refiners' are. Each frame goes
// into the next part of a ring as large as that of a renderer, and is seen from a post farther
// on than the one before. It reports the median of the first and the median ratio.
func BenchmarkIndexSizes(b *testing.B) {
	f := pugetSound(b)
	for name, v := range pugetViews(f, 1) {
		for _, topology := range lodtest.Topologies {
			for _, culled := range []bool{false, true} {
				for _, packed := range []bool{false, true} {
					b.Run(fmt.Sprintf("%s/%v/culled=%v/packed=%v", name, topology, culled, packed), func(b *testing.B) {
						w := newWork(testworld.New(f, 129, 0, 0), topology)
						compareSizes(b, w, v, topology, culled, packed)
					})
				}
			}
		}
	}
}

func compareSizes(b *testing.B, w *work, v *lodcpu.View, topology lodcpu.Topology, culled, packed bool) {
	const ring = 16 << 20
	layout := w.world.Layout()
	var other lodcpu.Refiner = soar.New(layout, topology)
	if packed {
		other = onlyWide{other}
	}
	wide := into[uint32]{r: soar.New(layout, topology), dst: make([]uint32, ring/4)}
	narrow := into[uint16]{r: lodcpu.Narrow(other, layout), dst: make([]uint16, ring/2)}
	clear(wide.dst) // or their pages would be made while time is taken
	clear(narrow.dst)
	at := *v
	var took [2]float64
	var first, ratio []float64
	triangles := 0
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for n := 0; b.Loop(); n++ {
		at.Eye[2] = v.Eye[2] - float64(n%100)*w.world.Spacing
		law, frustum := at.Law(&w.world.World), at.Frustum()
		see := &frustum
		if law.Cull = at.Cull(at.Eye); !culled {
			law.Cull, see = lodcpu.Cull{}, nil
		}
		for k := range took {
			start := spent()
			if (n+k)%2 == 0 {
				triangles = wide.refine(w, &law, see)
			} else {
				triangles = narrow.refine(w, &law, see)
			}
			took[(n+k)%2] = float64(spent() - start)
		}
		first, ratio = append(first, took[0]/float64(triangles)), append(ratio, took[1]/took[0])
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(first), "ns/tri")
	b.ReportMetric(median(ratio), "16:32")
}

// into refines frames into the parts of a ring.
type into[I lodcpu.Index] struct {
	r   lodcpu.RefinerOf[I]
	dst []I
	at  int
}

// refine returns how many triangles it wrote.
func (o *into[I]) refine(w *work, law *lodcpu.Law, see *lodcpu.Frustum) (triangles int) {
	for i, t := range w.tiles {
		if see != nil && !see.Sees(law.Bounds(w.world.Layout(), t.Info)) {
			continue
		}
		c, ok := o.r.Refine(o.dst[o.at:], t, &w.near[i], law)
		if !ok {
			o.at = 0
			c, _ = o.r.Refine(o.dst, t, &w.near[i], law)
		}
		o.at += c.Indices
		triangles += c.Triangles
	}
	return triangles
}
