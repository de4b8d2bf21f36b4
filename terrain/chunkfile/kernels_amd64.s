//go:build !noasm

#include "go_asm.h"
#include "textflag.h"

// The functions below do eight samples at a time and may read and write up to
// seven more than they are asked for.

DATA ints<>+0(SB)/4, $0
DATA ints<>+4(SB)/4, $128
DATA ints<>+8(SB)/4, $65535
DATA ints<>+12(SB)/4, $2
DATA ints<>+16(SB)/4, $126
DATA ints<>+20(SB)/4, $16
DATA ints<>+24(SB)/4, $1
GLOBL ints<>(SB), RODATA|NOPTR, $28

#define GUESS_CONSTANTS \
	VPXOR        Y14, Y14, Y14        \
	VPBROADCASTD ints<>+4(SB), Y15    \
	VPBROADCASTD ints<>+8(SB), Y13    \
	VPBROADCASTD ints<>+12(SB), Y12   \
	VPBROADCASTD ints<>+16(SB), Y11   \
	VPBROADCASTD ints<>+20(SB), Y10

// Ring 0 is in Y0 to Y3, the sums of rings 1 and 2 in Y4 and Y5.
#define GUESS_PUT(height, near, class) \
	VPADDD       Y0, Y1, Y6         \
	VPADDD       Y2, Y3, Y7         \
	VPADDD       Y6, Y7, Y6         \
	VPMAXSD      Y0, Y1, Y7         \
	VPMAXSD      Y2, Y3, Y8         \
	VPMAXSD      Y7, Y8, Y7         \
	VPMINSD      Y0, Y1, Y8         \
	VPMINSD      Y2, Y3, Y9         \
	VPMINSD      Y8, Y9, Y8         \
	VPSUBD       Y8, Y7, Y7         \ // range
	VPSLLD       $6, Y6, Y8         \
	VPSLLD       $4, Y6, Y9         \
	VPADDD       Y8, Y9, Y8         \
	VPADDD       Y6, Y8, Y8         \ // 81 ring 0
	VPSLLD       $3, Y4, Y9         \
	VPADDD       Y4, Y9, Y9         \ // 9 ring 1
	VPSUBD       Y9, Y8, Y8         \
	VPADDD       Y5, Y8, Y8         \
	VPADDD       Y15, Y8, Y8        \
	VPSRAD       $8, Y8, Y8         \
	VPMAXSD      Y14, Y8, Y8        \
	VPMINSD      Y13, Y8, Y8        \
	VMOVDQU      Y8, (height)(DX*4) \
	VPADDD       Y12, Y6, Y9        \
	VPSRAD       $2, Y9, Y9         \
	VMOVDQU      Y9, (near)(DX*4)   \
	VPADDD       Y6, Y6, Y9         \
	VPSUBD       Y9, Y4, Y9         \
	VPABSD       Y9, Y9             \
	VPSRLD       $3, Y9, Y9         \
	VPADDD       Y7, Y9, Y9         \
	VCVTDQ2PS    Y9, Y9             \ // the exponent is the bit length
	VPSRLD       $23, Y9, Y9        \
	VPSUBD       Y11, Y9, Y9        \
	VPMINSD      Y10, Y9, Y9        \
	VEXTRACTI128 $1, Y9, X8         \
	VPACKSSDW    X8, X9, X9         \
	VPACKUSWB    X9, X9, X9         \
	VMOVQ        X9, (class)(DX*1)

// One residual of one stream: its place P, its state S. It goes to out.
#define READ(P, S, class, out) \
	CMPQ    P, limit+56(FP)     \
	JHI     beyond              \
	MOVBLZX class, R12          \
	MOVQ    (DI)(R12*8), R12    \
	MOVL    (R12)(S*4), R13     \
	MOVQ    P, R12              \
	SHRQ    $3, R12             \
	MOVQ    (SI)(R12*1), R14    \
	MOVL    P, R12              \
	ANDL    $7, R12             \
	SHRXQ   R12, R14, R14       \
	BZHIQ   R13, R14, R12       \
	MOVL    R13, S              \
	SHRL    $8, S               \
	ANDL    $2047, S            \
	ADDQ    R12, S              \
	SHRXQ   R13, R14, R14       \
	MOVL    R13, R12            \
	SHRL    $27, R12            \
	ADDQ    R12, P              \
	MOVBLZX R13, AX             \
	SUBL    AX, R12             \
	SHRL    $19, R13            \
	MOVBLZX R13, R13            \
	SHLXL   R12, R13, R13       \
	BZHIQ   R12, R14, R14       \
	ADDL    R14, R13            \
	MOVW    R13, out

