package parser

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// At a line "@ NAME want" the macro NAME must stand for want: its body, "none",
// "ambiguous", or "default BODY" for one that the build may override.
func TestLookup(t *testing.T) {
	cases := map[string]string{
		"object-like":           "@ A none\n#define A 1\n@ A 1",
		"redefinition":          "#define A 1\n@ A 1\n#define A 2\n@ A 2",
		"undef":                 "#define A 1\n#undef A\n@ A none",
		"continuation lines":    "#define A 1 + \\\n  2 // end\n@ A 1 +    2",
		"comments in body":      "#define A 1 /* one */ + 2\n@ A 1   + 2",
		"if 0":                  "#if 0\n#define A 1\n#endif\n@ A none",
		"if 1 else":             "#if 1\n#define A 1\n#else\n#define A 2\n#endif\n@ A 1",
		"elif chain":            "#define N 2\n#if N == 1\n#define A 1\n#elif N == 2\n#define A 2\n#else\n#define A 3\n#endif\n@ A 2",
		"undecided branches":    "#ifdef X\n#define A 1\n#else\n#define A 2\n#endif\n@ A ambiguous",
		"same in both branches": "#ifdef X\n#define A 1\n#else\n#define A 1\n#endif\n@ A 1",
		"inside the branch":     "#ifdef X\n#define A 1\n@ A 1\n#else\n@ A none\n#endif\n@ A ambiguous",
		"under the same condition again": "#ifdef X\n#define A 1\n#else\n#define A 2\n#endif\n" +
			"#ifdef X\n@ A 1\n#else\n@ A 2\n#endif\n#ifndef X\n@ A 2\n#endif\n#if defined(X)\n@ A 1\n#endif\n@ A ambiguous",
		"under the same expression":  "#if N > 3\n#define A 1\n#endif\n#if N > 3\n@ A 1\n#endif\n@ A ambiguous",
		"undecided, then certain":    "#ifdef X\n#define A 1\n#endif\n#undef A\n#define A 3\n@ A 3",
		"undecided undef":            "#define A 1\n#ifdef X\n#undef A\n#endif\n@ A ambiguous",
		"nested undecided":           "#ifdef X\n#ifdef Y\n#define A 1\n#endif\n#endif\n@ A ambiguous",
		"default of the build":       "#ifndef A\n#define A 16\n#endif\n@ A default 16",
		"default and more":           "int x;\n#ifndef A\n#define A 16\n#define B 2\n#endif\n@ A default 16\n@ B ambiguous",
		"defined after a default":    "#ifndef A\n#define A 16\n#endif\n#ifdef A\n#define B 1\n#endif\n@ B 1",
		"a name or a number":         "#ifdef W\n#define A W\n#elif defined(V)\n#define A V\n#else\n#define A 16\n#endif\n@ A default 16",
		"a name, or none":            "#ifdef W\n#define A W\n#elif defined(V)\n#define A V\n#endif\n@ A ambiguous",
		"a name, a number, more":     "#ifdef W\n#define A W\n#elif defined(V)\n#define A 3\n#else\n#define A 16\n#endif\n@ A ambiguous",
		"a number by an expression":  "#ifdef W\n#define A W\n#elif V > 3\n#define A V\n#else\n#define A 16\n#endif\n@ A ambiguous",
		"file guard":                 "#ifndef G_H\n#define G_H 1\n#define A 1\n#endif\n@ A 1",
		"file guard, other form":     "#if !defined(G_H)\n#define G_H\n#define A 1\n#endif\n@ A 1",
		"nvcc is known":              "#ifdef __CUDACC__\n#define A 1\n#else\n#define A 2\n#endif\n@ A 1",
		"HIP's compiler is not used": "#if defined(__HIPCC__) || defined(USE_ROCM)\n#define A 1\n#else\n#define A 2\n#endif\n@ A 2",
		"but where its headers are":  "#include <hip/hip_runtime.h>\n#ifdef __HIPCC__\n#define A 1\n#else\n#define A 2\n#endif\n@ A ambiguous",
		"or the program says so":     "#define USE_ROCM\n#ifdef USE_ROCM\n#define A 1\n#endif\n@ A 1",
		"arch is not":                "#if __CUDA_ARCH__ >= 700\n#define A 1\n#else\n#define A 2\n#endif\n@ A ambiguous",
		"c++ is known":               "#if defined(__cplusplus) && __cplusplus >= 201103L\n#define A 1\n#endif\n@ A 1",
		"unbalanced endif":           "#endif\n#else\n#define A 1\n@ A 1",
		"if without endif":           "#ifdef X\n#define A 1\n@ A 1",
		"function-like":              "#define A(x, y) x + y\n@ A x + y",
	}
	for name, src := range cases {
		t.Run(name, func(t *testing.T) {
			at := 0
			text := strings.TrimPrefix(strings.ReplaceAll("\n"+src, "\n@", "\n//@"), "\n")
			f, err := Parse("a.cu", []byte(text+"\n"), withoutFiles)
			require.NoError(t, err)
			checked := 0
			for line := range strings.Lines(text) {
				if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//@ "); ok {
					name, want, _ := strings.Cut(rest, " ")
					assert.Equal(t, want, describe(f.Macros.Lookup(name, at)), "line %q", line)
					checked++
				}
				at += len(line)
			}
			assert.NotZero(t, checked)
		})
	}
}

