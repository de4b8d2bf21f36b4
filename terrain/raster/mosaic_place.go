package raster

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// file is one of several rasters.
type file struct {
	path     string
	slippy   *[3]int // z, x, y
	numbered *[2]int // column, row
}

// maxParts is how many files a mosaic has at most.
const maxParts = 1 << 18

// folderExtensions are those of the files that are read of a folder.
var folderExtensions = []string{
	".png", ".tif", ".tiff", ".hgt", ".gz", ".zip", ".asc", ".dem", ".dt0", ".dt1", ".dt2",
	".raw", ".r8", ".r16", ".r32", ".tbmp", ".webp", ".jp2", ".img", ".bil", ".flt", ".vrt",
}

// expand returns the files that paths stand for, those of a folder by name.
func expand(paths []string) ([]file, error) {
	var out []file
	for _, path := range paths {
		st, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case st.IsDir():
			if out, err = expandFolder(out, path); err != nil {
				return nil, err
			}
		case !st.Mode().IsRegular():
			return nil, named(path, unsupported("is not a regular file"))
		default:
			out = append(out, describeFile(path))
		}
	}
	return out, nil
}

// expandFolder appends the files of a folder.
func expandFolder(out []file, path string) ([]file, error) {
	before := len(out)
	root := path + string(filepath.Separator) // which follows a link
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		hidden := name != root && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			return err
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden || !slices.Contains(folderExtensions, strings.ToLower(filepath.Ext(name))):
			return nil
		case len(out) == maxParts:
			return named(path, unsupported("more than %d files", maxParts))
		}
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			out = append(out, describeFile(filepath.Clean(name)))
		}
		return nil
	})
	if err == nil && len(out) == before {
		err = named(path, unsupported("is a folder without a height raster"))
	}
	return out, err
}

var (
	slippyPath = regexp.MustCompile(`(?:^|/)(\d{1,2})/(\d{1,8})/(\d{1,8})\.[^/]*$`)
	slippyName = regexp.MustCompile(`(?:^|[^0-9])(\d{1,2})[-_](\d{1,8})[-_](\d{1,8})(?:@2x)?\.[^/]*$`)

	columnRow = regexp.MustCompile(`(?i)(?:^|[-_. ])x(\d{1,6})[-_. ]?y(\d{1,6})\.[^/]*$`)
	rowColumn = regexp.MustCompile(`(?i)(?:^|[-_. ])(?:y(\d{1,6})[-_. ]?x|r(?:ow)?(\d{1,6})[-_. ]?c(?:ol)?)(\d{1,6})\.[^/]*$`)
	plainPair = regexp.MustCompile(`(?:^|[^0-9])(\d{1,6})[-_ ](\d{1,6})\.[^/]*$`)
)

