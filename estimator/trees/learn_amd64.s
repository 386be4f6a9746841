#include "textflag.h"
#include "go_asm.h"

// ADD adds the row, Y0, to the bin of feature k in the table of its leaf, (AX).
#define ADD(k) \
	MOVBLZX k(DX), BX \
	SHLL $5, BX \
	VADDPD (2048*k)(AX)(BX*1), Y0, Y1 \
	VMOVUPD Y1, (2048*k)(AX)(BX*1)

// func addRowsAVX2(tables *table, rows *sums, leaf *uint8, at *[abreast]uint8, n int)
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ tables+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ leaf+16(FP), R8
	MOVQ at+24(FP), DX
	MOVQ n+32(FP), CX

row:
	VMOVUPD (SI), Y0
	MOVBLZX (R8), AX
	SHLL $13, AX
	ADDQ DI, AX
	ADD(0)
	ADD(1)
	ADD(2)
	ADD(3)
	ADDQ $32, SI
	INCQ R8
	ADDQ $4, DX
	DECQ CX
	JNZ row

	VZEROUPPER
	RET
