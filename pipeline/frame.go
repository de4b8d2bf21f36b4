package pipeline

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// ViewMode is what the picture shows.
type ViewMode int32

// What a picture may show; the numbers are those of shaders/frame.glsl.
const (
	Shaded    ViewMode = iota
	Wireframe          // triangles, tinted by level
	LOD                // levels of the vertices
	Error              // what leaving each vertex out would cost, in tolerances: blue 1, yellow 4, red 16
	Normals
	Tiles    // where tiles are
	Morph    // how far vertices have moved to their own heights
	Pixels   // what the vertices left out would change, in pixels
	Overdraw // how often a pixel is drawn
	Unlit    // one colour: what geometry alone costs
	Boxes    // Tiles, and the box around each that is drawn, coloured by its finest level
)

// Quality is how much a picture may take to shade.
type Quality int8

// Qualities.
const (
	Full Quality = iota
	Low          // no textures and no shadows
)

// Look is how the picture looks, beside the camera.
type Look struct {
	View      ViewMode
	Lines     bool       // triangles over the picture
	Sun       mgl64.Vec3 // towards the sun, unit length; zero is a good default; see [SunAt]
	Haze      float64    // scattering of haze at height 0, 1/m; 0 means a clear day, below 0 no air at all
	Blue      float64    // extinction of blue distance, 1/m, in place of haze; 0 is none; see [BlueDistance]
	Painted   bool       // ground by the colours and materials of the relief's paint, if it has any
	Clear     *[3]uint8  // sRGB; in place of the sky
	Sea       bool       // height 0 is the surface of a sea
	Time      float64    // seconds; moves the sea
	DrawAll   bool       // also draw tiles outside the view
	Quality   Quality
	NearPlane float64 // metres; 0 means a hundredth of the spacing, 0.1 at most

	// DepthOnly has ground and things draw nothing but their depth, in a pass without colour:
	// what a light sees, say. There is no sky then, and no sea.
	DepthOnly bool

	// Clip, if not nil, takes places to clip space in place of the view's own matrix:
	// relative to its eye, in metres, with depth that decreases with the distance. What it
	// shows must be in the view's picture, for which tiles are refined and culled:
	// [lodcpu.Parallel] and [lodcpu.View.ClipAbove] give such.
	Clip *mgl64.Mat4
}

// defaultHaze lets one see mountains 100 km away.
const defaultHaze = 0.9e-5

// modelExtent is the largest world in metres that is seen through full-size air.
// Larger ones thin it faster than they grow, for they are looked at from higher.
const modelExtent = 60e3

// BlueDistance returns a [Look].Blue that lets ridges all over a world stand before each
// other: four fifths of the light are lost over a third of its larger side, or over 20 km.
func BlueDistance(w *terrain.World) float64 {
	far := 20e3
	if !w.Endless {
		far = min(far, float64(max(w.Width, w.Height)-1)*w.Spacing/3)
	}
	return 1.6 / far
}

// Extinction returns what [lodcpu.View].Haze may be for a look at a world from that height: the
// least extinction that there is between the eye and the ground, of the colour that air
// hides least, 1/m. It is told in steps of a quarter, so that a law lasts while the eye climbs.
func (l *Look) Extinction(w *terrain.World, eye float64) float64 {
	if l.Blue > 0 {
		return l.Blue
	}
	if l.Haze < 0 {
		return 0
	}
	haze := l.Haze
	if haze == 0 {
		haze = defaultHaze
	}
	air := airScale(w)
	y := air * max(eye, float64(w.Max)*w.Quantum, 0)
	// As in shaders/air.glsl: red, and haze.
	extinction := air * (5.8e-6*math.Exp(-y/8000) + haze*math.Exp(-y/1800))
	const step = 1.25
	return math.Pow(step, math.Floor(math.Log(extinction)/math.Log(step)))
}

// airScale is how much a metre counts in the air.
func airScale(w *terrain.World) float64 {
	return min(1, math.Pow(modelExtent/(float64(max(w.Width, w.Height))*w.Spacing), 1.6))
}

