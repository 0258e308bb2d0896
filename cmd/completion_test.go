//go:build unix

package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smux-cuda/smux/diag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// completing holds what a shell is to make of a line.
var completing = []struct {
	line []string
	want []string
}{
	{[]string{"smux", "rew"}, []string{"rewrite"}},
	{[]string{"smux", "rewrite", "--gpu", "a100,h2"}, []string{"a100,h200"}},
	{[]string{"smux", "rewrite", "--gpu", "a100,h1"}, []string{"a100,h100", "a100,h100-pcie"}},
	{[]string{"smux", "analyze", "k.cu", "--kernel", "fir"}, []string{"first"}},
	{[]string{"smux", "analyze", `with\ space.cu`, "--kernel", "sec"}, []string{"second"}},
	{[]string{"smux", "tune", "--on", "m"}, []string{"model"}},
}

// bashLine has bash complete a line as it does for a person who types a tab. The
// functions of bash-completion, which may not be installed, are stood in for.
const bashLine = `
_init_completion() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
compopt() { :; }
source "$SCRIPT" || exit
COLUMNS=100 COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMP_KEY=9
__start_smux
printf '%s\n' "${COMPREPLY[@]}"
`

// fishLine has fish do so.
const fishLine = `source $SCRIPT; complete -C (string join -- ' ' (string escape -- $argv[1..-2]) $argv[-1])`

// zshLine only has zsh load the script: what it completes needs a terminal.
const zshLine = `autoload -U compinit && compinit -u -d $WORK/dump && source $SCRIPT && print -r -- $_comps[smux]`

func TestShellsCompleteByTheScripts(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	require.NoError(t, err)
	// The test program is smux where it is called so, see TestMain.
	require.NoError(t, os.Symlink(exe, filepath.Join(dir, "smux")))
	put(t, filepath.Join(dir, "k.cu"), "__global__ void first(int *a) { *a = 1; }\n")
	put(t, filepath.Join(dir, "with space.cu"), "__global__ void second(int *a) { *a = 1; }\n")
	shell := func(t *testing.T, name string, args ...string) string {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name, " is not installed")
		}
		var script, messages bytes.Buffer
		require.Equal(t, diag.ExitOK, Main([]string{"completion", name}, strings.NewReader(""), &script, &messages), messages.String())
		file := filepath.Join(dir, name)
		put(t, file, script.String())
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH"), "SCRIPT=" + file, "WORK=" + dir, "HOME=" + dir, "TERM=dumb"}
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	first := func(lines string) []string {
		var out []string
		for line := range strings.Lines(lines) {
			if words := strings.Fields(line); len(words) > 0 {
				out = append(out, words[0])
			}
		}
		return out
	}
	t.Run("bash", func(t *testing.T) {
		for _, tt := range completing {
			got := shell(t, "bash", append([]string{"--norc", "-c", bashLine, "bash"}, tt.line...)...)
			assert.Equal(t, tt.want, first(got), "%q", tt.line)
		}
	})
	t.Run("fish", func(t *testing.T) {
		for _, tt := range completing {
			if strings.Contains(strings.Join(tt.line, " "), `\`) {
				continue // cobra's script for fish splits words at blanks
			}
			got := shell(t, "fish", append([]string{"--no-config", "-c", fishLine}, tt.line...)...)
			assert.ElementsMatch(t, tt.want, first(got), "%q", tt.line)
		}
	})
	t.Run("zsh", func(t *testing.T) {
		assert.Equal(t, "_smux\n", shell(t, "zsh", "-f", "-c", zshLine))
	})
}
