package verify_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// plainCodes are those whose example needs no checked build.
var plainCodes = []diag.Code{
	verify.CodeDifferentCopy, verify.CodeDifferentStdout, verify.CodeDifferentExit, verify.CodeOrderDependent, verify.CodeNoProgress,
	verify.CodeTrap, verify.CodeIllegalAddress, verify.CodeStackOverflow, verify.CodeCanary, verify.CodeLaunchError, verify.CodeDeadlock,
	verify.CodeBarrierDivergence, verify.CodeWarpDivergence, verify.CodeBadBarrier,
	verify.CodeDoesNotCompile, verify.CodeNeedsLibrary, verify.CodeNotSupported, verify.CodeNoMain, verify.CodeCrashes, verify.CodeHangs,
	verify.CodeExitsNonzero, verify.CodeNotDeterministic, verify.CodeNotExercised,
}

// checkedCodes need one.
var checkedCodes = []diag.Code{verify.CodeRace, verify.CodeOutOfBounds, verify.CodeUninitialised, verify.CodeMisaligned, verify.CodeIntegerOverflow, verify.CodeDivisionByZero}

// TestDocumentedProgramGetsItsCode runs the example of each code.
func TestDocumentedProgramGetsItsCode(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("examples are not compiled with -short")
	}
	for _, code := range slices.Concat(plainCodes, checkedCodes) {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			doc, ok := diag.Lookup(code)
			require.True(t, ok)
			request := requestOf(doc.Example)
			if code == verify.CodeHangs {
				request.Timeout = time.Second
			}
			if slices.Contains(plainCodes, code) {
				request.CheckedSchedules = []execute.Schedule{}
			}
			verdict, err := verify.Run(context.Background(), request)
			require.NoError(t, err)
			assert.Contains(t, codesIn(verdict), code)
			for _, c := range codesIn(verdict) {
				if c != code && !slices.Contains(alsoFound[code], c) {
					t.Errorf("the example gets %s as well", c)
				}
			}
		})
	}
}

// alsoFound are further codes that an example gets for good reason.
var alsoFound = map[diag.Code][]diag.Code{
	verify.CodeRace:            {verify.CodeUninitialised}, // in ascending order nobody has written yet
	verify.CodeOutOfBounds:     {verify.CodeCanary},        // the plain build sees what the write left
	verify.CodeIntegerOverflow: {verify.CodeRace},          // the rows of all threads are one
}

// requestOf makes a request of an example: one program, or two below the
// comments "// a.cu" and "// b.cu".
func requestOf(example string) verify.Request {
	request := verify.Request{
		Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "descending"}},
		CheckedSchedules: []execute.Schedule{{Kind: "ascending"}},
		Timeout:          time.Minute, Watchdog: time.Second, Jobs: 1,
	}
	first, second, two := strings.Cut(example, "// b.cu\n")
	request.Original = oneFile("a", []byte(first))
	if two {
		request.Variants = []verify.Variant{{Name: "b.cu", Separate: true, Program: oneFile("b", []byte(second))}}
	}
	return request
}

func codesIn(v *verify.Verdict) (out []diag.Code) {
	add := func(c diag.Code) {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	for _, f := range v.Findings {
		add(f.Message.Code)
	}
	for _, f := range v.Failures {
		add(f.Message.Code)
	}
	return out
}

// TestWhatIsModelled: the table of docs/use/verify.md stands in the code, each row where
// it is true: in comments of verify/shim that begin with "Modelled:".
func TestWhatIsModelled(t *testing.T) {
	var rows []string
	require.NoError(t, filepath.WalkDir("shim", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if row, ok := strings.CutPrefix(strings.TrimSpace(line), "// Modelled: "); ok {
				assert.Equal(t, 2, strings.Count(row, " | "), "%s: what, how, and what is not", path)
				rows = append(rows, "| "+row+" |\n")
			}
		}
		return err
	}))
	slices.Sort(rows)
	page, err := os.ReadFile("../docs/use/verify.md")
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(page), "<!-- modelled -->\n")
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, "<!-- /modelled -->\n")
	require.True(t, ok)
	want := before + "<!-- modelled -->\n| | modelled | not |\n|---|---|---|\n" + strings.Join(rows, "") + "<!-- /modelled -->\n" + after
	if *update {
		require.NoError(t, os.WriteFile("../docs/use/verify.md", []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(page), "run go test ./verify -run WhatIsModelled -update")
	assert.LessOrEqual(t, len(strings.Fields(want)), 2500, "words of docs/use/verify.md")
}
