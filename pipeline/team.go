package pipeline

import (
	"unsafe"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

// team is a [lodcpu.Team] that refines into mapped memory, by indices of the size that
// the renderer's have.
type team interface {
	refine(dst []byte, jobs []lodcpu.Job, law *lodcpu.Law, spans []lodcpu.Span) (total lodcpu.Counts, ok bool)
	Close()
}

type teamOf[I lodcpu.Index] struct{ *lodcpu.Team[I] }

func (t teamOf[I]) refine(dst []byte, jobs []lodcpu.Job, law *lodcpu.Law, spans []lodcpu.Span) (lodcpu.Counts, bool) {
	indices := unsafe.Slice((*I)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)/int(unsafe.Sizeof(I(0))))
	total, _, ok := t.Refine(indices, jobs, law, spans)
	return total, ok
}

// newTeam returns a team of so many workers.
func (r *Renderer) newTeam(workers int, newRefiner func() lodcpu.Refiner) team {
	if r.indexBytes == 4 {
		return teamOf[uint32]{lodcpu.NewTeam(workers, newRefiner)}
	}
	return teamOf[uint16]{lodcpu.NewTeam(workers, func() lodcpu.RefinerOf[uint16] { return lodcpu.Narrow(newRefiner(), r.layout) })}
}

// indexSize returns the bytes of an index.
func indexSize(layout *terrain.Layout, wide bool) uint64 {
	if wide || !lodcpu.FitsNarrow(layout) {
		return 4
	}
	return 2
}

// indexType is how the GPU reads indices.
func (r *Renderer) indexType() vk.IndexType {
	if r.indexBytes == 4 {
		return vk.Index32
	}
	return vk.Index16
}
