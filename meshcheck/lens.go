package meshcheck

import "math"

type vec3 [3]float64

func dot(a, b vec3) float64 { return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2]) }

// cross returns a × b. Its roundings are such that b × a is exactly the negative.
func cross(a, b vec3) vec3 {
	return vec3{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// lens takes points from the world to the picture and back. Camera space has x
// right, y up and the depth as z.
type lens struct {
	eye                vec3
	sinYaw, cosYaw     float64
	sinPitch, cosPitch float64
	kappa              float64 // pixels a unit of x or y at depth 1
	width, height      float64 // pixels
	haze               float64 // 1/m
}

func newLens(c *Camera) *lens {
	l := &lens{eye: c.Eye, width: float64(c.Width), height: float64(c.Height), haze: c.Haze}
	l.sinYaw, l.cosYaw = math.Sincos(c.Yaw)
	l.sinPitch, l.cosPitch = math.Sincos(c.Pitch)
	l.kappa = l.height / 2 / math.Tan(c.FovY/2)
	return l
}

// through returns what air leaves of a world point.
func (l *lens) through(p vec3) float64 {
	return math.Exp(-l.haze * math.Hypot(math.Hypot(p[0]-l.eye[0], p[1]-l.eye[1]), p[2]-l.eye[2]))
}

// turn returns a world point in camera space.
func (l *lens) turn(p vec3) vec3 {
	x, y, z := p[0]-l.eye[0], p[1]-l.eye[1], p[2]-l.eye[2]
	ahead := x*l.sinYaw - z*l.cosYaw
	return vec3{x*l.cosYaw + z*l.sinYaw, y*l.cosPitch - ahead*l.sinPitch, ahead*l.cosPitch + y*l.sinPitch}
}

// back returns the world point of one in camera space.
func (l *lens) back(p vec3) vec3 {
	ahead, y := p[2]*l.cosPitch-p[1]*l.sinPitch, p[1]*l.cosPitch+p[2]*l.sinPitch
	return vec3{
		l.eye[0] + p[0]*l.cosYaw + ahead*l.sinYaw,
		l.eye[1] + y,
		l.eye[2] + p[0]*l.sinYaw - ahead*l.cosYaw,
	}
}

// image returns the pixel position of a world point (x right, y down, the corner
// of the picture is 0, 0), which may lie outside the picture; front is false behind
// the eye.
func (l *lens) image(p vec3) (px, py float64, front bool) {
	q := l.turn(p)
	if q[2] <= 0 {
		return 0, 0, false
	}
	k := l.kappa / q[2]
	return l.width/2 + k*q[0], l.height/2 - k*q[1], true
}

// project is image, and says whether the point lies in the picture.
func (l *lens) project(p vec3) (px, py float64, inside bool) {
	px, py, front := l.image(p)
	return px, py, front && px >= 0 && py >= 0 && px <= l.width && py <= l.height
}

// ray returns the direction of the middle of a pixel in camera space, of depth 1.
func (l *lens) ray(col, row int) vec3 {
	return vec3{(float64(col) + 0.5 - l.width/2) / l.kappa, (l.height/2 - float64(row) - 0.5) / l.kappa, 1}
}
