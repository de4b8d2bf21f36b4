//go:build !noasm

#include "go_asm.h"
#include "textflag.h"

DATA askWords<>+0(SB)/8, $65535
DATA askWords<>+8(SB)/8, $0x4330000000000000
DATA askWords<>+16(SB)/8, $0xffff0000ffff0000
GLOBL askWords<>(SB), RODATA|NOPTR, $24

// The lower halves of the words of a register, in its lower half.
DATA lowHalves<>+0(SB)/8, $0x0000000200000000
DATA lowHalves<>+8(SB)/8, $0x0000000600000004
DATA lowHalves<>+16(SB)/8, $0x0000000200000000
DATA lowHalves<>+24(SB)/8, $0x0000000600000004
GLOBL lowHalves<>(SB), RODATA|NOPTR, $32

// Four of the twelve vertices of a block's quarters. Their columns and rows are
// chosen from four of xs and zs. Bits of those that are active go to out.
#define ASK(offset, columns, rows, reach, out, clear) \
	VMOVDQU   offset(DI)(BX*1), Y0           \
	VPERMD    Y0, Y15, Y3                    \
	VPAND     X8, X3, X3                     \
	VCVTPS2PD X3, Y3                         \ // coefficients
	VPAND     Y14, Y0, Y0                    \
	VPOR      Y13, Y0, Y0                    \
	VSUBPD    Y12, Y0, Y0                    \ // heights above 0, quanta
	VMULPD    Y9, Y3, Y3                     \
	VMULPD    Y11, Y0, Y0                    \
	CMPQ      hazed-80(SP), $0               \
	JEQ       clear                          \
	VMULPD    share-40(SP), Y3, Y4           \
	VADDPD    far-72(SP), Y4, Y4             \
	VMINPD    Y4, Y3, Y3                     \
clear:                                       \
	VADDPD    reach, Y3, Y3                  \
	VSUBPD    Y10, Y0, Y0                    \
	VMULPD    Y3, Y3, Y3                     \
	VMULPD    Y0, Y0, Y0                     \
	VPERMPD   columns, (R8)(DX*1), Y1        \
	VPERMPD   rows, (R9)(R14*1), Y2          \
	VMULPD    Y1, Y1, Y1                     \
	VMULPD    Y2, Y2, Y2                     \
	VADDPD    Y2, Y1, Y1                     \
	VADDPD    Y0, Y1, Y1                     \
	VCMPPD    $9, Y3, Y1, Y1                 \ // not at or beyond
	VMOVMSKPD Y1, out

// func askAVX2(a *asking)
TEXT ·askAVX2(SB), NOSPLIT, $80-8
	MOVQ a+0(FP), AX
	MOVQ asking_blocks(AX), SI
	MOVQ asking_many(AX), CX
	LEAQ (SI)(CX*8), CX
	MOVQ CX, end-8(SP)
	MOVQ asking_verts(AX), DI
	MOVQ asking_xs(AX), R8
	MOVQ asking_zs(AX), R9
	MOVQ asking_kids(AX), R10
	MOVQ asking_marks(AX), R11
	MOVQ asking_stride(AX), R12
	MOVQ asking_split(AX), R13

	VMOVDQU      lowHalves<>(SB), Y15
	VPBROADCASTQ askWords<>+0(SB), Y14
	VPBROADCASTQ askWords<>+8(SB), Y13
	VPBROADCASTQ askWords<>+16(SB), Y8
	VBROADCASTSD asking_zero(AX), Y12
	VBROADCASTSD asking_quantum(AX), Y11
	VBROADCASTSD asking_eyeY(AX), Y10
	VBROADCASTSD asking_b(AX), Y9
	VMOVUPD      asking_reach+0(AX), Y5
	VMOVUPD      (asking_reach+32)(AX), Y6
	VMOVUPD      (asking_reach+64)(AX), Y7
	VMOVUPD      asking_share(AX), Y4
	VMOVUPD      Y4, share-40(SP)
	VMOVUPD      asking_far(AX), Y4
	VMOVUPD      Y4, far-72(SP)
	MOVQ         asking_hazed(AX), BX
	MOVQ         BX, hazed-80(SP)

