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

// The bits SI of a stream from its place P on, in bits from address 0: at least 57.
#define BITS(P) \
	MOVQ  P, AX        \
	SHRQ  $3, AX       \
	MOVL  P, DX        \
	ANDL  $7, DX       \
	SHRXQ DX, (AX), SI

// One residual of the bits SI of a stream whose state is S. Its token goes to
// token, its plain bits to plain, and what is above these with them. DX becomes the bits
// taken.
#define TAKE(P, S, class, token, plain) \
	MOVBLZX class, AX                         \
	MOVQ    (DI)(AX*8), AX                    \
	MOVL    decodeTable_entry(AX)(S*4), DX    \
	MOVBLZX decodeTable_token(AX)(S*1), AX    \
	MOVB    AX, token                         \
	BZHIQ   DX, SI, AX                        \
	MOVL    DX, S                             \
	SHRL    $16, S                            \
	ADDQ    AX, S                             \
	SHRXQ   DX, SI, AX                        \
	MOVW    AX, plain                         \
	MOVBLZX DH, DX                            \
	ADDQ    DX, P

// Two residuals of a stream, which take at most 54 bits.
#define TWO(P, S, class0, token0, plain0, class1, token1, plain1) \
	BITS(P)                          \
	TAKE(P, S, class0, token0, plain0) \
	SHRXQ DX, SI, SI                 \
	TAKE(P, S, class1, token1, plain1)

// After a row of n guesses the next one follows; the rows of planes are R14 bytes apart.
#define GUESS_NEXT(height, near, class) \
	LEAQ (height)(CX*4), height \
	LEAQ (near)(CX*4), near     \
	ADDQ CX, class

// func guessCentresAVX2(height, near *int32, class *uint8, c0, c1, c2, c3 *int32, n, rows, stride int)
TEXT ·guessCentresAVX2(SB), NOSPLIT, $0-80
	MOVQ height+0(FP), R10
	MOVQ near+8(FP), R11
	MOVQ class+16(FP), R12
	MOVQ c0+24(FP), SI
	MOVQ c1+32(FP), DI
	MOVQ c2+40(FP), R8
	MOVQ c3+48(FP), R9
	MOVQ n+56(FP), CX
	MOVQ rows+64(FP), R15
	MOVQ stride+72(FP), R14
	SHLQ $2, R14
	GUESS_CONSTANTS

rows:
	XORQ DX, DX

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
	GUESS_NEXT(R10, R11, R12)
	ADDQ    R14, SI
	ADDQ    R14, DI
	ADDQ    R14, R8
	ADDQ    R14, R9
	DECQ    R15
	JNZ     rows
	VZEROUPPER
	RET

// func guessAcrossAVX2(height, near *int32, class *uint8, c0, c1, c2, m0, m1, m2, m3 *int32, n, rows, stride int)
TEXT ·guessAcrossAVX2(SB), NOSPLIT, $0-104
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
	MOVQ rows+88(FP), R15
	MOVQ stride+96(FP), R14
	SHLQ $2, R14
	GUESS_CONSTANTS

rows:
	XORQ DX, DX

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
	GUESS_NEXT(R13, AX, BX)
	ADDQ    R14, SI
	ADDQ    R14, DI
	ADDQ    R14, R8
	ADDQ    R14, R9
	ADDQ    R14, R10
	ADDQ    R14, R11
	ADDQ    R14, R12
	DECQ    R15
	JNZ     rows
	VZEROUPPER
	RET

// func guessDownAVX2(height, near *int32, class *uint8, c0, c1, c2, c3, m0, m1, m2 *int32, n, rows, stride int)
TEXT ·guessDownAVX2(SB), NOSPLIT, $0-104
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
	MOVQ rows+88(FP), R15
	MOVQ stride+96(FP), R14
	SHLQ $2, R14
	GUESS_CONSTANTS

