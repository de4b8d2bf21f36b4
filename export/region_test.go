package export_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

func buildRegion(t *testing.T, r *chunkfile.Reader, g export.Region, o export.RegionOptions) *export.Mesh {
	t.Helper()
	m, err := export.BuildRegion(context.Background(), r, g, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkSheet wants a mesh to lie over a rectangle once, facing up, its open edges
// along the rim. It returns the largest distance of samples to it, in quanta.
func checkSheet(t *testing.T, m *export.Mesh, g export.Region, height func(x, z int) float64) float64 {
	t.Helper()
	edges := map[[2]uint32]int{}
	doubled, worst := 0, 0.0
	met := map[[2]int]bool{}
	for _, tri := range m.Triangles {
		a, b, c := m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]
		area := int(b.Row-a.Row)*int(c.Column-a.Column) - int(b.Column-a.Column)*int(c.Row-a.Row)
		if area <= 0 {
			t.Fatalf("a triangle of area %v faces down: %v %v %v", area, a, b, c)
		}
		doubled += area
		for k := range 3 {
			edges[[2]uint32{tri[k], tri[(k+1)%3]}]++
		}
		for z := min(a.Row, b.Row, c.Row); z <= max(a.Row, b.Row, c.Row); z++ {
			for x := min(a.Column, b.Column, c.Column); x <= max(a.Column, b.Column, c.Column); x++ {
				u := float64(int(z-a.Row)*int(c.Column-a.Column)-int(x-a.Column)*int(c.Row-a.Row)) / float64(area)
				v := float64(int(b.Row-a.Row)*int(x-a.Column)-int(b.Column-a.Column)*int(z-a.Row)) / float64(area)
				if u < 0 || v < 0 || u+v > 1 {
					continue
				}
				met[[2]int{int(x), int(z)}] = true
				y := float64(a.Height) + u*float64(b.Height-a.Height) + v*float64(c.Height-a.Height)
				worst = max(worst, math.Abs(y-height(int(x), int(z))))
			}
		}
	}
	if want := 2 * (g.East - g.West) * (g.South - g.North); doubled != want {
		t.Errorf("it covers %v cells, want %v", float64(doubled)/2, want/2)
	}
	for z := g.North; z <= g.South; z++ {
		for x := g.West; x <= g.East; x++ {
			if !met[[2]int{x, z}] {
				t.Fatalf("it does not cover sample %d, %d", x, z)
			}
		}
	}
	for e, n := range edges {
		a, b := m.Vertices[e[0]], m.Vertices[e[1]]
		along := a.Column == b.Column && (int(a.Column) == g.West || int(a.Column) == g.East) || a.Row == b.Row && (int(a.Row) == g.North || int(a.Row) == g.South)
		if n != 1 || edges[[2]uint32{e[1], e[0]}] == 0 && !along {
			t.Fatalf("the edge from %v to %v is used %d times, back %d", a, b, n, edges[[2]uint32{e[1], e[0]}])
		}
	}
	return worst
}

func TestRegion(t *testing.T) {
	f := testworld.Rough(60, 50, 7)
	r := bake(t, f, 17, 0, 0)
	height := func(x, z int) float64 { return float64(f.At(x, z)) * f.Quantum }
	g := export.Region{West: 5, North: 3, East: 44, South: 37}
	for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
		m := buildRegion(t, r, g, export.RegionOptions{Cost: cost})
		if n := len(m.Triangles); n != 2*39*34 || m.Error != 0 || len(m.Vertices) != 40*35 {
			t.Errorf("in full: %d triangles and %d vertices, %v m off", n, len(m.Vertices), m.Error)
		}
		if off := checkSheet(t, m, g, height); off > 1e-3 {
			t.Errorf("in full: %v m off", off)
		}
		for _, n := range []int{1000, 300, 60, 1} {
			m := buildRegion(t, r, g, export.RegionOptions{Cost: cost, Vertices: n})
			if len(m.Vertices) > n && n > 1 {
				t.Errorf("%d vertices, want %d", len(m.Vertices), n)
			}
			if off := checkSheet(t, m, g, height); math.Abs(off-m.Error) > 1e-3 {
				t.Errorf("%d vertices: %v m off, said %v", n, off, m.Error)
			}
		}
		last := math.MaxInt
		for _, limit := range []float64{0, 1, 10, 100} {
			m := buildRegion(t, r, g, export.RegionOptions{Cost: cost, MaxError: &limit})
			if off := checkSheet(t, m, g, height); off > limit+1e-3 || m.Error > limit {
				t.Errorf("%v m allowed: %v m off, said %v", limit, off, m.Error)
			}
			if len(m.Vertices) > last {
				t.Errorf("%v m allowed: %d vertices after %d", limit, len(m.Vertices), last)
			}
			last = len(m.Vertices)
		}
		if last > 600 {
			t.Errorf("%d vertices within 100 m", last)
		}
	}
}

