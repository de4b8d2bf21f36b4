package pipeline

import (
	"math"
	"sync"

	"github.com/vkterrain/vkterrain/vk"
)

// Textures of the ground: square, periodic, made by code. A texel is
//
//	| slope east, slope south: 128 is level | height | tone |
//
// where tone is where between a material's two colours a place is. The last layer is
// noise: four numbers that have nothing to do with each other.
const (
	textureSide   = 256
	textureLayers = 10
	textureLevels = 9
)

// The layers, as in shaders/material.glsl.
const (
	texRock = iota
	texCliff
	texScree
	texGrass
	texHeath
	texForest
	texSnow
	texSand
	texDirt
	texNoise
)

// textures makes all layers once: of each the levels one after the other, finest first.
var textures = sync.OnceValue(func() [textureLayers][]byte {
	var all [textureLayers][]byte
	var wg sync.WaitGroup
	for n := range all {
		wg.Go(func() { all[n] = withLevels(makeLayer(n)) })
	}
	wg.Wait()
	return all
})

// surface is what a layer is made of: height and tone, 0 to 1, and how steep its slopes
// are drawn.
type surface struct {
	height, tone func(x, y float64) float64 // of 0 to 1 each
	steep        float64
}

// surfaces are the layers but the noise.
var surfaces = [texNoise]surface{
	texRock: {func(x, y float64) float64 {
		x, y = x+0.03*(fbm(x, y, 6, 3, 70)-0.5), y+0.03*(fbm(x, y, 6, 3, 71)-0.5)
		_, edge, _ := stones(x, y, 7, 11)
		return 0.65*ridges(x, y, 4, 5, 12) + 0.25*math.Min(1, 3*edge) + 0.1*fbm(x, y, 32, 3, 13)
	}, func(x, y float64) float64 { return 0.6*fbm(x, y, 3, 5, 14) + 0.4*fbm(x, y, 40, 2, 15) }, 2.2},
	texCliff: {func(x, y float64) float64 {
		warp := 0.09*(fbm(x, y, 3, 4, 21)-0.5) + 0.02*(fbm(x, y, 24, 2, 22)-0.5)
		return 0.55*bands(y+warp, 9, 23) + 0.45*ridges(x, y+warp, 5, 4, 24)
	}, func(x, y float64) float64 {
		return 0.55*bands(y+0.09*(fbm(x, y, 3, 4, 21)-0.5), 13, 25) + 0.45*fbm(x, y, 4, 5, 26)
	}, 2},
	texScree: {func(x, y float64) float64 {
		big, _, _ := stones(x, y, 18, 31)
		small, _, _ := stones(x, y, 47, 32)
		return math.Max(0, math.Max(1-1.5*big, 0.7-1.1*small))
	}, func(x, y float64) float64 {
		_, _, own := stones(x, y, 18, 31)
		return 0.5*own + 0.5*fbm(x, y, 5, 5, 33)
	}, 1.6},
	texGrass: {func(x, y float64) float64 { return 0.5*fbm(x, y, 12, 4, 41) + 0.5*fbm(x, y, 48, 2, 42) },
		func(x, y float64) float64 { return 0.65*fbm(x, y, 4, 5, 43) + 0.35*fbm(x, y, 64, 1, 44) }, 0.9},
	texHeath: {func(x, y float64) float64 {
		d, _, own := stones(x, y, 16, 51)
		return (0.4+0.6*own)*math.Max(0, 1-1.2*d*d)*0.8 + 0.2*fbm(x, y, 40, 2, 52)
	}, func(x, y float64) float64 {
		_, _, own := stones(x, y, 16, 51)
		return 0.45*own + 0.55*fbm(x, y, 4, 5, 53)
	}, 1.1},
	texForest: {func(x, y float64) float64 {
		x, y = x+0.006*(fbm(x, y, 40, 2, 61)-0.5), y+0.006*(fbm(x, y, 40, 2, 62)-0.5)
		d, _, own := stones(x, y, 26, 63)
		return (0.45 + 0.55*own) * math.Sqrt(math.Max(0, 1-1.15*d*d)) * (0.85 + 0.15*fbm(x, y, 64, 2, 64))
	}, func(x, y float64) float64 {
		_, _, own := stones(x, y, 26, 63)
		return 0.5*own + 0.5*fbm(x, y, 3, 5, 65)
	}, 2.4},
	texSnow: {func(x, y float64) float64 {
		return 0.7*fbm(x, y, 3, 4, 71) + 0.3*math.Pow(ridges(x+0.05*fbm(x, y, 4, 2, 72), y, 9, 2, 73), 2)
	},
		func(x, y float64) float64 { return fbm(x, y, 4, 4, 74) }, 0.5},
	texSand: {func(x, y float64) float64 {
		w := y + 0.07*fbm(x, y, 4, 3, 81)
		return 0.35 + 0.25*math.Sin(2*math.Pi*24*w) + 0.4*fbm(x, y, 6, 4, 82)
	}, func(x, y float64) float64 { return 0.6*fbm(x, y, 4, 4, 83) + 0.4*fbm(x, y, 64, 1, 84) }, 0.5},
	texDirt: {func(x, y float64) float64 {
		d, _, own := stones(x, y, 40, 91)
		return 0.7*fbm(x, y, 5, 5, 92) + 0.3*own*math.Max(0, 1-2.2*d)
	}, func(x, y float64) float64 { return fbm(x, y, 4, 5, 93) }, 1.2},
}

