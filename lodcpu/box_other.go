//go:build !amd64 || noasm

package lodcpu

// corners returns the least and the largest columns, rows and heights of vertices.
func corners[I Index](m *measure, indices []I) (least, most corner) { return cornersGo(m, indices) }
