package finding

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

func TestCommandsComeMostImportantFirst(t *testing.T) {
	at := func(file string, line, column int) diag.Position {
		return diag.Position{File: file, Line: line, Column: column}
	}
	var out bytes.Buffer
	require.NoError(t, WriteGitHub(&out, Report{
		Path: func(name string) string { return "src/" + name },
		Findings: []Finding{
			{Rule: "limiter", Level: Note, Kernel: "k", Text: "registers limit 50 %", Help: "use fewer", Pos: at("a.cu", 1, 17), End: at("a.cu", 1, 18)},
			{Rule: "hoist", Level: Note, Text: "known", Pos: at("a.cu", 2, 1), Suppressed: "yes"},
			{Rule: "chosen", Level: Warning, Text: "two lines", Pos: at("b,c:d.cu", 3, 1), End: at("b,c:d.cu", 4, 2), Fix: &Fix{Text: "rewrite it"}},
			{Rule: "missing-file", Level: Error, Text: "there is none", Pos: at("new\nline::error::.cu", 0, 0)},
		},
	}))
	assert.Equal(t, `::error file=src/new%0Aline%3A%3Aerror%3A%3A.cu,title=smux missing-file::there is none
::warning file=src/b%2Cc%3Ad.cu,line=3,endLine=4,col=1,title=smux chosen::two lines%0Afix: rewrite it
::notice file=src/a.cu,line=1,endLine=1,col=17,endColumn=18,title=smux limiter::kernel "k": registers limit 50 %25%0Ahelp: use fewer
`, out.String())
}

// unescaped returns what the runner makes of a value.
func unescaped(text string) string {
	return strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",").Replace(text)
}

func FuzzNoTextEndsItsCommand(f *testing.F) {
	f.Add("%0A\r\n::error::x", "100 %25")
	f.Fuzz(func(t *testing.T, name, text string) {
		for _, s := range []string{commandProperty(name), commandData(text)} {
			require.NotContains(t, s, "\n")
			require.NotContains(t, s, "\r")
		}
		require.NotContains(t, commandProperty(name), ",")
		require.NotContains(t, commandProperty(name), ":")
		require.Equal(t, name, unescaped(commandProperty(name)))
		require.Equal(t, text, unescaped(strings.ReplaceAll(strings.ReplaceAll(commandData(text), ":", "%3A"), ",", "%2C")))
	})
}