ask:
	MOVL       64(SI), AX          // eight blocks ahead, whatever is there
	LEAQ       (AX)(AX*2), AX
	SHLQ       $5, AX
	PREFETCHT0 (DI)(AX*1)
	PREFETCHT0 64(DI)(AX*1)

	MOVQ    (SI), R15
	MOVL    R15, BX
	LEAQ    (BX)(BX*2), BX
	SHLQ    $5, BX             // 12 vertices
	MOVQ    R15, DX
	SHRQ    $32, DX
	MOVWLZX DX, DX
	SHLQ    $5, DX             // 4 columns
	MOVQ    R15, R14
	SHRQ    $48, R14
	SHLQ    $5, R14

	ASK(0, $0xd1, $0x14, Y5, AX, clear1)
	ASK(32, $0x1e, $0xe5, Y6, CX, clear2)
	SHLL $4, CX
	ORL  CX, AX
	ASK(64, $0xed, $0xfb, Y7, CX, clear3)
	SHLL $8, CX
	ORL  CX, AX

	// Marks of the quarters: three bits each.
	SHRQ  $5, R14
	IMULQ R12, R14
	LEAQ  (R11)(R14*2), R14
	SHRQ  $4, DX
	ADDQ  DX, R14
	MOVL  AX, BX
	MOVL  AX, CX
	ANDL  $7, BX
	SHLL  $5, CX
	ANDL  $0x700, CX
	ORL   CX, BX
	MOVW  BX, (R14)
	MOVL  AX, BX
	MOVL  AX, CX
	SHRL  $6, BX
	SHRL  $1, CX
	ANDL  $7, BX
	ANDL  $0x700, CX
	ORL   CX, BX
	MOVW  BX, (R14)(R12*1)

	// Quarters that are split: every third bit.
	ANDL $0x924, AX
	SHRL $2, AX
	MOVL AX, CX
	SHRL $2, CX
	ORL  CX, AX
	MOVL AX, CX
	ANDL $3, AX
	SHRL $4, CX
	ANDL $12, CX
	ORL  CX, AX
	MOVB AX, (R10)
	INCQ R10

	MOVL         R15, BX
	SHLQ         $2, BX
	SHRQ         $32, R15
	SHLQ         $33, R15
	ORQ          R15, BX
	VMOVQ        BX, X0
	VPBROADCASTQ X0, Y0
	VPADDQ       ·quarters(SB), Y0, Y0
	LEAQ         ·packed(SB), DX
	POPCNTL      AX, CX
	SHLQ         $5, AX
	VMOVDQU      (DX)(AX*1), Y1
	VPERMD       Y0, Y1, Y0
	VMOVDQU      Y0, (R13)
	LEAQ         (R13)(CX*8), R13

	ADDQ $8, SI
	CMPQ SI, end-8(SP)
	JNE  ask

	MOVQ a+0(FP), AX
	SUBQ asking_split(AX), R13
	SHRQ $3, R13
	MOVQ R13, asking_put(AX)
	VZEROUPPER
	RET

// Whether the balls of four vertices meet a side of the picture, and at which
// of them it cuts, if it is to be asked: Y0, Y1 and Y2 are where they are, Y4 the
// radius, Y5 its negative.
#define SIDE(plane, side, out, skip) \
	XORL         out, out            \
	TESTB        $side, (CX)         \
	JEQ          skip                \
	VBROADCASTSD (plane+0)(AX), Y6   \
	VBROADCASTSD (plane+8)(AX), Y7   \
	VMULPD       Y6, Y1, Y6          \
	VMULPD       Y7, Y0, Y7          \
	VADDPD       Y7, Y6, Y6          \
	VBROADCASTSD (plane+16)(AX), Y7  \
	VMULPD       Y7, Y2, Y7          \
	VADDPD       Y7, Y6, Y6          \
	VBROADCASTSD (plane+24)(AX), Y7  \
	VADDPD       Y7, Y6, Y6          \
	VCMPPD       $5, Y5, Y6, Y7      \ // not wholly beyond
	VANDPD       Y7, Y3, Y3          \
	VCMPPD       $1, Y4, Y6, Y7      \ // cut
	VMOVMSKPD    Y7, out             \