rows:
	XORQ DX, DX

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
	GUESS_NEXT(R13, AX, BX)
	ADDQ    R14, SI
	ADDQ    R14, DI
	ADDQ    R14, R8
	ADDQ    R14, R9
	ADDQ    R14, R10
	ADDQ    R14, R11
	ADDQ    R14, R12
	DECQ    R15
	JNZ     rows
	VZEROUPPER
	RET

// func applyAVX2(heights, guesses *int32, residuals *uint16, n, rows, stride int)
TEXT ·applyAVX2(SB), NOSPLIT, $0-48
	MOVQ         heights+0(FP), DI
	MOVQ         guesses+8(FP), SI
	MOVQ         residuals+16(FP), R8
	MOVQ         n+24(FP), CX
	MOVQ         rows+32(FP), R15
	MOVQ         stride+40(FP), R14
	VPXOR        Y14, Y14, Y14
	VPBROADCASTD ints<>+8(SB), Y13
	VPBROADCASTD ints<>+24(SB), Y12

rows:
	XORQ DX, DX

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
	LEAQ      (DI)(R14*4), DI
	LEAQ      (SI)(CX*4), SI
	LEAQ      (R8)(CX*2), R8
	DECQ      R15
	JNZ       rows
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

// Eight of each: what rounds both means, 128, -32768, 32767, 1.0, -1.0, 127.0, 1/128, all
// bits of a float but its sign.
DATA shading8<>+0(SB)/4, $0x00020002
DATA shading8<>+4(SB)/4, $0x00020002
DATA shading8<>+8(SB)/4, $0x00020002
DATA shading8<>+12(SB)/4, $0x00020002
DATA shading8<>+16(SB)/4, $0x00020002
DATA shading8<>+20(SB)/4, $0x00020002
DATA shading8<>+24(SB)/4, $0x00020002
DATA shading8<>+28(SB)/4, $0x00020002
DATA shading8<>+32(SB)/4, $128
DATA shading8<>+36(SB)/4, $128
DATA shading8<>+40(SB)/4, $128
DATA shading8<>+44(SB)/4, $128
DATA shading8<>+48(SB)/4, $128
DATA shading8<>+52(SB)/4, $128
DATA shading8<>+56(SB)/4, $128
DATA shading8<>+60(SB)/4, $128
DATA shading8<>+64(SB)/4, $-32768
DATA shading8<>+68(SB)/4, $-32768
DATA shading8<>+72(SB)/4, $-32768
DATA shading8<>+76(SB)/4, $-32768
DATA shading8<>+80(SB)/4, $-32768
DATA shading8<>+84(SB)/4, $-32768
DATA shading8<>+88(SB)/4, $-32768
DATA shading8<>+92(SB)/4, $-32768
DATA shading8<>+96(SB)/4, $32767
DATA shading8<>+100(SB)/4, $32767
DATA shading8<>+104(SB)/4, $32767
DATA shading8<>+108(SB)/4, $32767
DATA shading8<>+112(SB)/4, $32767
DATA shading8<>+116(SB)/4, $32767
DATA shading8<>+120(SB)/4, $32767
DATA shading8<>+124(SB)/4, $32767
DATA shading8<>+128(SB)/4, $0x3f800000
DATA shading8<>+132(SB)/4, $0x3f800000
DATA shading8<>+136(SB)/4, $0x3f800000
DATA shading8<>+140(SB)/4, $0x3f800000
DATA shading8<>+144(SB)/4, $0x3f800000
DATA shading8<>+148(SB)/4, $0x3f800000
DATA shading8<>+152(SB)/4, $0x3f800000
DATA shading8<>+156(SB)/4, $0x3f800000
DATA shading8<>+160(SB)/4, $0xbf800000
DATA shading8<>+164(SB)/4, $0xbf800000
DATA shading8<>+168(SB)/4, $0xbf800000
DATA shading8<>+172(SB)/4, $0xbf800000
DATA shading8<>+176(SB)/4, $0xbf800000
DATA shading8<>+180(SB)/4, $0xbf800000
DATA shading8<>+184(SB)/4, $0xbf800000
DATA shading8<>+188(SB)/4, $0xbf800000
DATA shading8<>+192(SB)/4, $0x42fe0000
DATA shading8<>+196(SB)/4, $0x42fe0000
DATA shading8<>+200(SB)/4, $0x42fe0000
DATA shading8<>+204(SB)/4, $0x42fe0000
DATA shading8<>+208(SB)/4, $0x42fe0000
DATA shading8<>+212(SB)/4, $0x42fe0000
DATA shading8<>+216(SB)/4, $0x42fe0000
DATA shading8<>+220(SB)/4, $0x42fe0000
DATA shading8<>+224(SB)/4, $0x3c000000
DATA shading8<>+228(SB)/4, $0x3c000000
DATA shading8<>+232(SB)/4, $0x3c000000
DATA shading8<>+236(SB)/4, $0x3c000000
DATA shading8<>+240(SB)/4, $0x3c000000
DATA shading8<>+244(SB)/4, $0x3c000000
DATA shading8<>+248(SB)/4, $0x3c000000
DATA shading8<>+252(SB)/4, $0x3c000000
DATA shading8<>+256(SB)/4, $0x7fffffff
DATA shading8<>+260(SB)/4, $0x7fffffff
DATA shading8<>+264(SB)/4, $0x7fffffff
DATA shading8<>+268(SB)/4, $0x7fffffff
DATA shading8<>+272(SB)/4, $0x7fffffff
DATA shading8<>+276(SB)/4, $0x7fffffff
DATA shading8<>+280(SB)/4, $0x7fffffff
DATA shading8<>+284(SB)/4, $0x7fffffff
GLOBL shading8<>(SB), RODATA|NOPTR, $288

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
	VBROADCASTSS bend+68(FP), Y14
	MOVQ         n+72(FP), CX
	XORQ         DX, DX
	VPXOR        Y13, Y13, Y13
	MOVL         $255, AX
	VMOVD        AX, X12
	VPBROADCASTD X12, Y12
	MOVL         $63, AX
	VMOVD        AX, X11
	VPBROADCASTD X11, Y11
	MOVL         $1, AX
	VMOVD        AX, X10
	VPBROADCASTD X10, Y10
	VMOVDQU      shading8<>+128(SB), Y9 // 1.0