// makeLayer makes the finest level of a layer.
func makeLayer(n int) []byte {
	const side = textureSide
	out := make([]byte, 4*side*side)
	at := func(i int) (x, y float64) { return float64(i%side) / side, float64(i/side) / side }
	if n == texNoise {
		for i := range side * side {
			x, y := at(i)
			for c := range 4 {
				out[4*i+c] = byteOf(0.5 + 1.5*(fbm(x, y, 4, 6, 100+uint32(c))-0.5))
			}
		}
		return out
	}
	s := &surfaces[n]
	height := make([]float64, side*side)
	for i := range height {
		x, y := at(i)
		height[i] = s.height(x, y)
		out[4*i+3] = byteOf(0.5 + 1.4*(s.tone(x, y)-0.5))
	}
	for i, h := range height {
		x, y := i%side, i/side
		east := height[y*side+(x+1)%side] - height[y*side+(x+side-1)%side]
		south := height[(y+1)%side*side+x] - height[(y+side-1)%side*side+x]
		out[4*i] = byteOf(0.5 + 2*s.steep*east)
		out[4*i+1] = byteOf(0.5 + 2*s.steep*south)
		out[4*i+2] = byteOf(h)
	}
	return out
}

// withLevels appends the coarser levels, each the mean of four texels of the one before.
func withLevels(out []byte) []byte {
	from := 0
	for side := textureSide / 2; side > 0; side /= 2 {
		fine := out[from:]
		from = len(out)
		for y := range side {
			for x := range side {
				i := 4 * (2*y*2*side + 2*x)
				for c := range 4 {
					sum := int(fine[i+c]) + int(fine[i+4+c]) + int(fine[i+8*side+c]) + int(fine[i+8*side+4+c])
					out = append(out, byte((sum+2)/4))
				}
			}
		}
	}
	return out
}

func byteOf(v float64) byte { return byte(255*math.Min(1, math.Max(0, v)) + 0.5) }

// hash is pcg2d of Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3),
// 2020, of a lattice point; 0 to 1 each.
func hash(x, y int, seed uint32) (a, b float64) {
	u, v := uint32(x)+seed*7919, uint32(y)+seed*104729
	u, v = u*1664525+1013904223, v*1664525+1013904223
	u += v * 1664525
	v += u * 1664525
	u ^= u >> 16
	v ^= v >> 16
	u += v * 1664525
	v += u * 1664525
	return float64((u^u>>16)&0xffff) / 65535, float64((v^v>>16)&0xffff) / 65535
}

// smooth is gradient noise with so many cells a period, about -1 to 1: Perlin,
// "Improving Noise", SIGGRAPH 2002.
func smooth(x, y float64, cells int, seed uint32) float64 {
	x, y = x*float64(cells), y*float64(cells)
	fx, fy := math.Floor(x), math.Floor(y)
	corner := func(dx, dy int) float64 {
		a, _ := hash(mod(int(fx)+dx, cells), mod(int(fy)+dy, cells), seed)
		g := &gradients[int(a*float64(len(gradients)-1))]
		return g[0]*(x-fx-float64(dx)) + g[1]*(y-fy-float64(dy))
	}
	fade := func(t float64) float64 { return t * t * t * (t*(t*6-15) + 10) }
	u, v := fade(x-fx), fade(y-fy)
	top := corner(0, 0) + u*(corner(1, 0)-corner(0, 0))
	low := corner(0, 1) + u*(corner(1, 1)-corner(0, 1))
	return 1.4 * (top + v*(low-top))
}

// gradients point all ways.
var gradients = func() (g [128][2]float64) {
	for i := range g {
		g[i][0], g[i][1] = math.Sincos(2 * math.Pi * float64(i) / float64(len(g)))
	}
	return g
}()

func mod(a, n int) int { return (a%n + n) % n }

// fbm sums octaves of smooth noise: about 0 to 1.
func fbm(x, y float64, cells, octaves int, seed uint32) float64 {
	sum, amplitude, whole := 0.0, 1.0, 0.0
	for range octaves {
		sum += amplitude * smooth(x, y, cells, seed)
		whole += amplitude
		amplitude *= 0.55
		cells *= 2
		seed += 1000
	}
	return 0.5 + 0.75*sum/whole
}

