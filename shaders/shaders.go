// Package shaders holds the SPIR-V of vkterrain, compiled from the GLSL beside
// it by tools/glslc.sh and embedded, so that building needs no shader compiler.
package shaders

import (
	"embed"
	"fmt"
)

//go:generate ../tools/glslc.sh

//go:embed *.spv debug/*.spv
var modules embed.FS

// Load returns the SPIR-V of a shader by the name of its source, such as
// "terrain.vert"; "eyes.terrain.vert" is the same for both eyes at once, into the layers of a
// pass with view mask 3, whose frame constants are two. The debug variant carries its whole source for a debugger and
// needs the device feature NonSemanticInfo. It panics on an unknown name.
func Load(name string, debug bool) []byte {
	path := name + ".spv"
	if debug {
		path = "debug/" + path
	}
	b, err := modules.ReadFile(path)
	if err != nil {
		panic(fmt.Sprintf("shaders: no module %q", path))
	}
	return b
}
