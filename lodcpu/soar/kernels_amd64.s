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
TEXT ·askAVX2(SB), NOSPLIT, $16-8
	MOVQ a+0(FP), AX
	MOVQ asking_blocks(AX), SI
	MOVQ asking_end(AX), CX
	MOVQ CX, end-8(SP)
	MOVQ $0, active-16(SP)
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

	POPCNTL AX, BX
	ADDQ    BX, active-16(SP)

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
	MOVQ R13, asking_split(AX)
	MOVQ active-16(SP), CX
	MOVQ CX, asking_active(AX)
	VZEROUPPER
	RET

// func fansAVX2(f *fanning)
TEXT ·fansAVX2(SB), NOSPLIT, $0-8
	MOVQ f+0(FP), AX
	MOVQ fanning_blocks(AX), SI
	MOVQ fanning_end(AX), R8
	MOVQ fanning_kids(AX), R10
	MOVQ fanning_marks(AX), R11
	MOVQ fanning_stride(AX), R12
	MOVQ fanning_rings(AX), R9
	MOVQ fanning_next(AX), DI
	MOVQ fanning_limit(AX), R13
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
	MOVQ SI, fanning_blocks(AX)
	MOVQ DI, fanning_next(AX)
	VZEROUPPER
	RET

// func appendAMD64(a *appending)
TEXT ·appendAMD64(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ appending_list(AX), SI
	MOVQ appending_end(AX), CX
	MOVQ appending_next(AX), DI
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

	MOVQ DI, appending_next(AX)
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