// func guessCentresAVX2(height, near *int32, class *uint8, c0, c1, c2, c3 *int32, n int)
TEXT ·guessCentresAVX2(SB), NOSPLIT, $0-64
	MOVQ height+0(FP), R10
	MOVQ near+8(FP), R11
	MOVQ class+16(FP), R12
	MOVQ c0+24(FP), SI
	MOVQ c1+32(FP), DI
	MOVQ c2+40(FP), R8
	MOVQ c3+48(FP), R9
	MOVQ n+56(FP), CX
	XORQ DX, DX
	GUESS_CONSTANTS

centres:
	VMOVDQU 8(DI)(DX*4), Y0
	VMOVDQU 12(DI)(DX*4), Y1
	VMOVDQU 8(R8)(DX*4), Y2
	VMOVDQU 12(R8)(DX*4), Y3
	VMOVDQU 4(DI)(DX*4), Y4
	VPADDD  16(DI)(DX*4), Y4, Y4
	VPADDD  4(R8)(DX*4), Y4, Y4
	VPADDD  16(R8)(DX*4), Y4, Y4
	VPADDD  8(SI)(DX*4), Y4, Y4
	VPADDD  12(SI)(DX*4), Y4, Y4
	VPADDD  8(R9)(DX*4), Y4, Y4
	VPADDD  12(R9)(DX*4), Y4, Y4
	VMOVDQU 4(SI)(DX*4), Y5
	VPADDD  16(SI)(DX*4), Y5, Y5
	VPADDD  4(R9)(DX*4), Y5, Y5
	VPADDD  16(R9)(DX*4), Y5, Y5
	GUESS_PUT(R10, R11, R12)
	ADDQ    $8, DX
	CMPQ    DX, CX
	JLT     centres
	VZEROUPPER
	RET

// func guessAcrossAVX2(height, near *int32, class *uint8, c0, c1, c2, m0, m1, m2, m3 *int32, n int)
TEXT ·guessAcrossAVX2(SB), NOSPLIT, $0-88
	MOVQ height+0(FP), R13
	MOVQ near+8(FP), AX
	MOVQ class+16(FP), BX
	MOVQ c0+24(FP), SI
	MOVQ c1+32(FP), DI
	MOVQ c2+40(FP), R8
	MOVQ m0+48(FP), R9
	MOVQ m1+56(FP), R10
	MOVQ m2+64(FP), R11
	MOVQ m3+72(FP), R12
	MOVQ n+80(FP), CX
	XORQ DX, DX
	GUESS_CONSTANTS

across:
	VMOVDQU 8(DI)(DX*4), Y0
	VMOVDQU 12(DI)(DX*4), Y1
	VMOVDQU 8(R10)(DX*4), Y2
	VMOVDQU 8(R11)(DX*4), Y3
	VMOVDQU 4(R10)(DX*4), Y4
	VPADDD  12(R10)(DX*4), Y4, Y4
	VPADDD  4(R11)(DX*4), Y4, Y4
	VPADDD  12(R11)(DX*4), Y4, Y4
	VPADDD  8(SI)(DX*4), Y4, Y4
	VPADDD  12(SI)(DX*4), Y4, Y4
	VPADDD  8(R8)(DX*4), Y4, Y4
	VPADDD  12(R8)(DX*4), Y4, Y4
	VMOVDQU 4(DI)(DX*4), Y5
	VPADDD  16(DI)(DX*4), Y5, Y5
	VPADDD  8(R9)(DX*4), Y5, Y5
	VPADDD  8(R12)(DX*4), Y5, Y5
	GUESS_PUT(R13, AX, BX)
	ADDQ    $8, DX
	CMPQ    DX, CX
	JLT     across
	VZEROUPPER
	RET

// func guessDownAVX2(height, near *int32, class *uint8, c0, c1, c2, c3, m0, m1, m2 *int32, n int)
TEXT ·guessDownAVX2(SB), NOSPLIT, $0-88
	MOVQ height+0(FP), R13
	MOVQ near+8(FP), AX
	MOVQ class+16(FP), BX
	MOVQ c0+24(FP), SI
	MOVQ c1+32(FP), DI
	MOVQ c2+40(FP), R8
	MOVQ c3+48(FP), R9
	MOVQ m0+56(FP), R10
	MOVQ m1+64(FP), R11
	MOVQ m2+72(FP), R12
	MOVQ n+80(FP), CX
	XORQ DX, DX
	GUESS_CONSTANTS

