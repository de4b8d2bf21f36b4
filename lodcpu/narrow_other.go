//go:build !amd64 || noasm

package lodcpu

func pack(dst []uint16, src []uint32) { packGo(dst, src) }
