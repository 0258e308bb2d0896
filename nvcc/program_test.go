package nvcc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linking is a stand-in that writes how it was called to the program that it was
// to make, and the texts that it was given.
const linking = `#!/bin/sh
all="$*"
while [ $# -gt 0 ]; do
  case "$1" in
  -o) out=$2; shift;;
  *.cu) grep -q widget "$1" && { echo "$1(3): error: identifier \"widget\" is undefined" >&2; exit 2; }; text="$text$(cat "$1")";;
  esac
  shift
done
echo "$all" >"$out"
echo "$text" >>"$out"
`

func TestAProgramIsLinkedOfAllThatItHas(t *testing.T) {
	toolkit := standInToolkit(t, linking)
	out := filepath.Join(t.TempDir(), "program")
	r := Request{
		Texts: map[string][]byte{"a.cu": []byte("first,"), "main.cu": []byte("second"), "part.cuh": []byte("no unit")},
		Units: []string{"a.cu", "main.cu"}, Arch: "sm_80", Defines: []string{"N=3"}, Flags: []string{"-O1", "-c", "-o", "other"},
	}
	require.NoError(t, toolkit.Build(t.Context(), r, []string{"more.cpp"}, []string{"m"}, out))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	called, texts, _ := strings.Cut(string(text), "\n")
	assert.Equal(t, "first,second\n", texts)
	cwd, err := os.Getwd()
	require.NoError(t, err)
	for _, word := range []string{"-arch=sm_80", "-DN=3", "-O1", filepath.Join(cwd, "more.cpp"), "-lm"} {
		assert.Contains(t, strings.Fields(called), word)
	}
	assert.NotContains(t, strings.Fields(called), "-c", "a flag that asks for something else")
}

func TestWhyAProgramIsNotBuilt(t *testing.T) {
	toolkit := standInToolkit(t, linking)
	out := filepath.Join(t.TempDir(), "program")
	r := Request{Texts: map[string][]byte{"bad.cu": []byte("widget"), "good.cu": nil}, Units: []string{"bad.cu"}, Arch: "sm_80"}
	err := toolkit.Build(t.Context(), r, nil, nil, out)
	var refused *CompileError
	require.ErrorAs(t, err, &refused)
	assert.EqualError(t, err, `bad.cu:3: identifier "widget" is undefined`)

	r.Units = nil
	assert.ErrorIs(t, toolkit.Build(t.Context(), r, nil, nil, out), errNoKernel)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Units = []string{"good.cu"}
	err = toolkit.Build(ctx, r, nil, nil, out)
	assert.True(t, errors.Is(err, context.Canceled), "%v", err)
	assert.NoFileExists(t, out)
}
