package pipeline

import (
	"cmp"
	"fmt"
	"time"
	"unsafe"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/ring"
)

// Options of a renderer. The zero value works but for the formats and the refiner.
type Options struct {
	// NewRefiner returns what decides what is drawn, once for each of Workers (0 means
	// 1), the render goroutine being one; Topology is how its indices form triangles.
	NewRefiner func() lodcpu.Refiner
	Workers    int
	Topology   lodcpu.Topology
	Label      string // of the draw of all tiles, in a debugger; "" means terrain

	ColorFormat, DepthFormat vk.Format
	Samples                  uint32 // 0 means 1
	RingBytes                uint64 // first size of the frame ring; 0 means 16 MiB; it grows
	StagingBytes             uint64 // size of the staging ring; 0 means 16 MiB
	ShaderDebug              bool   // shaders with source, for a debugger
	Timed                    bool   // draws are passes of the frame, see [vk.Frame].Times
	Moving                   bool   // vertices may move, see SetMorph
	WideIndices              bool   // indices of 32 bits where 16 are enough too, see [lodcpu.FitsNarrow]
	Cache                    *vk.PipelineCache
}

// Drawable is a tile as a frame sees it. Near and Tile must not change until
// Prepare returns.
type Drawable struct {
	Slot Slot
	Tile *terrain.Tile
	Near *lodcpu.Neighbourhood
}

// Stats is what a frame did.
type Stats struct {
	lodcpu.Counts
	Tiles  int           // drawn
	Draws  int           // indirect commands
	Refine time.Duration // CPU time spent on refinement
	Redone int           // refinements repeated because the ring's span was too small

	IndexBytes int // that the indices drawn take
	Compiling  int // pipelines for this look that are still being made: until then general ones draw

	// Anchored says that an anchor's mesh was drawn: then Refine is the time it took to
	// cull it and to write the frame's commands.
	Anchored bool
}

// Renderer draws one world on one device.
type Renderer struct {
	dev       *vk.Device
	world     *terrain.World
	layout    *terrain.Layout
	topology  lodcpu.Topology
	teams     []labelled
	pool      *pool
	tiles     *lodcpu.TileSet // by slot
	order     nearFirst
	unordered []inView      // room for ordering
	morph     *lodcpu.Morph // or nil
	rise      risings

	indexBytes uint64 // of one index: 2 or 4

	grid      vk.Buffer // id -> column | row<<16
	ring      vk.Buffer
	spans     *ring.Ring
	setLayout *vk.SetLayout
	pipes     *vk.PipelineLayout
	variants  variants
	textures  vk.Image
	sampler   vk.Sampler
	shadows   shadows

	pictures []*picture // one a view
	*picture            // of the view that is selected
	jobs     []lodcpu.Job
	done     []lodcpu.Span

	anchors  anchors
	written  frameConstants // of the view prepared last; the ring is only written
	culling  time.Duration
	standing standing
	options  Options
}

// prepared is what Prepare leaves for Draw.
type prepared struct {
	set               vk.Set
	ring              vk.Buffer // that commands lie in
	commands          uint64    // offset in the ring
	view              lodcpu.View
	look              Look
	constants, tiles  vk.BufferRange
	origin            origin
	place             Place
	label             string
	draws, numTiles   int
	direct            []vk.DrawIndexedIndirect // or nil: the commands lie in ring
	indices           vk.Buffer
	props, overdraw   bool
	boxes             bool
	lines, water, all bool
	width, height     int
	variant           variant
	pipes             [kinds]*vk.Pipeline
}

// New makes a renderer. The device must outlive it.
func New(dev *vk.Device, w *terrain.World, o Options) (r *Renderer, err error) {
	layout := w.Layout()
	r = &Renderer{dev: dev, world: w, layout: layout, topology: o.Topology, options: o}
	r.tiles, r.variants = lodcpu.NewTileSet(w), newVariants(r)
	r.shadows = shadows{shown: -1, done: make(chan struct{}, 1)}
	r.indexBytes = indexSize(layout, o.WideIndices)
	r.AddRefiner(cmp.Or(o.Label, "terrain"), o.NewRefiner)
	r.anchors.layout = layout
	r.anchors.newTeam = func() team { return r.newTeam(max(o.Workers-1, 1), o.NewRefiner) }
	defer func() {
		if err != nil {
			r.Destroy()
			r, err = nil, fmt.Errorf("terrain renderer: %w", err)
		}
	}()
	if o.StagingBytes == 0 {
		o.StagingBytes = 16 << 20
	}
	if o.RingBytes == 0 {
		o.RingBytes = 16 << 20
	}
	if r.pool, err = newPool(dev, layout, o.StagingBytes); err != nil {
		return r, err
	}
	if err = r.makeGrid(); err != nil {
		return r, err
	}
	if err = r.makeRing(o.RingBytes); err != nil {
		return r, err
	}
	return r, r.makeSets()
}

// Destroy frees everything. The caller proves that the GPU is done.
func (r *Renderer) Destroy() {
	r.anchors.close()
	for _, t := range r.teams {
		t.Close()
	}
	r.variants.close()
	r.shadows.destroy()
	r.standing.destroy()
	if r.pipes != nil {
		r.pipes.Destroy()
	}
	r.destroyPictures()
	if r.setLayout != nil {
		r.setLayout.Destroy()
	}
	r.ring.Destroy()
	r.grid.Destroy()
	r.sampler.Destroy()
	r.textures.Destroy()
	if r.pool != nil {
		r.pool.destroy()
	}
}

