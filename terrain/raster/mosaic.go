package raster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// maxOpenParts is how many files of a mosaic are open at a time.
var maxOpenParts = 128

const (
	// mosaicStrip are the bytes of the rows that are put together at a time.
	mosaicStrip = 16 << 20
	// mosaicGDAL are the bytes of the windows of all files that GDAL reads.
	mosaicGDAL = 128 << 20
)

// OpenMosaic opens several height rasters that lie side by side as one; a folder
// stands for the rasters in it, at any depth. One path is read as [OpenReader]
// does.
//
// What the files say of their place puts them together: all have the same
// coordinate system and the same steps, and lie on one lattice. Where they say
// nothing their names do: z/x/y.png in folders of a slippy map, or z-x-y.png
// where --encoding decodes colours; else the column and the row at the end of the
// name, as _x3_y0, _3_0 or _y0_x3, counted from the north-west (see
// Options.TilesUp). Tiles so named share their border samples or do not; their
// heights tell.
//
// Gaps are voids; [Reader.Plan] refuses them before it reads, unless Options.Voids
// says what becomes of voids, and does not fill them where they are more than 99 % of
// the whole. Where files overlap, the first of them that has a height gives
// it, from the north-west on. They must have the same heights there, but for a
// border that two share: that they differ is a warning. Few files are open at a
// time, and no whole one is in memory.
func OpenMosaic(ctx context.Context, paths []string, o Options) (*Reader, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Resample == 0 {
		return openSeveral(ctx, paths, o)
	}
	inner := o
	inner.quiet = true // the new spacing is said
	r, err := openSeveral(ctx, paths, inner)
	if err != nil {
		return nil, err
	}
	return r.resampleTo(o.Resample)
}

// openSeveral opens the rasters of paths as one.
func openSeveral(ctx context.Context, paths []string, o Options) (*Reader, error) {
	if len(paths) == 0 {
		panic("raster: a mosaic of no path")
	}
	files, err := expand(paths)
	if err != nil {
		return nil, err
	}
	name := paths[0]
	if len(files) == 1 {
		return openFile(ctx, files[0].path, o)
	}
	if o.HGT != "" {
		return nil, named(name, unsupported("--hgt is for one file, and there are %d", len(files)))
	}
	m := &mosaic{ctx: ctx, o: o}
	m.o.quiet = true // it is said once of the whole
	r := &Reader{ctx: ctx, path: name, voids: o.Voids, file: io.NopCloser(nil), dec: m}
	m.info = &r.Info
	if err := m.begin(files); err != nil {
		return nil, errors.Join(named(name, err), m.close())
	}
	r.measure, r.said = m.parts[0].measure, m.parts[0].said
	if r.Info.Spacing = r.said; r.said == 0 {
		r.measure.setSpacing(&r.Info, o.quiet)
	}
	return r, nil
}

// part is a file of a mosaic.
type part struct {
	file
	x, y    int // of its north-west sample
	info    Info
	measure measure
	said    float64
	r       *Reader // nil while it is not open
	idle    *Reader // one of GDAL's that is not open: what it found out is kept
}

// close closes the file of p.
func (p *part) close() error {
	err := p.r.Close()
	if _, ok := p.r.dec.(*gdalRows); ok {
		p.r.file = io.NopCloser(nil) // GDAL's programs open it themselves
		p.idle = p.r
	}
	p.r = nil
	return err
}

// mosaic is the decoder of several files.
type mosaic struct {
	ctx     context.Context
	o       Options // for every part
	info    *Info
	parts   []*part // by row, then by column
	high    int     // the height of the highest part
	columns int     // about how many parts lie side by side
	metres  bool    // numbers of parts mean different heights and become metres

	open   []*part // the one used last at the end
	strip  []float64
	y0, y1 int // the rows in strip
	rows   []float64

	// What borders that two files share differ in, the first time they are read.
	clashes  int64
	most     float64
	clashing [2]*part
	said     bool
}

// begin opens all files once and puts them together.
func (m *mosaic) begin(files []file) error {
	if err := m.describe(files); err != nil {
		return err
	}
	if err := m.sameNumbers(); err != nil {
		return err
	}
	m.gatherWarnings()
	if err := m.place(); err != nil {
		return err
	}
	slices.SortStableFunc(m.parts, func(a, b *part) int {
		if a.y != b.y {
			return a.y - b.y
		}
		return a.x - b.x
	})
	for _, p := range m.parts {
		m.high = max(m.high, p.info.Height)
		m.columns = max(m.columns, p.x/p.info.Width+1)
	}
	for _, p := range m.open {
		m.share(p)
	}
	return m.overlapping()
}