skip:

// Four of the twelve vertices. Bits of those that are active go to R13, and those of
// the sides that cut to R8, R9, R10 and R11.
#define ASK_CULL(offset, columns, rows, reach, ball, a, b, c, d, clear) \
	VMOVDQU   offset(DI)(BX*1), Y0           \
	VPERMD    Y0, Y15, Y3                    \
	VPAND     X8, X3, X3                     \
	VCVTPS2PD X3, Y3                         \ // coefficients
	VADDPD    (ball)(AX), Y3, Y4             \
	VPAND     Y14, Y0, Y0                    \
	VPOR      Y13, Y0, Y0                    \
	VSUBPD    Y12, Y0, Y0                    \ // heights above 0, quanta
	VMULPD    Y9, Y3, Y3                     \
	VMULPD    Y11, Y0, Y0                    \
	CMPQ      asking_hazed(AX), $0           \
	JEQ       clear                          \
	VMULPD    asking_share(AX), Y3, Y6       \
	VADDPD    asking_far(AX), Y6, Y6         \
	VMINPD    Y6, Y3, Y3                     \
clear:                                       \
	VADDPD    (reach)(AX), Y3, Y3            \
	VSUBPD    Y10, Y0, Y0                    \
	VMULPD    Y3, Y3, Y3                     \
	MOVQ      asking_xs(AX), R12             \
	VPERMPD   columns, (R12)(DX*1), Y1       \
	MOVQ      asking_zs(AX), R12             \
	VPERMPD   rows, (R12)(R14*1), Y2         \
	VMULPD    Y1, Y1, Y6                     \
	VMULPD    Y2, Y2, Y7                     \
	VADDPD    Y7, Y6, Y6                     \
	VMULPD    Y0, Y0, Y7                     \
	VADDPD    Y7, Y6, Y6                     \
	VCMPPD    $9, Y3, Y6, Y3                 \ // not at or beyond
	VXORPD    Y5, Y5, Y5                     \
	VSUBPD    Y4, Y5, Y5                     \
	SIDE(culling_planes, 1, R8, a)           \
	SIDE(culling_planes+32, 2, R9, b)        \
	SIDE(culling_planes+64, 4, R10, c)       \
	SIDE(culling_planes+96, 8, R11, d)       \
	VMOVMSKPD Y3, R13

// Puts the four bits of the sides in lane from to where those of quarter to are.
#define CUT(from, to) \
	SHRL $from, R8            \
	SHRL $from, R9            \
	SHRL $from, R10           \
	SHRL $from, R11           \
	ANDL $1, R8               \
	ANDL $1, R9               \
	ANDL $1, R10              \
	ANDL $1, R11              \
	LEAL (R8)(R9*2), R8       \
	LEAL (R10)(R11*2), R10    \
	LEAL (R8)(R10*4), R8      \
	SHLL $(8*to), R8          \
	ORL  R8, cut-16(SP)

// func askCullAVX2(c *culling)
TEXT ·askCullAVX2(SB), NOSPLIT, $48-8
	MOVQ c+0(FP), AX
	MOVQ asking_blocks(AX), SI
	MOVQ asking_many(AX), CX
	LEAQ (SI)(CX*8), CX
	MOVQ CX, end-8(SP)
	MOVQ asking_verts(AX), DI
	MOVQ culling_cares(AX), CX
	MOVQ asking_kids(AX), BX
	MOVQ BX, kids-24(SP)
	MOVQ asking_split(AX), BX
	MOVQ BX, split-32(SP)
	MOVQ $0, put-40(SP)            // of those that are cut
	MOVQ culling_seams(AX), BX
	MOVQ BX, seams-48(SP)

	VMOVDQU      lowHalves<>(SB), Y15
	VPBROADCASTQ askWords<>+0(SB), Y14
	VPBROADCASTQ askWords<>+8(SB), Y13
	VPBROADCASTQ askWords<>+16(SB), Y8
	VBROADCASTSD asking_zero(AX), Y12
	VBROADCASTSD asking_quantum(AX), Y11
	VBROADCASTSD asking_eyeY(AX), Y10
	VBROADCASTSD asking_b(AX), Y9

