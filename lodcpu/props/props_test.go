package props_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// closed says how many times a mesh's volume is what its triangles enclose, and counts
// edges without their opposite.
func closed(s *progmesh.Source, indices []uint32, at func(uint32) [3]float32) (volume float64, open int) {
	edges := map[[2][3]float32]int{}
	for i := 0; i < len(indices); i += 3 {
		var p [3]mgl64.Vec3
		for k := range 3 {
			a, b := at(indices[i+k]), at(indices[i+(k+1)%3])
			edges[[2][3]float32{a, b}]++
			p[k] = mgl64.Vec3{float64(a[0]), float64(a[1]), float64(a[2])}
		}
		volume += p[0].Dot(p[1].Cross(p[2])) / 6
	}
	for e, n := range edges {
		if edges[[2][3]float32{e[1], e[0]}] != n {
			open++
		}
	}
	return volume, open
}

func TestShapes(t *testing.T) {
	for name, shape := range map[string]func(seed uint64) *progmesh.Source{
		"rock":    func(seed uint64) *progmesh.Source { return props.Rock(seed, 3) },
		"conifer": props.Conifer,
	} {
		s := shape(5)
		if !reflect.DeepEqual(s, shape(5)) || reflect.DeepEqual(s, shape(6)) {
			t.Errorf("%s: it does not follow from the seed", name)
		}
		var indices []uint32
		for _, tri := range s.Triangles {
			indices = append(indices, tri[:]...)
		}
		if volume, open := closed(s, indices, func(v uint32) [3]float32 { return s.Positions[v] }); volume < 1 || open > 0 {
			t.Errorf("%s: %v m³, %d open edges", name, volume, open)
		}
		m := model(t, s)
		if n := len(m.Levels); n < 3 {
			t.Errorf("%s: %d levels", name, n)
		}
		for i, l := range m.Levels {
			_, open := closed(s, m.Indices[l.First:l.First+l.Count], func(v uint32) [3]float32 { return m.Vertices[v].Position })
			if open > 0 {
				t.Errorf("%s, level %d: %d open edges", name, i, open)
			}
			if i > 0 && (l.Error <= m.Levels[i-1].Error || l.Count >= m.Levels[i-1].Count) {
				t.Errorf("%s, level %d: error %v and %d indices after %v and %d", name, i, l.Error, l.Count, m.Levels[i-1].Error, m.Levels[i-1].Count)
			}
			t.Logf("%s, level %d: %d triangles, %.3f m off", name, i, l.Triangles(), l.Error)
		}
		for _, v := range m.Vertices {
			n, p := v.Normal, v.Position
			if l := math.Hypot(math.Hypot(float64(n[0]), float64(n[1])), float64(n[2])); math.Abs(l-1) > 1e-3 {
				t.Fatalf("%s: a normal of length %v", name, l)
			}
			if r := math.Hypot(math.Hypot(float64(p[0]), float64(p[1])-m.Middle), float64(p[2])); r > m.Radius+1e-6 {
				t.Fatalf("%s: %v is not in its ball", name, p)
			}
		}
	}
	if _, err := props.NewModel(&progmesh.Source{}, progmesh.Options{}); err == nil || !strings.Contains(err.Error(), "without triangles") {
		t.Errorf("%v", err)
	}
}

