//go:build !noasm

#include "go_asm.h"
#include "textflag.h"

// Eight of each number.
#define EIGHT(at, v) \
	DATA squares8<>+(at+0)(SB)/4, v  \
	DATA squares8<>+(at+4)(SB)/4, v  \
	DATA squares8<>+(at+8)(SB)/4, v  \
	DATA squares8<>+(at+12)(SB)/4, v \
	DATA squares8<>+(at+16)(SB)/4, v \
	DATA squares8<>+(at+20)(SB)/4, v \
	DATA squares8<>+(at+24)(SB)/4, v \
	DATA squares8<>+(at+28)(SB)/4, v

#define ROUND_MEANS  0
#define BYTE        32
#define FLAT        64
#define LEAST_BUMP  96
#define MOST_BUMP  128
#define MOST_SKY   160
#define ONE        192
#define ONE_F      224
#define MINUS_F    256
#define ABS_F      288
#define HALF_C_F   320
#define MOST_F     352
#define ROUND_N_F  384
#define REBIAS     416
#define SKY_GAIN   448
#define SKY_ROUND  480
#define HEIGHT     512
#define SKY_HALF   544
#define CURVATURE  576

EIGHT(ROUND_MEANS, $0x00020002)
EIGHT(BYTE, $255)
EIGHT(FLAT, $const_flatCurvature)
EIGHT(LEAST_BUMP, $-32768)
EIGHT(MOST_BUMP, $32767)
EIGHT(MOST_SKY, $const_maxSky)
EIGHT(ONE, $1)
EIGHT(ONE_F, $0x3f800000)      // 1.0
EIGHT(MINUS_F, $0xbf800000)    // -1.0
EIGHT(ABS_F, $0x7fffffff)      // all bits of a float but its sign
EIGHT(HALF_C_F, $0x3c000000)   // 1/128
EIGHT(MOST_F, $0x42fe0000)     // 127.0
EIGHT(ROUND_N_F, $0x43008000)  // 128.5
EIGHT(REBIAS, $0x1c000)        // (1023-127)<<7
EIGHT(SKY_GAIN, $0x0100040c)   // 256, 4·259
EIGHT(SKY_ROUND, $0x00000080)  // 4·32
EIGHT(HEIGHT, $0xffff)
EIGHT(SKY_HALF, $127)
EIGHT(CURVATURE, $0xff0000)
GLOBL squares8<>(SB), RODATA|NOPTR, $608

#define K(name) squares8<>+name(SB)

// What is added to a float64 before its low 45 bits go, to round up.
DATA squares4<>+0(SB)/8, $0x1fffffffffff
DATA squares4<>+8(SB)/8, $0x1fffffffffff
DATA squares4<>+16(SB)/8, $0x1fffffffffff
DATA squares4<>+24(SB)/8, $0x1fffffffffff
GLOBL squares4<>(SB), RODATA|NOPTR, $32

// Bytes 1 and 3 of each number become bytes 2 and 3.
DATA skies<>+0(SB)/8, $0x07058080_03018080
DATA skies<>+8(SB)/8, $0x0f0d8080_0b098080
DATA skies<>+16(SB)/8, $0x07058080_03018080
DATA skies<>+24(SB)/8, $0x0f0d8080_0b098080
GLOBL skies<>(SB), RODATA|NOPTR, $32

DATA turns<>+0(SB)/8, $0xffffffff00000000
DATA turns<>+8(SB)/8, $0xffffffff00000000
DATA turns<>+16(SB)/8, $0xffffffff00000000
DATA turns<>+24(SB)/8, $0xffffffff00000000
GLOBL turns<>(SB), RODATA|NOPTR, $32

// The shade Y4 of the sum of four in Y4 and the bump Y5, by the rules at sky and bend. Changes
// Y5 to Y7.
#define SHADE(sky, bend) \
	VPADDD     K(ROUND_MEANS), Y4, Y4 \
	VPSRLD     $18, Y4, Y6            \
	VPSRLD     $2, Y4, Y4             \
	VPAND      K(BYTE), Y6, Y6        \ // mean curvature
	VPAND      K(BYTE), Y4, Y4        \ // and sky view
	VPMAXSD    K(LEAST_BUMP), Y5, Y7  \
	VPMINSD    K(MOST_BUMP), Y7, Y7   \
	VPMULLD    sky, Y7, Y7            \
	VPSRAD     $const_skyShift, Y7, Y7 \
	VPADDD     Y7, Y4, Y4             \
	VPMAXSD    K(ONE), Y4, Y4         \
	VPMINSD    K(MOST_SKY), Y4, Y4    \
	VPSUBD     K(FLAT), Y6, Y7        \
	VCVTDQ2PS  Y7, Y7                 \
	VANDPS     K(ABS_F), Y7, Y7       \
	VMULPS     K(HALF_C_F), Y7, Y7    \
	VCVTDQ2PS  Y5, Y5                 \
	VMULPS     bend, Y5, Y5           \
	VMINPS     K(ONE_F), Y5, Y5       \
	VMAXPS     K(MINUS_F), Y5, Y5     \ // bend
	VMOVUPS    K(ONE_F), Y8           \
	VSUBPS     Y7, Y8, Y7             \ // room
	VMULPS     Y7, Y7, Y7             \
	VMULPS     Y5, Y7, Y7             \
	VMULPS     K(MOST_F), Y7, Y7      \
	VCVTTPS2DQ Y7, Y7                 \
	VPADDD     Y7, Y6, Y6             \
	VPXOR      Y7, Y7, Y7             \
	VPMAXSD    Y7, Y6, Y6             \
	VPMINSD    K(BYTE), Y6, Y6        \
	VPSLLD     $16, Y6, Y6            \
	VPOR       Y6, Y4, Y4

