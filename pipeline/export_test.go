package pipeline

import (
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"
)

// ShadeOf returns up to which height places lie in shadow, and how soft that is, metres.
func ShadeOf(r *Relief, sun mgl64.Vec3) (high, soft []float64) {
	packed := make([]place, len(r.Heights))
	lo, extent := r.bounds()
	r.shade(packed, sun, lo, extent)
	for _, p := range packed {
		high = append(high, lo+float64(p&0xffff)/65535*extent)
		soft = append(soft, float64(p>>16&0xffff)/65535*extent)
	}
	return high, soft
}

// EyeConstantsBytes is the stride of constants of eyes.
const EyeConstantsBytes = eyeConstantsBytes

// Names of the Go mirrors of shader blocks with their members' offsets.
var ShaderBlocks = map[string][]uintptr{
	"Frame": {
		unsafe.Offsetof(frameConstants{}.Clip), unsafe.Offsetof(frameConstants{}.Right),
		unsafe.Offsetof(frameConstants{}.Up), unsafe.Offsetof(frameConstants{}.Forward),
		unsafe.Offsetof(frameConstants{}.Eye), unsafe.Offsetof(frameConstants{}.Sun),
		unsafe.Offsetof(frameConstants{}.ClearColor), unsafe.Offsetof(frameConstants{}.ShadeAt), unsafe.Offsetof(frameConstants{}.ShadeRange), unsafe.Offsetof(frameConstants{}.Ground),
		unsafe.Offsetof(frameConstants{}.Quantum), unsafe.Offsetof(frameConstants{}.Haze),
		unsafe.Offsetof(frameConstants{}.Rim), unsafe.Offsetof(frameConstants{}.View),
		unsafe.Offsetof(frameConstants{}.Sea), unsafe.Offsetof(frameConstants{}.Time),
		unsafe.Offsetof(frameConstants{}.Pixels), unsafe.Offsetof(frameConstants{}.SunMass), unsafe.Offsetof(frameConstants{}.Air), unsafe.Offsetof(frameConstants{}.Exposure), unsafe.Offsetof(frameConstants{}.Detail),
		unsafe.Offsetof(frameConstants{}.Last), unsafe.Offsetof(frameConstants{}.LodEye), unsafe.Offsetof(frameConstants{}.Morph), unsafe.Offsetof(frameConstants{}.Moves), unsafe.Offsetof(frameConstants{}.Paint), unsafe.Offsetof(frameConstants{}.Hazed), unsafe.Offsetof(frameConstants{}.Blue), unsafe.Offsetof(frameConstants{}.Tile),
	},
	"Tile": {
		unsafe.Offsetof(tileConstants{}.Cell), unsafe.Offsetof(tileConstants{}.Base), unsafe.Offsetof(tileConstants{}.Rising), unsafe.Offsetof(tileConstants{}.Bounds), unsafe.Offsetof(tileConstants{}.Finest),
		unsafe.Offsetof(tileConstants{}.Address), unsafe.Offsetof(tileConstants{}.Rise),
	},
}