func model(t testing.TB, s *progmesh.Source) *props.Model {
	t.Helper()
	m, err := props.NewModel(s, progmesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hills is ground without a file.
type hills struct{ hole bool }

func (h hills) At(x, z float64) (query.Ground, error) {
	dx, dz := 0.3*math.Cos(x/50), 0.6*math.Sin(z/40)
	n := mgl64.Vec3{-dx, 1, -dz}.Normalize()
	return query.Ground{OK: !(h.hole && x < 300), Height: 15*math.Sin(x/50) - 24*math.Cos(z/40), Normal: n}, nil
}

func world(tile int) *terrain.World {
	w := testworld.New(testworld.Rough(97, 65, 1), tile, -130, 57).World
	w.Spacing = 10
	return &w
}

func all(t testing.TB, s *props.Scatter) (tiles [][]props.Instance) {
	t.Helper()
	nx, ny := s.World.Tiles()
	for i := range nx * ny {
		one, err := s.Tile(nil, terrain.Key{X: int32(i % nx), Y: int32(i / nx)})
		if err != nil {
			t.Fatal(err)
		}
		tiles = append(tiles, one)
	}
	return tiles
}

var layers = []props.Layer{
	{Models: []int{0, 1}, Spacing: 7.3, MaxSlope: 0.5, MinScale: 0.5, MaxScale: 2, Sink: 0.2},
	{Models: []int{2}, Spacing: 11, MinSlope: 0.2, MinHeight: -10, MaxHeight: 20, Density: func(x, _ float64) float64 { return x / 900 }},
}

// TestTilesAgree wants the instances of a world to be the same however it is cut.
func TestTilesAgree(t *testing.T) {
	var want []props.Instance
	for _, tile := range []int{17, 33, 65} {
		s := &props.Scatter{World: world(tile), Ground: hills{}, Seed: 9, Layers: layers}
		tiles := all(t, s)
		again, err := s.Tile(nil, terrain.Key{X: 1, Y: 0})
		if err != nil || !reflect.DeepEqual(again, tiles[1]) {
			t.Errorf("a second time a tile has others: %v", err)
		}
		got := slices.Concat(tiles...)
		slices.SortFunc(got, func(a, b props.Instance) int { return slices.Compare(a.Position[:], b.Position[:]) })
		for i := 1; i < len(got); i++ {
			if got[i].Position == got[i-1].Position {
				t.Fatalf("tiles of %d: two at %v", tile, got[i].Position)
			}
		}
		got = slices.DeleteFunc(got, func(i props.Instance) bool { // tiles reach beyond the world
			return i.Position[0] >= s.World.OriginX+960 || i.Position[2] >= s.World.OriginZ+640
		})
		if want == nil {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("tiles of %d: %d instances, want those %d of others", tile, len(got), len(want))
		}
		nx, _ := s.World.Tiles()
		for i, list := range tiles {
			for _, p := range list {
				if k := s.World.TileAt(p.Position[0], p.Position[2]); p.Position[0] < s.World.OriginX+960 && p.Position[2] < s.World.OriginZ+640 && int(k.Y)*nx+int(k.X) != i {
					t.Fatalf("tiles of %d: %v is of tile %v, not %d", tile, p.Position, k, i)
				}
			}
		}
	}
	other := &props.Scatter{World: world(17), Ground: hills{}, Seed: 10, Layers: layers}
	if reflect.DeepEqual(all(t, other)[0], all(t, &props.Scatter{World: world(17), Ground: hills{}, Seed: 9, Layers: layers})[0]) {
		t.Error("another seed has the same")
	}
	if n := len(want); n < 3000 || n > 20000 {
		t.Errorf("%d instances", n)
	}
}

// TestLayers wants each layer's limits kept, and as many as it asks for.
func TestLayers(t *testing.T) {
	s := &props.Scatter{World: world(33), Ground: hills{hole: true}, Seed: 3, Layers: layers}
	low, high := 0, 0
	for _, i := range slices.Concat(all(t, s)...) {
		g, _ := hills{hole: true}.At(i.Position[0], i.Position[2])
		slope := math.Hypot(g.Normal[0], g.Normal[2]) / g.Normal[1]
		l := layers[i.Model/2]
		if !g.OK {
			t.Fatalf("%+v is in a hole", i)
		}
		if slope < l.MinSlope || l.MaxSlope > 0 && slope > l.MaxSlope || i.Model == 2 && (g.Height < -10 || g.Height > 20) {
			t.Fatalf("%+v stands on a slope of %v at %v m", i, slope, g.Height)
		}
		if i.Model < 2 && (i.Scale < 0.5 || i.Scale > 2) || i.Model == 2 && i.Scale != 1 {
			t.Fatalf("%+v has a scale of %v", i, i.Scale)
		}
		if want := g.Height - l.Sink*float64(i.Scale)*(1+slope); math.Abs(i.Position[1]-want) > 1e-6 {
			t.Fatalf("%+v stands at %v, want %v", i, i.Position[1], want)
		}
		if i.Model == 2 && i.Position[0] < 450 {
			low++
		} else if i.Model == 2 {
			high++
		}
	}
	if low == 0 || high < 2*low {
		t.Errorf("%d where it is sparse, %d where it is dense", low, high)
	}
	plain := &props.Scatter{World: world(33), Ground: hills{}, Layers: []props.Layer{{Models: []int{0}, Spacing: 5}}}
	if n := len(slices.Concat(all(t, plain)...)); n < 960*640/25 {
		t.Errorf("%d instances, want one in each cell of the world", n)
	}
	plain.Layers[0].Density = func(_, _ float64) float64 { return 0 }
	if n := len(slices.Concat(all(t, plain)...)); n != 0 {
		t.Errorf("%d instances of density 0", n)
	}
}

func TestScatterCheck(t *testing.T) {
	for want, l := range map[string]props.Layer{
		"a spacing of 0": {Models: []int{0}},
		"no models":      {Spacing: 1},
		"model 3 of 3":   {Spacing: 1, Models: []int{3}},
		"scales of 2":    {Spacing: 1, Models: []int{0}, MinScale: 2, MaxScale: 1},
		"scales of 0":    {Spacing: 1, Models: []int{0}, MaxScale: 1e30},
		"a sink of NaN":  {Spacing: 1, Models: []int{0}, Sink: math.NaN()},
		"a sink of -1e+": {Spacing: 1, Models: []int{0}, Sink: -1e308},
		"slopes of 2":    {Spacing: 1, Models: []int{0}, MinSlope: 2, MaxSlope: 1},
		"slopes of 0":    {Spacing: 1, Models: []int{0}, MaxSlope: -1},
		"slopes of NaN":  {Spacing: 1, Models: []int{0}, MinSlope: math.NaN()},
		"heights of 2":   {Spacing: 1, Models: []int{0}, MinHeight: 2, MaxHeight: 1},
		"heights of NaN": {Spacing: 1, Models: []int{0}, MinHeight: math.NaN(), MaxHeight: 1},
	} {
		s := props.Scatter{Layers: []props.Layer{l}}
		if err := s.Check(3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := (&props.Scatter{Layers: layers}).Check(3); err != nil {
		t.Error(err)
	}
}

func TestModelCheck(t *testing.T) {
	whole := model(t, props.Rock(1, 1))
	if err := whole.Check(); err != nil {
		t.Error(err)
	}
	last := len(whole.Levels) - 1
	for want, change := range map[string]func(m *props.Model){
		"there is none":   func(m *props.Model) { m.Levels = nil },
		"a ball of NaN":   func(m *props.Model) { m.Radius = math.NaN() },
		"level 0: ind":    func(m *props.Model) { m.Levels[0].Count-- },
		"an error of NaN": func(m *props.Model) { m.Levels[last].Error = math.NaN() },
		" of 3, an error": func(m *props.Model) { m.Indices = m.Indices[:3] },
		"index 4: vertex": func(m *props.Model) { m.Indices[4] = 1000 },
		"vertex 2 is at":  func(m *props.Model) { m.Vertices[2].Position[1] = float32(math.Inf(1)) },
	} {
		m := *whole
		m.Levels, m.Indices, m.Vertices = slices.Clone(m.Levels), slices.Clone(m.Indices), slices.Clone(m.Vertices)
		change(&m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := (*props.Model)(nil).Check(); err == nil {
		t.Error("no model is one")
	}
}

func TestMap(t *testing.T) {
	m := &props.Map{Width: 3, Height: 2, Values: []float32{0, 1, 0, 1, 1, 0.5}, West: 10, North: 20, East: 30, South: 40}
	for _, c := range [][3]float64{{10, 20, 0}, {20, 20, 1}, {15, 20, 0.5}, {30, 40, 0.5}, {10, 30, 0.5}, {9.9, 20, 0}, {20, 40.1, 0}, {math.NaN(), 20, 0}} {
		if got := m.At(c[0], c[1]); got != c[2] {
			t.Errorf("at %v, %v: %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// scene is some thousand things and ways to look at them.
func scene(t testing.TB) (models []*props.Model, groups []props.Group, views []*lodcpu.View) {
	t.Helper()
	models = []*props.Model{model(t, props.Rock(1, 2)), model(t, props.Rock(2, 2)), model(t, props.Conifer(3))}
	for _, tile := range all(t, &props.Scatter{World: world(33), Ground: hills{}, Seed: 9, Layers: layers}) {
		groups = append(groups, props.NewGroup(models, tile))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		views = append(views, &lodcpu.View{
			Eye: mgl64.Vec3{rng.Float64()*1200 - 200, 20 + rng.Float64()*200, rng.Float64() * 700}, Yaw: rng.Float64() * 7, Pitch: -rng.Float64(),
			FovY: 0.9, Width: 640, Height: 480, Tau: 0.5 + 4*rng.Float64(),
		})
	}
	return models, groups, views
}

// TestSelect wants every instance whose middle is in the picture drawn within the
// tolerance, unless it is smaller than that, and none coarser than there is.
func TestSelect(t *testing.T) {
	models, groups, views := scene(t)
	var s props.Selector
	total, levels := 0, map[int]bool{}
	for _, v := range views {
		r := s.Select(v, models, groups, props.Options{})
		if r.Tau != v.Tau || r.Dropped != 0 {
			t.Fatalf("tau %v, %d dropped", r.Tau, r.Dropped)
		}
		drawn, triangles := map[[3]float32]props.Draw{}, 0
		last := props.Draw{Model: -1}
		at := 0
		for _, d := range r.Draws {
			if d.First != at || d.Instances == 0 || d.Model < last.Model || d.Model == last.Model && d.Level <= last.Level {
				t.Fatalf("draw %+v after %+v", d, last)
			}
			levels[d.Level] = true
			for _, p := range r.Placed[d.First : d.First+d.Instances] {
				drawn[p.Offset] = d
			}
			triangles += d.Instances * models[d.Model].Levels[d.Level].Triangles()
			at, last = at+d.Instances, d
		}
		if at != len(r.Placed) || triangles != r.Triangles || len(drawn) != at {
			t.Fatalf("%d instances, %d placed, %d of them different; %d triangles, said %d", at, len(r.Placed), len(drawn), triangles, r.Triangles)
		}
		total += at
		checkSelection(t, v, models, groups, drawn)
	}
	if total < 1000 || len(levels) < 4 {
		t.Errorf("%d instances at %d levels", total, len(levels))
	}
}

func checkSelection(t *testing.T, v *lodcpu.View, models []*props.Model, groups []props.Group, drawn map[[3]float32]props.Draw) {
	t.Helper()
	for _, g := range groups {
		for _, i := range g.Instances {
			m, scale := models[i.Model], float64(i.Scale)
			middle := mgl64.Vec3{i.Position[0], i.Position[1] + m.Middle*scale, i.Position[2]}
			near := middle.Sub(v.Eye).Len() - m.Radius*scale
			allowed := progmesh.MaxError(v, near)
			var key [3]float32
			for k := range 3 {
				key[k] = float32(i.Position[k] - v.Eye[k])
			}
			d, ok := drawn[key]
			x, y, _, front := v.Project(middle)
			inside := front && x > 0 && y > 0 && x < float64(v.Width) && y < float64(v.Height)
			if !ok && inside && 2*m.Radius*scale > allowed*(1+1e-9) {
				t.Fatalf("%+v is in the picture, %v m away, and not drawn", i, near)
			}
			if !ok {
				continue
			}
			if int32(d.Model) != i.Model {
				t.Fatalf("%+v is drawn as model %d", i, d.Model)
			}
			if e := m.Levels[d.Level].Error * scale; e > max(allowed, 0)*(1+1e-9) {
				t.Fatalf("%+v, %v m away, is drawn with an error of %v m, %v are allowed", i, near, e, allowed)
			}
			if next := d.Level + 1; next < len(m.Levels) && m.Levels[next].Error*scale <= allowed*(1-1e-9) {
				t.Fatalf("%+v is drawn finer than it need be", i)
			}
		}
	}
}

// TestBudget wants no more triangles than allowed, with the least tolerance that does it.
func TestBudget(t *testing.T) {
	models, groups, views := scene(t)
	var s, other props.Selector
	for _, v := range views {
		full := s.Select(v, models, groups, props.Options{}).Triangles
		last := v.Tau
		for _, share := range []int{1, 2, 4, 20, 1000} {
			o := props.Options{MaxTriangles: max(full/share, 1)}
			r := s.Select(v, models, groups, o)
			if r.Triangles > o.MaxTriangles || r.Tau < last {
				t.Fatalf("%d triangles of %d, tau %v after %v", r.Triangles, o.MaxTriangles, r.Tau, last)
			}
			last = r.Tau
			w := *v
			w.Tau = r.Tau
			if again := other.Select(&w, models, groups, props.Options{}); r.Dropped == 0 && (again.Triangles != r.Triangles || !reflect.DeepEqual(again.Draws, r.Draws)) {
				t.Fatalf("%d triangles, at a tolerance of %v px they are %d", r.Triangles, r.Tau, again.Triangles)
			}
			if w.Tau = r.Tau / math.Exp2(0.25) * (1 - 1e-9); r.Tau > v.Tau && w.Tau > v.Tau {
				if n := other.Select(&w, models, groups, props.Options{}).Triangles; n <= o.MaxTriangles {
					t.Fatalf("tau %v where %v would do: %d of %d triangles", r.Tau, w.Tau, n, o.MaxTriangles)
				}
			}
		}
	}
}

func TestSelectAllocatesNothing(t *testing.T) {
	models, groups, views := scene(t)
	var s props.Selector
	var commands []props.Command
	_, _, bases := props.Pack(models)
	frame := func() {
		for _, v := range views {
			r := s.Select(v, models, groups, props.Options{MaxTriangles: 20000})
			commands = r.Commands(commands[:0], models, bases)
		}
	}
	frame()
	if n := testing.AllocsPerRun(3, frame); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestPack follows commands through the packed buffers to the models' triangles.
func TestPack(t *testing.T) {
	models, groups, views := scene(t)
	vertices, indices, bases := props.Pack(models)
	var s props.Selector
	r := s.Select(views[0], models, groups, props.Options{})
	for i, c := range r.Commands(nil, models, bases) {
		d := r.Draws[i]
		m := models[d.Model]
		l := m.Levels[d.Level]
		if int(c.InstanceCount) != d.Instances || int(c.FirstInstance) != d.First || int(c.IndexCount) != l.Count {
			t.Fatalf("%+v for %+v", c, d)
		}
		for k := range l.Count {
			got, want := vertices[int(c.VertexOffset)+int(indices[int(c.FirstIndex)+k])], m.Vertices[m.Indices[l.First+k]]
			if got != want {
				t.Fatalf("index %d of %+v: %+v, want %+v", k, d, got, want)
			}
		}
	}
}

func BenchmarkSelect(b *testing.B) {
	models, groups, views := scene(b)
	var s props.Selector
	n, k := 0, 0
	for b.Loop() {
		n += len(s.Select(views[k%len(views)], models, groups, props.Options{}).Placed)
		k++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instance")
}

// TestIndexBudget wants no more indices than allowed, and the bound that is told kept.
func TestIndexBudget(t *testing.T) {
	models, groups, views := scene(t)
	var s, other props.Selector
	for _, v := range views {
		full := s.Select(v, models, groups, props.Options{})
		lists, triangles := full.Indices, full.Triangles
		if n := drawnIndices(models, full); n != lists {
			t.Fatalf("%d indices, said %d", n, lists)
		}
		for _, share := range []int{1, 3, 20, 1000} {
			o := props.Options{MaxIndices: max(lists/share, 1), MaxTriangles: triangles / 2}
			r := s.Select(v, models, groups, o)
			if n := drawnIndices(models, r); n != r.Indices || n > o.MaxIndices || r.Triangles > max(o.MaxTriangles, 0) {
				t.Fatalf("%d indices, said %d of %d; %d triangles of %d", n, r.Indices, o.MaxIndices, r.Triangles, o.MaxTriangles)
			}
			if r.Dropped > 0 && r.Tau < v.Tau*math.Exp2(16) {
				t.Fatalf("%d dropped, at %v px", r.Dropped, r.Tau)
			}
			w := *v
			w.Tau = r.Tau
			if again := other.Select(&w, models, groups, props.Options{}); r.Dropped == 0 && !reflect.DeepEqual(again.Draws, r.Draws) {
				t.Fatalf("%v px: %v, without a limit %v", r.Tau, r.Draws, again.Draws)
			}
		}
		for _, o := range []props.Options{{MaxTriangles: -1}, {MaxIndices: -1}} {
			if r := s.Select(v, models, groups, o); len(r.Draws) > 0 || r.Triangles > 0 || r.Tau != v.Tau {
				t.Fatalf("%+v: %+v", o, r)
			}
		}
	}
}

func drawnIndices(models []*props.Model, r *props.Selection) (n int) {
	for _, d := range r.Draws {
		n += models[d.Model].Levels[d.Level].Count
	}
	return n
}

// TestReach wants nothing beyond the reach, full size well within it, and nothing that
// jumps as the eye moves.
func TestReach(t *testing.T) {
	models, groups, _ := scene(t)
	var s props.Selector
	const far = 300.0
	last := map[int]float32{} // scale by instance: nearest to where it stands
	for step := range 200 {
		v := &lodcpu.View{Eye: mgl64.Vec3{100 + float64(step), 120, 300}, Yaw: 1, Pitch: -0.3, FovY: 0.9, Width: 640, Height: 480, Tau: 0.5}
		r := s.Select(v, models, groups, props.Options{Reach: far})
		now := map[int]float32{}
		for _, p := range r.Placed {
			d := math.Sqrt(float64(p.Offset[0]*p.Offset[0] + p.Offset[1]*p.Offset[1] + p.Offset[2]*p.Offset[2]))
			if d > far {
				t.Fatalf("an instance is %v m away", d)
			}
			x, z := float64(p.Offset[0])+v.Eye[0], float64(p.Offset[2])+v.Eye[2]
			key := int(math.Round(x*10))*100000 + int(math.Round(z*10))
			now[key] = p.Scale
			if was, ok := last[key]; ok && math.Abs(float64(was-p.Scale)) > 2*1.01/(far/4) {
				t.Fatalf("from %v to %v in a metre", was, p.Scale)
			}
		}
		last = now
	}
	if len(last) < 20 {
		t.Errorf("%d instances", len(last))
	}
}

// TestNatureBehindOtherModels: who appends its models to others moves the numbers of each
// layer, and of that layer alone.
func TestNatureBehindOtherModels(t *testing.T) {
	models, layers, err := props.Nature(3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range layers {
		for k := range layers[i].Models {
			layers[i].Models[k] += 5
		}
	}
	for i, l := range layers {
		for _, m := range l.Models {
			if m < 5 || m >= 5+len(models) {
				t.Errorf("layer %d has model %d, beyond the %d behind five others", i, m, len(models))
			}
		}
	}
}

// TestNature wants trees where there is wood, and rocks where it is steep.
func TestNature(t *testing.T) {
	models, natural, err := props.Nature(3)
	if err != nil {
		t.Fatal(err)
	}
	slope := func(rise float64) query.Ground {
		n := mgl64.Vec3{-rise, 1, 0}.Normalize()
		return query.Ground{OK: true, Height: 400, Normal: n}
	}
	wood, n := 0.0, 0
	for x := range 100 {
		for z := range 100 {
			px, pz := float64(x)*211, float64(z)*173
			w := props.Wood(px, pz, slope(0.2))
			if w < 0 || w > 1 || props.Wood(px, pz, slope(1.5)) > 0 {
				t.Fatalf("at %v, %v: %v, and %v where it is steep", px, pz, w, props.Wood(px, pz, slope(1.5)))
			}
			if again := props.Wood(px-65536, pz+65536, slope(0.2)); math.Abs(again-w) > 1e-9 {
				t.Fatalf("%v and %v a period apart", w, again)
			}
			wood, n = wood+w, n+1
		}
	}
	if share := wood / float64(n); share < 0.2 || share > 0.8 {
		t.Errorf("%v of the ground is wood", share)
	}
	high := slope(0.2)
	high.Height = 2500
	low := slope(0.2)
	low.Height = 1
	if props.Wood(100, 100, high) > 0 || props.Wood(100, 100, low) > 0 {
		t.Error("trees on the beach or in the snow")
	}
	s := props.Scatter{World: world(33), Ground: hills{}, Layers: natural}
	if err := s.Check(len(models)); err != nil {
		t.Error(err)
	}
	for i, m := range models {
		if size := 2 * m.Radius; i < 4 && (size < 6 || size > 11) || i >= 4 && (size < 1 || size > 4) {
			t.Errorf("model %d is %v m large", i, size)
		}
	}
}
