package pipeline_test

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/shaders"
)

// memberOffsets reads the member offsets of a SPIR-V module's structs by name.
// Opcodes and decorations: SPIR-V specification, sections 3.32.2, 3.32.3, 3.20.
func memberOffsets(spv []byte) map[string]map[uint32]uint32 {
	const opName, opMemberDecorate, decorationOffset = 5, 72, 35
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(spv[4*i:]) }
	names := map[uint32]string{}
	offsets := map[uint32]map[uint32]uint32{}
	for i := 5; i < len(spv)/4; i += int(word(i) >> 16) {
		switch word(i) & 0xffff {
		case opName:
			s := spv[4*(i+2):]
			n := 0
			for s[n] != 0 {
				n++
			}
			names[word(i+1)] = string(s[:n])
		case opMemberDecorate:
			if word(i+3) == decorationOffset {
				t := word(i + 1)
				if offsets[t] == nil {
					offsets[t] = map[uint32]uint32{}
				}
				offsets[t][word(i+2)] = word(i + 4)
			}
		}
	}
	out := map[string]map[uint32]uint32{}
	for id, o := range offsets {
		out[names[id]] = o
	}
	return out
}

// arrayStrides reads from one element to the next of a SPIR-V module's arrays.
func arrayStrides(spv []byte) (strides []uint32) {
	const opDecorate, decorationArrayStride = 71, 6
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(spv[4*i:]) }
	for i := 5; i < len(spv)/4; i += int(word(i) >> 16) {
		if word(i)&0xffff == opDecorate && word(i+2) == decorationArrayStride {
			strides = append(strides, word(i+3))
		}
	}
	return strides
}

func TestGoStructsMatchShaderBlocks(t *testing.T) {
	found := memberOffsets(shaders.Load("terrain.vert", true))
	eyes := shaders.Load("eyes.terrain.vert", true)
	if one, both := found["Frame"], memberOffsets(eyes)["FrameOfEye"]; !maps.Equal(one, both) {
		t.Errorf("offsets in a frame are %v, of eyes %v", one, both)
	}
	if strides := arrayStrides(eyes); !slices.Contains(strides, uint32(pipeline.EyeConstantsBytes)) {
		t.Errorf("%d bytes from eye to eye in Go, one of %d in the shader", pipeline.EyeConstantsBytes, strides)
	}
	for name, want := range pipeline.ShaderBlocks {
		got := found[name]
		if len(got) != len(want) {
			t.Errorf("%s: %d members in the shader, %d in Go", name, len(got), len(want))
		}
		for i, o := range want {
			if got[uint32(i)] != uint32(o) {
				t.Errorf("%s member %d: offset %d in the shader, %d in Go", name, i, got[uint32(i)], o)
			}
		}
	}
}