// TestRegionHoles wants a reduced region to cover what the full one does.
func TestRegionHoles(t *testing.T) {
	f := holed()
	r := bake(t, f, 17, 0, 0)
	g := export.Region{West: 0, North: 0, East: 99, South: 69}
	full := buildRegion(t, r, g, export.RegionOptions{})
	limit := 100.0
	m := buildRegion(t, r, g, export.RegionOptions{MaxError: &limit})
	if len(full.Triangles) == 2*99*69 || len(m.Triangles) > len(full.Triangles)/2 {
		t.Fatalf("%d triangles, %d in full", len(m.Triangles), len(full.Triangles))
	}
	area := func(m *export.Mesh) (doubled int, covered map[[2]int32]bool) {
		covered = map[[2]int32]bool{}
		for _, tri := range m.Triangles {
			a, b, c := m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]
			part := int(b.Row-a.Row)*int(c.Column-a.Column) - int(b.Column-a.Column)*int(c.Row-a.Row)
			doubled += part
			for z := min(a.Row, b.Row, c.Row); z <= max(a.Row, b.Row, c.Row); z++ {
				for x := min(a.Column, b.Column, c.Column); x <= max(a.Column, b.Column, c.Column); x++ {
					u := int(z-a.Row)*int(c.Column-a.Column) - int(x-a.Column)*int(c.Row-a.Row)
					v := int(b.Row-a.Row)*int(x-a.Column) - int(b.Column-a.Column)*int(z-a.Row)
					if u >= 0 && v >= 0 && u+v <= part {
						covered[[2]int32{x, z}] = true
					}
				}
			}
		}
		return doubled, covered
	}
	wantArea, want := area(full)
	gotArea, got := area(m)
	if gotArea != wantArea || !maps.Equal(got, want) {
		t.Errorf("it covers %v cells and %d samples, want %v and %d", gotArea/2, len(got), wantArea/2, len(want))
	}
}

func TestRegionRefused(t *testing.T) {
	r := bake(t, testworld.Rough(20, 20, 7), 17, 0, 0)
	for _, g := range []export.Region{{0, 0, 20, 5}, {-1, 0, 5, 5}, {3, 0, 3, 5}, {0, 6, 5, 5}} {
		if _, err := export.BuildRegion(context.Background(), r, g, export.RegionOptions{}); err == nil || !strings.Contains(err.Error(), "no rectangle of its 20×20") {
			t.Errorf("%v: %v", g, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := export.BuildRegion(ctx, r, export.Region{0, 0, 5, 5}, export.RegionOptions{}); err == nil {
		t.Error("it was not cancelled")
	}
}

func TestPLY(t *testing.T) {
	r := bake(t, testworld.Rough(20, 20, 7), 17, 0, 0)
	m := buildRegion(t, r, export.Region{0, 0, 4, 3}, export.RegionOptions{})
	var b bytes.Buffer
	if err := m.WritePLY(&b, export.YUp); err != nil {
		t.Fatal(err)
	}
	head, body, ok := strings.Cut(b.String(), "end_header\n")
	if want := fmt.Sprintf("element vertex %d\n", 20); !ok || !strings.Contains(head, want) || !strings.Contains(head, "element face 24\n") {
		t.Fatalf("%q", head)
	}
	if len(body) != 20*24+24*13 {
		t.Fatalf("%d bytes", len(body))
	}
	for i, v := range m.Vertices {
		x, y := math.Float32frombits(binary.LittleEndian.Uint32([]byte(body[24*i:]))), math.Float32frombits(binary.LittleEndian.Uint32([]byte(body[24*i+4:])))
		if x != float32(float64(v.Column)*m.Spacing) || y != v.Height {
			t.Fatalf("vertex %d at %v, %v: %+v", i, x, y, v)
		}
	}
}