down:
	VMOVDQU 8(DI)(DX*4), Y0
	VMOVDQU 8(R8)(DX*4), Y1
	VMOVDQU 4(R11)(DX*4), Y2
	VMOVDQU 8(R11)(DX*4), Y3
	VMOVDQU 4(R10)(DX*4), Y4
	VPADDD  8(R10)(DX*4), Y4, Y4
	VPADDD  4(R12)(DX*4), Y4, Y4
	VPADDD  8(R12)(DX*4), Y4, Y4
	VPADDD  4(DI)(DX*4), Y4, Y4
	VPADDD  4(R8)(DX*4), Y4, Y4
	VPADDD  12(DI)(DX*4), Y4, Y4
	VPADDD  12(R8)(DX*4), Y4, Y4
	VMOVDQU 8(SI)(DX*4), Y5
	VPADDD  8(R9)(DX*4), Y5, Y5
	VPADDD  (R11)(DX*4), Y5, Y5
	VPADDD  12(R11)(DX*4), Y5, Y5
	GUESS_PUT(R13, AX, BX)
	ADDQ    $8, DX
	CMPQ    DX, CX
	JLT     down
	VZEROUPPER
	RET

// func applyAVX2(heights, guesses *int32, residuals *uint16, n int)
TEXT ·applyAVX2(SB), NOSPLIT, $0-32
	MOVQ         heights+0(FP), DI
	MOVQ         guesses+8(FP), SI
	MOVQ         residuals+16(FP), R8
	MOVQ         n+24(FP), CX
	XORQ         DX, DX
	VPXOR        Y14, Y14, Y14
	VPBROADCASTD ints<>+8(SB), Y13
	VPBROADCASTD ints<>+24(SB), Y12

apply:
	VPMOVZXWD (R8)(DX*2), Y0
	VPAND     Y12, Y0, Y1
	VPSUBD    Y1, Y14, Y1
	VPSRLD    $1, Y0, Y0
	VPXOR     Y1, Y0, Y0
	VPADDD    (SI)(DX*4), Y0, Y0
	VPAND     Y13, Y0, Y0
	VMOVDQU   Y0, (DI)(DX*4)
	ADDQ      $8, DX
	CMPQ      DX, CX
	JLT       apply
	VZEROUPPER
	RET

// func edgesAVX2(errors, mid, a, b *int32, n int)
TEXT ·edgesAVX2(SB), NOSPLIT, $0-40
	MOVQ errors+0(FP), DI
	MOVQ mid+8(FP), SI
	MOVQ a+16(FP), R8
	MOVQ b+24(FP), R9
	MOVQ n+32(FP), CX
	XORQ DX, DX

edges:
	VMOVDQU (SI)(DX*4), Y0
	VPADDD  Y0, Y0, Y0
	VPSUBD  (R8)(DX*4), Y0, Y0
	VPSUBD  (R9)(DX*4), Y0, Y0
	VPABSD  Y0, Y0
	VMOVDQU Y0, (DI)(DX*4)
	ADDQ    $8, DX
	CMPQ    DX, CX
	JLT     edges
	VZEROUPPER
	RET

DATA odd<>+0(SB)/8, $0xffffffff00000000
DATA odd<>+8(SB)/8, $0xffffffff00000000
DATA odd<>+16(SB)/8, $0xffffffff00000000
DATA odd<>+24(SB)/8, $0xffffffff00000000
GLOBL odd<>(SB), RODATA|NOPTR, $32

// func squaresAVX2(errors, centre, c0, c1, north, south, down *int32, odd, n int)
TEXT ·squaresAVX2(SB), NOSPLIT, $0-72
	MOVQ         errors+0(FP), DI
	MOVQ         centre+8(FP), SI
	MOVQ         c0+16(FP), R8
	MOVQ         c1+24(FP), R9
	MOVQ         north+32(FP), R10
	MOVQ         south+40(FP), R11
	MOVQ         down+48(FP), R12
	MOVQ         odd+56(FP), AX
	MOVQ         n+64(FP), CX
	XORQ         DX, DX
	NEGQ         AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	VPXOR        odd<>(SB), Y15, Y15 // where the other diagonal is taken

