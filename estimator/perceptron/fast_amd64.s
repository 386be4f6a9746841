#include "textflag.h"

// func weighAVX(sums *[32]float32, x *float32, n int, weights *[32]float32)
// Products are rounded before they are added, as in weighPlainly.
TEXT ·weighAVX(SB), NOSPLIT, $0-32
	MOVQ sums+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ weights+24(FP), DX
	VMOVUPS 0(DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3

input:
	VBROADCASTSS (SI), Y4
	VMULPS 0(DX), Y4, Y5
	VMULPS 32(DX), Y4, Y6
	VMULPS 64(DX), Y4, Y7
	VMULPS 96(DX), Y4, Y8
	VADDPS Y5, Y0, Y0
	VADDPS Y6, Y1, Y1
	VADDPS Y7, Y2, Y2
	VADDPS Y8, Y3, Y3
	ADDQ $4, SI
	ADDQ $128, DX
	DECQ CX
	JNZ input

	VMOVUPS Y0, 0(DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VZEROUPPER
	RET
