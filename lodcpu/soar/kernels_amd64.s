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
// chosen from four of xx and zz. Bits of those that are active go to out.
#define ASK(offset, columns, rows, reach, out) \
	VMOVDQU   offset(DI)(BX*1), Y0           \
	VPERMD    Y0, Y15, Y3                    \
	VPAND     X8, X3, X3                     \
	VCVTPS2PD X3, Y3                         \ // coefficients
	VPAND     Y14, Y0, Y0                    \
	VPOR      Y13, Y0, Y0                    \
	VSUBPD    Y12, Y0, Y0                    \ // heights above 0, quanta
	VMULPD    Y9, Y3, Y3                     \
	VMULPD    Y11, Y0, Y0                    \
	VADDPD    reach, Y3, Y3                  \
	VSUBPD    Y10, Y0, Y0                    \
	VMULPD    Y3, Y3, Y3                     \
	VMULPD    Y0, Y0, Y0                     \
	VPERMPD   columns, (R8)(DX*1), Y1        \
	VPERMPD   rows, (R9)(R14*1), Y2          \
	VADDPD    Y2, Y1, Y1                     \
	VADDPD    Y0, Y1, Y1                     \
	VCMPPD    $9, Y3, Y1, Y1                 \ // not at or beyond
	VMOVMSKPD Y1, out

// func askAVX2(a *asking)
TEXT ·askAVX2(SB), NOSPLIT, $8-8
	MOVQ a+0(FP), AX
	MOVQ asking_blocks(AX), SI
	MOVQ asking_many(AX), CX
	LEAQ (SI)(CX*8), CX
	MOVQ CX, end-8(SP)
	MOVQ asking_verts(AX), DI
	MOVQ asking_xx(AX), R8
	MOVQ asking_zz(AX), R9
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

	ASK(0, $0xd1, $0x14, Y5, AX)
	ASK(32, $0x1e, $0xe5, Y6, CX)
	SHLL $4, CX
	ORL  CX, AX
	ASK(64, $0xed, $0xfb, Y7, CX)
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
// of them it cuts: Y0, Y1 and Y2 are where they are, Y4 the radius, Y5 its negative.
#define SIDE(plane, out) \
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
	VMOVMSKPD    Y7, out

// Four of the twelve vertices. Bits of those that are active go to R13, and those of
// the sides that cut to R8, R9, R10 and R11.
#define ASK_CULL(offset, columns, rows, reach, ball) \
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
	VADDPD    (reach)(AX), Y3, Y3            \
	VSUBPD    Y10, Y0, Y0                    \
	VMULPD    Y3, Y3, Y3                     \
	MOVQ      asking_xx(AX), R12             \
	VPERMPD   columns, (R12)(DX*1), Y1       \
	MOVQ      asking_zz(AX), R12             \
	VPERMPD   rows, (R12)(R14*1), Y2         \
	VMULPD    Y1, Y1, Y6                     \
	VMULPD    Y2, Y2, Y7                     \
	VADDPD    Y7, Y6, Y6                     \
	VMULPD    Y0, Y0, Y7                     \
	VADDPD    Y7, Y6, Y6                     \
	VCMPPD    $9, Y3, Y6, Y3                 \ // not at or beyond
	VXORPD    Y5, Y5, Y5                     \
	VSUBPD    Y4, Y5, Y5                     \
	SIDE(culling_planes, R8)                 \
	SIDE(culling_planes+32, R9)              \
	SIDE(culling_planes+64, R10)             \
	SIDE(culling_planes+96, R11)             \
	VMOVMSKPD Y3, R13

// The bit of lane from of a side's, for quarter to.
#define CUT(from, to) \
	SHRL $from, R8            \
	SHRL $from, R9            \
	SHRL $from, R10           \
	SHRL $from, R11           \
	ANDL $1, R8               \
	ANDL $1, R9               \
	ANDL $1, R10              \
	ANDL $1, R11              \
	LEAL (R8)(R9*8), R8       \
	LEAL (R8)(R9*8), R8       \
	SHLL $8, R10              \
	SHLL $12, R11             \
	ORL  R10, R8              \
	ORL  R11, R8              \
	SHLL $(12+to), R8         \
	ORL  R8, R15

// func askCullAVX2(c *culling)
TEXT ·askCullAVX2(SB), NOSPLIT, $8-8
	MOVQ c+0(FP), AX
	MOVQ asking_blocks(AX), SI
	MOVQ asking_many(AX), CX
	LEAQ (SI)(CX*8), CX
	MOVQ CX, end-8(SP)
	MOVQ asking_verts(AX), DI
	MOVQ culling_out(AX), CX

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

	ASK_CULL(0, $0xd1, $0x14, asking_reach, culling_ball)
	MOVL R13, R15
	CUT(2, 0)
	ASK_CULL(32, $0x1e, $0xe5, asking_reach+32, culling_ball+32)
	SHLL $4, R13
	ORL  R13, R15
	CUT(1, 1)
	ASK_CULL(64, $0xed, $0xfb, asking_reach+64, culling_ball+64)
	SHLL $8, R13
	ORL  R13, R15
	MOVL R8, R12
	MOVL R9, R13
	SHLL $4, R13
	ORL  R13, R12
	MOVL R10, R13
	SHLL $8, R13
	ORL  R13, R12
	MOVL R11, R13
	SHLL $12, R13
	ORL  R13, R12
	MOVL R12, R13
	ANDL $0x1111, R12          // lane 0 is quarter 2's
	ANDL $0x8888, R13          // lane 3 is quarter 3's
	SHLL $14, R12
	SHLL $12, R13
	ORL  R12, R15
	ORL  R13, R15
	MOVL R15, (CX)

	ADDQ $4, CX
	ADDQ $8, SI
	CMPQ SI, end-8(SP)
	JNE  cull
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

// func appendAMD64(a *appending)
TEXT ·appendAMD64(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ appending_list(AX), SI
	MOVQ appending_many(AX), CX
	LEAQ (SI)(CX*4), CX
	MOVQ appending_dst(AX), DI
	MOVL appending_tail(AX), R8
	MOVL appending_head(AX), R9
	MOVL appending_parity(AX), R10

event:
	MOVL (SI), BX
	ADDQ $4, SI
	MOVL BX, R11
	SHRL $31, R11
	XORL $1, R11            // its parity
	ANDL $0x7fffffff, BX
	XORL R12, R12
	CMPL R11, R10
	SETEQ R12               // a swap: the last but one is repeated
	MOVL R8, (DI)
	MOVL BX, (DI)(R12*4)    // or else this is in its place
	LEAQ 4(DI)(R12*4), DX
	TESTL R12, R12
	MOVL  R8, R13
	CMOVLEQ R9, R13         // what will be the last but one

	CMPL BX, R8             // nothing changes if it is one of the last two
	CMOVQEQ DI, DX
	CMOVLEQ R8, R13
	CMOVLEQ R9, BX
	CMOVLEQ R10, R11
	CMPL BX, R9
	CMOVQEQ DI, DX
	CMOVLEQ R8, R13
	CMOVLEQ R10, R11
	MOVQ DX, DI
	MOVL R13, R8
	MOVL BX, R9
	MOVL R11, R10
	CMPQ SI, CX
	JNE  event

	SUBQ appending_dst(AX), DI
	SHRQ $2, DI
	MOVQ DI, appending_put(AX)
	MOVL R8, appending_tail(AX)
	MOVL R9, appending_head(AX)
	MOVL R10, appending_parity(AX)
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
