// What stripAVX2 and stripNarrowAVX2 do, which differ in how an index is stored: by STORE,
// in BYTES; STORE8 stores the eight of Y2.

	MOVQ s+0(FP), AX
	MOVQ stripping_items(AX), SI
	MOVQ SI, items-16(SP)
	MOVQ stripping_many(AX), CX
	LEAQ (SI)(CX*8), CX            // the stack of items grows up
	MOVQ stripping_dst(AX), DI
	MOVQ stripping_room(AX), R13
	LEAQ (-24*BYTES)(DI)(R13*BYTES), R13       // more than 24 indices are not written at a time
	MOVQ R13, limit-24(SP)
	MOVQ stripping_tiers(AX), R11
	MOVL stripping_tail(AX), R8
	MOVL stripping_head(AX), R9
	MOVL stripping_parity(AX), R10

item:
	CMPQ  CX, items-16(SP)
	JEQ   stripped
	CMPQ  DI, limit-24(SP)
	JHI   stripped
	SUBQ  $8, CX
	MOVQ  (CX), AX
	TESTQ AX, AX
	JMI   half

	// Two vertices.
	MOVQ AX, R14
	MOVL AX, BX
	SHRL $31, AX
	ANDL $0x7fffffff, BX
	APPEND
	SHRQ $32, R14
	MOVL R14, BX
	MOVL R14, AX
	SHRL $30, AX
	ANDL $0x3fffffff, BX
	APPEND
	JMP  item

half:
	MOVQ    AX, BX
	SHRQ    $56, BX
	ANDL    $0x1f, BX
	SHLL    $4, BX                 // its tier
	ADDQ    R11, BX
	MOVQ    AX, DX
	SHRQ    $48, DX
	ANDL    $6, DX                 // the corner
	MOVL    DX, R12
	IMUL3Q  $(turn__size/2), DX, DX
	LEAQ    ·turns(SB), R15
	ADDQ    DX, R15
	MOVL    AX, DX                 // its block
	SHLL    $7, R12
	MOVQ    stripTier_numbers(BX), R14
	MOVBLZX (R14)(DX*1), R13       // the number of the block's fan
	ORL     R13, R12
	LEAQ    (DX)(DX*8), DX
	MOVQ    stripTier_rings(BX), R14
	LEAQ    (R14)(DX*4), R14       // its ring
	MOVQ    AX, R13
	SHRQ    $62, R13
	ANDL    $1, R13                // the parity of the corner where it is left
	BTQ     $61, AX
	JCS     rest
	LEAQ    ·shapes(SB), SI
	MOVBLZX (SI)(R12*1), R12
	TESTL   $const_shapeQuarters, R12
	JNE     split

	// How the strip ends.
	VMOVDQU      turn_places(R15), Y1
	VPERMD       (R14), Y1, Y1
	VPBROADCASTD 32(R14), Y2
	VMOVD        R8, X3
	VPBROADCASTD X3, Y3
	VPBLENDD     $(1<<const_roleCentre), Y2, Y1, Y1
	VPBLENDD     $(1<<const_roleTail), Y3, Y1, Y1
	ANDL         $3, R12
	MOVL         (turn_places+4*const_roleFirst)(R15), SI
	MOVL         (turn_places+4*const_roleCorner)(R15), DX
	MOVL         (R14)(SI*4), SI
	MOVL         (R14)(DX*4), DX   // the corner
	XORL         AX, AX
	CMPL         R8, SI
	SETEQ        AX
	XORL         SI, SI
	CMPL         R8, 32(R14)
	SETEQ        SI
	LEAL         (AX)(SI*2), AX
	XORL         SI, SI
	CMPL         R8, DX
	SETEQ        SI
	LEAL         (AX)(SI*4), AX
	XORL         SI, SI
	CMPL         R9, DX
	SETEQ        SI
	LEAL         (AX)(SI*8), AX
	SHLL         $4, R10
	ORL          R10, AX

	// What that adds.
	LEAL      (R12)(AX*4), SI
	SHLL      $4, SI
	LEAQ      ·pieces(SB), R10
	VPMOVZXBD (R10)(SI*1), Y2
	VPERMD    Y1, Y2, Y2
	MOVBLZX   piece_n(R10)(SI*1), SI
	STORE8
	LEAQ      (DI)(SI*BYTES), DI

	// How it ends then: with the centre, and with the last middle or the corner,
	// odd, unless no middle is active and the corner was there before. Not to look
	// that up each time is so much faster because nothing waits for it. Where the
	// half is left is none of them, so it is appended.
	MOVL    32(R14), R8
	MOVL    DX, R9
	MOVL    (turn_places+4*const_roleLast)(R15), SI
	MOVL    (turn_places+4*const_roleEnd)(R15), DX
	MOVL    (R14)(SI*4), SI
	MOVL    (R14)(DX*4), DX
	TESTL   $2, R12
	CMOVLNE SI, R9
	MOVL    R13, R10
	TESTL   R12, R12
	JNE     usual
	TESTL   $(const_tailCorner|const_headCorner), AX
	JEQ     usual
	XCHGL   R8, R9
	XORL    $1, R13