func describe(m *Macro, ok bool) string {
	switch {
	case !ok:
		return "none"
	case m.Ambiguous:
		return "ambiguous"
	case m.Overridable:
		return "default " + m.Body
	}
	return m.Body
}

func TestCommandLineDefinesHoldFromTheStart(t *testing.T) {
	f := parse(t, "int x;\n#ifdef A\n#define B 1\n#endif\n", "A", "C=3 + 4", "F(x)=x x", "bad-")
	for name, want := range map[string]string{"A": "1", "B": "1", "C": "3 + 4", "F": "x x", "bad": "none"} {
		assert.Equal(t, want, describe(f.Macros.Lookup(name, len(f.Src))), name)
	}
	_, early := f.Macros.Lookup("C", 0)
	assert.True(t, early)
}

func TestIncludesDefineAtTheirPosition(t *testing.T) {
	files := map[string]string{
		"dir/a.h":     "#pragma once\n#define A 1\n#include \"b.h\"\n#include \"a.h\"\n",
		"dir/b.h":     "#ifndef B_H\n#define B_H 1\n#define B A + 1\n#include \"a.h\"\n#endif\n",
		"inc/c.h":     "#define C 3\n",
		"dir/loop.h":  "#include \"loop.h\"\n#define L 1\n",
		"dir/open.h":  "#ifdef Q\n#define O 1\n",
		"dir/macro.h": "#define M 1\n",
	}
	opt := Options{IncludeDirs: []string{"inc"}, ReadFile: func(name string) ([]byte, error) {
		if s, ok := files[name]; ok {
			return []byte(s), nil
		}
		return nil, errNoTree
	}}
	src := "#include \"a.h\"\nint x;\n#include <c.h>\n#include \"none.h\"\n#include \"loop.h\"\n#include \"open.h\"\n#define H \"macro.h\"\n#include H\nint y;\n"
	f, err := Parse("dir/x.cu", []byte(src), opt)
	require.NoError(t, err)
	at := strings.Index(src, "int x")
	for name, want := range map[string]string{"A": "1", "B": "A + 1", "C": "none", "M": "none"} {
		assert.Equal(t, want, describe(f.Macros.Lookup(name, at)), name)
	}
	at = strings.Index(src, "int y")
	for name, want := range map[string]string{"C": "3", "L": "1", "M": "1", "O": "ambiguous"} {
		assert.Equal(t, want, describe(f.Macros.Lookup(name, at)), name)
	}
	m, _ := f.Macros.Lookup("B", at)
	assert.Equal(t, "dir/b.h", m.File)
	assert.Equal(t, strings.Index(files["dir/b.h"], "#define B A"), m.Pos)
	var found []string
	for _, inc := range f.Includes {
		found = append(found, inc.Path+" "+inc.File)
	}
	assert.Equal(t, []string{"a.h dir/a.h", "c.h inc/c.h", "none.h ", "loop.h dir/loop.h", "open.h dir/open.h", "macro.h dir/macro.h"}, found)
	assert.Equal(t, `#include "a.h"`, src[f.Includes[0].Pos:f.Includes[0].End])
}

