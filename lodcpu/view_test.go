package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

func anyView(rng *rand.Rand) *lodcpu.View {
	return &lodcpu.View{
		Eye: mgl64.Vec3{rng.NormFloat64() * 1e4, rng.NormFloat64() * 1e3, rng.NormFloat64() * 1e4},
		Yaw: rng.Float64() * 7, Pitch: (rng.Float64() - 0.5) * math.Pi, FovY: 0.2 + 1.6*rng.Float64(),
		Width: 100 + rng.IntN(2000), Height: 100 + rng.IntN(1500), Tau: 1,
	}
}

// TestStretchBoundsEveryDirection displaces points all over the picture
// vertically and measures what that covers.
func TestStretchBoundsEveryDirection(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	tightest := 0.0
	for range 300 {
		v := anyView(rng)
		right, up, forward := v.Basis()
		b := math.Tan(v.FovY / 2)
		a := b * float64(v.Width) / float64(v.Height)
		worst := 0.0
		for i := range 41 {
			for j := range 41 {
				x, y := a*(float64(i)/20-1), b*(float64(j)/20-1)
				ray := forward.Add(right.Mul(x)).Add(up.Mul(y))
				p := v.Eye.Add(ray.Mul(1000))
				px, py, _, _ := v.Project(p)
				qx, qy, _, ok := v.Project(p.Add(mgl64.Vec3{0, 0.001, 0}))
				if !ok {
					t.Fatalf("point in the picture is behind %+v", v)
				}
				worst = max(worst, math.Hypot(px-qx, py-qy)/0.001/v.Kappa()*1000*ray.Len())
			}
		}
		f := v.Stretch()
		if worst > f*1.0001 {
			t.Fatalf("%+v: %.4f measured, %.4f promised", *v, worst, f)
		}
		tightest = max(tightest, worst/f)
	}
	if tightest < 0.98 {
		t.Errorf("the bound is never closer than %.3f", tightest)
	}
}

// TestClipMatrixAgreesWithProject compares the GPU's projection with the
// CPU's, corners, axes and depth included.
func TestClipMatrixAgreesWithProject(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 500 {
		v := anyView(rng)
		p := v.Eye.Add(mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(500))
		x, y, depth, ok := v.Project(p)
		c := v.ClipMatrix(0.5).Mul4x1(p.Sub(v.Eye).Vec4(1))
		if ok != (c[3] > 0) {
			t.Fatalf("in front: %v on the CPU, w %g on the GPU", ok, c[3])
		}
		if !ok {
			continue
		}
		gx, gy := (c[0]/c[3]+1)/2*float64(v.Width), (c[1]/c[3]+1)/2*float64(v.Height)
		if math.Abs(gx-x)+math.Abs(gy-y) > 1e-6*(1+math.Abs(x)+math.Abs(y)) || math.Abs(c[2]/c[3]-0.5/depth) > 1e-9 {
			t.Fatalf("(%g, %g) on the CPU, (%g, %g) on the GPU, depth %g and %g", x, y, gx, gy, depth, c[2]/c[3])
		}
	}
	north := &lodcpu.View{FovY: 1, Width: 100, Height: 100, Tau: 1}
	if x, y, _, ok := north.Project(mgl64.Vec3{10, 10, -100}); !ok || x <= 50 || y >= 50 {
		t.Errorf("looking north, east is at x %g and up at y %g", x, y)
	}
}

func TestViewCheck(t *testing.T) {
	good := lodcpu.View{FovY: 1, Width: 10, Height: 10, Tau: 1}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for i, spoil := range []func(*lodcpu.View){
		func(v *lodcpu.View) { v.Width = 0 }, func(v *lodcpu.View) { v.FovY = 0 }, func(v *lodcpu.View) { v.FovY = math.NaN() },
		func(v *lodcpu.View) { v.Tau = 0 }, func(v *lodcpu.View) { v.Tau = math.NaN() }, func(v *lodcpu.View) { v.Pitch = 2 },
		func(v *lodcpu.View) { v.Tau = 1e-300 }, func(v *lodcpu.View) { v.Tau = 1e300 }, func(v *lodcpu.View) { v.Eye[2] = -1e300 },
		func(v *lodcpu.View) { v.Eye[1] = math.Inf(1) }, func(v *lodcpu.View) { v.Yaw = math.NaN() },
	} {
		v := good
		if spoil(&v); v.Check() == nil {
			t.Errorf("case %d passed: %+v", i, v)
		}
	}
}

