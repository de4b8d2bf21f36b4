package pipeline

import (
	"fmt"
	"unsafe"

	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/vk"
)

// standing draws what stands on the ground: instances of models whose vertices stay
// on the GPU. It lies in a span of the frame ring of its own:
//
//	| Placed × instances | indirect command × draws | indices ... |
type standing struct {
	models   []*props.Model
	bases    []props.Base
	vertices vk.Buffer // of all models, one behind the other

	setLayout *vk.SetLayout
	version   int // of the vertices
	pipes     *vk.PipelineLayout

	lastUse uint64 // value of the last frame that draws them
}

// preparedProps is what PrepareProps leaves for Draw. It is of the frame only if
// prepared.props says so.
type preparedProps struct {
	set      vk.Set
	ring     vk.Buffer // that commands and indices lie in
	commands uint64    // offset
	draws    int
	direct   []vk.DrawIndexedIndirect // or nil: the commands lie in ring
}

const (
	placedBytes  = uint64(unsafe.Sizeof(props.Placed{}))
	commandBytes = uint64(unsafe.Sizeof(vk.DrawIndexedIndirect{}))
)

// SetModels says what PrepareProps may draw, and uploads its vertices, for which it
// waits. Call it between frames. Frames in flight go on with what they have.
func (r *Renderer) SetModels(models []*props.Model) error {
	s := &r.standing
	if s.vertices.Size > 0 {
		r.dev.Retire(&s.vertices, s.lastUse)
		s.vertices = vk.Buffer{}
	}
	s.models, s.bases = nil, nil
	s.version++
	if len(models) == 0 {
		return nil
	}
	vertices, _, bases := props.Pack(models)
	size := uint64(len(vertices)) * uint64(unsafe.Sizeof(props.Vertex{}))
	if most := r.dev.Limits.StorageRange; size > most {
		return fmt.Errorf("models of %d bytes of vertices: the device shows %d at once: %w", size, most, vk.ErrOutOfMemory)
	}
	if err := r.makeStanding(); err != nil {
		return fmt.Errorf("props: %w", err)
	}
	b, err := r.uploadOnce("props/vertices", unsafe.Slice((*byte)(unsafe.Pointer(&vertices[0])), size))
	if err != nil {
		return fmt.Errorf("props: %w", err)
	}
	s.vertices, s.models, s.bases = b, models, bases
	return nil
}

// uploadOnce makes a buffer that shaders read, and waits until it has its bytes.
func (r *Renderer) uploadOnce(name string, bytes []byte) (b vk.Buffer, err error) {
	size := uint64(len(bytes))
	b, err = r.dev.NewBuffer(vk.BufferInfo{Name: name, Size: size, Usage: vk.UsageStorage | vk.UsageTransferDst, Kind: vk.DeviceLocal})
	if err != nil {
		return b, err
	}
	up, err := r.dev.NewBuffer(vk.BufferInfo{Name: name + " upload", Size: size, Usage: vk.UsageTransferSrc, Kind: vk.Upload})
	if err == nil {
		copy(up.Bytes(), bytes)
		err = r.dev.Immediate(func(c *vk.CommandBuffer) {
			c.BeginLabel("upload " + name)
			c.CopyBuffer(up.Handle, b.Handle, vk.BufferCopy{Size: size})
			c.EndLabel()
		})
		up.Destroy()
	}
	if err != nil {
		b.Destroy()
		return vk.Buffer{}, err
	}
	return b, nil
}

// makeStanding makes sets, once.
func (r *Renderer) makeStanding() (err error) {
	s := &r.standing
	if s.pipes != nil {
		return nil
	}
	defer func() {
		if err != nil {
			s.destroySets()
		}
	}()
	s.setLayout, err = r.dev.NewSetLayout("props",
		vk.Binding{Binding: 0, Type: vk.UniformBuffer, Stages: vk.ShaderVertex | vk.ShaderFragment},
		vk.Binding{Binding: 1, Type: vk.StorageBuffer, Stages: vk.ShaderVertex},
		vk.Binding{Binding: 2, Type: vk.StorageBuffer, Stages: vk.ShaderVertex},
		vk.Binding{Binding: 4, Type: vk.StorageBuffer, Stages: vk.ShaderFragment},
	)
	if err != nil {
		return err
	}
	s.pipes, err = r.dev.NewPipelineLayout("props", nil, s.setLayout)
	return err
}

