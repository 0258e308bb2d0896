package verify_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

var (
	addedBarrier = regexp.MustCompile(`(?m)^\s*__syncthreads\(\);  // smux overlay.*$`)
	sideBySide   = regexp.MustCompile(`struct \{ [^}]*\} together`)
	memberBound  = regexp.MustCompile(`\[([A-Z]+)\];`)
	unionText    = regexp.MustCompile(`(?s)__shared__ union \{.*?\} smux_shared\w*;`)
)

// overlayMutants are a text that overlay wrote, each with one step of it undone: an added
// barrier left out, what lies side by side on one another, members of half their size.
func overlayMutants(text string) map[string]string {
	out := map[string]string{}
	replace := func(name string, at []int, with string) {
		out[fmt.Sprintf("%s %d", name, len(out)+1)] = text[:at[0]] + with + text[at[1]:]
	}
	for _, at := range addedBarrier.FindAllStringIndex(text, -1) {
		replace("no barrier", at, "")
	}
	for _, at := range sideBySide.FindAllStringIndex(text, -1) {
		replace("on one another", at, strings.Replace(text[at[0]:at[1]], "struct", "union", 1))
	}
	at := unionText.FindStringIndex(text)
	replace("half the bytes", at, memberBound.ReplaceAllString(text[at[0]:at[1]], "[$1 / 2];"))
	return out
}

// TestOverlaidExamplesAreEqualAndTheirMutantsAreNot runs programs of
// examples/footprint as overlay writes it, and with each step of that undone.
func TestOverlaidExamplesAreEqualAndTheirMutantsAreNot(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	for _, example := range []string{"scan", "select", "stencil"} {
		path := filepath.Join("../examples/footprint", example, example+".cu")
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 3)
			t.Parallel()
			prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
			require.NoError(t, errors.Join(errs...))
			res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "overlay"}})
			require.NoError(t, err)
			require.Empty(t, res.Kernels[0].Refused)
			text := string(res.Files[0].After)
			mutants := overlayMutants(text)
			require.GreaterOrEqual(t, len(mutants), 3)
			request := verify.Request{
				Original: oneFile(name, prog.Files[0].Src), Timeout: 5 * time.Minute, Jobs: 1,
				Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "descending"}, {Kind: "random", Seed: 1}},
				CheckedSchedules: []execute.Schedule{{Kind: "random", Seed: 1}},
				Variants:         []verify.Variant{{Name: "overlay", Program: oneFile(name, []byte(text)), Checked: true}},
			}
			names := []string{}
			for mutant, text := range mutants {
				names = append(names, mutant)
				request.Variants = append(request.Variants, verify.Variant{Name: mutant, Program: oneFile(name, []byte(text)), Checked: true})
			}
			verdict, err := verify.Run(context.Background(), request)
			require.NoError(t, err)
			for _, f := range verdict.Failures {
				assert.False(t, f.Variant == "overlay" || f.Message.Code == verify.CodeDoesNotCompile, "%s: %s\n%s", f.Variant, f.Message, f.Output)
			}
			assert.True(t, verdict.Passed("overlay"))
			slices.Sort(names)
			for _, mutant := range names {
				assert.False(t, verdict.Passed(mutant), "%s survives", mutant)
			}
			t.Logf("%d mutants", len(mutants))
		})
	}
}
