package operator_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/operator"
)

func TestOperatorsComputeAsInCpp(t *testing.T) {
	for tok, want := range map[string]int64{
		"+": -7 + 3, "-": -10, "*": -21, "/": -2, "%": -1, "&": -7 & 3, "|": -7 | 3, "^": -7 ^ 3,
		"==": 0, "!=": 1, "<": 1, ">": 0, "<=": 1, ">=": 0, "&&": 1, "and": 1, "||": 1, "or": 1, "min": -7, "max": 3,
	} {
		got, ok := operator.Apply(tok, -7, 3)
		assert.True(t, ok, tok)
		assert.Equal(t, want, got, "-7 %s 3", tok)
	}
	for tok, want := range map[string]int64{"<<": 40, ">>": 1, "==": 0, "<=": 0, ">=": 1, "&": 1, "|": 7} {
		got, ok := operator.Apply(tok, 5, 3)
		if tok == ">>" {
			got, ok = operator.Apply(tok, 8, 3)
		}
		assert.True(t, ok, tok)
		assert.Equal(t, want, got, tok)
	}
	for _, tok := range []string{"<=", ">=", "=="} {
		got, _ := operator.Apply(tok, 4, 4)
		assert.Equal(t, int64(1), got, tok)
	}
	for _, tok := range []string{"<", ">", "!="} {
		got, _ := operator.Apply(tok, 4, 4)
		assert.Zero(t, got, tok)
	}
}

func TestLogicIsOfTruthNotOfBits(t *testing.T) {
	for _, c := range []struct{ x, y, and, or int64 }{{0, 0, 0, 0}, {0, 4, 0, 1}, {2, 0, 0, 1}, {2, 4, 1, 1}} {
		and, _ := operator.Apply("&&", c.x, c.y)
		or, _ := operator.Apply("||", c.x, c.y)
		assert.Equal(t, [2]int64{c.and, c.or}, [2]int64{and, or}, "%d, %d", c.x, c.y)
	}
}

// What C++ leaves undefined has no answer: an analysis that made one up could prove what is not so.
func TestUndefinedOperationsHaveNoAnswer(t *testing.T) {
	for _, c := range []struct {
		tok  string
		x, y int64
	}{{"/", 1, 0}, {"%", 1, 0}, {"<<", -1, 2}, {"<<", 1, -1}, {"<<", 1, 32}, {">>", -1, 2}, {">>", 1, -1}, {">>", 1, 32}, {"=", 1, 1}, {"", 1, 1}, {"<=>", 1, 1}} {
		_, ok := operator.Apply(c.tok, c.x, c.y)
		assert.False(t, ok, "%d %s %d", c.x, c.tok, c.y)
	}
	got, ok := operator.Apply("<<", 1, 31)
	assert.True(t, ok)
	assert.Equal(t, int64(1)<<31, got)
}

// Only operators with a truth value count as logical: unsigned operands make the results of the others unsigned.
func TestLogicalOperatorsGiveTruthValues(t *testing.T) {
	for _, tok := range []string{"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", ">", "<=", ">=", "&&", "and", "||", "or", "min", "max"} {
		always := true
		for x := int64(0); x < 6; x++ {
			for y := int64(0); y < 6; y++ {
				if r, ok := operator.Apply(tok, x, y); ok && r != 0 && r != 1 {
					always = false
				}
			}
		}
		assert.Equal(t, always, operator.Logical(tok), tok)
	}
}