// numbers returns the numbers of groups, without those that are empty.
func numbers(groups []string) []int {
	var out []int
	for _, g := range groups {
		if n, err := strconv.Atoi(g); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// describeFile finds in a name where the file lies among others.
func describeFile(path string) file {
	f := file{path: path}
	slashed := filepath.ToSlash(path)
	if abs, err := filepath.Abs(path); err == nil {
		slashed = filepath.ToSlash(abs)
	}
	base := slashed[strings.LastIndexByte(slashed, '/')+1:]
	for _, r := range []*regexp.Regexp{slippyPath, slippyName} {
		m := slippyPath.FindStringSubmatch(slashed)
		if r == slippyName {
			m = slippyName.FindStringSubmatch(base)
		}
		if m == nil || f.slippy != nil {
			continue
		}
		if n := numbers(m[1:]); n[0] <= 24 && n[1] < 1<<n[0] && n[2] < 1<<n[0] {
			f.slippy = &[3]int{n[0], n[1], n[2]}
		}
	}
	if m := columnRow.FindStringSubmatch(base); m != nil {
		n := numbers(m[1:])
		f.numbered = &[2]int{n[0], n[1]}
	} else if m := rowColumn.FindStringSubmatch(base); m != nil {
		n := numbers(m[1:])
		f.numbered = &[2]int{n[1], n[0]}
	} else if m := plainPair.FindStringSubmatch(base); m != nil {
		n := numbers(m[1:])
		f.numbered = &[2]int{n[0], n[1]}
	}
	return f
}

// place sets where the parts lie, and what m.info says of the whole.
func (m *mosaic) place() error {
	none := slices.IndexFunc(m.parts, func(p *part) bool { return p.info.GeoTransform == nil })
	slippy := !slices.ContainsFunc(m.parts, func(p *part) bool {
		return p.slippy == nil || !p.info.Encoding.colours() && !slippyPath.MatchString(filepath.ToSlash(p.path))
	})
	other := slices.IndexFunc(m.parts, func(p *part) bool { return p.numbered == nil })
	var err error
	switch {
	case none < 0:
		err = m.placeByTransform()
	case slippy:
		err = m.placeSlippy()
	case other < 0:
		err = m.placeNumbered()
	case slices.ContainsFunc(m.parts, func(p *part) bool { return p.info.GeoTransform != nil }):
		return named(m.parts[none].path, unsupported("nothing says where it lies, as other files say of themselves"))
	default:
		return named(m.parts[other].path, unsupported("nothing says where it lies among the others: no georeference, and no column and row at the end of its name, as _x0_y0 or _0_0"))
	}
	if err != nil {
		return err
	}
	return m.setSize()
}

// setSize sets the size of the whole.
func (m *mosaic) setSize() error {
	for _, p := range m.parts {
		if p.x > MaxSide || p.y > MaxSide {
			return between(m.parts[0], p, "they lie %d columns and %d rows apart, more than %d", p.x, p.y, MaxSide)
		}
		m.info.Width = max(m.info.Width, p.x+p.info.Width)
		m.info.Height = max(m.info.Height, p.y+p.info.Height)
	}
	if m.info.Width > MaxSide || m.info.Height > MaxSide {
		return unsupported("%d×%d samples together: more than %d on a side", m.info.Width, m.info.Height, MaxSide)
	}
	return nil
}

// placeByTransform places parts by their geotransforms.
func (m *mosaic) placeByTransform() error {
	first := m.parts[0]
	a := first.info.GeoTransform
	west, north := a[0], a[3]
	for _, p := range m.parts {
		t := p.info.GeoTransform
		switch {
		case t[2] != 0 || t[4] != 0 || t[1] <= 0 || t[5] >= 0:
			return named(p.path, unsupported("its rows do not run from west to east, north first: among others it cannot be read as it lies"))
		case p.info.CRS != first.info.CRS:
			return between(first, p, "their coordinate systems are %.60q and %.60q (gdalwarp makes one of them)", first.info.CRS, p.info.CRS)
		case math.Abs(t[1]-a[1])*float64(p.info.Width) > a[1]/50 || math.Abs(t[5]-a[5])*float64(p.info.Height) > -a[5]/50:
			return between(first, p, "their samples are %.9g by %.9g and %.9g by %.9g apart", a[1], -a[5], t[1], -t[5])
		}
		west, north = min(west, t[0]), max(north, t[3])
	}
	for _, p := range m.parts {
		t := p.info.GeoTransform
		x, y := (t[0]-west)/a[1], (t[3]-north)/a[5]
		if p.x, p.y = int(math.Round(min(x, 1e9))), int(math.Round(min(y, 1e9))); math.Abs(x-float64(p.x)) > 0.02 || math.Abs(y-float64(p.y)) > 0.02 {
			return between(first, p, "they lie %.4g columns and %.4g rows apart, which are no whole samples",
				(t[0]-a[0])/a[1], (t[3]-a[3])/a[5])
		}
	}
	m.info.CRS, m.info.PixelIsPoint = first.info.CRS, first.info.PixelIsPoint
	m.info.GeoTransform = &[6]float64{west, a[1], 0, north, 0, a[5]}
	return nil
}

// placeSlippy places the tiles of a slippy map.
func (m *mosaic) placeSlippy() error {
	zoom := 0
	for _, p := range m.parts {
		zoom = max(zoom, p.slippy[0])
	}
	all := len(m.parts)
	m.parts = slices.DeleteFunc(m.parts, func(p *part) bool { return p.slippy[0] != zoom })
	if n := all - len(m.parts); n > 0 {
		m.info.warn("%d tiles of zoom %d are read; %d of other zooms are not", len(m.parts), zoom, n)
	}
	first := m.parts[0]
	size, x0, y0 := first.info.Width, first.slippy[1], first.slippy[2]
	for _, p := range m.parts {
		if p.info.Width != size || p.info.Height != size {
			return between(first, p, "tiles of %d×%d and %d×%d samples", first.info.Width, first.info.Height, p.info.Width, p.info.Height)
		}
		x0, y0 = min(x0, p.slippy[1]), min(y0, p.slippy[2])
	}
	for _, p := range m.parts {
		p.x, p.y = min(p.slippy[1]-x0, MaxSide)*size, min(p.slippy[2]-y0, MaxSide)*size
		p.measure = measure{metres: 1, mercator: true}
	}
	side := 2 * math.Pi * mercatorRadius / float64(int(1)<<zoom)
	step := side / float64(size)
	m.info.CRS = "EPSG:3857"
	m.info.GeoTransform = &[6]float64{float64(x0)*side - math.Pi*mercatorRadius, step, 0, math.Pi*mercatorRadius - float64(y0)*side, 0, -step}
	return nil
}

// placeNumbered places tiles by the columns and rows in their names.
func (m *mosaic) placeNumbered() error {
	at := map[[2]int]*part{}
	least, most := *m.parts[0].numbered, *m.parts[0].numbered
	for _, p := range m.parts {
		for k, v := range p.numbered {
			least[k], most[k] = min(least[k], v), max(most[k], v)
		}
	}
	for _, p := range m.parts {
		key := [2]int{p.numbered[0] - least[0], p.numbered[1] - least[1]}
		if m.o.TilesUp {
			key[1] = most[1] - p.numbered[1]
		}
		if q := at[key]; q != nil {
			return between(q, p, "both are column %d and row %d by their names", p.numbered[0], p.numbered[1])
		}
		at[key], p.numbered = p, &key
	}
	shared, err := m.shareBorders(at)
	if err != nil {
		return err
	}
	m.info.warn("%d tiles are placed by column and row in their names, %s; their borders are %s",
		len(m.parts), map[bool]string{false: "row 0 in the north (--tiles-up if it is in the south)", true: "row 0 in the south"}[m.o.TilesUp],
		map[bool]string{false: "not shared", true: "shared, as their heights are equal"}[shared])
	return m.sumSizes(shared)
}

// sumSizes sets where numbered tiles begin. Those of a column are equally wide,
// those of a row equally high; what is not there is as large as the others.
func (m *mosaic) sumSizes(shared bool) error {
	overlap := 0
	if shared {
		overlap = 1
	}
	for k := range 2 {
		sizes := map[int]*part{}
		size := func(p *part) int { return [2]int{p.info.Width, p.info.Height}[k] }
		largest := 0
		for _, p := range m.parts {
			if q := sizes[p.numbered[k]]; q == nil {
				sizes[p.numbered[k]] = p
			} else if size(q) != size(p) {
				return between(q, p, "tiles of %d×%d and %d×%d samples in one %s",
					q.info.Width, q.info.Height, p.info.Width, p.info.Height, [2]string{"column", "row"}[k])
			}
			largest = max(largest, size(p))
		}
		starts, next, last := map[int]int{}, 0, -1
		for _, n := range sortedKeys(sizes) {
			next += (n - last - 1) * (largest - overlap)
			starts[n], last = next, n
			next = min(next+size(sizes[n])-overlap, 2*MaxSide)
		}
		for _, p := range m.parts {
			*[2]*int{&p.x, &p.y}[k] = starts[p.numbered[k]]
		}
	}
	return nil
}

func sortedKeys(m map[int]*part) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// shareBorders says whether neighbours have the same heights on their borders:
// of those looked at, none differs and one at least is not flat.
func (m *mosaic) shareBorders(at map[[2]int]*part) (bool, error) {
	const most = 8
	shared := false
	for k := range 2 { // neighbours in the east, in the south
		looked := 0
		for _, p := range m.parts {
			key := *p.numbered
			key[k]++
			q := at[key]
			if q == nil || looked == most {
				continue
			}
			looked++
			a, err := m.border(p, k, true)
			if err != nil {
				return false, err
			}
			b, err := m.border(q, k, false)
			if err != nil {
				return false, err
			}
			if !slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y }) {
				return false, nil
			}
			shared = shared || slices.ContainsFunc(a, func(v float64) bool { return v != a[0] && v == v })
		}
	}
	return shared, nil
}

// border returns the heights of the first or last column (k is 0) or row of p.
func (m *mosaic) border(p *part, k int, last bool) ([]float64, error) {
	if err := m.use(p); err != nil {
		return nil, err
	}
	w, h := p.info.Width, p.info.Height
	row := make([]float64, w)
	if k == 1 {
		y := 0
		if last {
			y = h - 1
		}
		return row, p.r.ReadRows(y, row)
	}
	x := 0
	if last {
		x = w - 1
	}
	column := make([]float64, h)
	for y := range column {
		if err := p.r.ReadRows(y, row); err != nil {
			return nil, err
		}
		column[y] = row[x]
	}
	return column, nil
}
