package pipeline

import "github.com/vkterrain/vkterrain/shaders"

// shader returns the SPIR-V of a shader, with its source if options ask for it.
func (r *Renderer) shader(name string) []byte {
	if r.options.ShaderDebug && !r.dev.Features.NonSemanticInfo {
		return shaders.Sourced(name)
	}
	return shaders.Load(name, r.options.ShaderDebug)
}
