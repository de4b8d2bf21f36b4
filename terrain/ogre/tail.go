package ogre

import (
	"fmt"
	"math"
)

// Sampler is a texture that each layer has.
type Sampler struct {
	Alias  string
	Format uint8 // OGRE's number of a pixel format, which differs between its versions
}

// Meanings of an [Element].
const (
	SemanticAlbedo = iota
	SemanticNormal
	SemanticHeight
	SemanticSpecular
)

// Element says what some channels of a sampler mean.
type Element struct {
	Sampler, Semantic, FirstChannel, Channels uint8
}

// Declaration says of which textures layers consist.
type Declaration struct {
	Samplers []Sampler
	Elements []Element // none in files of OGRE 13.5 and later
}

// DefaultDeclaration returns that of OGRE's material generator A.
func DefaultDeclaration() Declaration {
	const byteRGBA = 12
	return Declaration{
		Samplers: []Sampler{{"albedo_specular", byteRGBA}, {"normal_height", byteRGBA}},
		Elements: []Element{
			{0, SemanticAlbedo, 0, 3}, {0, SemanticSpecular, 3, 1},
			{1, SemanticNormal, 0, 3}, {1, SemanticHeight, 3, 1},
		},
	}
}

// Layer is a material that covers the terrain.
type Layer struct {
	WorldSize float32  // metres that its textures span
	Textures  []string // one for each sampler
}

// Map is a texture that OGRE derives from the terrain, north row first.
type Map struct {
	Name string // one of the names below
	Size int    // pixels a side
	Pix  []byte // rows of [Map.Channels] bytes a pixel
}

// Names of maps.
const (
	NormalMap    = "normalmap"    // X, Y, Z in OGRE's world, 0 to 255 for -1 to 1
	ColourMap    = "colourmap"    // R, G, B
	LightMap     = "lightmap"     // 255 is lit
	CompositeMap = "compositemap" // R, G, B and specularity
)

// Channels returns the bytes a pixel, 0 for a name that OGRE does not know.
func (m *Map) Channels() int {
	switch m.Name {
	case NormalMap, ColourMap:
		return 3
	case LightMap:
		return 1
	case CompositeMap:
		return 4
	}
	return 0
}

// Tail is what a file has beside heights and deltas.
type Tail struct {
	Declaration Declaration
	Layers      []Layer
	BlendSize   int // pixels a side of the blend maps
	// Blends are R, G, B, A, north row first; layer k is byte (k-1)%4 of map
	// (k-1)/4. There may be none, but OGRE does not read what is written so.
	Blends   [][]byte
	Maps     []Map
	QuadTree []float32 // largest height errors in metres, in the walk of the package comment
}

// blendMaps returns the number of blend maps of so many layers.
func blendMaps(layers int) int { return max(0, layers-2)/4 + 1 }

// blendMode is how many blend maps a file has. It does not say; what follows
// must fit.
type blendMode int

const (
	blendsUsual blendMode = iota
	blendsOld             // one more for 5, 9, 13... layers: OGRE 1.8
	blendsNone            // a terrain that OGRE saved before it loaded it
	blendModes
)

func (m blendMode) count(layers int) int {
	switch m {
	case blendsOld:
		return max(0, layers-1)/4 + 1
	case blendsNone:
		return 0
	}
	return blendMaps(layers)
}

// chooseBlends returns the mode that makes what try reads end where it must, or
// else the usual one, if that reads at all.
func chooseBlends(try func(blendMode) (exact bool, err error)) (blendMode, error) {
	exact, err := try(blendsUsual)
	if err == nil && exact {
		return blendsUsual, nil
	}
	for m := blendsUsual + 1; m < blendModes; m++ {
		if exact, err := try(m); err == nil && exact {
			return m, nil
		}
	}
	return blendsUsual, err
}

// The tail of a terrain of a given size has at most so many bytes: enough for a
// blend map of 4096×4096, or six of 2048×2048, and for maps of the terrain's own
// size.
func maxTail(size int) int64 { return 96<<20 + 8*int64(size)*int64(size) }