shades:
	VMOVDQU    (SI)(DX*4), Y0
	VPADDD     (R8)(DX*4), Y0, Y0
	VPADDD     (R9)(DX*4), Y0, Y0
	VPADDD     (R10)(DX*4), Y0, Y0
	VPADDD     shading8<>+0(SB), Y0, Y0
	VPSRLD     $18, Y0, Y1
	VPSRLD     $2, Y0, Y0
	VPAND      Y12, Y0, Y0                // sky view
	VPAND      Y12, Y1, Y1                // curvature
	VMOVDQU    (R11)(DX*4), Y2
	VPSUBD     (R12)(DX*4), Y2, Y2        // bump
	VPMAXSD    shading8<>+64(SB), Y2, Y3
	VPMINSD    shading8<>+96(SB), Y3, Y3
	VPMULLD    Y15, Y3, Y3
	VPSRAD     $12, Y3, Y3
	VPADDD     Y3, Y0, Y0
	VPMAXSD    Y10, Y0, Y0
	VPMINSD    Y11, Y0, Y0

	// The residual of sky view.
	VPMOVZXWD  (R13)(DX*2), Y3
	VPAND      Y10, Y3, Y4
	VPSUBD     Y4, Y13, Y4
	VPSRLD     $1, Y3, Y3
	VPXOR      Y4, Y3, Y3
	VPADDD     Y3, Y0, Y0
	VPAND      Y11, Y0, Y0

	// Curvature.
	VPSUBD     shading8<>+32(SB), Y1, Y3
	VCVTDQ2PS  Y3, Y3
	VANDPS     shading8<>+256(SB), Y3, Y3
	VMULPS     shading8<>+224(SB), Y3, Y3
	VSUBPS     Y3, Y9, Y3                 // room
	VCVTDQ2PS  Y2, Y2
	VMULPS     Y14, Y2, Y2
	VMINPS     Y9, Y2, Y2
	VMAXPS     shading8<>+160(SB), Y2, Y2 // bend
	VMULPS     Y3, Y3, Y3
	VMULPS     Y2, Y3, Y3
	VMULPS     shading8<>+192(SB), Y3, Y3
	VCVTTPS2DQ Y3, Y3
	VPADDD     Y3, Y1, Y1
	VPMAXSD    Y13, Y1, Y1
	VPMINSD    Y12, Y1, Y1
	VPSLLD     $16, Y1, Y1
	VPOR       Y1, Y0, Y0
	VMOVDQU    Y0, (DI)(DX*4)
	ADDQ       $8, DX
	CMPQ       DX, CX
	JLT        shades
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

