package main

import (
	_ "embed"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

//go:embed bare.vert.spv
var bareVert []byte

//go:embed bare.frag.spv
var bareFrag []byte

// bareDrawer draws a list of triangles by the cheapest pipeline: positions of three
// floats in world metres, a matrix, one colour.
type bareDrawer struct {
	dev      *vk.Device
	target   *vk.Target
	layout   *vk.PipelineLayout
	pipeline *vk.Pipeline
	mesh     bareMesh
	grid     bareMesh
}

// bareMesh is vertices and a list.
type bareMesh struct {
	vertices, indices vk.Buffer
	count             int
}

func (m *bareMesh) destroy() {
	m.vertices.Destroy()
	m.indices.Destroy()
	*m = bareMesh{}
}

func openBare(dev *vk.Device, target *vk.Target, f *terrain.Field) (b *bareDrawer, err error) {
	b = &bareDrawer{dev: dev, target: target}
	if b.layout, err = dev.NewPipelineLayout("bare", []vk.PushRange{{Stages: vk.ShaderVertex, Size: 64}}); err != nil {
		return b, err
	}
	b.pipeline, err = dev.NewGraphicsPipeline(vk.GraphicsInfo{
		Name: "bare", Layout: b.layout, VertexSPV: bareVert, FragmentSPV: bareFrag, Topology: vk.TriangleList, Cull: vk.CullBack,
		Bindings: []vk.VertexBinding{{Stride: 12}}, Attributes: []vk.VertexAttribute{{Format: vk.FormatRGB32F}},
		DepthTest: true, DepthWrite: true, DepthCompare: vk.GreaterOrEqual, ColorFormat: target.Color.Format, DepthFormat: target.Depth.Format,
	})
	if err != nil {
		return b, err
	}
	b.grid, err = b.upload(gridOf(f))
	return b, err
}

// gridOf returns all vertices of a map, and all triangles, counter-clockwise from above.
func gridOf(f *terrain.Field) (vertices [][3]float32, indices []uint32) {
	for z := range f.Height {
		for x := range f.Width {
			vertices = append(vertices, [3]float32{float32(float64(x) * f.Spacing), float32(float64(f.At(x, z)) * f.Quantum), float32(float64(z) * f.Spacing)})
			if x > 0 && z > 0 {
				i, w := uint32(z*f.Width+x), uint32(f.Width)
				indices = append(indices, i-w-1, i-1, i-w, i-w, i-1, i)
			}
		}
	}
	return vertices, indices
}

// use takes the triangles of a mesh.
func (b *bareDrawer) use(m *vkterrain.Mesh) (err error) {
	b.mesh.destroy()
	var vertices [][3]float32
	var indices []uint32
	for _, v := range m.Vertices {
		vertices = append(vertices, [3]float32{float32(v[0]), float32(v[1]), float32(v[2])})
	}
	for _, t := range m.Triangles {
		indices = append(indices, t[:]...)
	}
	b.mesh, err = b.upload(vertices, indices)
	return err
}

func (b *bareDrawer) upload(vertices [][3]float32, indices []uint32) (m bareMesh, err error) {
	m.count = len(indices)
	m.vertices, err = b.dev.NewBuffer(vk.BufferInfo{Name: "bare vertices", Size: uint64(12 * len(vertices)), Usage: vk.UsageVertex, Kind: vk.Upload})
	if err != nil {
		return m, err
	}
	m.indices, err = b.dev.NewBuffer(vk.BufferInfo{Name: "bare indices", Size: uint64(4 * len(indices)), Usage: vk.UsageIndex, Kind: vk.Upload})
	if err != nil {
		return m, err
	}
	copy(unsafe.Slice((*[3]float32)(unsafe.Pointer(&m.vertices.Bytes()[0])), len(vertices)), vertices)
	copy(unsafe.Slice((*uint32)(unsafe.Pointer(&m.indices.Bytes()[0])), len(indices)), indices)
	return m, nil
}

func (b *bareDrawer) draw(v *lodcpu.View, frames int) (took, error) {
	return b.drawMesh(&b.mesh, v, frames)
}

func (b *bareDrawer) triangles() int { return b.mesh.count / 3 }

func (b *bareDrawer) drawMesh(m *bareMesh, v *lodcpu.View, frames int) (took, error) {
	if err := b.frame(m, v); err != nil {
		return took{}, err
	}
	return timed(b.dev, frames, func() error { return b.frame(m, v) })
}

func (b *bareDrawer) frame(m *bareMesh, v *lodcpu.View) error {
	f, err := b.dev.BeginFrame()
	if err != nil {
		return err
	}
	clip := v.ClipMatrix(1).Mul4(mgl64.Translate3D(-v.Eye[0], -v.Eye[1], -v.Eye[2]))
	var push [16]float32
	for i := range clip {
		push[i] = float32(clip[i])
	}
	c := f.Cmd
	c.BeginPass("bare")
	b.target.Begin(c, [4]float32{0.3, 0.4, 0.6, 1}, 0)
	c.BindPipeline(b.pipeline)
	c.BindVertexBuffer(0, m.vertices.Handle, 0)
	c.BindIndexBuffer(m.indices.Handle, 0, vk.Index32)
	vk.Push(c, b.layout, vk.ShaderVertex, &push)
	c.DrawIndexed(uint32(m.count), 1, 0, 0, 0)
	b.target.End(c)
	c.EndPass()
	return f.Submit()
}

func (b *bareDrawer) close() {
	if err := b.dev.WaitIdle(); err != nil {
		return
	}
	b.mesh.destroy()
	b.grid.destroy()
	b.pipeline.Destroy()
	b.layout.Destroy()
}

// gridDrawer draws all triangles.
type gridDrawer struct{ *bareDrawer }

func (g *gridDrawer) draw(v *lodcpu.View, frames int) (took, error) {
	return g.drawMesh(&g.grid, v, frames)
}

func (g *gridDrawer) triangles() int { return g.grid.count / 3 }