func TestCondition(t *testing.T) {
	const prefix = "#define FIVE 5\n#define EMPTY\n#define TWICE(x) ((x) * 2)\n#undef GONE\n"
	cases := map[string]string{
		"#if 0": "false", "#if 1": "true", "#if 0x10 == 16": "true", "#if 5 - 3 > 1 && !0": "true",
		"#if FIVE": "true", "#if FIVE > 5": "false", "#if TWICE(FIVE) == 10": "true", "#if GONE": "false",
		"#if defined(FIVE) && FIVE >= 5": "true", "#if defined FIVE": "true", "#if !defined(FIVE)": "false",
		"#ifdef FIVE": "true", "#ifndef FIVE": "false", "#ifdef GONE": "false", "#ifndef GONE": "true", "#ifdef EMPTY": "true",
		"#ifdef UNSEEN": "unknown", "#if UNSEEN": "unknown", "#if UNSEEN > 3": "unknown", "#if defined(UNSEEN)": "unknown",
		"#if UNSEEN && 0": "false", "#if UNSEEN || 1": "true", "#if 0 && UNSEEN(3)": "unknown", "#if (UNSEEN": "unknown",
		"#if __cplusplus >= 201103L": "true", "#if __cplusplus > 201703L": "unknown", "#ifdef __CUDA_ARCH__": "unknown",
		"#if defined(__CUDACC__)": "true", "#if __has_include(<x.h>)": "unknown", "#if 1 ? 0 : 2": "false",
		"#if 1 / 0": "unknown", "#if 1 << 2 == 4": "true", "#if -1 < 0": "true", "#if ~0 & 1": "true", "#if 'a'": "unknown", "#if": "unknown",
	}
	for line, want := range cases {
		t.Run(line, func(t *testing.T) {
			f := parse(t, prefix+line+"\nint a;\n#endif\n")
			var node *Node
			f.Root.Walk(func(n *Node) bool {
				if n.Kind == KindPreprocIf || n.Kind == KindPreprocIfdef {
					node = n
				}
				return true
			})
			if node == nil { // the grammar can't parse it
				assert.Contains(t, []string{"#if", "#if (UNSEEN", "#if UNSEEN && 0", "#if 1 ? 0 : 2", "#if __has_include(<x.h>)"}, line)
				return
			}
			value, known := f.Macros.Condition(node)
			got := map[[2]bool]string{{true, true}: "true", {false, true}: "false", {false, false}: "unknown"}[[2]bool{value, known}]
			assert.Equal(t, want, got)
		})
	}
}

func TestConditionOfElif(t *testing.T) {
	f := parseClean(t, "#define N 2\n#if N == 1\nint a;\n#elif N == 2\nint b;\n#elif UNSEEN\nint c;\n#else\nint d;\n#endif\n")
	var got []bool
	f.Root.Walk(func(n *Node) bool {
		if n.Kind == KindPreprocIf || n.Kind == KindPreprocElif {
			value, known := f.Macros.Condition(n)
			got = append(got, value, known)
		}
		return true
	})
	assert.Equal(t, []bool{false, true, true, true, false, false}, got)
}

func TestNestedConditionFollowsTheOuterOne(t *testing.T) {
	f := parseClean(t, "#ifdef X\n#ifdef X\nint a;\n#endif\n#endif\n")
	var known []bool
	f.Root.Walk(func(n *Node) bool {
		if n.Kind == KindPreprocIfdef {
			_, k := f.Macros.Condition(n)
			known = append(known, k)
		}
		return true
	})
	assert.Equal(t, []bool{false, true}, known)
}
