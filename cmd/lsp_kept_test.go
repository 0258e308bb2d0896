package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/lsp"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
)

// editingFor returns what `smux lsp` has for its requests.
func editingFor(t *testing.T, trees *parser.Trees) editing {
	t.Helper()
	e := editing{s: newSession(strings.NewReader(""), io.Discard, io.Discard)}
	flags := pflag.NewFlagSet("lsp", pflag.ContinueOnError)
	e.choice.register(flags)
	registerInput(flags, &e.in)
	registerTree(flags, &e.walk)
	require.NoError(t, flags.Parse([]string{"--gpu", "t4,a100", "--resources", "estimate"}))
	e.in.Trees = trees
	var err error
	e.opt, err = e.in.RewriteOptions()
	require.NoError(t, err)
	return e
}

// look returns what the server tells an editor about a file, as JSON.
func (e editing) look(t *testing.T, file string, text []byte, decide bool) string {
	t.Helper()
	look, err := e.find(context.Background(), file, "", func(name string) ([]byte, error) {
		if name == file {
			return text, nil
		}
		return load.ReadSource(name)
	})
	require.NoError(t, err)
	seen, err := look(context.Background(), decide)
	require.NoError(t, err)
	out, err := json.MarshalIndent(struct {
		Seen     lsp.Seen
		Findings any
	}{seen, report.Findings(seen.Programs, decide)}, "", " ")
	require.NoError(t, err)
	return string(out)
}

// randomlyEdited changes a random line of a text, one of a macro every second time.
func randomlyEdited(random *rand.Rand, text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := random.IntN(len(lines))
	if random.IntN(2) == 0 {
		for i := range lines {
			if n := (at + i) % len(lines); bytes.HasPrefix(lines[n], []byte("#define")) {
				at = n
				break
			}
		}
	}
	line := string(lines[at])
	switch random.IntN(5) {
	case 0:
		line = ""
	case 1:
		line += line
	case 2:
		line = strings.Map(func(r rune) rune {
			if r >= '1' && r < '9' {
				return r + 1
			}
			return r
		}, line)
	case 3:
		line = "__syncthreads();" + line
	case 4:
		line = strings.Replace(line, "(", "((", 1)
	}
	lines[at] = []byte(line)
	return bytes.Join(lines, nil)
}

// TestWhatAServerKeepsChangesNothing: after edits, a server that has seen the texts before says what a new one says.
func TestWhatAServerKeepsChangesNothing(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	more, err := filepath.Glob("../testdata/*/*.cu")
	require.NoError(t, err)
	for i, name := range append(names, more...) {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 3)
			random := rand.New(rand.NewPCG(7, uint64(i)))
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			file, err := filepath.Abs(name)
			require.NoError(t, err)
			kept := editingFor(t, parser.NewTrees())
			kept.look(t, file, text, false)
			for n := range 6 {
				text = randomlyEdited(random, text)
				decide := n == 5 && len(text) < 3000
				require.Equal(t, editingFor(t, nil).look(t, file, text, decide), kept.look(t, file, text, decide), fmt.Sprintf("after %d edits:\n%s", n+1, text))
			}
		})
	}
}
