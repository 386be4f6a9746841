#include "textflag.h"
#include "go_asm.h"

DATA numbers<>+0(SB)/4, $0x7f7fffff // the largest
DATA numbers<>+4(SB)/4, $0x3f800000 // 1
DATA numbers<>+8(SB)/4, $0x40800000 // cut
DATA numbers<>+12(SB)/4, $0xc0800000 // -cut
GLOBL numbers<>(SB), RODATA|NOPTR, $16

// NUMBERS begins a form: inputs DX, n CX of them, of columns SI into x DI. Y15 is the largest number, Y14 1.
#define NUMBERS \
	MOVQ x+0(FP), DI \
	MOVQ columns+8(FP), SI \
	MOVQ inputs+16(FP), DX \
	MOVQ n+24(FP), CX \
	VBROADCASTSS numbers<>+0(SB), Y15 \
	VBROADCASTSS numbers<>+4(SB), Y14

// FEATURE is that of eight rows, Y0; what is no number is the largest.
#define FEATURE \
	MOVBLZX (quick_Input+Input_Feature)(DX), AX \
	SHLL $5, AX \
	VMOVUPS (SI)(AX*1), Y0 \
	VCMPPS $3, Y0, Y0, Y1 \ // unordered
	VBLENDVPS Y1, Y15, Y0, Y0

// WITHIN cuts bits at the input's limits.
#define WITHIN \
	VPBROADCASTD quick_least(DX), Y1 \
	VPMAXSD Y1, Y0, Y0 \
	VPBROADCASTD quick_most(DX), Y1 \
	VPMINSD Y1, Y0, Y0

// AT makes bits of a logarithm the input.
#define AT \
	VCVTDQ2PS Y0, Y0 \
	VBROADCASTSS quick_times(DX), Y1 \
	VMULPS Y1, Y0, Y0 \
	VBROADCASTSS quick_plus(DX), Y1 \
	VADDPS Y1, Y0, Y0

// OF brings a value on its scale to mean and deviation, within cut; Y13 and Y12. What is no number is 0.
#define OF \
	VBROADCASTSS (quick_Input+Input_Mean)(DX), Y1 \
	VSUBPS Y1, Y0, Y0 \
	VBROADCASTSS (quick_Input+Input_Factor)(DX), Y1 \
	VMULPS Y1, Y0, Y0 \
	VCMPPS $7, Y0, Y0, Y1 \ // ordered
	VANDPS Y1, Y0, Y0 \
	VMAXPS Y12, Y0, Y0 \
	VMINPS Y13, Y0, Y0

#define NEXT(loop) \
	VMOVUPS Y0, (DI) \
	ADDQ $32, DI \
	ADDQ $quick__size, DX \
	DECQ CX \
	JNZ loop \
	VZEROUPPER \
	RET

// func plainAVX2(x, columns *logodds.Column, inputs *quick, n int)
TEXT ·plainAVX2(SB), NOSPLIT, $0-32
	NUMBERS
	VBROADCASTSS numbers<>+8(SB), Y13
	VBROADCASTSS numbers<>+12(SB), Y12
input:
	FEATURE
	OF
	NEXT(input)

// func missingAVX2(x, columns *logodds.Column, inputs *quick, n int)
TEXT ·missingAVX2(SB), NOSPLIT, $0-32
	NUMBERS
	VBROADCASTSS numbers<>+8(SB), Y13
	VBROADCASTSS numbers<>+12(SB), Y12
	VXORPS Y11, Y11, Y11
input:
	FEATURE
	VCMPPS $0x11, Y11, Y0, Y0 // less than 0
	VANDPS Y14, Y0, Y0
	OF
	NEXT(input)

// func countAVX2(x, columns *logodds.Column, inputs *quick, n int)
TEXT ·countAVX2(SB), NOSPLIT, $0-32
	NUMBERS
input:
	FEATURE
	VADDPS Y14, Y0, Y0
	WITHIN
	AT
	NEXT(input)

// func rateAVX2(x, columns *logodds.Column, inputs *quick, n int)
TEXT ·rateAVX2(SB), NOSPLIT, $0-32
	NUMBERS
input:
	FEATURE
	WITHIN
	AT
	NEXT(input)

// func oddsAVX2(x, columns *logodds.Column, inputs *quick, n int)
TEXT ·oddsAVX2(SB), NOSPLIT, $0-32
	NUMBERS
input:
	FEATURE
	WITHIN
	VSUBPS Y0, Y14, Y2 // 1 - share
	VPSUBD Y2, Y0, Y0
	AT
	NEXT(input)

// UNIT adds the weighted input of eight rows, Y8, to the sum of a unit.
#define UNIT(k, sum) \
	VBROADCASTSS 4*k(DX), Y9 \
	VMULPS Y9, Y8, Y9 \
	VADDPS Y9, sum, sum

// BIAS begins the sum of a unit.
#define BIAS(k, sum) VBROADCASTSS block_bias+4*k(BX), sum

// OUT adds what a unit is worth, if it is above 0.
#define OUT(k, sum, add) \
	VMAXPS Y8, sum, sum \
	VBROADCASTSS block_out+4*k(BX), Y9 \
	VMULPS Y9, sum, sum \
	VADDPS sum, add, add

// func addUnitsAVX2(sums, x *logodds.Column, n int, weights *[32]float32, layer *block)
TEXT ·addUnitsAVX2(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), DI
	MOVQ layer+32(FP), BX
	MOVQ weights+24(FP), R8
	MOVQ $4, R9 // parts of eight units
	VXORPS Y12, Y12, Y12
	VXORPS Y13, Y13, Y13
	VXORPS Y14, Y14, Y14
	VXORPS Y15, Y15, Y15

part:
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ R8, DX
	BIAS(0, Y0)
	BIAS(1, Y1)
	BIAS(2, Y2)
	BIAS(3, Y3)
	BIAS(4, Y4)
	BIAS(5, Y5)
	BIAS(6, Y6)
	BIAS(7, Y7)

input:
	VMOVUPS (SI), Y8
	UNIT(0, Y0)
	UNIT(1, Y1)
	UNIT(2, Y2)
	UNIT(3, Y3)
	UNIT(4, Y4)
	UNIT(5, Y5)
	UNIT(6, Y6)
	UNIT(7, Y7)
	ADDQ $32, SI
	ADDQ $128, DX
	DECQ CX
	JNZ input

	VXORPS Y8, Y8, Y8
	OUT(0, Y0, Y12)
	OUT(1, Y1, Y13)
	OUT(2, Y2, Y14)
	OUT(3, Y3, Y15)
	OUT(4, Y4, Y12)
	OUT(5, Y5, Y13)
	OUT(6, Y6, Y14)
	OUT(7, Y7, Y15)
	ADDQ $32, R8
	ADDQ $32, BX
	DECQ R9
	JNZ part

	VADDPS Y13, Y12, Y12 // in the order of plain Go
	VADDPS Y14, Y12, Y12
	VADDPS Y15, Y12, Y12
	VADDPS (DI), Y12, Y12
	VMOVUPS Y12, (DI)
	VZEROUPPER
	RET