usual:
	STORE   R8, (DI)
	STORE   DX, (DI)(R13*BYTES)
	LEAQ    BYTES(DI)(R13*BYTES), DI
	TESTL   R13, R13
	CMOVLEQ R9, R8
	MOVL    DX, R9
	JMP     item

split:
	// Its parts, the last first, for they go onto a stack.
	MOVQ AX, DX
	SHRQ $56, DX
	ANDL $0x1f, DX
	ADDL $0x7f, DX                 // a half of one tier finer
	SHLQ $56, DX
	MOVL AX, AX
	SHLQ $2, AX
	ORQ  AX, DX                    // the first quarter, without a corner

	// If all middles are active and nothing finer is, then all but the first part
	// is known.
	CMPL R12, $31
	JNE  parts
	MOVQ (stripTier_numbers-stripTier__size)(BX), SI
	MOVL (SI)(AX*1), SI
	ANDL turn_mask(R15), SI
	CMPL SI, turn_want(R15)
	JNE  parts
	MOVQ (CX), AX
	BTSQ $61, AX
	MOVQ AX, (CX)
	ADDQ turn_items(R15), DX
	MOVQ DX, 8(CX)
	ADDQ $16, CX
	JMP  item

parts:
	SHLQ $62, R13
	MOVL 32(R14), AX
	MOVQ AX, centre-8(SP)

	// From the right angle to where it is left.
	MOVL    (turn_places+4*const_roleEnd)(R15), BX
	MOVL    (turn_places+4*const_roleLast)(R15), SI
	MOVL    (R14)(BX*4), BX
	MOVL    (R14)(SI*4), SI
	SHLQ    $32, BX
	ORQ     R13, BX
	BTSL    $31, SI
	ADDQ    (turn_items+24)(R15), R13
	ADDQ    DX, R13
	MOVQ    SI, AX
	ORQ     BX, AX
	ORQ     centre-8(SP), BX
	TESTL   $16, R12
	CMOVQEQ AX, R13
	TESTL   $2, R12
	CMOVQEQ BX, R13
	MOVQ    R13, (CX)
	MOVL    32(R14), R13
	SHLQ    $32, R13
	ORQ     R13, SI
	MOVQ    (turn_items+16)(R15), AX
	ADDQ    DX, AX
	TESTL   $8, R12
	CMOVQEQ SI, AX
	MOVQ    AX, 8(CX)
	MOVL    R12, AX
	ANDL    $2, AX
	LEAQ    8(CX)(AX*4), CX

	// From where it is entered to the right angle.
	MOVL    (turn_places+4*const_roleCorner)(R15), BX
	MOVL    (turn_places+4*const_roleFirst)(R15), SI
	MOVL    (R14)(BX*4), BX
	MOVL    (R14)(SI*4), SI
	SHLQ    $32, BX
	BTSQ    $62, BX
	BTSL    $31, SI
	ORQ     SI, R13
	ORQ     BX, SI
	ORQ     centre-8(SP), BX
	MOVQ    (turn_items+8)(R15), AX
	ADDQ    DX, AX
	BTSQ    $62, AX
	TESTL   $8, R12
	CMOVQEQ SI, AX
	TESTL   $1, R12
	CMOVQEQ BX, AX
	MOVQ    AX, (CX)
	MOVQ    turn_items(R15), AX
	ADDQ    DX, AX
	TESTL   $4, R12
	CMOVQEQ R13, AX
	MOVQ    AX, 8(CX)
	ANDL    $1, R12
	LEAQ    8(CX)(R12*8), CX
	JMP     item

