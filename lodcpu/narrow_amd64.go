//go:build !noasm

package lodcpu

// packSSE2 is packGo of a number of words that is a multiple of packStep and above 0.
//
//go:noescape
func packSSE2(dst *uint16, src *uint32, many int)

const packStep = 16

// pack sets dst to the first words of src, which are below 2^15.
func pack(dst []uint16, src []uint32) {
	src = src[:len(dst)]
	whole := len(dst) &^ (packStep - 1)
	if whole > 0 {
		packSSE2(&dst[0], &src[0], whole)
	}
	packGo(dst[whole:], src[whole:])
}
