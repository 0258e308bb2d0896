package verify_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// TestWordsInSharedMemoryAreEqual moves variables of all kinds to shared memory,
// in both forms, in a kernel with early exits, divergent branches, a device
// function and blocks of three dimensions, and in that kernel merged: in every
// order the output is the same, and there is no race.
func TestWordsInSharedMemoryAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not run with -short")
	}
	prog, errs := parser.LoadProgram([]string{"testdata/words.cu"}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	demote := func(prog *parser.Program, recipe string) []byte {
		res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: recipe}})
		require.NoError(t, err)
		for _, k := range res.Kernels {
			require.Empty(t, k.Refused)
		}
		require.Len(t, res.Files, 1)
		return res.Files[0].After
	}
	const words = "demote=sum,wide,p,force,tap,bits,big,left,right,other,scale,part"
	request := verify.Request{Original: oneFile("words", prog.Files[0].Src)}
	add := func(name string, text []byte) {
		request.Variants = append(request.Variants, verify.Variant{Name: name, Program: oneFile("words", text)})
	}
	add("volatile", demote(prog, words))
	add("asm", demote(prog, words+" form=asm"))
	merged, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "merge", Factor: 2}})
	require.NoError(t, err)
	require.Len(t, merged.Files, 1, "%v", merged.Kernels)
	again, errs := parser.LoadProgram([]string{"words.cu"}, parser.Options{ReadFile: func(string) ([]byte, error) { return merged.Files[0].After, nil }})
	require.NoError(t, errors.Join(errs...))
	add("merged", demote(again, words))

	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	assert.Empty(t, verdict.Failures)
	assert.Empty(t, verdict.Findings)
	assert.Equal(t, verify.Equal, verdict.Outcome)
}

// TestWordsInDynamicSharedMemoryAreEqual does so if nothing bounds the threads
// of a block: blocks of several shapes, with and without dynamic shared memory of
// the kernel's own, of which the words touch nothing.
func TestWordsInDynamicSharedMemoryAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not run with -short")
	}
	prog, errs := parser.LoadProgram([]string{"testdata/words_dynamic.cu"}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	demote := func(text []byte, kernel, recipe string) []byte {
		prog, errs := parser.LoadProgram([]string{"words.cu"}, parser.Options{ReadFile: func(string) ([]byte, error) { return text, nil }})
		require.NoError(t, errors.Join(errs...))
		res, err := rewrite.Run(prog, rewrite.Options{Kernels: []string{kernel}, Variant: rewrite.Variant{Rewriter: "demote", Recipe: recipe}})
		require.NoError(t, err)
		require.Len(t, res.Files, 1, "%v", res.Kernels)
		return res.Files[0].After
	}
	src := prog.Files[0].Src
	request := verify.Request{Original: oneFile("words", src), Variants: []verify.Variant{
		{Name: "volatile", Program: oneFile("words", demote(demote(src, "own", "demote=sum,force,tap,bits"), "none", "demote=sum"))},
		{Name: "asm", Program: oneFile("words", demote(src, "own", "demote=sum,force,tap form=asm"))},
	}}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	assert.Empty(t, verdict.Failures)
	assert.Empty(t, verdict.Findings)
	assert.Equal(t, verify.Equal, verdict.Outcome)
}
