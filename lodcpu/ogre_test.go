package lodcpu_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// ogrePuget is Puget Sound as OGRE was measured on it for ../shared/YARDSTICKS.md: its
// first row is in the south there, so that cameras A and B look at the other half.
func ogrePuget(t testing.TB) *terrain.Field {
	f := lodtest.PugetSound(t)
	turned := *f
	turned.Samples = nil
	for row := f.Height - 1; row >= 0; row-- {
		turned.Samples = append(turned.Samples, f.Samples[row*f.Width:(row+1)*f.Width]...)
	}
	return &turned
}

// ogreTriangles is what OGRE 1.12 counts at cameras A and B with a maximum error of one
// pixel, with its skirts.
var ogreTriangles = [2]int{431808, 1090368}

// TestAgainstOGRE compares how many triangles are in view with what OGRE draws of the same
// views, and with the least that a mesh of bisection can have that keeps the bound: at
// camera A that is already 0.23 of OGRE's, for all that OGRE has in view there is at full
// resolution.
func TestAgainstOGRE(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := ogrePuget(t)
	w := testworld.New(f, f.Width, 0, 0) // one tile
	s := lodtest.Whole(w)
	for i, v := range lodtest.PugetViews(f, 1) {
		law := v.Law(&w.World)
		law.Cull = v.Cull(v.Eye)
		m, c := s.Draw(t, soar.New(w.Layout(), lodcpu.List), lodcpu.List, &law)
		n, least := inView(m, &v), newBound(f, &v).triangles(v.Tau)
		part := func(n int) float64 { return float64(n) / float64(ogreTriangles[i]) }
		t.Logf("camera %c: %d triangles in view of %d drawn, %.3f of the %d of OGRE; lower bound %d, %.3f", 'A'+i, n, c.Triangles, part(n), ogreTriangles[i], least, part(least))
		if most := [2]float64{0.27, 0.12}[i]; part(n) > most {
			t.Errorf("camera %c: %.3f of OGRE's triangles, want %.2f at most", 'A'+i, part(n), most)
		}
	}
}

// ogreDraws lets OGRE draw a field and returns the mesh without skirts, and the
// triangles that OGRE counts.
func ogreDraws(t *testing.T, program, heights string, f *terrain.Field, v *lodcpu.View) (*meshcheck.Mesh, int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "drawn.mesh")
	cmd := exec.Command(program, heights, fmt.Sprint(f.Width), fmt.Sprint(f.Spacing), fmt.Sprint(v.Eye[0]), fmt.Sprint(v.Eye[1]),
		fmt.Sprint(v.Eye[2]), fmt.Sprint(v.Pitch*180/math.Pi), fmt.Sprint(v.Tau), out)
	cmd.Env = append(os.Environ(), "LIBGL_ALWAYS_SOFTWARE=1")
	text, err := cmd.Output()
	var said struct {
		Counted int `json:"counted_by_ogre"`
	}
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	n, triangles := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
	m := &meshcheck.Mesh{Vertices: make([][3]float64, n), Triangles: make([][3]uint32, triangles)}
	rest, err := binary.Decode(data[8:], binary.LittleEndian, m.Vertices)
	if err == nil {
		_, err = binary.Decode(data[8+rest:], binary.LittleEndian, m.Triangles)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m, said.Counted
}

// TestRealOGREDrawn measures what OGRE itself draws at cameras A and B, beside what is
// drawn here. `make ogre-check` builds the program that exports it.
func TestRealOGREDrawn(t *testing.T) {
	program := os.Getenv("VKTERRAIN_OGRE_DRAWN")
	if program == "" {
		t.Skip("needs OGRE: make ogre-check")
	}
	f := ogrePuget(t)
	heights := filepath.Join(t.TempDir(), "heights.f32")
	data := []byte{}
	for _, s := range f.Samples {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(float64(s)*f.Quantum)))
	}
	if err := os.WriteFile(heights, data, 0o666); err != nil {
		t.Fatal(err)
	}
	s := lodtest.Whole(testworld.New(f, 129, 0, 0))
	check := meshcheck.NewChecker(f, 0, 0)
	for _, tau := range []float64{1, 2, 4} {
		for i, v := range lodtest.PugetViews(f, tau) {
			theirs, counted := ogreDraws(t, program, heights, f, &v)
			law := v.Law(&s.World.World)
			law.Cull = v.Cull(v.Eye)
			ours, c := s.Draw(t, soar.New(s.Layout(), lodcpu.List), lodcpu.List, &law)
			a, b := check.ScreenError(theirs, lodtest.Camera(&v)), check.ScreenError(ours, lodtest.Camera(&v))
			t.Logf("| %c | %g | %d | %d | %.2f | %.2f | %d | %.3f | %.3f |", 'A'+i, tau, counted, len(theirs.Triangles), a.Worst, a.Histogram.Quantile(0.99),
				c.Triangles, b.Worst, float64(c.Triangles)/float64(counted))
			t.Logf("camera %c, tau %g: OGRE %v", 'A'+i, tau, &a.Histogram)
			if a.Uncovered > 0 || b.Uncovered > 0 || b.Worst > tau {
				t.Errorf("camera %c, tau %g: OGRE leaves %d samples uncovered; here %d, and %.3f px", 'A'+i, tau, a.Uncovered, b.Uncovered, b.Worst)
			}
			if tau == 1 && counted != ogreTriangles[i] {
				t.Errorf("camera %c: OGRE draws %d triangles, %d expected", 'A'+i, counted, ogreTriangles[i])
			}
		}
	}
}