cull:
	MOVQ    (SI), R14
	MOVL    R14, BX
	LEAQ    (BX)(BX*2), BX
	SHLQ    $5, BX             // 12 vertices
	MOVQ    R14, DX
	SHRQ    $32, DX
	MOVWLZX DX, DX
	SHLQ    $5, DX             // 4 columns
	SHRQ    $48, R14
	SHLQ    $5, R14
	MOVL    $0, cut-16(SP)

	ASK_CULL(0, $0xd1, $0x14, asking_reach, culling_ball, a1, b1, c1, d1, clear1)
	MOVL R13, R15
	CUT(2, 0)
	ASK_CULL(32, $0x1e, $0xe5, asking_reach+32, culling_ball+32, a2, b2, c2, d2, clear2)
	SHLL $4, R13
	ORL  R13, R15
	CUT(1, 1)
	ASK_CULL(64, $0xed, $0xfb, asking_reach+64, culling_ball+64, a3, b3, c3, d3, clear3)
	SHLL $8, R13
	ORL  R13, R15
	MOVL R8, R12
	MOVL R9, R13
	MOVL R10, BX
	SHLL $16, R12                  // lane 0 is quarter 2's, lane 3 quarter 3's
	SHLL $17, R13
	SHLL $18, BX
	ANDL $0x10000, R12
	ANDL $0x20000, R13
	ANDL $0x40000, BX
	ORL  R13, R12
	ORL  BX, R12
	MOVL R11, R13
	SHLL $19, R13
	ANDL $0x80000, R13
	ORL  R13, R12
	SHLL $21, R8
	SHLL $22, R9
	SHLL $23, R10
	SHLL $24, R11
	ANDL $0x1000000, R8
	ANDL $0x2000000, R9
	ANDL $0x4000000, R10
	ANDL $0x8000000, R11
	ORL  R9, R8
	ORL  R11, R10
	ORL  R8, R12
	ORL  R10, R12
	ORL  cut-16(SP), R12           // a byte a quarter: sides that cut it

	MOVQ seams-48(SP), R8
	MOVQ (R8), R9
	ADDQ culling_step(AX), R8
	MOVQ R8, seams-48(SP)
	ORL  R9, R12                   // and whether it is close to a coarser neighbour
	SHRQ $32, R9
	ANDL R9, R15

	// Marks of the quarters: three bits each.
	MOVQ  asking_stride(AX), R8
	SHRQ  $5, R14
	IMULQ R8, R14
	MOVQ  asking_marks(AX), R9
	LEAQ  (R9)(R14*2), R9
	SHRQ  $4, DX
	ADDQ  DX, R9
	MOVL  R15, R10
	MOVL  R15, R11
	ANDL  $7, R10
	SHLL  $5, R11
	ANDL  $0x700, R11
	ORL   R11, R10
	MOVW  R10, (R9)
	MOVL  R15, R10
	MOVL  R15, R11
	SHRL  $6, R10
	SHRL  $1, R11
	ANDL  $7, R10
	ANDL  $0x700, R11
	ORL   R11, R10
	MOVW  R10, (R9)(R8*1)

	// Quarters that are split: every third bit.
	ANDL  $0x924, R15
	SHRL  $2, R15
	MOVL  R15, R11
	SHRL  $2, R11
	ORL   R11, R15
	MOVL  R15, R11
	ANDL  $3, R15
	SHRL  $4, R11
	ANDL  $12, R11
	ORL   R11, R15
	MOVQ  kids-24(SP), R8
	MOVB  R15, (R8)
	INCQ  R8
	MOVQ  R8, kids-24(SP)

	// Those of them that are cut.
	VMOVD     R12, X1
	VPXOR     X2, X2, X2
	VPCMPEQB  X1, X2, X2
	VPMOVMSKB X2, R9
	XORL      $15, R9
	ANDL      R15, R9
	ANDL      $15, R9
	XORL      R9, R15              // and those that are not

	MOVQ         (SI), R10
	MOVL         R10, BX
	SHLQ         $2, BX
	SHRQ         $32, R10
	SHLQ         $33, R10
	ORQ          R10, BX
	VMOVQ        BX, X0
	VPBROADCASTQ X0, Y0
	VPADDQ       ·quarters(SB), Y0, Y0
	LEAQ         ·packed(SB), DX
	LEAQ         ·packedBytes(SB), R14

	MOVQ    split-32(SP), R13
	POPCNTL R15, R8
	SHLQ    $5, R15
	VMOVDQU (DX)(R15*1), Y2
	VPERMD  Y0, Y2, Y2
	VMOVDQU Y2, (R13)
	LEAQ    (R13)(R8*8), R13
	MOVQ    R13, split-32(SP)

	MOVQ    put-40(SP), R10
	MOVQ    culling_cut(AX), R13
	MOVQ    culling_cutCares(AX), R11
	POPCNTL R9, R8
	VMOVD   (R14)(R9*4), X3
	VPSHUFB X3, X1, X1
	VMOVD   X1, (R11)(R10*1)
	SHLQ    $5, R9
	VMOVDQU (DX)(R9*1), Y2
	VPERMD  Y0, Y2, Y2
	VMOVDQU Y2, (R13)(R10*8)
	ADDQ    R8, R10
	MOVQ    R10, put-40(SP)

	INCQ CX
	ADDQ $8, SI
	CMPQ SI, end-8(SP)
	JNE  cull

	MOVQ split-32(SP), R13
	SUBQ asking_split(AX), R13
	SHRQ $3, R13
	MOVQ R13, asking_put(AX)
	MOVQ put-40(SP), R13
	MOVQ R13, culling_cutPut(AX)
	VZEROUPPER
	RET

