package pipeline

import "unsafe"

// Names of the Go mirrors of shader blocks with their members' offsets.
var ShaderBlocks = map[string][]uintptr{
	"Frame": {
		unsafe.Offsetof(frameConstants{}.Clip), unsafe.Offsetof(frameConstants{}.Right),
		unsafe.Offsetof(frameConstants{}.Up), unsafe.Offsetof(frameConstants{}.Forward),
		unsafe.Offsetof(frameConstants{}.Eye), unsafe.Offsetof(frameConstants{}.Sun),
		unsafe.Offsetof(frameConstants{}.ClearColor), unsafe.Offsetof(frameConstants{}.Ground),
		unsafe.Offsetof(frameConstants{}.Quantum), unsafe.Offsetof(frameConstants{}.Haze),
		unsafe.Offsetof(frameConstants{}.Rim), unsafe.Offsetof(frameConstants{}.View),
		unsafe.Offsetof(frameConstants{}.Sea), unsafe.Offsetof(frameConstants{}.Time),
		unsafe.Offsetof(frameConstants{}.Pixels), unsafe.Offsetof(frameConstants{}.SunMass), unsafe.Offsetof(frameConstants{}.Air),
		unsafe.Offsetof(frameConstants{}.Last), unsafe.Offsetof(frameConstants{}.LodEye), unsafe.Offsetof(frameConstants{}.Morph), unsafe.Offsetof(frameConstants{}.Moves), unsafe.Offsetof(frameConstants{}.Tile),
	},
	"Tile": {
		unsafe.Offsetof(tileConstants{}.Cell), unsafe.Offsetof(tileConstants{}.Base), unsafe.Offsetof(tileConstants{}.Rising),
		unsafe.Offsetof(tileConstants{}.Address), unsafe.Offsetof(tileConstants{}.Rise),
	},
}