squares:
	VMOVDQU   (R8)(DX*4), Y0
	VPADDD    4(R9)(DX*4), Y0, Y0
	VMOVDQU   4(R8)(DX*4), Y1
	VPADDD    (R9)(DX*4), Y1, Y1
	VPBLENDVB Y15, Y1, Y0, Y0
	VMOVDQU   (SI)(DX*4), Y1
	VPADDD    Y1, Y1, Y1
	VPSUBD    Y0, Y1, Y0
	VPABSD    Y0, Y0
	VPMAXSD   (R10)(DX*4), Y0, Y0
	VPMAXSD   (R11)(DX*4), Y0, Y0
	VPMAXSD   (R12)(DX*4), Y0, Y0
	VPMAXSD   4(R12)(DX*4), Y0, Y0
	VMOVDQU   Y0, (DI)(DX*4)
	ADDQ      $8, DX
	CMPQ      DX, CX
	JLT       squares
	VZEROUPPER
	RET

DATA floats<>+0(SB)/4, $1.0
DATA floats<>+4(SB)/4, $-1.0
DATA floats<>+8(SB)/4, $127.0
DATA floats<>+12(SB)/4, $128.5
DATA floats<>+16(SB)/4, $0.0078125 // 1/128
DATA floats<>+20(SB)/4, $0x7fffffff
GLOBL floats<>(SB), RODATA|NOPTR, $24

DATA shadeInts<>+0(SB)/4, $0x00020002
DATA shadeInts<>+4(SB)/4, $255
DATA shadeInts<>+8(SB)/4, $128
DATA shadeInts<>+12(SB)/4, $-32768
DATA shadeInts<>+16(SB)/4, $32767
DATA shadeInts<>+20(SB)/4, $63
GLOBL shadeInts<>(SB), RODATA|NOPTR, $24

// func shadeAVX2(shades, a, b, c, d, heights, near *int32, residuals *uint16, sky int32, bend float32, n int)
TEXT ·shadeAVX2(SB), NOSPLIT, $0-80
	MOVQ         shades+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         b+16(FP), R8
	MOVQ         c+24(FP), R9
	MOVQ         d+32(FP), R10
	MOVQ         heights+40(FP), R11
	MOVQ         near+48(FP), R12
	MOVQ         residuals+56(FP), R13
	MOVL         sky+64(FP), AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	MOVSS        bend+68(FP), X14
	VBROADCASTSS X14, Y14
	MOVQ         n+72(FP), CX
	XORQ         DX, DX
	VPXOR        Y13, Y13, Y13
	VPBROADCASTD shadeInts<>+4(SB), Y12
	VPBROADCASTD shadeInts<>+20(SB), Y11

shades:
	VMOVDQU      (SI)(DX*4), Y0
	VPADDD       (R8)(DX*4), Y0, Y0
	VPADDD       (R9)(DX*4), Y0, Y0
	VPADDD       (R10)(DX*4), Y0, Y0
	VPBROADCASTD shadeInts<>+0(SB), Y1
	VPADDD       Y1, Y0, Y0
	VPSRLD       $18, Y0, Y1
	VPSRLD       $2, Y0, Y0
	VPAND        Y12, Y0, Y0          // sky view
	VPAND        Y12, Y1, Y1          // curvature
	VMOVDQU      (R11)(DX*4), Y2
	VPSUBD       (R12)(DX*4), Y2, Y2  // bump
	VPBROADCASTD shadeInts<>+12(SB), Y3
	VPMAXSD      Y3, Y2, Y3
	VPBROADCASTD shadeInts<>+16(SB), Y4
	VPMINSD      Y4, Y3, Y3
	VPMULLD      Y15, Y3, Y3
	VPSRAD       $12, Y3, Y3
	VPADDD       Y3, Y0, Y0
	VPBROADCASTD ints<>+24(SB), Y5
	VPMAXSD      Y5, Y0, Y0
	VPMINSD      Y11, Y0, Y0
	// The residual of sky view.
	VPMOVZXWD    (R13)(DX*2), Y3
	VPAND        Y5, Y3, Y4
	VPSUBD       Y4, Y13, Y4
	VPSRLD       $1, Y3, Y3
	VPXOR        Y4, Y3, Y3
	VPADDD       Y3, Y0, Y0
	VPAND        Y11, Y0, Y0
	// Curvature.
	VPBROADCASTD shadeInts<>+8(SB), Y3
	VPSUBD       Y3, Y1, Y3
	VCVTDQ2PS    Y3, Y3
	VBROADCASTSS floats<>+20(SB), Y4
	VANDPS       Y4, Y3, Y3
	VBROADCASTSS floats<>+16(SB), Y4
	VMULPS       Y4, Y3, Y3
	VBROADCASTSS floats<>+0(SB), Y5
	VSUBPS       Y3, Y5, Y3           // room
	VCVTDQ2PS    Y2, Y2
	VMULPS       Y14, Y2, Y2
	VMINPS       Y5, Y2, Y2
	VBROADCASTSS floats<>+4(SB), Y4
	VMAXPS       Y4, Y2, Y2           // bend
	VMULPS       Y3, Y3, Y3
	VMULPS       Y2, Y3, Y3
	VBROADCASTSS floats<>+8(SB), Y4
	VMULPS       Y4, Y3, Y3
	VCVTTPS2DQ   Y3, Y3
	VPADDD       Y3, Y1, Y1
	VPMAXSD      Y13, Y1, Y1
	VPMINSD      Y12, Y1, Y1
	VPSLLD       $16, Y1, Y1
	VPOR         Y1, Y0, Y0
	VMOVDQU      Y0, (DI)(DX*4)
	ADDQ         $8, DX
	CMPQ         DX, CX
	JLT          shades
	VZEROUPPER
	RET

