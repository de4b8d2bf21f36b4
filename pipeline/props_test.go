package pipeline_test

import (
	"testing"
	"unsafe"

	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/shaders"
)

// TestPlacedMatchesShader wants instances, and vertices, as shaders/props.vert reads them.
func TestPlacedMatchesShader(t *testing.T) {
	var p props.Placed
	want := []uintptr{unsafe.Offsetof(p.Offset), unsafe.Offsetof(p.Scale), unsafe.Offsetof(p.Sin), unsafe.Offsetof(p.Sky), unsafe.Offsetof(p.Level)}
	got := memberOffsets(shaders.Load("props.vert", true))["Placed"]
	if len(got) != len(want) {
		t.Fatalf("%d members in the shader, %d here", len(got), len(want))
	}
	for i, o := range want {
		if got[uint32(i)] != uint32(o) {
			t.Errorf("member %d: offset %d in the shader, %d in Go", i, got[uint32(i)], o)
		}
	}
	if unsafe.Offsetof(p.Cos) != unsafe.Offsetof(p.Sin)+4 || unsafe.Offsetof(p.Normal) != unsafe.Offsetof(p.Level)+2 || unsafe.Sizeof(p) != 32 {
		t.Error("sine and cosine, or level and normal, or the size")
	}
	var v props.Vertex
	if unsafe.Offsetof(v.Normal) != 12 || unsafe.Offsetof(v.UV) != 24 || unsafe.Sizeof(v) != 32 {
		t.Errorf("a vertex is %d bytes", unsafe.Sizeof(v))
	}
}
