package rewrite_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// TestPinsKeepTheText pins all that can be pinned in the examples, with another
// unroll factor for each loop: but for empty asms, braces and a const, the tokens
// must stay, and smux must be able to parse them again.
func TestPinsKeepTheText(t *testing.T) {
	pins := 0
	for _, path := range examplePaths(t) {
		parsed, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		for _, k := range passes.NewProgram(parsed, [3]int{}).Kernels() {
			var r variant.Recipe
			c := demotion.Of(k, nil)
			for _, p := range c.Pins {
				r.Pins = append(r.Pins, p.Name)
			}
			for _, l := range c.Loops {
				r.Unroll = append(r.Unroll, variant.UnrolledLoop{Loop: l.Name, Factor: 2})
			}
			pins += len(r.Pins)
			if r.String() == "" {
				continue
			}
			opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: r.String()}, Kernels: []string{k.Name}}
			res, err := rewrite.Run(parsed, opt)
			require.NoError(t, err)
			require.Len(t, res.Files, 1, "%s: %v", path, res.Kernels)
			f, err := parser.Parse("k.cu", res.Files[0].After, parser.Options{})
			require.NoError(t, err)
			assert.Empty(t, f.Errors, "%s: %s", filepath.Base(path), r)
			assertOnlyPins(t, tokensOf(t, res.Files[0].Before), tokensOf(t, res.Files[0].After))
		}
	}
	assert.Greater(t, pins, 50)
}

func tokensOf(t *testing.T, src []byte) (out []string) {
	f, err := parser.Parse("k.cu", src, parser.Options{})
	require.NoError(t, err)
	for _, tok := range f.Tokens() {
		out = append(out, string(src[tok.Start:tok.End]))
	}
	return out
}

// assertOnlyPins checks that nothing but empty asms and pairs of braces came in,
// and nothing but const went.
func assertOnlyPins(t *testing.T, before, after []string) {
	t.Helper()
	i, braces := 0, 0
	for j := 0; j < len(after); j++ {
		switch {
		case after[j] == "asm" && after[j+1] == "volatile" && after[j+3] == `""`:
			for after[j] != ";" {
				j++
			}
		case i < len(before) && before[i] == after[j]:
			i++
		case i < len(before) && before[i] == "const":
			i++
			j--
		case after[j] == "{":
			braces++
		case after[j] == "}":
			braces--
		default:
			require.Fail(t, "another token", "%v", after[max(0, j-8):min(len(after), j+4)])
		}
	}
	assert.Equal(t, len(before), i)
	assert.Zero(t, braces)
}