DATA packInts<>+0(SB)/4, $0xffff
DATA packInts<>+4(SB)/4, $259
DATA packInts<>+8(SB)/4, $32
DATA packInts<>+12(SB)/4, $0xff0000
GLOBL packInts<>(SB), RODATA|NOPTR, $16

// Four errors in X0 become coefficients as floats in X0, rounded up. Y14 holds
// metres a unit, Y13 what is added.
#define ROUND_UP \
	VCVTDQ2PD X0, Y1            \
	VMULPD    Y14, Y1, Y1       \
	VADDPD    Y13, Y1, Y1       \
	VCVTPD2PSY Y1, X0           \
	VCVTPS2PD X0, Y2            \
	VCMPPD    $1, Y1, Y2, Y2    \ // less than it should be
	VEXTRACTF128 $1, Y2, X3     \
	VSHUFPS   $0x88, X3, X2, X2 \
	VPSUBD    X2, X0, X0

// func packAVX2(dst *uint64, heights, errors, shades, west, east, north, south *int32, s *scale, n int)
TEXT ·packAVX2(SB), NOSPLIT, $0-80
	MOVQ         dst+0(FP), DI
	MOVQ         heights+8(FP), SI
	MOVQ         errors+16(FP), R8
	MOVQ         shades+24(FP), R9
	MOVQ         west+32(FP), R10
	MOVQ         east+40(FP), R11
	MOVQ         north+48(FP), R12
	MOVQ         south+56(FP), R13
	MOVQ         s+64(FP), AX
	MOVQ         n+72(FP), CX
	XORQ         DX, DX
	VBROADCASTSD scale_half(AX), Y14
	VBROADCASTSD scale_maxError(AX), Y13
	VBROADCASTSS scale_slope(AX), Y12
	VPBROADCASTD packInts<>+0(SB), Y11
	VBROADCASTSS floats<>+20(SB), Y10
	VBROADCASTSS floats<>+12(SB), Y9