// makeGrid uploads the table from vertex id to column and row, and behind it the one
// back, row by row.
func (r *Renderer) makeGrid() (err error) {
	n := len(r.layout.Grid)
	table := make([]uint32, 2*n)
	for id, p := range r.layout.Grid {
		table[id] = uint32(p.X) | uint32(p.Z)<<16
	}
	copy(table[n:], r.layout.ID)
	r.grid, err = r.uploadOnce("terrain/grid", unsafe.Slice((*byte)(unsafe.Pointer(&table[0])), 4*len(table)))
	return err
}

// makeRing makes a frame ring in place of the one there is, which stays if that
// fails.
func (r *Renderer) makeRing(size uint64) error {
	b, err := r.dev.NewBuffer(vk.BufferInfo{
		Name: "frame ring", Size: size, Kind: vk.Upload,
		Usage: vk.UsageUniform | vk.UsageStorage | vk.UsageIndirect | vk.UsageIndex,
	})
	if err == nil {
		r.ring, r.spans = b, ring.New(size)
	}
	return err
}

func (r *Renderer) makeSets() (err error) {
	r.setLayout, err = r.dev.NewSetLayout("terrain",
		vk.Binding{Binding: 0, Type: vk.UniformBuffer, Stages: vk.ShaderVertex | vk.ShaderFragment},
		vk.Binding{Binding: 1, Type: vk.StorageBuffer, Stages: vk.ShaderVertex},
		vk.Binding{Binding: 2, Type: vk.StorageBuffer, Stages: vk.ShaderVertex},
		vk.Binding{Binding: 3, Type: vk.StorageBuffer, Count: maxBuffers, Stages: vk.ShaderVertex},
		vk.Binding{Binding: 4, Type: vk.StorageBuffer, Stages: vk.ShaderFragment},
		vk.Binding{Binding: 5, Type: vk.CombinedImageSampler, Stages: vk.ShaderFragment},
	)
	if err != nil {
		return err
	}
	if err := r.Select(0); err != nil {
		return err
	}
	if err = r.makeTextures(); err != nil {
		return err
	}
	r.pipes, err = r.dev.NewPipelineLayout("terrain", nil, r.setLayout)
	return err
}

// AddTile makes the GPU side of a tile; nothing is uploaded yet.
func (r *Renderer) AddTile(info *terrain.TileInfo) Slot {
	s := r.pool.add(info)
	r.tiles.Put(int(s), info)
	return s
}

// RemoveTile drops a tile with all its levels.
func (r *Renderer) RemoveTile(f *vk.Frame, s Slot) {
	r.tiles.Remove(int(s))
	r.rise.forget(s)
	r.pool.remove(f, s)
}

// Exchange puts the levels uploaded for one slot in the place of those of another,
// and gives that one up: the tile at s is from here on described as the one at from
// was, and its other levels stay. All of from's levels must have arrived. Frames in
// flight go on with what they have.
func (r *Renderer) Exchange(f *vk.Frame, s, from Slot) {
	r.tiles.Put(int(s), r.pool.slots[from].info)
	r.tiles.Remove(int(from))
	r.pool.exchange(f, s, from)
}

// Upload sends the level samples of a tile's level on their way. It returns
// false if the staging ring is full: try again next frame.
func (r *Renderer) Upload(f *vk.Frame, s Slot, level terrain.Level, verts []terrain.Vertex) (bool, error) {
	return r.pool.upload(f, s, level, verts)
}

// Arrived calls take for each level that has become readable: it may be drawn
// from this frame on. Where levels that went have left gaps, it has the GPU move some of
// those that stay, 256 KiB a frame at most, and gives back buffers that become empty. Call
// it once a frame, before Prepare, outside of a pass.
func (r *Renderer) Arrived(f *vk.Frame, take func(Slot, terrain.Level)) error {
	if err := r.pool.reclaim(f); err != nil {
		return err
	}
	if err := r.pool.arrived(f, take); err != nil {
		return err
	}
	r.pool.defragment(f, moveBytes)
	return nil
}

// Moved returns how many bytes of vertices have been moved to other places so far, so that
// memory becomes free.
func (r *Renderer) Moved() uint64 { return r.pool.moved }

// Drop takes a level away from a tile; drawables must not hold it any more.
func (r *Renderer) Drop(f *vk.Frame, s Slot, level terrain.Level) {
	r.rise.drop(s, level)
	r.pool.drop(f, s, level)
}

// Bytes returns device memory: what the pool has reserved and what of it holds
// vertices, and the memory of rings and tables.
func (r *Renderer) Bytes() (reserved, used, other uint64) {
	reserved, used = r.pool.bytes()
	other = r.ring.Size + r.pool.staging.Buffer.Size + r.grid.Size + r.standing.vertices.Size + textureBytes + 3*r.shadows.up.Size
	for _, m := range r.anchors.meshes {
		other += m.buffer.Size
	}
	return reserved, used, other
}

// SetMorph says how vertices move to their heights from the next Prepare on; nil means
// that they do not. Laws must have its radii. It needs [Options].Moving.
func (r *Renderer) SetMorph(m *lodcpu.Morph) { r.morph = m }

// HasLines says whether the device can draw wireframes.
func (r *Renderer) HasLines() bool { return r.can(groundLines) }
