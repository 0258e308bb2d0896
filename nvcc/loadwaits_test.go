package nvcc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Loads that are under way together share a wait, however wide they are.
func TestLoadsUnderWayTogetherShareAWait(t *testing.T) {
	for _, c := range []struct {
		code string
		want float64
	}{
		{`LDG.E R2, [R10.64] ; LDG.E R3, [R10.64+0x4] ; FADD R4, R2, R3 ; STG.E [R12.64], R4`, 1},
		{`LDG.E R2, [R10.64] ; FADD R4, R2, R4 ; LDG.E R3, [R10.64+0x4] ; FADD R4, R3, R4`, 2},
		{`LDG.E.128 R4, [R10.64] ; LDG.E R3, [R12.64] ; STS [R0], R7 ; STS [R0+0x4], R3`, 1},
		{`LDG.E R2, [R10.64] ; LDG.E R2, [R12.64]`, 2}, // the second has to wait for the register
		{`LDG.E R10, [R10.64] ; LDG.E R2, [R10.64] ; STS [R0], R2`, 2},
		{`LDS R2, [R10] ; FADD R4, R2, R2`, 0},
		{`LDG.E R2, [R10.64] ; EXIT`, 1},
		// one is stored while the next is loaded: three are under way all the time
		{`LDG.E R2, [R10.64] ; LDG.E R3, [R10.64+0x4] ; LDG.E R4, [R10.64+0x8] ; STS [R0], R2 ; LDG.E R2, [R10.64+0xc] ;
			STS [R0], R3 ; LDG.E R3, [R10.64+0x10] ; STS [R0], R4 ; LDG.E R4, [R10.64+0x14] ; STS [R0], R2 ; STS [R0], R3 ; STS [R0], R4`, 2},
	} {
		text := ""
		for i, in := range splitCode(c.code) {
			text += instructionLine(i, in)
		}
		assert.InDelta(t, c.want, listing(t, text).Total().LoadWaits, 1e-9, c.code)
	}
}

func splitCode(code string) []string {
	return strings.Split(strings.Join(strings.Fields(code), " "), " ; ")
}

func instructionLine(i int, text string) string {
	return fmt.Sprintf("        /*%04x*/                   %s ;\n", 16*i, text)
}
