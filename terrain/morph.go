package terrain

// MorphTargets fills dst with the morph targets of the level samples of level, in
// id order: twice the height above the base, so that it is whole, that the mesh of
// the next coarser level has where the sample is. That is the middle of the edge
// that an edge midpoint divides, or of the diagonal of a square centre. The coarsest
// level has nothing coarser: its samples have their own heights.
//
// Targets are derived and not stored, because both ends belong to coarser levels of
// the same tile, which are loaded before: two heights to read cost less than two
// bytes a vertex to read, hold and decode.
func MorphTargets(l *Layout, verts []Vertex, level Level, dst []uint32) {
	lo, hi := l.Range(level)
	step := 1 << level
	for id := lo; id < hi; id++ {
		x, z := int(l.Grid[id].X), int(l.Grid[id].Z)
		dx, dz := 0, 0
		switch odd := [2]bool{x&step != 0, z&step != 0}; {
		case int(level) == l.Levels-1:
		case odd[0] && odd[1]:
			// The diagonal runs through the centre of the parent square, as
			// that of [Coefs] does.
			dx, dz = step, step
			if (x^z)&(2*step) != 0 {
				dz = -step
			}
		case odd[0]:
			dx = step
		default:
			dz = step
		}
		a, b := l.ID[(z-dz)*l.Size+x-dx], l.ID[(z+dz)*l.Size+x+dx]
		dst[id-lo] = uint32(verts[a].Height) + uint32(verts[b].Height)
	}
}