// func readLanesBMI2(plain *uint16, token, class *uint8, decode **decodeTable, buf *byte, l *[4]lane, limit uint, n int) bool
//
// Between two looks at the limit it reads 16 residuals of each stream, which stay
// within the bytes that may be read beyond it.
TEXT ·readLanesBMI2(SB), NOSPLIT, $24-65
	MOVQ plain+0(FP), BX
	MOVQ token+8(FP), BP
	MOVQ class+16(FP), CX
	MOVQ decode+24(FP), DI
	MOVQ buf+32(FP), AX
	SHLQ $3, AX
	MOVQ AX, base-8(SP)
	MOVQ limit+48(FP), DX
	ADDQ AX, DX
	MOVQ DX, last-16(SP)
	MOVQ l+40(FP), SI
	MOVQ lane_pos(SI), R8
	MOVQ lane_state(SI), R9
	MOVQ (lane__size+lane_pos)(SI), R10
	MOVQ (lane__size+lane_state)(SI), R11
	MOVQ (2*lane__size+lane_pos)(SI), R12
	MOVQ (2*lane__size+lane_state)(SI), R13
	MOVQ (3*lane__size+lane_pos)(SI), R14
	MOVQ (3*lane__size+lane_state)(SI), R15
	ADDQ AX, R8
	ADDQ AX, R10
	ADDQ AX, R12
	ADDQ AX, R14

batch:
	CMPQ    n+56(FP), $0
	JLE     read
	CMPQ    R8, last-16(SP)
	JHI     beyond
	CMPQ    R10, last-16(SP)
	JHI     beyond
	CMPQ    R12, last-16(SP)
	JHI     beyond
	CMPQ    R14, last-16(SP)
	JHI     beyond
	MOVQ    $64, AX
	CMPQ    AX, n+56(FP)
	CMOVQGT n+56(FP), AX
	SUBQ    AX, n+56(FP)
	ADDQ    CX, AX
	MOVQ    AX, end-24(SP)

eight:
	TWO(R8, R9, (CX), (BP), (BX), 4(CX), 4(BP), 8(BX))
	TWO(R10, R11, 1(CX), 1(BP), 2(BX), 5(CX), 5(BP), 10(BX))
	TWO(R12, R13, 2(CX), 2(BP), 4(BX), 6(CX), 6(BP), 12(BX))
	TWO(R14, R15, 3(CX), 3(BP), 6(BX), 7(CX), 7(BP), 14(BX))
	ADDQ $8, CX
	ADDQ $8, BP
	ADDQ $16, BX
	CMPQ CX, end-24(SP)
	JNE  eight
	JMP  batch

read:
	MOVQ base-8(SP), AX
	SUBQ AX, R8
	SUBQ AX, R10
	SUBQ AX, R12
	SUBQ AX, R14
	MOVQ l+40(FP), SI
	MOVQ R8, lane_pos(SI)
	MOVQ R9, lane_state(SI)
	MOVQ R10, (lane__size+lane_pos)(SI)
	MOVQ R11, (lane__size+lane_state)(SI)
	MOVQ R12, (2*lane__size+lane_pos)(SI)
	MOVQ R13, (2*lane__size+lane_state)(SI)
	MOVQ R14, (3*lane__size+lane_pos)(SI)
	MOVQ R15, (3*lane__size+lane_state)(SI)
	MOVB $1, ret+64(FP)
	RET