// Eight vertices, in low those with numbers 0, 1, 4, 5, in high the others, of the heights Y2, the
// errors Y3, the shades Y4 and the differences of heights Y0 eastwards and Y1
// southwards. Y13 holds metres an error's unit, Y14 what is added, Y15 the rise of a
// difference. Changes Y0 to Y8.
#define PACK(low, high) \
	VCVTDQ2PD    X3, Y5               \
	VEXTRACTI128 $1, Y3, X3           \
	VCVTDQ2PD    X3, Y6               \
	VMULPD       Y13, Y5, Y5          \
	VMULPD       Y13, Y6, Y6          \
	VADDPD       Y14, Y5, Y5          \
	VADDPD       Y14, Y6, Y6          \
	VPADDQ       squares4<>(SB), Y5, Y5 \
	VPADDQ       squares4<>(SB), Y6, Y6 \
	VPSRLQ       $45, Y5, Y5          \
	VPSRLQ       $45, Y6, Y6          \
	VSHUFPS      $0x88, Y6, Y5, Y5    \ // 0, 1, 4, 5, 2, 3, 6, 7
	VPERMQ       $0xd8, Y5, Y5        \
	VPSUBD       K(REBIAS), Y5, Y5    \
	VPXOR        Y6, Y6, Y6           \
	VPMAXSD      Y6, Y5, Y5           \
	VPSLLD       $16, Y5, Y5          \
	VPBLENDW     $0x55, Y2, Y5, Y5    \ // height, coefficient
	VCVTDQ2PS    Y0, Y0               \
	VCVTDQ2PS    Y1, Y1               \
	VMULPS       Y15, Y0, Y0          \ // x
	VMULPS       Y15, Y1, Y1          \ // z
	VANDPS       K(ABS_F), Y0, Y6     \
	VADDPS       K(ONE_F), Y6, Y6     \
	VANDPS       K(ABS_F), Y1, Y7     \
	VADDPS       Y7, Y6, Y6           \
	VMOVUPS      K(MOST_F), Y7        \
	VDIVPS       Y6, Y7, Y6           \
	VADDPS       Y1, Y0, Y7           \
	VSUBPS       Y1, Y0, Y0           \
	VMULPS       Y6, Y7, Y7           \
	VMULPS       Y6, Y0, Y0           \
	VMOVUPS      K(ROUND_N_F), Y8     \
	VSUBPS       Y7, Y8, Y7           \
	VSUBPS       Y0, Y8, Y0           \
	VCVTTPS2DQ   Y7, Y7               \
	VCVTTPS2DQ   Y0, Y0               \
	VPSLLD       $8, Y0, Y0           \
	VPOR         Y0, Y7, Y7           \ // normal
	VPMULLW      K(SKY_GAIN), Y4, Y4  \
	VPADDW       K(SKY_ROUND), Y4, Y4 \
	VPSHUFB      skies<>(SB), Y4, Y4  \
	VPOR         Y4, Y7, Y7           \ // normal, sky view, curvature
	VPUNPCKLDQ   Y7, Y5, low          \
	VPUNPCKHDQ   Y7, Y5, high

// The vertices of four squares: two from id number at on in the low lanes of across, down and
// centre, two from number at+4 on in the high ones. Changes Y0 to Y2.
#define PUT(across, down, centre, at) \
	VPUNPCKLQDQ  down, across, Y0         \
	VSHUFPD      $10, across, centre, Y1  \
	VPUNPCKHQDQ  centre, down, Y2         \
	MOVL         (4*at)(BX)(DX*4), R14    \
	LEAQ         (DI)(R14*8), R14         \
	VMOVDQU      X0, (R14)                \
	VMOVDQU      X1, 16(R14)              \
	VMOVDQU      X2, 32(R14)              \
	MOVL         (4*at+16)(BX)(DX*4), R14 \
	LEAQ         (DI)(R14*8), R14         \
	VEXTRACTI128 $1, Y0, (R14)            \
	VEXTRACTI128 $1, Y1, 16(R14)          \
	VEXTRACTI128 $1, Y2, 32(R14)          \
	MOVL         (4*at)(R15)(DX*4), R14    \
	PREFETCHT0   (DI)(R14*8)              \
	MOVL         (4*at+16)(R15)(DX*4), R14 \
	PREFETCHT0   (DI)(R14*8)

