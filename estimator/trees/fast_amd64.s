#include "textflag.h"
#include "go_asm.h"

DATA answers<>+0(SB)/4, $1
DATA answers<>+4(SB)/4, $2
DATA answers<>+8(SB)/4, $4
DATA answers<>+12(SB)/4, $8
DATA answers<>+16(SB)/4, $16
GLOBL answers<>(SB), RODATA|NOPTR, $20

// ASK makes answer k of eight rows bit k of their places, Y0.
#define ASK(k, bit) \
	MOVBLZX fastTree_ask+k(DX), AX \
	SHLL $5, AX \
	VMOVUPS (SI)(AX*1), Y6 \
	VBROADCASTSS fastTree_above+4*k(DX), Y7 \
	VCMPPS $0x1e, Y7, Y6, Y6 \ // greater; a NaN is not
	VPAND bit, Y6, Y6 \
	VPOR Y6, Y0, Y0

// func addLeavesAVX2(sums, columns *logodds.Column, trees *fastTree, n int)
TEXT ·addLeavesAVX2(SB), NOSPLIT, $0-32
	MOVQ sums+0(FP), DI
	MOVQ columns+8(FP), SI
	MOVQ trees+16(FP), DX
	MOVQ n+24(FP), CX
	VMOVUPS (DI), Y15
	VPBROADCASTD answers<>+0(SB), Y10
	VPBROADCASTD answers<>+4(SB), Y11
	VPBROADCASTD answers<>+8(SB), Y12
	VPBROADCASTD answers<>+12(SB), Y13
	VPBROADCASTD answers<>+16(SB), Y14

tree:
	VPXOR Y0, Y0, Y0
	ASK(0, Y10)
	ASK(1, Y11)
	ASK(2, Y12)
	ASK(3, Y13)
	ASK(4, Y14)
	VPCMPEQD Y8, Y8, Y8 // all lanes
	VPXOR Y9, Y9, Y9
	LEAQ fastTree_leaves(DX), BX
	VGATHERDPS Y8, (BX)(Y0*4), Y9
	VADDPS Y9, Y15, Y15
	ADDQ $fastTree__size, DX
	DECQ CX
	JNZ tree

	VMOVUPS Y15, (DI)
	VZEROUPPER
	RET
