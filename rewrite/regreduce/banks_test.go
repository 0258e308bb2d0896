package regreduce

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/nvcc"
)

func TestOperandsInOneBankConflict(t *testing.T) {
	for operands, want := range map[string][2]int{ // with four banks and with two
		"R0, R1, R2, R3":                     {0, 1},
		"R0, R1, R5, R2":                     {1, 1},
		"R0, R1, R5, R9":                     {2, 2},
		"R0, R1.reuse, R5, R2":               {0, 0},
		"R0, -R4, |R8|, c[0x0][0x20]":        {1, 1},
		"R0, R4, R4, R4":                     {0, 0}, // one register is read once
		"R4, R8, 0x1":                        {0, 0}, // the first is written
		"R2, [R6+0x10]":                      {0, 0},
		"[R2.64], R6":                        {0, 0},
		"P0, PT, R0, R8, PT":                 {1, 1},
		"RZ, RZ, RZ, RZ":                     {0, 0},
		"":                                   {0, 0},
		"R2, SR_TID.X":                       {0, 0},
		"R2, UR4, R6, R10":                   {1, 1},
		"R0, R2.reuse, R6.reuse, R10":        {0, 0},
		"R16, R0.reuse, R5, R16":             {0, 0},
		"R16, R12, R5, R16":                  {1, 1},
		"R0, R1, c[0x0][0x160], R9, !PT, P1": {1, 1},
	} {
		in := nvcc.Instruction{Opcode: "FFMA", Operands: operands}
		assert.Equal(t, want, [2]int{conflict(in, 4), conflict(in, 2)}, operands)
	}
}