// TestFrustumKeepsAllThatIsVisible: a box with any point in the picture is seen.
func TestFrustumKeepsAllThatIsVisible(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	culled := 0
	for range 3000 {
		v := anyView(rng)
		lo := v.Eye.Add(mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(800))
		hi := lo.Add(mgl64.Vec3{rng.Float64() * 300, rng.Float64() * 100, rng.Float64() * 300})
		f := v.Frustum()
		sees := f.Sees(lo, hi)
		if !sees {
			culled++
		}
		for range 40 {
			p := mgl64.Vec3{lo[0] + rng.Float64()*(hi[0]-lo[0]), lo[1] + rng.Float64()*(hi[1]-lo[1]), lo[2] + rng.Float64()*(hi[2]-lo[2])}
			x, y, _, ok := v.Project(p)
			if ok && x >= 0 && y >= 0 && x <= float64(v.Width) && y <= float64(v.Height) && !sees {
				t.Fatalf("%v of box %v %v is in the picture of %+v", p, lo, hi, *v)
			}
		}
	}
	if culled < 1000 {
		t.Errorf("only %d of 3000 boxes culled", culled)
	}
}

// TestEligibleIsClosed: in every mix of levels of 3×3 tiles, the parents of an
// eligible vertex are eligible in the tiles that hold them, and all of it is
// loaded there.
func TestEligibleIsClosed(t *testing.T) {
	const cells = 32
	layout := terrain.LayoutFor(cells + 1)
	rng := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		var levels [9]int8
		for i := range levels {
			levels[i] = int8(rng.IntN(layout.Levels+1)) - 1
		}
		if levels[4] < 0 {
			continue
		}
		level := func(x, y int) int8 {
			if x < 0 || y < 0 || x > 2 || y > 2 {
				return lodcpu.Absent
			}
			return levels[y*3+x]
		}
		// eligible in tile (tx, ty), at its grid position (x, z).
		eligible := func(tx, ty, x, z int) bool {
			var n lodcpu.Neighbourhood
			for i := range n {
				n[i] = level(tx+i%3-1, ty+i/3-1)
			}
			s := (x | z | cells) & -(x | z | cells)
			if s < 1<<n[lodcpu.Own] {
				return false
			}
			r := n.Reach(s)
			return r.Eligible(x, z, cells)
		}
		for z := cells; z <= 2*cells; z++ {
			for x := cells; x <= 2*cells; x++ {
				if (x%cells == 0 && z%cells == 0) || !eligible(1, 1, x-cells, z-cells) {
					continue
				}
				for _, p := range testworld.Parents(x, z, cells) {
					for ty := range 3 {
						for tx := range 3 {
							px, pz := p[0]-tx*cells, p[1]-ty*cells
							if px < 0 || pz < 0 || px > cells || pz > cells || level(tx, ty) < 0 {
								continue
							}
							if root(px, pz, cells) {
								continue
							}
							if !eligible(tx, ty, px, pz) {
								t.Fatalf("levels %v: (%d,%d) is eligible, its parent %v is not in tile %d,%d", levels, x, z, p, tx, ty)
							}
						}
					}
				}
			}
		}
	}
}

func root(x, z, cells int) bool {
	return x%cells == 0 && z%cells == 0 || 2*x == cells && 2*z == cells
}

// TestSeamPositionsAgree computes the shared row of two tiles as the shader
// does, from either side, near the origin and 10,000 km away.
func TestSeamPositionsAgree(t *testing.T) {
	f := testworld.Rough(65, 65, 12)
	for _, origin := range []float64{0, 1e7} {
		w := testworld.New(f, 33, origin, -origin)
		layout := w.Layout()
		eye := mgl64.Vec3{origin + 333.337, 123.4, -origin + 17.77}
		camX, camZ := int32(math.Floor((eye[0]-origin)/w.Spacing)), int32(math.Floor((eye[2]+origin)/w.Spacing))
		fx := float32(eye[0] - origin - float64(camX)*w.Spacing)
		fz := float32(eye[2] + origin - float64(camZ)*w.Spacing)
		position := func(k terrain.Key, x, z int) [3]float32 {
			tile := w.Tile(k, 0)
			cx, cz := k.X*int32(layout.Cells)-camX+int32(x), k.Y*int32(layout.Cells)-camZ+int32(z)
			h := tile.Info.Base + int32(tile.Verts[layout.ID[z*layout.Size+x]].Height)
			return [3]float32{
				float32(cx)*float32(w.Spacing) - fx,
				float32(h)*float32(w.Quantum) - float32(eye[1]),
				float32(cz)*float32(w.Spacing) - fz,
			}
		}
		bases := map[int32]bool{}
		for i := range layout.Size {
			for _, seam := range [][2]struct {
				k    terrain.Key
				x, z int
			}{
				{{terrain.Key{}, layout.Cells, i}, {terrain.Key{X: 1}, 0, i}},
				{{terrain.Key{}, i, layout.Cells}, {terrain.Key{Y: 1}, i, 0}},
			} {
				a, b := position(seam[0].k, seam[0].x, seam[0].z), position(seam[1].k, seam[1].x, seam[1].z)
				if a != b {
					t.Fatalf("origin %g, sample %d: %v and %v", origin, i, a, b)
				}
				bases[w.Infos[seam[0].k].Base], bases[w.Infos[seam[1].k].Base] = true, true
			}
		}
		if len(bases) < 2 {
			t.Error("all tiles have one base: nothing was tested")
		}
	}
}
