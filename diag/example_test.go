package diag_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// noKernel are codes whose example is a command or a file that can't be shown
// as it is: the tests of packages parser and cmd make such input.
var noKernel = []diag.Code{
	"missing-file", "is-directory", "empty-file", "binary-file", "file-too-large", "too-deep", "invalid-utf8", "not-verified", "nvcc-refused", "not-compiled",
	"unreadable-file", "as-asked", "limiter", "internal", "evidence",
	"baseline-missing", "baseline-file",
	"results-broken", "results-unknown", // package tune/foreign
	"not-a-profile",                                      // package model/profile
	"no-slurm", "job-refused", "not-shared", "jobs-lost", // package tune/slurm
}

// isChosen reports whether a code is one of package choose, whose examples are
// tested there: they need a GPU to choose for.
func isChosen(t *testing.T, code diag.Code) bool {
	return strings.HasPrefix(declaredCodes(t)[string(code)], "../pipeline/selection")
}

// isClimbed reports whether a code is one of package ladder, whose examples are
// tested there: they need a compiler.
func isClimbed(t *testing.T, code diag.Code) bool {
	return strings.HasPrefix(declaredCodes(t)[string(code)], "../rewrite/regreduce")
}

// isRun reports whether a code is one of packages verify and below: their
// examples are programs to be run, or specifications, and are tested there.
func isRun(t *testing.T, code diag.Code) bool {
	return strings.HasPrefix(declaredCodes(t)[string(code)], "../verify")
}

// isValidated reports whether a code is one of package validate, whose example is
// two programs and is tested there.
func isValidated(t *testing.T, code diag.Code) bool {
	return strings.HasPrefix(declaredCodes(t)[string(code)], "../validate")
}

// isOpenACC reports whether a code is one of package acc and below, whose examples are
// C and are tested there.
func isOpenACC(t *testing.T, code diag.Code) bool {
	return strings.HasPrefix(declaredCodes(t)[string(code)], "../acc")
}

// isSetting reports whether a code is one of package config, whose examples are
// tested there: they are files of settings, and directives.
func isSetting(t *testing.T, code diag.Code) bool {
	from := declaredCodes(t)[string(code)]
	return strings.HasPrefix(from, "../project/config") || strings.HasPrefix(from, "../model/gpu")
}

// isRecorded reports whether a code is one of package report/baseline, whose
// examples are tested in package cmd: they are changes to a kernel.
func isRecorded(t *testing.T, code diag.Code) bool {
	return strings.HasPrefix(declaredCodes(t)[string(code)], "../report/baseline")
}

// also are further codes that an example gets for good reason.
var also = map[diag.Code][]diag.Code{
	"overload":   {"no-shared"},      // of the other kernel
	"async-copy": {"shared-escapes"}, // into the copy
	"grid-sync":  {"unknown-call"},   // sync() of that group
	"tile":       {"unknown-call"},   // sync() of that tile
	"staged":     {"shape-assumed"},  // of launches out of sight
}

// options are those of a run on an example: kernels shown without a launch are
// rewritten with --block 64, as far as the code is not about that.
func options(t *testing.T, d diag.Doc, sync string) rewrite.Options {
	opt := rewrite.Options{Variant: rewrite.Variant{Factor: 2, Sync: sync}, Block: [3]int{64, 1, 1}}
	switch d.Code {
	case "barrier-ids":
		opt.Factor = 8
	case "pipe-form":
		opt.Rewriter = "vtb-pipe"
	case "no-overlap", "overlap-mark":
		opt.Rewriter, opt.Sync = "vtb-pipe", "block"
	case "slots":
		opt.Rewriter, opt.Factor, opt.SharedSets = "dyn", 4, 2
	case "sync-mode":
		opt.Rewriter = "merge"
	case "partition":
		opt.Rewriter, opt.PrivateRows = "co-vtb", 2
	case "persistent":
		opt.Persistent = true
	case "nothing-to-stage":
		opt.Rewriter = "stage-loads"
	case "stage-vector":
		opt.Vector = 4
	case "index-elsewhere", "clock":
		opt.Rewriter = "coarsen"
	case "works-together":
		opt.Rewriter = "reshape"
	case "block-shape":
		opt.Rewriter = "assume-shape"
	case "no-launch", "block-unknown":
		opt.Block = [3]int{}
	}
	if folder := filepath.Base(filepath.Dir(declaredCodes(t)[string(d.Code)])); opt.Rewriter == "" && variant.Named(folder) != nil && folder != variant.Merge {
		opt.Rewriter = folder // a rewriter's own code
	}
	if m := recipeInExample.FindStringSubmatch(d.Example); m != nil {
		opt.Rewriter, opt.Recipe = "demote", m[1]
	}
	return opt
}

// recipeInExample matches the command in an example that gets its code.
var recipeInExample = regexp.MustCompile(`--recipe '([^']*)'`)

// codesOf rewrites a program in all sync modes and returns the codes reported.
func codesOf(t *testing.T, d diag.Doc, src string) []diag.Code {
	dir := t.TempDir()
	name := filepath.Join(dir, "kernel.cu")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel.h"), []byte("__global__ void k(float *a);\n"), 0o666))
	f, err := parser.Parse(name, []byte(src), parser.Options{})
	var input *parser.InputError
	if errors.As(err, &input) {
		return []diag.Code{input.Code}
	}
	require.NoError(t, err)
	var codes []diag.Code
	for _, sync := range variant.Syncs {
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), options(t, d, sync))
		require.NoError(t, err)
		for _, k := range res.Kernels {
			for _, m := range slices.Concat(k.Refused, k.Notes) {
				if !slices.Contains(codes, m.Code) {
					codes = append(codes, m.Code)
				}
			}
		}
	}
	return codes
}

// TestExampleGetsItsCode rewrites each documented example and expects exactly
// the code that it is an example of: documentation that is wrong fails here.
func TestExampleGetsItsCode(t *testing.T) {
	for _, d := range diag.Docs() {
		if slices.Contains(noKernel, d.Code) || isRun(t, d.Code) || isValidated(t, d.Code) || isOpenACC(t, d.Code) || isSetting(t, d.Code) || isChosen(t, d.Code) || isClimbed(t, d.Code) || isRecorded(t, d.Code) {
			continue
		}
		t.Run(string(d.Code), func(t *testing.T) {
			codes := codesOf(t, d, d.Example)
			assert.Contains(t, codes, d.Code)
			for _, c := range codes {
				if c != d.Code && c != "no-launch" && c != "launch-by-hand" && !slices.Contains(also[d.Code], c) {
					t.Errorf("the example gets %s as well", c)
				}
			}
		})
	}
}
