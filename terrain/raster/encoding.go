package raster

import "fmt"

// Encoding says how colours mean heights.
type Encoding string

const (
	// Grey takes the first channel: of a colour picture its red, of one with a
	// palette the index.
	Grey Encoding = "grey"
	// Mapbox is terrain-RGB: −10,000 m + (R·65,536 + G·256 + B) · 0.1 m.
	Mapbox Encoding = "mapbox"
	// Terrarium is R·256 + G + B/256 − 32,768 m.
	Terrarium Encoding = "terrarium"
)

func (e Encoding) check() error {
	switch e {
	case "", Grey, Mapbox, Terrarium:
		return nil
	}
	return fmt.Errorf("encoding %q is none of mapbox, terrarium, grey", string(e))
}

// colours says whether three channels make a height.
func (e Encoding) colours() bool { return e == Mapbox || e == Terrarium }

// describe sets what follows from the encoding.
func (e Encoding) describe(i *Info) {
	i.Encoding = e
	switch e {
	case Mapbox:
		i.Unit, i.Type, i.VerticalUnit = 0.1, "u24", "metre"
	case Terrarium:
		i.Unit, i.Type, i.VerticalUnit = 1.0/256, "u24", "metre"
	}
}

// zero is the code of the height 0.
func (e Encoding) zero() int {
	switch e {
	case Mapbox:
		return 100_000
	case Terrarium:
		return 32_768 * 256
	}
	return 0
}

// number returns the height of a colour in units.
func (e Encoding) number(r, g, b uint8) float64 {
	return float64(int(r)<<16 + int(g)<<8 + int(b) - e.zero())
}

// sayColours is how a colour picture is refused.
const sayColours = "say what its colours mean with --encoding mapbox|terrarium|grey"