// func fansAVX2(f *fanning)
TEXT ·fansAVX2(SB), NOSPLIT, $0-8
	MOVQ f+0(FP), AX
	MOVQ fanning_blocks(AX), SI
	MOVQ fanning_many(AX), R8
	LEAQ (SI)(R8*8), R8
	MOVQ fanning_kids(AX), R10
	MOVQ fanning_marks(AX), R11
	MOVQ fanning_stride(AX), R12
	MOVQ fanning_rings(AX), R9
	MOVQ fanning_dst(AX), DI
	MOVQ fanning_room(AX), R13
	LEAQ -96(DI)(R13*4), R13       // a larger fan than 24 indices there is not
	LEAQ ·fans(SB), R15

fan:
	CMPQ    DI, R13
	JHI     done
	MOVQ    (SI), AX
	MOVL    AX, BX
	LEAQ    (BX)(BX*8), BX         // words of a ring
	VMOVDQU (R9)(BX*4), Y0
	VPBROADCASTD 32(R9)(BX*4), Y1

	MOVQ    AX, DX
	SHRQ    $48, AX
	IMULQ   R12, AX
	SHRQ    $32, DX
	MOVWLZX DX, DX
	ADDQ    DX, AX
	ADDQ    R11, AX
	MOVWLZX (AX), CX               // the block's marks and those east of it
	MOVBLZX (AX)(R12*1), DX        // those south of it
	MOVBLZX (R10), BX
	SHLL    $4, BX
	ANDL    $1, DX
	LEAL    (BX)(DX*8), BX
	MOVL    CX, DX
	ANDL    $3, CX
	SHRL    $7, DX
	ANDL    $4, DX
	ORL     CX, BX
	ORL     DX, BX
	SHLL    $5, BX

	VPMOVZXBD (R15)(BX*1), Y2
	VPMOVZXBD 8(R15)(BX*1), Y3
	VPMOVZXBD 16(R15)(BX*1), Y4
	MOVBLZX   24(R15)(BX*1), CX
	VPERMD    Y0, Y2, Y2
	VPERMD    Y0, Y3, Y3
	VPERMD    Y0, Y4, Y4
	VPBLENDD  $0x49, Y1, Y2, Y2    // the centre begins each triangle
	VPBLENDD  $0x92, Y1, Y3, Y3
	VPBLENDD  $0x24, Y1, Y4, Y4
	VMOVDQU   Y2, (DI)
	VMOVDQU   Y3, 32(DI)
	VMOVDQU   Y4, 64(DI)
	LEAQ      (DI)(CX*4), DI

	INCQ R10
	ADDQ $8, SI
	CMPQ SI, R8
	JNE  fan

