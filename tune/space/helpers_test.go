package space_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/space"
)

// board is a GPU of the table.
func board(t testing.TB, name string) *gpu.GPU {
	t.Helper()
	g, err := gpu.Lookup(name)
	require.NoError(t, err)
	return g
}

// program reads texts as a program.
func program(t testing.TB, texts ...string) *parser.Program {
	t.Helper()
	names := []string{"k.cu", "l.cu", "m.cu"}[:len(texts)]
	prog, errs := parser.LoadProgram(names, reading(texts...))
	require.NoError(t, errors.Join(errs...))
	return prog
}

// reading are the options under which program reads.
func reading(texts ...string) parser.Options {
	return parser.Options{ReadFile: func(name string) ([]byte, error) {
		for i, n := range []string{"k.cu", "l.cu", "m.cu"}[:len(texts)] {
			if n == name {
				return []byte(texts[i]), nil
			}
		}
		return nil, errors.New("there is no such file")
	}}
}

// input is the first kernel of a program as an input for a GPU.
func input(t testing.TB, prog *parser.Program, opt rewrite.Options, gpuName string) space.Input {
	t.Helper()
	analysed := passes.NewProgram(prog, opt.Block)
	groups := rewrite.Groups(analysed, analysed.Kernels(), opt)
	require.NotEmpty(t, groups)
	in := space.Input{Program: prog, Analysed: analysed, Group: groups[0], Options: opt, GPU: board(t, gpuName)}
	check := func(g rewrite.Group, w selection.Variant) error {
		opt := opt
		opt.Variant = w
		if why := rewrite.Refusals(analysed, analysed.Kernels(), g, opt); len(why) > 0 {
			return errors.New(why[0].Text)
		}
		return nil
	}
	in.Report = selection.Group(in.Group, selection.Request{GPUs: []*gpu.GPU{in.GPU}, MinGain: 5, Source: selection.Estimates{}, Check: check})
	return in
}

// text is a program of one text as an input.
func text(t testing.TB, src, gpuName string) space.Input {
	t.Helper()
	in := input(t, program(t, src), rewrite.Options{}, gpuName)
	in.Parse = reading(src)
	return in
}

// examples are the paths of the ten examples.
func examples(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(t, err)
	require.Len(t, paths, 10)
	return paths
}

// example is one of the ten as an input.
func example(t testing.TB, path, gpuName string, opt rewrite.Options) space.Input {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	return input(t, prog, opt, gpuName)
}

// lists holds what is listed of the examples: several tests look at it.
var lists sync.Map

type listing struct {
	entries []space.ListedVariant
	left    []space.OmittedVariant
}

// listed returns all that can be listed of an example for a GPU of today.
func listed(t *testing.T, path string) ([]space.ListedVariant, []space.OmittedVariant) {
	t.Helper()
	once, _ := lists.LoadOrStore(path, sync.OnceValue(func() listing {
		in := example(t, path, "h200", rewrite.Options{Runtime: "header"})
		in.All = true
		entries, left := space.Enumerate(in)
		return listing{entries, left}
	}))
	l := once.(func() listing)()
	return l.entries, l.left
}