// maps reads the tail without the quadtree.
func (d *decoder) maps(mode blendMode) *Tail {
	t := &Tail{Declaration: d.declaration()}
	t.Layers = d.layers(len(t.Declaration.Samplers))
	t.BlendSize = int(d.u16())
	if d.err == nil && t.BlendSize == 0 {
		d.corrupt("blend maps of 0×0 pixels")
	}
	if mode == blendsOld && mode.count(len(t.Layers)) == blendMaps(len(t.Layers)) {
		d.corrupt("as many blend maps as ever") // nothing to gain from reading them again
	}
	for range mode.count(len(t.Layers)) {
		t.Blends = append(t.Blends, d.bytes(4*int64(t.BlendSize)*int64(t.BlendSize)))
	}
	if mode == blendsOld {
		t.Blends = t.Blends[:blendMaps(len(t.Layers))] // the rest has no layer
	}
	for d.next(idMap) {
		t.Maps = append(t.Maps, d.derived())
	}
	return t
}

func (d *decoder) declaration() (c Declaration) {
	outer := d.enter(idDecl)
	for range d.u8() {
		o := d.enter(idSampler)
		c.Samplers = append(c.Samplers, Sampler{d.string(), d.u8()})
		d.leave(o)
	}
	for range d.u8() {
		o := d.enter(idElement)
		c.Elements = append(c.Elements, Element{d.u8(), d.u8(), d.u8(), d.u8()})
		d.leave(o)
	}
	d.leave(outer)
	return c
}

func (d *decoder) layers(samplers int) (layers []Layer) {
	for range d.u8() {
		o := d.enter(idLayer)
		l := Layer{WorldSize: d.f32()}
		for range samplers {
			l.Textures = append(l.Textures, d.string())
		}
		d.leave(o)
		layers = append(layers, l)
		if d.err != nil {
			break
		}
	}
	return layers
}

func (d *decoder) derived() (m Map) {
	outer := d.enter(idMap)
	m.Name = d.string()
	if d.err == nil && m.Channels() == 0 {
		d.unsupported("a map named %q", m.Name)
	}
	m.Size = int(d.u16())
	m.Pix = d.bytes(int64(m.Channels()) * int64(m.Size) * int64(m.Size))
	d.leave(outer)
	return m
}

// check returns what is wrong with t in a terrain of i, or nil.
func (t *Tail) check(i *Info) error {
	if err := checkLayers(&t.Declaration, t.Layers); err != nil {
		return err
	}
	if t.BlendSize < 1 || t.BlendSize > math.MaxUint16 {
		return fmt.Errorf("blend maps of %d×%d pixels", t.BlendSize, t.BlendSize)
	}
	if want := blendMaps(len(t.Layers)); len(t.Blends) != want && len(t.Blends) != 0 {
		return fmt.Errorf("%d blend maps for %d layers, want %d", len(t.Blends), len(t.Layers), want)
	}
	for k, b := range t.Blends {
		if want := 4 * t.BlendSize * t.BlendSize; len(b) != want {
			return fmt.Errorf("blend map %d has %d bytes, want %d", k, len(b), want)
		}
	}
	for k := range t.Maps {
		m := &t.Maps[k]
		if m.Channels() == 0 {
			return fmt.Errorf("OGRE has no map named %q", m.Name)
		}
		if want := m.Channels() * m.Size * m.Size; m.Size < 0 || m.Size > math.MaxUint16 || len(m.Pix) != want {
			return fmt.Errorf("%s of size %d has %d bytes, want %d", m.Name, m.Size, len(m.Pix), want)
		}
	}
	if want := i.QuadTreeLen(); len(t.QuadTree) != want {
		return fmt.Errorf("quadtree of %d values, want %d", len(t.QuadTree), want)
	}
	return nil
}

func checkLayers(c *Declaration, layers []Layer) error {
	if len(c.Samplers) > math.MaxUint8 || len(c.Elements) > math.MaxUint8 || len(layers) > math.MaxUint8 {
		return fmt.Errorf("%d samplers, %d elements, %d layers; at most %d each",
			len(c.Samplers), len(c.Elements), len(layers), math.MaxUint8)
	}
	texts := make([]string, 0, len(c.Samplers))
	for _, s := range c.Samplers {
		texts = append(texts, s.Alias)
	}
	for k, l := range layers {
		if len(l.Textures) != len(c.Samplers) {
			return fmt.Errorf("layer %d has %d textures for %d samplers", k, len(l.Textures), len(c.Samplers))
		}
		texts = append(texts, l.Textures...)
	}
	return checkTexts(texts...)
}

func checkTexts(texts ...string) error {
	for _, s := range texts {
		if len(s) > maxString {
			return fmt.Errorf("a text of %d bytes; at most %d", len(s), maxString)
		}
	}
	return nil
}