// func finishAVX2(verts *terrain.Vertex, r *squareRow, s *scale, rules *shading)
TEXT ·finishAVX2(SB), NOSPLIT, $224-32
	MOVQ         verts+0(FP), DI
	MOVQ         r+8(FP), AX
	MOVQ         s+16(FP), DX
	VBROADCASTSD scale_half(DX), Y13
	VBROADCASTSD scale_maxError(DX), Y14
	VBROADCASTSS scale_slope(DX), Y15
	MOVQ         rules+24(FP), DX
	VPBROADCASTD shading_sky(DX), Y0
	VMOVDQU      Y0, sky-32(SP)
	VBROADCASTSS shading_bend(DX), Y0
	VMOVDQU      Y0, bend-64(SP)
	MOVQ         squareRow_odd(AX), DX
	NEGQ         DX
	VMOVD        DX, X0
	VPBROADCASTD X0, Y0
	VPXOR        turns<>(SB), Y0, Y0
	VMOVDQU      Y0, turn-96(SP)     // where the other diagonal is taken
	MOVQ         squareRow_ids(AX), BX
	MOVQ         (squareRow_ids+8)(AX), CX
	MOVQ         squareRow_corners(AX), SI
	MOVQ         squareRow_south(AX), R8
	MOVQ         squareRow_north(AX), R9
	MOVQ         squareRow_centres(AX), R10
	MOVQ         squareRow_across(AX), R11
	MOVQ         squareRow_below(AX), R12
	MOVQ         squareRow_down(AX), R13
	XORQ         DX, DX

squares:
	// Across.
	VMOVDQU (SI)(DX*4), Y0
	VMOVDQU 4(SI)(DX*4), Y1
	VMOVDQU (R11)(DX*4), Y2
	VPADDD  Y0, Y1, Y4
	VPADDD  Y2, Y2, Y3
	VPSUBD  Y4, Y3, Y3
	VPABSD  Y3, Y3
	VMOVDQA Y3, Y12                  // the largest error
	VPSUBD  Y0, Y1, Y0
	VMOVDQU 4(R10)(DX*4), Y1
	VPSUBD  (R9)(DX*4), Y1, Y1
	MOVQ    squareRow_nearAcross(AX), R14
	VPSUBD  (R14)(DX*4), Y2, Y5
	MOVQ    squareRow_cornerShades(AX), R14
	VMOVDQU (R14)(DX*4), Y4
	VPADDD  4(R14)(DX*4), Y4, Y4
	MOVQ    squareRow_northShades(AX), R14
	VPADDD  (R14)(DX*4), Y4, Y4
	MOVQ    squareRow_centreShades(AX), R15
	VPADDD  4(R15)(DX*4), Y4, Y4
	SHADE(sky-32(SP), bend-64(SP))
	PACK(Y9, Y10)
	VMOVDQU Y10, acrossHigh-128(SP)

	// Down.
	VMOVDQU (SI)(DX*4), Y0
	VMOVDQU (R8)(DX*4), Y1
	VMOVDQU (R13)(DX*4), Y2
	VPADDD  Y0, Y1, Y4
	VPADDD  Y2, Y2, Y3
	VPSUBD  Y4, Y3, Y3
	VPABSD  Y3, Y3
	VPMAXSD Y3, Y12, Y12
	VPSUBD  Y0, Y1, Y1
	VMOVDQU 4(R10)(DX*4), Y0
	VPSUBD  (R10)(DX*4), Y0, Y0
	MOVQ    squareRow_nearDown(AX), R14
	VPSUBD  (R14)(DX*4), Y2, Y5
	VMOVDQU (R15)(DX*4), Y4
	VPADDD  4(R15)(DX*4), Y4, Y4
	MOVQ    squareRow_cornerShades(AX), R14
	VPADDD  (R14)(DX*4), Y4, Y4
	MOVQ    squareRow_southShades(AX), R14
	VPADDD  (R14)(DX*4), Y4, Y4
	SHADE(sky-32(SP), bend-64(SP))
	PACK(Y10, Y11)

	// Centres.
	VMOVDQU   (R8)(DX*4), Y0
	VMOVDQU   4(R8)(DX*4), Y1
	VPADDD    Y0, Y1, Y3
	VMOVDQU   (R12)(DX*4), Y5
	VPADDD    Y5, Y5, Y4
	VPSUBD    Y3, Y4, Y3
	VPABSD    Y3, Y3
	VPMAXSD   Y3, Y12, Y3
	VMOVDQU   4(SI)(DX*4), Y6
	VMOVDQU   4(R13)(DX*4), Y7
	VPADDD    Y6, Y1, Y4
	VPADDD    Y7, Y7, Y2
	VPSUBD    Y4, Y2, Y4
	VPABSD    Y4, Y4
	VPMAXSD   Y4, Y3, Y3
	VPADDD    (SI)(DX*4), Y1, Y1     // north-west and south-east
	VPADDD    Y6, Y0, Y0
	VMOVDQU   turn-96(SP), Y4
	VPBLENDVB Y4, Y0, Y1, Y1
	VMOVDQU   4(R10)(DX*4), Y2
	VPADDD    Y2, Y2, Y4
	VPSUBD    Y1, Y4, Y4
	VPABSD    Y4, Y4
	VPMAXSD   Y4, Y3, Y3
	VPSUBD    (R13)(DX*4), Y7, Y0
	VPSUBD    (R11)(DX*4), Y5, Y1
	VMOVDQU   4(R15)(DX*4), Y4
	PACK(Y3, Y12)

	VMOVDQA Y3, Y8
	MOVQ    squareRow_ahead(AX), R15
	PUT(Y9, Y10, Y8, 0)
	VMOVDQU acrossHigh-128(SP), Y9
	PUT(Y9, Y11, Y12, 2)
	ADDQ    $8, DX
	CMPQ    DX, CX
	JLT     squares
	VZEROUPPER
	RET