pack:
	// Coefficients.
	VMOVDQU      (R8)(DX*4), X0
	ROUND_UP
	VMOVDQA      X0, X4
	VMOVDQU      16(R8)(DX*4), X0
	ROUND_UP
	VINSERTI128  $1, X0, Y4, Y4
	VPADDD       Y11, Y4, Y4
	VPSRLD       $16, Y4, Y4
	VPSLLD       $16, Y4, Y4
	VMOVDQU      (SI)(DX*4), Y0
	VPAND        Y11, Y0, Y0
	VPOR         Y0, Y4, Y4           // height, coefficient

	// Normals.
	VMOVDQU      (R11)(DX*4), Y0
	VPSUBD       (R10)(DX*4), Y0, Y0
	VCVTDQ2PS    Y0, Y0
	VMULPS       Y12, Y0, Y0          // x
	VMOVDQU      (R13)(DX*4), Y1
	VPSUBD       (R12)(DX*4), Y1, Y1
	VCVTDQ2PS    Y1, Y1
	VMULPS       Y12, Y1, Y1          // z
	VANDPS       Y10, Y0, Y2
	VBROADCASTSS floats<>+0(SB), Y3
	VADDPS       Y3, Y2, Y2
	VANDPS       Y10, Y1, Y3
	VADDPS       Y3, Y2, Y2
	VBROADCASTSS floats<>+8(SB), Y3
	VDIVPS       Y2, Y3, Y2           // s
	VADDPS       Y1, Y0, Y3
	VSUBPS       Y1, Y0, Y0
	VMULPS       Y2, Y3, Y3
	VMULPS       Y2, Y0, Y0
	VSUBPS       Y3, Y9, Y3
	VSUBPS       Y0, Y9, Y0
	VCVTTPS2DQ   Y3, Y3
	VCVTTPS2DQ   Y0, Y0
	VPSLLD       $8, Y0, Y0
	VPOR         Y0, Y3, Y3

	// Shades.
	VMOVDQU      (R9)(DX*4), Y0
	VPAND        Y11, Y0, Y1
	VPBROADCASTD packInts<>+4(SB), Y2
	VPMULLD      Y2, Y1, Y1
	VPBROADCASTD packInts<>+8(SB), Y2
	VPADDD       Y2, Y1, Y1
	VPSRLD       $6, Y1, Y1
	VPSLLD       $16, Y1, Y1
	VPSRLD       $16, Y0, Y0
	VPSLLD       $24, Y0, Y0
	VPOR         Y1, Y3, Y3
	VPOR         Y0, Y3, Y3

	VPUNPCKLDQ   Y3, Y4, Y0           // 0, 1, 4, 5
	VPUNPCKHDQ   Y3, Y4, Y1           // 2, 3, 6, 7
	VPERM2I128   $0x20, Y1, Y0, Y2
	VPERM2I128   $0x31, Y1, Y0, Y3
	VMOVDQU      Y2, (DI)(DX*8)
	VMOVDQU      Y3, 32(DI)(DX*8)
	ADDQ         $8, DX
	CMPQ         DX, CX
	JLT          pack
	VZEROUPPER
	RET

// func readPairBMI2(out *uint16, class *uint8, decode **[states]uint32, buf *byte, a, b *lane, q int, limit uint, n int) bool
TEXT ·readPairBMI2(SB), NOSPLIT, $0-73
	MOVQ out+0(FP), BX
	MOVQ class+8(FP), CX
	MOVQ decode+16(FP), DI
	MOVQ buf+24(FP), SI
	MOVQ a+32(FP), AX
	MOVQ lane_pos(AX), R8
	MOVQ lane_state(AX), R9
	MOVQ b+40(FP), AX
	MOVQ lane_pos(AX), R10
	MOVQ lane_state(AX), R11
	MOVQ q+48(FP), DX
	CMPQ n+64(FP), $0
	JLE  read

pair:
	READ(R8, R9, (CX), (BX))
	READ(R10, R11, (CX)(DX*1), (BX)(DX*2))
	INCQ CX
	ADDQ $2, BX
	DECQ n+64(FP)
	JNE  pair

read:
	MOVQ a+32(FP), AX
	MOVQ R8, lane_pos(AX)
	MOVQ R9, lane_state(AX)
	MOVQ b+40(FP), AX
	MOVQ R10, lane_pos(AX)
	MOVQ R11, lane_state(AX)
	MOVB $1, ret+72(FP)
	RET

beyond:
	MOVB $0, ret+72(FP)
	RET

// func scatterAVX2(verts *terrain.Vertex, ids *uint32, packed *uint64, n int)
TEXT ·scatterAVX2(SB), NOSPLIT, $0-32
	MOVQ verts+0(FP), DI
	MOVQ ids+8(FP), SI
	MOVQ packed+16(FP), R8
	MOVQ n+24(FP), CX
	XORQ DX, DX
	SUBQ $3, CX
	JLE  rest

four:
	MOVL (SI)(DX*4), AX
	MOVL 4(SI)(DX*4), BX
	MOVL 8(SI)(DX*4), R9
	MOVL 12(SI)(DX*4), R10
	MOVQ (R8)(DX*8), R11
	MOVQ R11, (DI)(AX*8)
	MOVQ 8(R8)(DX*8), R12
	MOVQ R12, (DI)(BX*8)
	MOVQ 16(R8)(DX*8), R11
	MOVQ R11, (DI)(R9*8)
	MOVQ 24(R8)(DX*8), R12
	MOVQ R12, (DI)(R10*8)
	ADDQ $4, DX
	CMPQ DX, CX
	JLT  four

rest:
	ADDQ $3, CX

one:
	CMPQ DX, CX
	JGE  done
	MOVL (SI)(DX*4), AX
	MOVQ (R8)(DX*8), R11
	MOVQ R11, (DI)(AX*8)
	INCQ DX
	JMP  one

done:
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
