package lodcpu

import "github.com/go-gl/mathgl/mgl64"

// Pack is what [Narrow] packs by.
var Pack = pack

// Planes returns the inward normals of the sides and the view direction.
func (f Frustum) Planes() [5]mgl64.Vec3 { return f.planes }

// Groups returns how many groups there is memory for.
func (s *TileSet) Groups() int { return len(s.groups) }