done:
	MOVQ f+0(FP), AX
	SUBQ fanning_blocks(AX), SI
	SHRQ $3, SI
	MOVQ SI, fanning_done(AX)
	SUBQ fanning_dst(AX), DI
	SHRQ $2, DI
	MOVQ DI, fanning_put(AX)
	VZEROUPPER
	RET

// func fansNarrowAVX2(f *fanning)
TEXT ·fansNarrowAVX2(SB), NOSPLIT, $0-8
	MOVQ f+0(FP), AX
	MOVQ fanning_blocks(AX), SI
	MOVQ fanning_many(AX), R8
	LEAQ (SI)(R8*8), R8
	MOVQ fanning_kids(AX), R10
	MOVQ fanning_marks(AX), R11
	MOVQ fanning_stride(AX), R12
	MOVQ fanning_rings(AX), R9
	MOVQ fanning_dst(AX), DI
	MOVQ fanning_room(AX), R13
	LEAQ -48(DI)(R13*2), R13       // a larger fan than 24 indices there is not
	LEAQ ·fansNarrow(SB), R15

fan:
	CMPQ    DI, R13
	JHI     done
	MOVQ    (SI), AX
	MOVL    AX, BX
	LEAQ    (BX)(BX*8), BX         // words of a ring
	VMOVDQU (R9)(BX*2), X0
	VPBROADCASTW 16(R9)(BX*2), X1

	MOVQ    AX, DX
	SHRQ    $48, AX
	IMULQ   R12, AX
	SHRQ    $32, DX
	MOVWLZX DX, DX
	ADDQ    DX, AX
	ADDQ    R11, AX
	MOVWLZX (AX), CX               // the block's marks and those east of it
	MOVBLZX (AX)(R12*1), DX        // those south of it
	MOVBLZX (R10), BX
	SHLL    $4, BX
	ANDL    $1, DX
	LEAL    (BX)(DX*8), BX
	MOVL    CX, DX
	ANDL    $3, CX
	SHRL    $7, DX
	ANDL    $4, DX
	ORL     CX, BX
	ORL     DX, BX
	SHLL    $6, BX

	VPSHUFB  (R15)(BX*1), X0, X2
	VPSHUFB  16(R15)(BX*1), X0, X3
	VPSHUFB  32(R15)(BX*1), X0, X4
	MOVBLZX  48(R15)(BX*1), CX
	VPBLENDW $0x49, X1, X2, X2     // the centre begins each triangle
	VPBLENDW $0x92, X1, X3, X3
	VPBLENDW $0x24, X1, X4, X4
	VMOVDQU  X2, (DI)
	VMOVDQU  X3, 16(DI)
	VMOVDQU  X4, 32(DI)
	LEAQ     (DI)(CX*2), DI

	INCQ R10
	ADDQ $8, SI
	CMPQ SI, R8
	JNE  fan

