package pipeline

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// DefaultSun stands in the north-west, 33 degrees high, where cartographers put
// it: relief is read the right way round.
var DefaultSun = mgl64.Vec3{-0.66, 0.65, -0.75}.Normalize()

// Where SunAt stands: 46 degrees north, late in April.
const (
	sunLatitude    = 46 * math.Pi / 180
	sunDeclination = 14 * math.Pi / 180
)

// SunAt returns the direction towards the sun at an hour of a day in spring, of 0 to 24
// in solar time: it rises in the east a little after five and is highest at 12, in the
// south.
func SunAt(hour float64) mgl64.Vec3 {
	sinH, cosH := math.Sincos((hour - 12) * math.Pi / 12)
	sinL, cosL := math.Sincos(sunLatitude)
	sinD, cosD := math.Sincos(sunDeclination)
	return mgl64.Vec3{-cosD * sinH, sinL*sinD + cosL*cosD*cosH, -(cosL*sinD - sinL*cosD*cosH)}.Normalize()
}

// SunFrom returns the direction towards a sun at an azimuth, clockwise from north, and a
// height above the horizon, radians.
func SunFrom(azimuth, elevation float64) mgl64.Vec3 {
	sinA, cosA := math.Sincos(azimuth)
	sinE, cosE := math.Sincos(elevation)
	return mgl64.Vec3{sinA * cosE, sinE, -cosA * cosE}
}

// irradiance is that of the sun above the air, in units of the picture.
const irradiance = 20

// daylight is how much of the sun is above the horizon, by the sine of its elevation;
// twilight lasts a while below.
func daylight(up float64) float64 {
	t := min(max((up+0.14)/0.16, 0), 1)
	return max(t*t*(3-2*t), 1e-3)
}

// exposure makes up for some of the light that a low sun lacks, as an eye does. It is 1
// for the default sun.
func exposure(up, haze float64) float64 {
	light := func(up float64) float64 {
		through := math.Exp(-(13.5e-6*8000 + haze*1800) * airMass(up)) // green, as in shaders/air.glsl
		return daylight(up) * (max(up, 0)*(0.5+0.5*through) + 0.034)
	}
	return min(math.Pow(light(DefaultSun[1])/light(up), 0.6), 12)
}
