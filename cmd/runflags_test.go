package cmd

import (
	"strings"
	"testing"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWordsAreSplitAsAShellDoes(t *testing.T) {
	for text, want := range map[string][]string{
		"":              {},
		"  ":            {},
		"a b\tc\n":      {"a", "b", "c"},
		`"a b" c`:       {"a b", "c"},
		`'a "b' "c 'd"`: {`a "b`, `c 'd`},
		`a\ b\\ \"`:     {`a b\`, `"`},
		`'a\b'`:         {`a\b`},
		`--file="a b"c`: {"--file=a bc"},
		`""`:            {""},
		`$HOME *.cu`:    {"$HOME", "*.cu"},
	} {
		got, err := prose.Words(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{`"a`, `a 'b`, `a\`} {
		_, err := prose.Words(text)
		assert.Error(t, err, text)
	}
}

func TestOrdersWithoutASeedGetTheNext(t *testing.T) {
	orders, err := parseOrders("--order", "descending, random,random:9,random", 4)
	require.NoError(t, err)
	var names []string
	for _, o := range orders {
		names = append(names, o.String())
	}
	assert.Equal(t, "descending random:4 random:9 random:5", strings.Join(names, " "))

	_, err = parseOrders("--order", "ascending,", 1)
	assert.ErrorContains(t, err, `--order: "" is not an order`)
}

func TestFlagsOfARunNeedARun(t *testing.T) {
	code, _, stderr := run(t, false, nil, "rewrite", "--timeout", "3s", "x.cu")
	assert.Equal(t, diag.ExitUsage, code)
	assert.Contains(t, stderr, "--timeout says how to run the program, and it is not run")
}