func (s *standing) destroy() {
	s.vertices.Destroy()
	s.destroySets()
}

func (s *standing) destroySets() {
	if s.pipes != nil {
		s.pipes.Destroy()
	}
	if s.setLayout != nil {
		s.setLayout.Destroy()
	}
	s.pipes, s.setLayout = nil, nil
}

// PrepareProps has the next Draw draw what was selected of the models last set too. It
// copies instances and the index lists of their resolutions into the ring. Call it after
// Prepare or PrepareAnchored, in the same frame.
func (r *Renderer) PrepareProps(f *vk.Frame, selected *props.Selection) error {
	s := &r.standing
	if len(selected.Draws) == 0 {
		return nil
	}
	commandsAt := aligned(uint64(len(selected.Placed)) * placedBytes)
	indicesAt := commandsAt + aligned(uint64(len(selected.Draws))*commandBytes)
	size := indicesAt + 4*uint64(selected.Indices)
	offset, err := r.reserve(f, size)
	if err != nil {
		return err
	}
	bytes := r.ring.Bytes()[offset : offset+size]
	copy(unsafe.Slice((*props.Placed)(unsafe.Pointer(&bytes[0])), len(selected.Placed)), selected.Placed)
	commands := unsafe.Slice((*vk.DrawIndexedIndirect)(unsafe.Pointer(&bytes[commandsAt])), len(selected.Draws))
	indices := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(bytes[indicesAt:]))), selected.Indices)
	first := int((offset + indicesAt) / 4) // counted from the start of the ring: see attempt
	at := 0
	p := &r.picture.props
	p.direct = p.direct[:0]
	for i, d := range selected.Draws {
		m := s.models[d.Model]
		l := &m.Levels[d.Level]
		command := vk.DrawIndexedIndirect{
			IndexCount: uint32(l.Count), InstanceCount: uint32(d.Instances), FirstIndex: uint32(first + at),
			VertexOffset: int32(s.bases[d.Model].Vertex), FirstInstance: uint32(d.First),
		}
		commands[i] = command
		if !r.dev.Features.MultiDraw {
			p.direct = append(p.direct, command)
		}
		at += copy(indices[at:], m.Indices[l.First:l.First+l.Count])
	}
	if p.sets == nil {
		if p.sets, err = r.dev.NewSets("props", s.setLayout, r.dev.FramesInFlight); err != nil {
			return err
		}
		p.version = make([]int, r.dev.FramesInFlight)
	}
	set := p.sets.Set[f.Slot]
	r.dev.WriteBufferRanges(set, 0, 0, r.frame.constants)
	r.dev.WriteBuffers(set, 4, 0, r.shadows.buffer(r))
	r.dev.WriteBufferRanges(set, 1, 0, r.ring.Range(offset, uint64(len(selected.Placed))*placedBytes))
	if p.version[f.Slot] != s.version {
		p.version[f.Slot] = s.version
		r.dev.WriteBuffers(set, 2, 0, s.vertices)
	}
	p.frame = preparedProps{set: set, ring: r.ring, commands: offset + commandsAt, draws: len(selected.Draws), direct: p.direct}
	s.lastUse = f.Value
	for k, wanted := range [kinds]bool{solid: true, solidLines: r.frame.lines} {
		if !wanted {
			continue
		}
		if r.frame.pipes[k], err = r.variants.choose(kind(k), r.frame.variant); err != nil {
			return err
		}
	}
	r.frame.props = true
	r.spans.Submit(f.Value)
	return nil
}

// draw records what PrepareProps wrote.
func (s *standing) draw(r *Renderer, c *vk.CommandBuffer) {
	f := &r.picture.props.frame
	r.begin(c, "props")
	c.BindPipeline(r.frame.pipes[solid])
	c.BindSets(r.frame.pipes[solid], 0, f.set)
	c.BindIndexBuffer(f.ring.Handle, 0, vk.Index32)
	r.drawIndirect(c, f.ring, f.commands, f.draws, f.direct)
	if r.frame.lines {
		c.BindPipeline(r.frame.pipes[solidLines])
		c.BindSets(r.frame.pipes[solidLines], 0, f.set)
		r.drawIndirect(c, f.ring, f.commands, f.draws, f.direct)
	}
	r.end(c)
}
