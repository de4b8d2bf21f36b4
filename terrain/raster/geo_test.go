package raster_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// utm is WKT of a system with heights in feet.
const utm = `COMPD_CS["x",PROJCS["WGS 84 / UTM zone 33N",GEOGCS["WGS 84",UNIT["degree",0.0174532925199433]],` +
	`PROJECTION["Transverse_Mercator"],UNIT["metre",1]],VERT_CS["y",VERT_DATUM["z",2005],UNIT["US survey foot",0.3048006]]]`

const webMercator = `PROJCRS["WGS 84 / Pseudo-Mercator",BASEGEOGCRS["WGS 84"],CS[Cartesian,2],LENGTHUNIT["metre",1],ID["EPSG",3857]]`

const degrees = `GEOGCS["WGS 84",UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]`

// TestBeside: a picture lies where files beside it say.
func TestBeside(t *testing.T) {
	place := [6]float64{500, 10, 0, 2030, 0, -10}
	for name, c := range map[string]struct {
		files   map[string]string
		place   *[6]float64
		crs     string
		spacing float64
		words   string
	}{
		"nothing":          {nil, nil, "", 1, ""},
		"world file":       {map[string]string{"a.pgw": "10\n0\n0\n-10\n505\n2025\n"}, &place, "", 10, ""},
		"in capitals":      {map[string]string{"a.PGW": "10\r\n0\r\n0\r\n-10\r\n505\r\n2025\r\n"}, &place, "", 10, ""},
		"with a system":    {map[string]string{"a.wld": "10 0 0 -10 505 2025", "a.prj": webMercator}, &place, "EPSG:3857", 10 * 0.99664, "of Web Mercator apart"},
		"of degrees":       {map[string]string{"a.pngw": ".01 0 0 -.01 11.005 -1e-30", "a.prj": degrees}, &[6]float64{11, 0.01, 0, 0.005, 0, -0.01}, "EPSG:4326", 1109.4, ""},
		"guessed":          {map[string]string{"a.pgw": ".01 0 0 -.01 11.005 0"}, &[6]float64{11, 0.01, 0, 0.005, 0, -0.01}, "", 1109.4, "are taken for degrees"},
		"turned":           {map[string]string{"a.pgw": "10 0 0 10 505 2025"}, &[6]float64{500, 10, 0, 2020, 0, 10}, "", 10, "read as it lies"},
		"five numbers":     {map[string]string{"a.pgw": "10 0 0 -10 505"}, nil, "", 1, "no six numbers"},
		"no area":          {map[string]string{"a.pgw": "0 0 0 -10 505 2025"}, nil, "", 1, "no six numbers"},
		"not a number":     {map[string]string{"a.pgw": "10 0 0 -10 505 NaN"}, nil, "", 1, "no six numbers"},
		"a system alone":   {map[string]string{"a.prj": degrees}, nil, "", 1, ""},
		"aux.xml":          {map[string]string{"a.png.aux.xml": "<PAMDataset><SRS>" + degrees + "</SRS><GeoTransform> 1.1e1, 1e-2,0, 5.0e-03, 0, -.01</GeoTransform></PAMDataset>"}, &[6]float64{11, 0.01, 0, 0.005, 0, -0.01}, "EPSG:4326", 1109.4, ""},
		"a damaged one":    {map[string]string{"a.png.aux.xml": "<PAM"}, nil, "", 1, "damaged"},
		"one of feet":      {map[string]string{"a.png.aux.xml": `<PAMDataset><PAMRasterBand band="1"><UnitType>ft</UnitType></PAMRasterBand></PAMDataset>`}, nil, "", 1, `in "ft": they become metres`},
		"one and no place": {map[string]string{"a.png.aux.xml": `<PAMDataset><GeoTransform>1,2</GeoTransform></PAMDataset>`, "a.pgw": "10 0 0 -10 505 2025"}, &place, "", 10, ""},
	} {
		path := write(t, "a.png", encode(t, ramp(4, 3)))
		for file, text := range c.files {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r := openReader(t, path, raster.Options{})
		i := &r.Info
		if (i.GeoTransform == nil) != (c.place == nil) || i.CRS != c.crs || math.Abs(i.Spacing-c.spacing) > c.spacing*1e-3 {
			t.Errorf("%s: %v in %q, %v m apart; want %v in %q, %v m", name, i.GeoTransform, i.CRS, i.Spacing, c.place, c.crs, c.spacing)
		}
		for k := range 6 {
			if c.place != nil && i.GeoTransform != nil && math.Abs(i.GeoTransform[k]-c.place[k]) > 1e-9 {
				t.Errorf("%s: %v, want %v", name, *i.GeoTransform, *c.place)
			}
		}
		warned(t, i, c.words)
	}
}

// TestGeo: a field keeps where its source lies.
func TestGeo(t *testing.T) {
	path := write(t, "a.asc", []byte("ncols 2 nrows 2 xllcenter 5 yllcenter 5 cellsize 10 1 2 3 40"))
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "a.prj"), []byte(utm), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := raster.Open(path, raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := s.Geo
	if g.CRS != utm || *g.Transform != [6]float64{0, 10, 0, 20, 0, -10} || !g.PixelIsPoint || g.VerticalUnit != "US survey foot" {
		t.Errorf("%+v", g)
	}
	if h := float64(s.At(1, 1)) * s.Quantum; math.Abs(h-40*1200/3937.0) > 1e-9 || s.MaxError != 0 {
		t.Errorf("40 feet are %v m, %v off", h, s.MaxError)
	}
	g.Transform[0] = 7
	if s.Info.GeoTransform[0] == 7 {
		t.Error("the field shares the transform of its source")
	}
	if i := openReader(t, path, raster.Options{HeightUnit: 1}).Info; i.VerticalUnit != "" || i.Unit != 1 {
		t.Errorf("%+v", i)
	}
	tile := openReader(t, shared.Path(t, "data/hgt/N44W072.hgt"), raster.Options{}).Info.Geo()
	if tile.CRS != "EPSG:4326" || !tile.PixelIsPoint || tile.VerticalUnit != "metre" {
		t.Errorf("%+v", tile)
	}
}
