package raster

import (
	"math"
	"strconv"
	"strings"
)

// measure is how long the steps of a geotransform are.
type measure struct {
	metres  float64 // a unit of x and y, where they are lengths; else 0
	degrees bool
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
	if m.degrees {
		latitude := g[3] + g[4]*float64(i.Width)/2 + g[5]*float64(i.Height)/2
		x, y := metreAt(min(max(latitude, -89), 89))
		east, north = east*x, north*y
	} else {
		east, north = east*m.metres, north*m.metres
	}
	return east, north, east > 0 && north > 0 && !math.IsInf(east, 0) && !math.IsInf(north, 0)
}

// setSpacing sets the one spacing that a world has: that of squares of the same
// area where samples are farther apart in one direction.
func (m measure) setSpacing(i *Info) {
	east, north, ok := m.steps(i)
	if !ok {
		i.Spacing = 1
		return
	}
	i.Spacing = math.Sqrt(east * north)
	if ratio := east / north; ratio > 1.01 || ratio < 1/1.01 {
		i.warn("samples are %.4g m apart from west to east and %.4g m from north to south; %.4g m is taken for both (--spacing says another)",
			east, north, i.Spacing)
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
	return m, wktCode(wkt)
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
