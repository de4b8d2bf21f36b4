package raster

import (
	"math"
	"strconv"
	"strings"

	"github.com/vkterrain/vkterrain/terrain"
)

// measure is how long the steps of a geotransform are.
type measure struct {
	metres   float64 // a unit of x and y, where they are lengths; else 0
	degrees  bool
	mercator bool // lengths of Web Mercator, which grow with the latitude
}

// Geo places the raster on a planet.
func (i *Info) Geo() terrain.Geo {
	g := terrain.Geo{CRS: i.CRS, PixelIsPoint: i.PixelIsPoint, VerticalUnit: i.VerticalUnit}
	if i.GeoTransform != nil {
		t := *i.GeoTransform
		g.Transform = &t
	}
	return g
}

// lengths are the metres of units that heights may be in, by their names.
var lengths = map[string]float64{
	"metre": 1, "meter": 1, "metres": 1, "meters": 1, "m": 1,
	"ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "international foot": 0.3048, "foot_us": 1200.0 / 3937,
	"us survey foot": 1200.0 / 3937, "us survey feet": 1200.0 / 3937, "ftus": 1200.0 / 3937, "us-ft": 1200.0 / 3937, "us foot": 1200.0 / 3937,
	"mm": 0.001, "millimetre": 0.001, "cm": 0.01, "centimetre": 0.01, "dm": 0.1, "decimetre": 0.1, "km": 1000, "kilometre": 1000,
	"yd": 0.9144, "yard": 0.9144, "fathom": 1.8288,
}

// setVerticalUnit makes metres of heights in a unit that the file names.
func (in *input) setVerticalUnit(i *Info, name string) {
	if name == "" || in.o.HeightUnit > 0 || in.o.Range != nil {
		return
	}
	v, known := lengths[strings.ToLower(name)]
	switch {
	case strings.HasPrefix(strings.ToLower(name), "un"): // unknown, unspecified
	case !known:
		i.warn("the file says its heights are in %.40q, which is no length known here: they are taken for metres", name)
		return
	case v != 1:
		i.Unit, i.Offset = i.Unit*v, i.Offset*v
		i.warn("the file says its heights are in %q: they become metres", name)
		i.VerticalUnit = name
	default:
		i.VerticalUnit = "metre"
	}
}

// metreAt returns the metres of a degree of longitude and of latitude at a
// latitude on the WGS 84 ellipsoid.
func metreAt(latitude float64) (east, north float64) {
	const a, e2 = 6378137.0, 0.00669437999014
	sin, cos := math.Sincos(latitude * math.Pi / 180)
	w := math.Sqrt(1 - e2*sin*sin)
	return math.Pi / 180 * a * cos / w, math.Pi / 180 * a * (1 - e2) / (w * w * w)
}

// steps returns the metres between samples eastward and northward, at the
// centre of the raster; ok is false where nothing is known.
func (m measure) steps(i *Info) (east, north float64, ok bool) {
	g := i.GeoTransform
	if g == nil || !m.degrees && m.metres == 0 {
		return 0, 0, false
	}
	east, north = math.Hypot(g[1], g[4]), math.Hypot(g[2], g[5])
	middle := g[3] + g[4]*float64(i.Width)/2 + g[5]*float64(i.Height)/2
	if m.degrees {
		x, y := metreAt(min(max(middle, -89), 89))
		east, north = east*x, north*y
	} else if m.mercator {
		const degree = math.Pi / 180 * mercatorRadius
		latitude := mercatorLatitude(middle)
		x, y := metreAt(latitude)
		east, north = east*x/degree, north*y/degree*math.Cos(latitude*math.Pi/180)
	} else {
		east, north = east*m.metres, north*m.metres
	}
	return east, north, east > 0 && north > 0 && !math.IsInf(east, 0) && !math.IsInf(north, 0)
}

// mercatorRadius is that of the sphere of Web Mercator, metres.
const mercatorRadius = 6378137

// mercatorLatitude returns the latitude in degrees of a y of Web Mercator.
func mercatorLatitude(y float64) float64 {
	return min(max(math.Atan(math.Sinh(y/mercatorRadius))*180/math.Pi, -89), 89)
}

