package verify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
)

var callsProgram = matrixProgram{name: "calls", path: "../testdata/calls/calls.cu", args: [][]string{{"9"}, {"12"}}}

// rewrittenCalls is the program in a form, with which all kernels that way can reach.
func rewrittenCalls(t *testing.T, prog *parser.Program, form string) []byte {
	t.Helper()
	v, err := variant.Parse(form)
	require.NoError(t, err)
	res, err := rewrite.Run(prog, rewrite.Options{Variant: v})
	require.NoError(t, err)
	require.Len(t, res.Files, 1, form)
	return res.Files[0].After
}

// TestRewrittenLaunchCallsAreEqual: a program whose kernels are launched by all calls of the
// runtime that smux follows gives the same output in every form whose launches change.
func TestRewrittenLaunchCallsAreEqual(t *testing.T) {
	needCompiler(t)
	prog := callsProgram.load(t)
	forms := []string{"vtb named N=2", "vtb lock N=3", "vtb block N=2", "vtb named N=3 persistent", "dyn lock N=3 M=2", "merge named N=2", "co-vtb named N=2 P=32", "vtb-pipe block N=2"}
	var variants []verify.Variant
	for _, form := range forms {
		if suite.InSample(form, 3) {
			text := rewrittenCalls(t, prog, form)
			require.GreaterOrEqual(t, strings.Count(string(text), "smux::arguments<"), 3, form)
			variants = append(variants, verify.Variant{Name: form, Program: oneFile("calls", text), Checked: true})
		}
	}
	requireEqual(t, callsProgram, prog, variants)
}

// TestWrongLaunchCallsAreFound: each thing that a launch by a call says of merged blocks, said
// wrongly, is told from the original.
func TestWrongLaunchCallsAreFound(t *testing.T) {
	needCompiler(t)
	prog := callsProgram.load(t)
	right := string(rewrittenCalls(t, prog, "vtb named N=2"))
	for name, c := range map[string]struct{ right, wrong string }{
		"the blocks come first":           {"smux::arguments<3, 3>(args, smux_launch.blocks)", "smux::arguments<0, 3>(args, smux_launch.blocks)"},
		"one argument is lost":            {"smux::arguments<2, 2>(args", "smux::arguments<1, 1>(args"},
		"the blocks go behind a default":  {"smux::arguments<1, 2>(more.data(), smux_launch2.whole)", "smux::arguments<2, 2>(more.data(), smux_launch2.whole)"},
		"the merged grid is passed":       {"smux::arguments<2, 2>(more.data(), smux_launch3.blocks)", "smux::arguments<2, 2>(more.data(), smux_launch3.grid.x)"},
		"the grid is not merged":          {"smux_launch3.grid, smux_launch3.block,", "smux_launch3.whole, smux_launch3.block,"},
		"the configuration stays":         {"smux::configured(config, smux_launch)", "&config"},
		"another launch's configuration":  {"smux::configured(config, smux_launch2)", "smux::configured(config, smux_launch)"},
		"another launch's blocks":         {"shifted, out, smux_launch2.whole, 5", "shifted, out, smux_launch.whole, 5"},
		"an argument's place is kept":     {"all[i < I ? i : i + 1] = args[i]", "all[i] = args[i]"},
		"the address is not that of more": {"all[I] = &more", "all[I] = all[0]"},
		"configured forgets the grid":     {"config.gridDim = l.grid;", ""},
		"configured forgets the block":    {"config.blockDim = l.block;", ""},
	} {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 5)
			t.Parallel()
			require.Contains(t, right, c.right)
			wrong := strings.Replace(right, c.right, c.wrong, 1)
			verdict, err := verify.Run(context.Background(), verify.Request{
				Original: oneFile("calls", prog.Files[0].Src), Args: callsProgram.args, Timeout: time.Minute, Jobs: 1,
				Variants: []verify.Variant{{Name: "wrong", Program: oneFile("calls", []byte(wrong)), Checked: true}},
			})
			require.NoError(t, err)
			assert.NotEqual(t, verify.Equal, verdict.Outcome)
			for _, f := range verdict.Failures {
				assert.NotContains(t, f.Message, "compile", "a wrong text must be a program")
			}
		})
	}
}