// describe opens all files once, several at a time. Of errors it returns that of
// the first file that has one.
func (m *mosaic) describe(files []file) error {
	m.parts = make([]*part, len(files))
	errs := make([]error, len(files))
	var next, failed atomic.Int64
	var wg sync.WaitGroup
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for failed.Load() == 0 {
				k := int(next.Add(1)) - 1
				if k >= len(files) {
					return
				}
				p := &part{file: files[k]}
				m.parts[k] = p
				if errs[k] = m.look(p, k < maxOpenParts); errs[k] != nil {
					failed.Store(1)
				}
			}
		})
	}
	wg.Wait()
	for _, p := range m.parts {
		if p != nil && p.r != nil {
			m.open = append(m.open, p)
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// look sets what the file of p says, and leaves it open if keep is true.
func (m *mosaic) look(p *part, keep bool) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	r, err := openFile(m.ctx, p.path, m.o)
	if err != nil {
		return err
	}
	p.r, p.info, p.measure, p.said = r, r.Info, r.measure, r.said
	if keep {
		return nil
	}
	return p.close()
}

// use opens p if it is not open, and closes the one that was not used for the
// longest time if too many are.
func (m *mosaic) use(p *part) error {
	if at := slices.Index(m.open, p); at >= 0 {
		m.open = append(slices.Delete(m.open, at, at+1), p)
		return nil
	}
	if len(m.open) == maxOpenParts {
		old := m.open[0]
		m.open = m.open[1:]
		if err := old.close(); err != nil {
			return err
		}
	}
	r := p.idle
	if p.idle = nil; r == nil {
		o := m.o
		if p.info.Encoding == Grey {
			o.Encoding = Grey // which it need not find out again
		}
		var err error
		if r, err = openFile(m.ctx, p.path, o); err != nil {
			return err
		}
	}
	p.r, m.open = r, append(m.open, p)
	m.share(p)
	if r.Info.Width != p.info.Width || r.Info.Height != p.info.Height {
		return named(p.path, corrupt("the file changed while it was read"))
	}
	return nil
}

// share gives p its share of the memory for rows that GDAL reads.
func (m *mosaic) share(p *part) {
	if d, ok := p.r.dec.(*gdalRows); ok {
		d.setWindow(mosaicGDAL / min(max(1, m.columns), maxOpenParts))
	}
}

// sameNumbers describes the numbers of all parts in m.info.
func (m *mosaic) sameNumbers() error {
	first := m.parts[0]
	i := m.info
	*i = Info{Kind: "mosaic", Type: first.info.Type, Encoding: first.info.Encoding, Unit: first.info.Unit,
		Offset: first.info.Offset, Integer: first.info.Integer, VerticalUnit: first.info.VerticalUnit}
	for _, p := range m.parts[1:] {
		if p.info.Encoding.colours() != first.info.Encoding.colours() {
			return between(first, p, "one encodes heights in colours, the other does not")
		}
		if p.info.Type != first.info.Type || p.info.Unit != first.info.Unit || p.info.Offset != first.info.Offset {
			m.metres = true
		}
		if p.said != first.said {
			return between(first, p, "their samples are %v and %v m apart", first.info.Spacing, p.info.Spacing)
		}
		if p.info.VerticalUnit != first.info.VerticalUnit {
			i.VerticalUnit = ""
		}
	}
	if m.metres {
		i.Type, i.Unit, i.Offset, i.Integer = "f32", 1, 0, false
	}
	return nil
}

// between says what two files do not agree in.
func between(a, b *part, format string, args ...any) error {
	return unsupported("%s and %s do not go together: %s", a.path, b.path, fmt.Sprintf(format, args...))
}

// gatherWarnings says once what several files have in common.
func (m *mosaic) gatherWarnings() {
	count, first := map[string]int{}, map[string]*part{}
	var order []string
	for _, p := range m.parts {
		for _, w := range p.info.Warnings {
			if count[w]++; count[w] == 1 {
				first[w] = p
				order = append(order, w)
			}
		}
	}
	for _, w := range order {
		name := filepath.Base(first[w].path)
		if n := count[w]; n > 1 {
			name = fmt.Sprintf("%d files, as %s", n, name)
		}
		m.info.warn("%s: %s", name, w)
	}
}

// overlapping refuses files that lie at one place, and overlaps too many to be
// meant.
func (m *mosaic) overlapping() error {
	for k, p := range m.parts {
		if k > 0 && p.x == m.parts[k-1].x && p.y == m.parts[k-1].y {
			return between(m.parts[k-1], p, "both lie at column %d, row %d of the whole", p.x, p.y)
		}
	}
	return nil
}

func (m *mosaic) readRows(y int, dst []float64) error {
	w := m.info.Width
	for ; len(dst) > 0; dst, y = dst[w:], y+1 {
		if y < m.y0 || y >= m.y1 {
			if err := m.load(y); err != nil {
				m.y0, m.y1 = 0, 0
				return err
			}
		}
		copy(dst[:w], m.strip[(y-m.y0)*w:])
	}
	return nil
}

// load puts the strip of rows together that y is in.
func (m *mosaic) load(y int) error {
	w := m.info.Width
	high := max(1, min(64, mosaicStrip/8/w))
	m.y0 = y - y%high
	m.y1 = min(m.y0+high, m.info.Height)
	if m.strip == nil {
		m.strip = make([]float64, high*w)
	}
	for k := range m.strip {
		m.strip[k] = math.NaN()
	}
	at := sort.Search(len(m.parts), func(k int) bool { return m.parts[k].y+m.high > m.y0 })
	begin := at
	for ; at < len(m.parts) && m.parts[at].y < m.y1; at++ {
		p := m.parts[at]
		if p.y+p.info.Height <= m.y0 {
			continue
		}
		if err := m.ctx.Err(); err != nil {
			return err
		}
		if err := m.add(p, m.parts[begin:at]); err != nil {
			return err
		}
	}
	m.sayClashes()
	return nil
}

// add puts the rows of p into the strip, in which those before are already.
func (m *mosaic) add(p *part, before []*part) error {
	first, last := max(m.y0, p.y), min(m.y1, p.y+p.info.Height)
	n := (last - first) * p.info.Width
	if len(m.rows) < n {
		m.rows = make([]float64, n)
	}
	rows := m.rows[:n]
	if err := m.use(p); err != nil {
		return err
	}
	if err := p.r.ReadRows(first-p.y, rows); err != nil {
		return err
	}
	for z := first; z < last; z++ {
		from := rows[(z-first)*p.info.Width : (z-first+1)*p.info.Width]
		to := m.strip[(z-m.y0)*m.info.Width+p.x:]
		for x, v := range from {
			if m.metres {
				v = p.info.metres(v)
			}
			switch old := to[x]; {
			case old != old:
				to[x] = v
			case v == v && v != old:
				if err := m.clash(before, p, p.x+x, z, math.Abs(v-old)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// clash is told that p has another height at (x, z) than one of those before.
func (m *mosaic) clash(before []*part, p *part, x, z int, difference float64) error {
	at := slices.IndexFunc(before, func(q *part) bool {
		return x >= q.x && x < q.x+q.info.Width && z >= q.y && z < q.y+q.info.Height
	})
	q := before[at]
	wide := min(p.x+p.info.Width, q.x+q.info.Width) - max(p.x, q.x)
	high := min(p.y+p.info.Height, q.y+q.info.Height) - max(p.y, q.y)
	if wide > 1 && high > 1 {
		return between(q, p, "they overlap by %d×%d samples and have different heights at column %d, row %d of the whole", wide, high, x, z)
	}
	if !m.said {
		if m.clashes++; m.clashes == 1 {
			m.clashing = [2]*part{q, p}
		}
		m.most = max(m.most, difference)
	}
	return nil
}

// sayClashes warns of borders that differ, once the last rows have been read.
func (m *mosaic) sayClashes() {
	if m.y1 < m.info.Height || m.said {
		return
	}
	if m.said = true; m.clashes > 0 {
		m.info.warn("files differ by up to %.4g m on the borders that they share (%d samples, as between %s and %s); the first of them is taken",
			m.most*math.Abs(m.info.Unit), m.clashes, filepath.Base(m.clashing[0].path), filepath.Base(m.clashing[1].path))
	}
}

func (m *mosaic) close() error {
	var errs []error
	for _, p := range m.open {
		errs = append(errs, p.close())
	}
	m.open, m.strip, m.y0, m.y1 = nil, nil, 0, 0
	return errors.Join(errs...)
}