// Visibility returns the extinction in 1/m of air through which a dark thing can just be seen
// from so many metres: Koschmieder, "Theorie der horizontalen Sichtweite", 1924, for a
// contrast of 2 %. It may be [Look].Haze or [Look].Blue.
func Visibility(metres float64) float64 { return 3.912 / metres }

// noisePeriod is the period of the ground noise in metres, as in ground.glsl.
// The noise belongs to world positions, not to the file's origin: worlds baked
// side by side show one ground.
const noisePeriod = 65536

// frameConstants mirrors shaders/frame.glsl (std140).
type frameConstants struct {
	Clip       [16]float32
	Right      [4]float32
	Up         [4]float32
	Forward    [4]float32
	Eye        [4]float32
	Sun        [4]float32
	ClearColor [4]float32
	ShadeAt    [4]float32
	ShadeRange [4]float32
	Ground     [2]float32
	Quantum    float32
	Haze       float32
	Rim        [2]int32
	View       int32
	Sea        float32
	Time       float32
	Pixels     float32
	SunMass    float32
	Air        float32
	Exposure   float32
	Detail     float32
	Last       [2]int32
	LodEye     [4]float32
	Morph      [12][4]float32
	Moves      int32
	Paint      int32
	Hazed      [2]float32
	Blue       float32
	_          float32
	Tile       [2]int32
}

// tileConstants mirrors Tile of shaders/tile.glsl (std430).
type tileConstants struct {
	Cell    [2]int32
	Base    int32
	Rising  uint32
	Bounds  [2]int32
	Finest  uint32
	Address [12]uint32
	_       uint32
	Rise    [9][2]uint32
}

const (
	frameConstantsBytes = uint64(unsafe.Sizeof(frameConstants{}))
	eyeConstantsBytes   = (frameConstantsBytes + 15) &^ 15 // from one eye to the next, as std140 has it
	tileConstantsBytes  = uint64(unsafe.Sizeof(tileConstants{}))
)

// noBuffer is an address in a buffer that there is not, whatever is added to it.
const noBuffer = 0xff << addressBits

// cell returns the grid cell of the world that holds a place, and the eye's
// offset from its corner in metres.
func cell(w *terrain.World, at, eye mgl64.Vec3) (x, z int32, fx, fz float64) {
	cx := math.Floor((at[0] - w.OriginX) / w.Spacing)
	cz := math.Floor((at[2] - w.OriginZ) / w.Spacing)
	return int32(int64(cx)), int32(int64(cz)), eye[0] - w.OriginX - cx*w.Spacing, eye[2] - w.OriginZ - cz*w.Spacing
}

// fill fills c for a view whose levels of detail follow law. Tiles are where they are
// relative to the cell of at.
func (c *frameConstants) fill(w *terrain.World, at origin, v *lodcpu.View, law *lodcpu.Law, m *lodcpu.Morph, look *Look) {
	near := look.NearPlane
	if near <= 0 {
		// Reversed depth in floating point is as fine with any near plane.
		near = min(0.1, w.Spacing/100)
	}
	clip := v.ClipMatrix(near)
	if look.Clip != nil {
		clip = *look.Clip
	}
	for i := range clip {
		c.Clip[i] = float32(clip[i])
	}
	right, up, forward := v.Basis()
	half := math.Tan(v.FovY / 2)
	c.Right = vec4(right, half*float64(v.Width)/float64(v.Height))
	c.Up = vec4(up, half)
	c.Forward = vec4(forward, float64(v.Height))
	cx, cz, fx, fz := cell(w, at, v.Eye)
	c.Eye = [4]float32{float32(fx), float32(v.Eye[1]), float32(fz), float32(w.Spacing)}
	sun := look.Sun
	if sun == (mgl64.Vec3{}) {
		sun = DefaultSun
	}
	c.Sun = vec4(sun, irradiance*daylight(sun[1]))
	c.ClearColor = [4]float32{}
	if look.View == Overdraw {
		c.ClearColor[3] = 1
	} else if look.Clear != nil {
		for i, b := range look.Clear {
			c.ClearColor[i] = float32(b) / 255
		}
		c.ClearColor[3] = 1
	}
	c.Ground = [2]float32{float32(wrap(v.Eye[0])), float32(wrap(v.Eye[2]))}
	c.Quantum = float32(w.Quantum)
	c.Haze = float32(max(look.Haze, 0))
	if look.Haze == 0 {
		c.Haze = defaultHaze
	}
	c.Rim = [2]int32{int32(w.Width-1) - cx, int32(w.Height-1) - cz}
	if w.Endless {
		c.Rim = [2]int32{math.MaxInt32 / 2, math.MaxInt32 / 2}
	}
	c.Blue = float32(max(look.Blue, 0))
	share, far := law.Hazed()
	c.Hazed = [2]float32{float32(share), float32(far)}
	c.View = int32(look.View)
	c.Sea = 0
	if look.Sea {
		c.Sea = 1
	}
	c.Time = float32(look.Time)
	c.Pixels = float32(v.Kappa() / v.Tau)
	c.SunMass = float32(airMass(sun[1]))
	c.fillMorph(v, law, m, cx, cz)
	cells := 2 * int32(w.Layout().Cells)
	c.Tile = [2]int32{(cx%cells + cells) % cells, (cz%cells + cells) % cells}
	c.Exposure = float32(exposure(sun[1], float64(c.Haze)))
	c.Air = float32(airScale(w))
}