// ridges is fbm with creases where noise is 0.
func ridges(x, y float64, cells, octaves int, seed uint32) float64 {
	sum, amplitude, whole := 0.0, 1.0, 0.0
	for range octaves {
		sum += amplitude * (1 - math.Min(1, 1.6*math.Abs(smooth(x, y, cells, seed))))
		whole += amplitude
		amplitude *= 0.5
		cells *= 2
		seed += 1000
	}
	return sum / whole
}

// bands are layers of uneven hardness.
func bands(y float64, count int, seed uint32) float64 {
	y *= float64(count)
	f := math.Floor(y)
	a, _ := hash(mod(int(f), count), 0, seed)
	b, _ := hash(mod(int(f)+1, count), 0, seed)
	t := y - f
	t = math.Min(1, math.Max(0, (t-0.35)/0.3))
	return a + (b-a)*t*t*(3-2*t)
}

// stones says how far the nearest of scattered points is, in cells, how much farther
// the next, and a number of its own: Worley, "A Cellular Texture Basis Function",
// SIGGRAPH 1996.
func stones(x, y float64, cells int, seed uint32) (nearest, edge, own float64) {
	x, y = x*float64(cells), y*float64(cells)
	fx, fy := int(math.Floor(x)), int(math.Floor(y))
	nearest, next := 9.0, 9.0
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			a, b := hash(mod(fx+dx, cells), mod(fy+dy, cells), seed)
			d := math.Hypot(float64(fx+dx)+a-x, float64(fy+dy)+b-y)
			if d < nearest {
				nearest, next = d, nearest
				own, _ = hash(mod(fx+dx, cells), mod(fy+dy, cells), seed+5)
			} else if d < next {
				next = d
			}
		}
	}
	return nearest, next - nearest, own
}

// anisotropic says whether textures are filtered along the slope of the ground. A
// software driver could, too, but takes long.
func (r *Renderer) anisotropic() bool {
	return r.dev.Features.SamplerAnisotropy && r.dev.GPU.Type != vk.CPU
}

// textureBytes is what the textures take on the GPU.
const textureBytes = textureLayers * 4 * (textureSide*textureSide*4 - 1) / 3

// makeTextures uploads the textures of the ground, and waits for it.
func (r *Renderer) makeTextures() (err error) {
	info := vk.SamplerInfo{Name: "ground", Min: vk.Linear, Mag: vk.Linear, Mip: vk.Linear, Address: vk.Repeat}
	if r.dev.GPU.Type == vk.CPU {
		info.Mip = vk.Nearest // half the time
	}
	if r.anisotropic() {
		info.Anisotropy = 8
	}
	if r.sampler, err = r.dev.NewSampler(info); err != nil {
		return err
	}
	r.textures, err = r.dev.NewImage(vk.ImageInfo{
		Name: "ground/textures", Width: textureSide, Height: textureSide, Format: vk.FormatRGBA8,
		Usage: vk.ImageSampled | vk.ImageTransferDst, MipLevels: textureLevels, Layers: textureLayers,
	})
	if err != nil {
		return err
	}
	all := textures()
	up, err := r.dev.NewBuffer(vk.BufferInfo{
		Name: "ground/textures upload", Size: textureBytes, Usage: vk.UsageTransferSrc, Kind: vk.Upload,
	})
	if err != nil {
		return err
	}
	defer up.Destroy()
	var copies []vk.ImageCopy
	at := 0
	for n, layer := range all {
		copy(up.Bytes()[at:], layer)
		for level := range uint32(textureLevels) {
			side := uint32(textureSide) >> level
			copies = append(copies, vk.ImageCopy{BufferOffset: uint64(at), Width: side, Height: side, MipLevel: level, Layer: uint32(n)})
			at += int(4 * side * side)
		}
	}
	err = r.dev.Immediate(func(c *vk.CommandBuffer) {
		c.BeginLabel("upload ground/textures")
		write := vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}
		c.ImageBarrier(vk.ImageBarrier{Image: &r.textures, Old: vk.LayoutUndefined, New: vk.LayoutTransferDst, Src: vk.Sync{Stage: vk.StageTransfer}, Dst: write})
		c.CopyBufferToImage(up.Handle, &r.textures, copies...)
		c.ImageBarrier(vk.ImageBarrier{
			Image: &r.textures, Old: vk.LayoutTransferDst, New: vk.LayoutShaderRead, Src: write,
			Dst: vk.Sync{Stage: vk.StageFragmentShader, Access: vk.AccessShaderRead},
		})
		c.EndLabel()
	})
	return err
}
