//go:build !noasm

#include "go_asm.h"
#include "textflag.h"

// Heights are unsigned: their highest bit is turned, for words are compared as signed.
DATA turned<>+0(SB)/8, $0x0000800000000000
DATA turned<>+8(SB)/8, $0
GLOBL turned<>(SB), RODATA|NOPTR, $16

// Column, row and height of the vertex whose index is at SI.
#define VERTEX(load, out) \
	load   (SI), AX            \
	MOVSS  (R8)(AX*4), out     \
	PINSRW $2, (R9)(AX*8), out \
	PXOR   X7, out

// X1 is the least, X2 the largest of all.
#define BOX(load, size) \
	MOVQ   b+0(FP), DI            \
	MOVQ   boxing_indices(DI), SI \
	MOVQ   boxing_many(DI), CX    \
	MOVQ   boxing_grid(DI), R8    \
	MOVQ   boxing_verts(DI), R9   \
	MOVOU  turned<>(SB), X7       \
	VERTEX(load, X1)              \
	MOVO   X1, X2                 \
next:                                 \
	VERTEX(load, X0)              \
	PMINSW X0, X1                 \
	PMAXSW X0, X2                 \
	ADDQ   size, SI               \
	DECQ   CX                     \
	JNZ    next                   \
	PXOR   X7, X1                 \
	PXOR   X7, X2                 \
	MOVQ   X1, boxing_least(DI)   \
	MOVQ   X2, boxing_most(DI)    \
	RET

// func boxNarrowSSE2(b *boxing)
TEXT ·boxNarrowSSE2(SB), NOSPLIT, $0-8
	BOX(MOVWLZX, $2)

// func boxWideSSE2(b *boxing)
TEXT ·boxWideSSE2(SB), NOSPLIT, $0-8
	BOX(MOVL, $4)