// fillMorph says how vertices move, for an eye in a cell of the world; m may be nil.
func (c *frameConstants) fillMorph(v *lodcpu.View, law *lodcpu.Law, m *lodcpu.Morph, cx, cz int32) {
	c.Moves = 0
	if m == nil {
		c.Last = [2]int32{math.MinInt32 / 2, math.MinInt32 / 2} // all lies beyond
		return
	}
	if m.Moves() {
		c.Moves = 1
	}
	c.Last = m.Last(cx, cz)
	c.LodEye = vec4(law.Eye.Sub(v.Eye), law.B)
	for order, width := range m.Width {
		at := c.Morph[order/2][order%2*2:]
		at[0], at[1] = float32(law.A)+m.Radius[order], 1/width
	}
}

func vec4(v mgl64.Vec3, w float64) [4]float32 {
	return [4]float32{float32(v[0]), float32(v[1]), float32(v[2]), float32(w)}
}

// wrap returns m modulo the noise period, at least 0.
func wrap(m float64) float64 { return m - noisePeriod*math.Floor(m/noisePeriod) }

// fill fills t for a tile seen from a cell of the world.
func (t *tileConstants) fill(w *terrain.World, s *tileSlot, cx, cz int32) {
	layout := w.Layout()
	k := s.info.Key
	t.Cell = [2]int32{k.X*int32(layout.Cells) - cx, k.Y*int32(layout.Cells) - cz}
	t.Base, t.Bounds = s.info.Base, [2]int32{s.info.Min, s.info.Max}
	t.Finest = uint32(layout.Levels - 1)
	for level := range layout.Levels {
		lo, _ := layout.Range(terrain.Level(level))
		if t.Address[level] = s.block[level] - uint32(lo); s.block[level] == noBlock {
			t.Address[level] = noBuffer
		} else {
			t.Finest = min(t.Finest, uint32(level))
		}
	}
}

// fillRise says what has just been loaded of a tile and its neighbours.
func (t *tileConstants) fillRise(r *lodcpu.Rise) {
	t.Rising = 0
	if !r.Any() {
		return
	}
	t.Rising = 1
	for i := range r {
		t.Rise[i] = [2]uint32{binary.LittleEndian.Uint32(r[i].Left[:]), uint32(r[i].Finest)}
	}
}

// airMass returns the air that a ray towards the sun crosses, relative to a
// vertical one, by its sine of elevation: Kasten and Young, "Revised optical air
// mass tables", Applied Optics 28(22), 1989.
func airMass(up float64) float64 {
	up = min(max(up+0.02, 0), 1)
	return 1 / (up + 0.50572*math.Pow(math.Asin(up)*180/math.Pi+6.07995, -1.6364))
}