// Two vertices of the ids at each of two places.
#define GATHER(a, b, X, Y, XT) \
	MOVL        (4*a)(R9)(DX*4), AX      \
	VMOVQ       (R8)(AX*8), X            \
	MOVL        (4*a+4)(R9)(DX*4), AX    \
	VMOVHPS     (R8)(AX*8), X, X         \
	MOVL        (4*b)(R9)(DX*4), AX      \
	VMOVQ       (R8)(AX*8), XT           \
	MOVL        (4*b+4)(R9)(DX*4), AX    \
	VMOVHPS     (R8)(AX*8), XT, XT       \
	VINSERTI128 $1, XT, Y, Y

// func gatherAVX2(heights, shades *int32, verts *terrain.Vertex, ids *uint32, n int)
//
// It writes and reads ids up to seven more than it is asked for.
TEXT ·gatherAVX2(SB), NOSPLIT, $0-40
	MOVQ heights+0(FP), DI
	MOVQ shades+8(FP), SI
	MOVQ verts+16(FP), R8
	MOVQ ids+24(FP), R9
	MOVQ n+32(FP), CX
	XORQ DX, DX

eight:
	GATHER(0, 4, X0, Y0, X2)
	GATHER(2, 6, X1, Y1, X2)
	VSHUFPS $0x88, Y1, Y0, Y2 // height, coefficient
	VSHUFPS $0xdd, Y1, Y0, Y3 // normal, sky view, curvature
	VPAND   K(HEIGHT), Y2, Y2
	VMOVDQU Y2, (DI)(DX*4)
	VPSRLD  $16, Y3, Y4
	VPAND   K(BYTE), Y4, Y4
	VPMINSD K(ONE), Y4, Y5
	VPSLLD  $6, Y4, Y6
	VPSUBD  Y4, Y6, Y4
	VPADDD  K(SKY_HALF), Y4, Y4 // by 255: (v + 1 + v/256) / 256
	VPSRLD  $8, Y4, Y6
	VPADDD  Y6, Y4, Y4
	VPADDD  K(ONE), Y4, Y4
	VPSRLD  $8, Y4, Y4
	VPMAXSD Y5, Y4, Y4
	VPSRLD  $8, Y3, Y3
	VPAND   K(CURVATURE), Y3, Y3
	VPOR    Y3, Y4, Y4
	VMOVDQU Y4, (SI)(DX*4)
	ADDQ    $8, DX
	CMPQ    DX, CX
	JLT     eight
	VZEROUPPER
	RET

// func fetchLines(verts *terrain.Vertex, lines int)
TEXT ·fetchLines(SB), NOSPLIT, $0-16
	MOVQ verts+0(FP), SI
	MOVQ lines+8(FP), CX

line:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	DECQ       CX
	JGT        line
	RET

// func fetchTableLines(t *decodeTable, lines int)
TEXT ·fetchTableLines(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ lines+8(FP), CX

entries:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	DECQ       CX
	JGT        entries
	RET
