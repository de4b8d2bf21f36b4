//go:build !noasm

#include "textflag.h"

// Every processor of AMD64 has what this takes. Words are taken to be signed, which
// does no harm below 2^15.

// func packSSE2(dst *uint16, src *uint32, many int)
TEXT ·packSSE2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ many+16(FP), CX
	LEAQ (SI)(CX*4), CX

pack:
	MOVOU    (SI), X0
	MOVOU    16(SI), X1
	MOVOU    32(SI), X2
	MOVOU    48(SI), X3
	PACKSSLW X1, X0
	PACKSSLW X3, X2
	MOVOU    X0, (DI)
	MOVOU    X2, 16(DI)
	ADDQ     $64, SI
	ADDQ     $32, DI
	CMPQ     SI, CX
	JNE      pack
	RET