// setSpacing sets the one spacing that a world has: that of squares of the same
// area where samples are farther apart in one direction.
func (m measure) setSpacing(i *Info, quiet bool) {
	east, north, ok := m.steps(i)
	if !ok {
		i.Spacing = 1
		return
	}
	if i.Spacing = math.Sqrt(east * north); quiet {
		return
	}
	if ratio := east / north; ratio > 1.01 || ratio < 1/1.01 {
		i.warn("samples are %.4g m apart from west to east and %.4g m from north to south; %.4g m is taken for both (--resample makes them equal, --spacing says another)",
			east, north, i.Spacing)
	} else if m.mercator {
		i.warn("samples are %.4g m of Web Mercator apart, which are %.4g m on the ground here (--spacing says another)",
			math.Abs(i.GeoTransform[1]), i.Spacing)
	}
}

// parseWKT finds in a coordinate system's WKT how long its units are and the
// code of the system, "" where it has none.
func parseWKT(wkt string) (m measure, code string) {
	upper := strings.ToUpper(wkt)
	projected := strings.Index(upper, "PROJCRS[")
	if projected < 0 {
		projected = strings.Index(upper, "PROJCS[")
	}
	switch {
	case projected >= 0:
		m.metres = wktUnit(upper[projected:])
	case strings.Contains(upper, "GEOGCRS[") || strings.Contains(upper, "GEODCRS[") || strings.Contains(upper, "GEOGCS["):
		m.degrees = true
	case strings.Contains(upper, "CS["): // local or engineering
		m.metres = wktUnit(upper)
	}
	m.mercator = strings.Contains(upper, "PSEUDO-MERCATOR") || strings.Contains(upper, "PSEUDO MERCATOR")
	return m, wktCode(wkt)
}

// wktVertical returns the name of the unit of the heights of a system that says
// it, "" of others.
func wktVertical(wkt string) string {
	upper := strings.ToUpper(wkt)
	for _, node := range []string{"VERTCRS[", "VERTICALCRS[", "VERT_CS["} {
		if at := strings.Index(upper, node); at >= 0 {
			_, rest, found := strings.Cut(upper[at:], "UNIT[\"")
			name, _, closed := strings.Cut(rest, `"`)
			if start := len(upper) - len(rest); found && closed && len(upper) == len(wkt) {
				return wkt[start : start+len(name)]
			}
		}
	}
	return ""
}

// wktUnit returns the metres of the unit of a system's axes, which stands after
// its CS in WKT 2 and last in WKT 1; 0 if it has none.
func wktUnit(wkt string) float64 {
	if at := strings.Index(wkt, "CS[CARTESIAN"); at >= 0 {
		wkt = wkt[at:]
	} else if at := strings.LastIndex(wkt, "PROJECTION["); at >= 0 {
		wkt = wkt[at:]
	}
	at := strings.Index(wkt, "UNIT[\"") // LENGTHUNIT too
	if at < 0 {
		return 0
	}
	parts := strings.FieldsFunc(wkt[at+len("UNIT["):], func(r rune) bool { return r == ',' || r == ']' })
	if len(parts) < 2 {
		return 0
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(parts[1]), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// wktCode returns "EPSG:n" where the outermost node of wkt has such an ID.
func wktCode(wkt string) string {
	depth, quoted := 0, false
	for i, c := range wkt {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 1 && (strings.HasPrefix(wkt[i:], `ID["EPSG",`) || strings.HasPrefix(wkt[i:], `AUTHORITY["EPSG",`)):
			_, rest, _ := strings.Cut(wkt[i:], ",")
			code, _, _ := strings.Cut(rest, "]")
			if n, err := strconv.Atoi(strings.Trim(code, `" `)); err == nil {
				return "EPSG:" + strconv.Itoa(n)
			}
		}
	}
	return ""
}

// oneLine is WKT without its line ends and indentation.
func oneLine(wkt string) string { return strings.Join(strings.Fields(wkt), " ") }