rest:
	// The corner's quarter, entered and left, and the last one, of all of whose halves
	// pieces says what they add after the first.
	MOVQ (stripTier_rings-stripTier__size)(BX), BX
	MOVL AX, AX
	MOVL (turn_items+8)(R15), DX
	LEAQ (DX)(AX*4), DX
	LEAQ (DX)(DX*8), DX
	LEAQ (BX)(DX*4), R12           // ring of the corner's quarter
	MOVL (turn_items+24)(R15), DX
	LEAQ (DX)(AX*4), DX
	LEAQ (DX)(DX*8), DX
	LEAQ (BX)(DX*4), BX            // of the last

	MOVL (turn_places+4*const_roleFirst)(R15), AX
	MOVL (turn_places+4*const_roleLast)(R15), R9
	MOVL 32(R12), R8
	MOVL turn_inner(R15), DX
	MOVL (R12)(DX*4), DX
	STORE DX, (DI)                  // first
	STORE R8, (1*BYTES)(DI)
	MOVL (R14)(AX*4), DX
	STORE DX, (2*BYTES)(DI)                 // own first
	STORE R8, (3*BYTES)(DI)
	MOVL (R12)(AX*4), DX
	STORE DX, (4*BYTES)(DI)                // last
	STORE R8, (5*BYTES)(DI)
	MOVL (turn_places+4*const_roleCorner)(R15), DX
	MOVL (R14)(DX*4), DX
	STORE DX, (6*BYTES)(DI)                // own corner
	STORE R8, (7*BYTES)(DI)
	MOVL (R12)(R9*4), DX
	STORE DX, (8*BYTES)(DI)                // first of the other half
	STORE R8, (9*BYTES)(DI)
	MOVL (R14)(R9*4), AX
	STORE AX, (10*BYTES)(DI)                // own last
	STORE R8, (11*BYTES)(DI)
	MOVL (turn_inner+4)(R15), DX
	MOVL (R12)(DX*4), DX
	STORE DX, (12*BYTES)(DI)                // last of the other half
	MOVL 32(R14), SI
	STORE SI, (13*BYTES)(DI)                // own centre
	STORE DX, (14*BYTES)(DI)                // first of the last quarter
	MOVL 32(BX), R8
	STORE R8, (15*BYTES)(DI)
	STORE AX, (16*BYTES)(DI)                // own last
	STORE R8, (17*BYTES)(DI)
	MOVL (BX)(R9*4), R9
	STORE R9, (18*BYTES)(DI)                // last
	ADDQ $(19*BYTES), DI
	MOVL (turn_places+4*const_roleEnd)(R15), DX
	MOVL (R14)(DX*4), DX
	MOVL R13, R10
	JMP  usual

stripped:
	MOVQ s+0(FP), AX
	SUBQ items-16(SP), CX
	SHRQ $3, CX
	MOVQ CX, stripping_many(AX)
	SUBQ stripping_dst(AX), DI
	SHRQ $(BYTES/2), DI
	MOVQ DI, stripping_put(AX)
	MOVL R8, stripping_tail(AX)
	MOVL R9, stripping_head(AX)
	MOVL R10, stripping_parity(AX)
	VZEROUPPER
	RET