done:
	MOVQ f+0(FP), AX
	SUBQ fanning_blocks(AX), SI
	SHRQ $3, SI
	MOVQ SI, fanning_done(AX)
	SUBQ fanning_dst(AX), DI
	SHRQ $1, DI
	MOVQ DI, fanning_put(AX)
	VZEROUPPER
	RET

// func numbersAMD64(n *numbering)
TEXT ·numbersAMD64(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), AX
	MOVQ numbering_blocks(AX), SI
	MOVQ numbering_many(AX), R8
	LEAQ (SI)(R8*8), R8
	MOVQ numbering_kids(AX), R10
	MOVQ numbering_marks(AX), R11
	MOVQ numbering_stride(AX), R12
	MOVQ numbering_numbers(AX), DI
	LEAQ ·fans(SB), R15
	XORL R9, R9

number:
	MOVQ    (SI), AX
	MOVL    AX, R13
	MOVQ    AX, DX
	SHRQ    $48, AX
	IMULQ   R12, AX
	SHRQ    $32, DX
	MOVWLZX DX, DX
	ADDQ    DX, AX
	ADDQ    R11, AX
	MOVWLZX (AX), CX               // the block's marks and those east of it
	MOVBLZX (AX)(R12*1), DX        // those south of it
	MOVBLZX (R10), BX
	SHLL    $4, BX
	ANDL    $1, DX
	LEAL    (BX)(DX*8), BX
	MOVL    CX, DX
	ANDL    $3, CX
	SHRL    $7, DX
	ANDL    $4, DX
	ORL     CX, BX
	ORL     DX, BX
	MOVB    BX, (DI)(R13*1)
	SHLL    $5, BX
	MOVBLZX 24(R15)(BX*1), BX
	ADDQ    BX, R9
	INCQ    R10
	ADDQ    $8, SI
	CMPQ    SI, R8
	JNE     number

	MOVQ n+0(FP), AX
	MOVQ R9, numbering_indices(AX)
	RET

// Appends vertex BX of parity AX to the strip, unless it is one of its last two, R8
// and R9. The last has parity R10.
#define APPEND \
	XORL    R12, R12               \
	MOVL    R9, R15                \ // what will be the last but one
	CMPL    AX, R10                \
	CMOVLEQ R8, R15                \
	SETEQ   R12                    \ // a swap: the last but one is repeated
	STORE   R8, (DI)               \
	STORE   BX, (DI)(R12*BYTES)    \ // or else this is in its place
	LEAQ    BYTES(DI)(R12*BYTES), DX \
	CMPL    BX, R8                 \ // nothing changes if it is one of the last two
	CMOVQEQ DI, DX                 \
	CMOVLEQ R8, R15                \
	CMOVLEQ R10, AX                \
	CMOVLEQ R9, BX                 \
	CMPL    BX, R9                 \
	CMOVQEQ DI, DX                 \
	CMOVLEQ R8, R15                \
	CMOVLEQ R10, AX                \
	MOVQ    DX, DI                 \
	MOVL    R15, R8                \
	MOVL    BX, R9                 \
	MOVL    AX, R10

// func stripAVX2(s *stripping)
TEXT ·stripAVX2(SB), NOSPLIT, $24-8
#define STORE MOVL
#define BYTES 4
#define STORE8 VMOVDQU Y2, (DI)
#include "strip_amd64.h"
#undef STORE
#undef BYTES
#undef STORE8

// func stripNarrowAVX2(s *stripping)
TEXT ·stripNarrowAVX2(SB), NOSPLIT, $24-8
#define STORE MOVW
#define BYTES 2
#define STORE8 \
	VEXTRACTI128 $1, Y2, X3 \
	VPACKUSDW    X3, X2, X2 \
	VMOVDQU      X2, (DI)
#include "strip_amd64.h"

// func prefetchLines(from *terrain.Vertex, lines int)
TEXT ·prefetchLines(SB), NOSPLIT, $0-16
	MOVQ from+0(FP), SI
	MOVQ lines+8(FP), CX

line:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	DECQ       CX
	JNE        line
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