beyond:
	MOVB $0, ret+64(FP)
	RET

// func readLaneBMI2(plain *uint16, token, class *uint8, decode **decodeTable, buf *byte, l *lane, limit uint, n int) bool
TEXT ·readLaneBMI2(SB), NOSPLIT, $24-65
	MOVQ plain+0(FP), BX
	MOVQ token+8(FP), BP
	MOVQ class+16(FP), CX
	MOVQ decode+24(FP), DI
	MOVQ buf+32(FP), AX
	SHLQ $3, AX
	MOVQ AX, base-8(SP)
	MOVQ limit+48(FP), DX
	ADDQ AX, DX
	MOVQ DX, last-16(SP)
	MOVQ l+40(FP), SI
	MOVQ lane_pos(SI), R8
	MOVQ lane_state(SI), R9
	ADDQ AX, R8

some:
	CMPQ    n+56(FP), $0
	JLE     all
	CMPQ    R8, last-16(SP)
	JHI     past
	MOVQ    $16, AX
	CMPQ    AX, n+56(FP)
	CMOVQGT n+56(FP), AX
	SUBQ    AX, n+56(FP)
	ADDQ    CX, AX
	MOVQ    AX, end-24(SP)

single:
	BITS(R8)
	TAKE(R8, R9, (CX), (BP), (BX))
	INCQ CX
	INCQ BP
	ADDQ $2, BX
	CMPQ CX, end-24(SP)
	JNE  single
	JMP  some

all:
	SUBQ base-8(SP), R8
	MOVQ l+40(FP), SI
	MOVQ R8, lane_pos(SI)
	MOVQ R9, lane_state(SI)
	MOVB $1, ret+64(FP)
	RET

past:
	MOVB $0, ret+64(FP)
	RET

// Powers of 2 by their exponent, the low bytes and the high ones.
DATA powers<>+0(SB)/8, $0x8040201008040201
DATA powers<>+8(SB)/8, $0
DATA powers<>+16(SB)/8, $0
DATA powers<>+24(SB)/8, $0x8040201008040201
GLOBL powers<>(SB), RODATA|NOPTR, $32

// func joinAVX2(out *uint16, token, class *uint8, least uint8, n int)
//
// It does 16 at a time: 2^low of an escape is 0, by which its token is multiplied,
// and less 1 it leaves all plain bits.
TEXT ·joinAVX2(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         token+8(FP), SI
	MOVQ         class+16(FP), R8
	MOVBLZX      least+24(FP), AX
	MOVQ         n+32(FP), CX
	VMOVD        AX, X15
	VPBROADCASTB X15, X15
	VPCMPEQB     X14, X14, X14
	VMOVDQU      powers<>+0(SB), X13
	VMOVDQU      powers<>+16(SB), X12
	XORQ         DX, DX

sixteen:
	VMOVDQU   (SI)(DX*1), X0
	VMOVDQU   (R8)(DX*1), X1
	VPSUBUSB  X15, X1, X1             // low bits
	VPCMPEQB  X14, X0, X2
	VPOR      X2, X1, X1
	VPSHUFB   X1, X13, X2
	VPSHUFB   X1, X12, X3
	VPUNPCKLBW X3, X2, X4
	VPUNPCKHBW X3, X2, X5             // powers
	VPMOVZXBW X0, X6
	VPSRLDQ   $8, X0, X0
	VPMOVZXBW X0, X7                  // tokens
	VPMULLW   X4, X6, X6
	VPMULLW   X5, X7, X7
	VPADDW    X14, X4, X4
	VPADDW    X14, X5, X5
	VPAND     (DI)(DX*2), X4, X4
	VPAND     16(DI)(DX*2), X5, X5
	VPADDW    X6, X4, X4
	VPADDW    X7, X5, X5
	VMOVDQU   X4, (DI)(DX*2)
	VMOVDQU   X5, 16(DI)(DX*2)
	ADDQ      $16, DX
	CMPQ      DX, CX
	JLT       sixteen
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

scatter:
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
	JLT  scatter

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
