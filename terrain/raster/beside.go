package raster

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// What stands beside a raster and says where it lies: the coordinate system in a
// .prj file, the geotransform in a world file, or both in GDAL's .aux.xml.

// beside returns the text of the first file that is there of those whose names
// differ from path by their extension, "" where there is none.
func beside(path string, extensions ...string) string {
	const most = 1 << 16
	base := strings.TrimSuffix(path, filepath.Ext(path))
	for _, ext := range extensions {
		for _, name := range []string{base + ext, base + strings.ToUpper(ext)} {
			if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() || st.Size() > most {
				continue
			}
			f, err := os.Open(name)
			if err != nil {
				continue
			}
			b, err := io.ReadAll(io.LimitReader(f, most))
			f.Close()
			if err == nil {
				return string(b)
			}
		}
	}
	return ""
}

// placeBeside sets the coordinate system by what stands beside the raster, and
// guesses its measure where nothing does.
func (in *input) placeBeside(i *Info) measure {
	wkt := beside(in.path, ".prj")
	if !strings.Contains(wkt, "[") {
		return i.guess()
	}
	in.setVerticalUnit(i, wktVertical(wkt))
	return i.setCRS(wkt)
}

// setCRS sets the coordinate system that wkt describes.
func (i *Info) setCRS(wkt string) measure {
	m, code := parseWKT(wkt)
	if i.CRS = code; code == "" {
		i.CRS = oneLine(wkt)
	}
	return m
}

// guess takes cells for degrees where they are small and no edge leaves the
// globe, for metres elsewhere.
func (i *Info) guess() measure {
	g := i.GeoTransform
	east, south := g[0]+float64(i.Width)*g[1], g[3]+float64(i.Height)*g[5]
	if math.Abs(g[1]) < 1.0/8 && max(math.Abs(g[0]), math.Abs(east)) <= 360 && max(math.Abs(g[3]), math.Abs(south)) <= 90.5 {
		i.warn("nothing says what the coordinates are (no .prj file): cells of %.6g are taken for degrees", math.Abs(g[1]))
		return measure{degrees: true}
	}
	return measure{metres: 1}
}

// placePicture places a picture or numbers, whose own format knows no place.
func (in *input) placePicture(i *Info) measure {
	if m, ok := in.placeAux(i); ok {
		return m
	}
	text := beside(in.path, ".pgw", ".pngw", ".wld")
	if text == "" {
		return measure{}
	}
	t, ok := parseWorldFile(text)
	if !ok {
		i.warn("the world file beside it has no six numbers that place it, and is left aside")
		return measure{}
	}
	i.GeoTransform = t
	i.sayTurned()
	return in.placeBeside(i)
}

// sayTurned warns where rows do not run from west to east and north to south.
func (i *Info) sayTurned() {
	if t := i.GeoTransform; t[2] != 0 || t[4] != 0 || t[1] < 0 || t[5] > 0 {
		i.warn("its rows do not run from west to east, north first; it is read as it lies")
	}
}

// parseWorldFile returns the geotransform of a world file: six numbers, of which
// the last two are the centre of the first sample.
func parseWorldFile(text string) (*[6]float64, bool) {
	var v [6]float64
	fields := strings.Fields(text)
	if len(fields) != len(v) {
		return nil, false
	}
	for k, f := range fields {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, false
		}
		v[k] = n
	}
	if v[0]*v[3] == v[1]*v[2] {
		return nil, false
	}
	return &[6]float64{v[4] - v[0]/2 - v[2]/2, v[0], v[2], v[5] - v[1]/2 - v[3]/2, v[1], v[3]}, true
}

// placeAux places a picture by GDAL's .aux.xml, where that does.
func (in *input) placeAux(i *Info) (measure, bool) {
	text := beside(in.path+".x", ".aux.xml")
	if text == "" {
		return measure{}, false
	}
	var aux struct {
		SRS          string
		GeoTransform string
		Band         []struct {
			NoDataValue, UnitType string
		} `xml:"PAMRasterBand"`
		Metadata []struct {
			Domain string `xml:"domain,attr"`
			MDI    []struct {
				Key   string `xml:"key,attr"`
				Value string `xml:",chardata"`
			}
		}
	}
	if err := xml.NewDecoder(bytes.NewReader([]byte(text))).Decode(&aux); err != nil {
		i.warn("the .aux.xml file beside it is damaged, and is left aside")
		return measure{}, false
	}
	if len(aux.Band) > 0 && !i.Encoding.colours() {
		if v, err := strconv.ParseFloat(strings.TrimSpace(aux.Band[0].NoDataValue), 64); err == nil {
			i.NoData = append(i.NoData, v)
		}
		in.setVerticalUnit(i, strings.TrimSpace(aux.Band[0].UnitType))
	}
	for _, m := range aux.Metadata {
		for _, item := range m.MDI {
			if m.Domain == "" && item.Key == "AREA_OR_POINT" {
				i.PixelIsPoint = item.Value == "Point"
			}
		}
	}
	var t [6]float64
	parts := strings.Split(aux.GeoTransform, ",")
	if len(parts) != len(t) {
		return measure{}, false
	}
	for k, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return measure{}, false
		}
		t[k] = v
	}
	i.GeoTransform = &t
	i.sayTurned()
	if strings.Contains(aux.SRS, "[") {
		return i.setCRS(aux.SRS), true
	}
	return i.guess(), true
}
