package synth

import "math"

// finer makes the land of half the cell size. Heights go through a cubic
// B-spline, which keeps no trace of the coarse lattice, at places displaced by
// a smooth warp, which bends what the eight directions left straight.
func (l *land) finer() *land {
	f := newLand(2*l.w-1, 2*l.h-1, l.cell/2, mix(l.seed))
	rows(f.h, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range f.w {
				i := y*f.w + x
				u, v := float64(float64(x)/2), float64(float64(y)/2)
				const long, short = 1.0 / 14, 1.0 / 5
				wx := float64(1.6*noise(u*long, v*long, f.seed+1)) + float64(0.5*noise(u*short, v*short, f.seed+2))
				wy := float64(1.6*noise(u*long, v*long, f.seed+3)) + float64(0.5*noise(u*short, v*short, f.seed+4))
				f.z[i] = spline(l.z, l.w, l.h, u+wx, v+wy)
				f.sea[i] = f.z[i] < 0
			}
		}
	})
	rows(f.h, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range f.w {
				i, dx, dy := y/2*l.w+x/2, x&1, (y&1)*l.w
				a, b, c, d := &l.node[i], &l.node[i+dx], &l.node[i+dy], &l.node[i+dx+dy]
				n := &f.node[y*f.w+x]
				n.uplift = (a.uplift + b.uplift + c.uplift + d.uplift) / 4
				n.soft = (a.soft + b.soft + c.soft + d.soft) / 4
				// Ledges: each resolution adds its own layer of hard and soft rock.
				ledge := noise(float64(x)*0.17, float64(y)*0.17, f.seed+5)
				t := float64(a.talus+b.talus+c.talus+d.talus) / 4 * (1 + float64(0.38*ledge))
				n.talus = float32(min(max(t, 0.45), 1.6))
			}
		}
	})
	return f
}

// spline is the uniform cubic B-spline over a at (x, y), clamped to the rim.
func spline(a []float64, w, h int, x, y float64) float64 {
	x, y = min(max(x, 0), float64(w-1)), min(max(y, 0), float64(h-1))
	fx, fy := math.Floor(x), math.Floor(y)
	wx, wy := weights(x-fx), weights(y-fy)
	ix, iy := int(fx)-1, int(fy)-1
	sum := 0.0
	for j := range 4 {
		row := a[min(max(iy+j, 0), h-1)*w:]
		line := 0.0
		if ix >= 0 && ix+3 < w {
			line = float64(row[ix]*wx[0]) + float64(row[ix+1]*wx[1]) + float64(row[ix+2]*wx[2]) + float64(row[ix+3]*wx[3])
		} else {
			for i := range 4 {
				line += float64(row[min(max(ix+i, 0), w-1)] * wx[i])
			}
		}
		sum += float64(line * wy[j])
	}
	return sum
}

func weights(t float64) [4]float64 {
	s := 1 - t
	tt, ss := float64(t*t), float64(s*s)
	return [4]float64{
		float64(ss*s) / 6,
		(4 - float64(3*float64(tt*(2-t)))) / 6,
		(4 - float64(3*float64(ss*(2-s)))) / 6,
		float64(tt*t) / 6,
	}
}

// roughen adds noise of a few cells' wavelength, strong where it is steep.
func (l *land) roughen(rock, plain float64) {
	out := l.fill
	inv := 0.5 / l.cell
	rows(l.h, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			up, down := max(y-1, 0)*l.w, min(y+1, l.h-1)*l.w
			for x := range l.w {
				i := y*l.w + x
				e, o := l.z[y*l.w+min(x+1, l.w-1)], l.z[y*l.w+max(x-1, 0)]
				dx, dz := (e-o)*inv, (l.z[down+x]-l.z[up+x])*inv
				slope := math.Sqrt(float64(dx*dx) + float64(dz*dz))
				u, v := float64(x), float64(y)
				n := noise(u/5.3, v/5.3, l.seed+11) + float64(0.55*noise(float64(u*0.31)+float64(v*0.17), float64(v*0.31)-float64(u*0.17), l.seed+12))
				amp := l.cell * (float64(rock*smooth(0.04, 0.9, slope)) + plain)
				if l.sea[i] {
					amp *= 0.5
				}
				out[i] = l.z[i] + float64(amp*n)
			}
		}
	})
	l.z, l.fill = out, l.z
}

// plane widens valley floors: a river keeps ground near it as low as a bowl
// around its bed, flat within the width that its drained area gives it.
func (l *land) plane(minArea float64) {
	copy(l.fill, l.z)
	for _, i := range l.order {
		a := float64(l.node[i].area)
		if a < minArea || l.sea[i] {
			continue
		}
		// 1 km² gives a floor of 80 m to each side, 100 km² one of 800 m.
		width := float64(0.08 * math.Sqrt(a))
		if limit := 8 * l.cell; width > limit {
			width = limit
		}
		x, y := int(i)%l.w, int(i)/l.w
		r := int(width/l.cell) + 2
		reach := width * width
		for v := max(y-r, 0); v <= min(y+r, l.h-1); v++ {
			for u := max(x-r, 0); u <= min(x+r, l.w-1); u++ {
				d2 := float64((u-x)*(u-x)+(v-y)*(v-y)) * l.cell * l.cell
				q := d2 / reach
				// 1 % of the width at its rim, then rising as the fourth power
				bowl := l.z[i] + float64(float64(width*0.012)*float64(q*(1+q)))
				if j := v*l.w + u; !l.sea[j] && l.fill[j] > bowl {
					l.fill[j] = bowl
				}
			}
		}
	}
	l.z, l.fill = l.fill, l.z
}

// shore lets land and sea bed meet at a beach: within some metres of sea level
// heights are drawn towards it.
func (l *land) shore() {
	rows(l.h, func(y0, y1 int) {
		for i := y0 * l.w; i < y1*l.w; i++ {
			const reach = 14
			if z := math.Abs(l.z[i]); z < reach {
				l.z[i] *= 0.25 + float64(0.75*smooth(0, 1, z/reach))
			}
		}
	})
}

// drain fills what pits are left on land.
func (l *land) drain() {
	l.drown()
	l.flood(0)
	for _, i := range l.order {
		l.z[i] = l.fill[i]
	}
}
