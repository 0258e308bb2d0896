package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/prose"
)

// TestDocumentationNamesRealFlags checks every command in a page, in a block of
// code or between backticks: that it is there, and its flags.
func TestDocumentationNamesRealFlags(t *testing.T) {
	t.Chdir("..")
	root := newSession(strings.NewReader(""), io.Discard, io.Discard).rootCommand()
	n := 0
	for _, file := range documentation(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		inFence := false
		for number, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
				inFence = !inFence
			}
			for _, command := range commandsIn(line, inFence) {
				n++
				assert.NoError(t, namesRealFlags(root, command), "%s:%d: smux %s", file, number+1, command)
			}
		}
	}
	assert.Greater(t, n, 100, "the commands are no longer found")
}

// ofOthers are flags of nvcc and clang, which docs/use/config.md names.
var ofOthers = map[string]bool{"cuda-gpu-arch": true, "offload-arch": true, "extended-lambda": true, "expt-relaxed-constexpr": true, "use_fast_math": true, "extra-device-vectorization": true}

// TestPagesNameFlagsThatAre checks every flag that begins a text between backticks in docs/use: some command has it.
func TestPagesNameFlagsThatAre(t *testing.T) {
	t.Chdir("..")
	flags := map[string]bool{}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(newSession(strings.NewReader(""), io.Discard, io.Discard).rootCommand())
	n := 0
	for _, file := range documentation(t) {
		if !strings.HasPrefix(file, filepath.Join("docs", "use")) {
			continue
		}
		for _, m := range regexp.MustCompile("`--([a-z][a-z0-9_-]*)").FindAllStringSubmatch(unfenced(t, file), -1) {
			n++
			assert.True(t, flags[m[1]] || ofOthers[m[1]], "%s: no command has a flag --%s", file, m[1])
		}
	}
	assert.Greater(t, n, 100, "the flags are no longer found")
}

var (
	// commandLine is a line of code that is a command, alone, after a pipe or xargs,
	// or in a step of a workflow.
	commandLine = regexp.MustCompile(`^\s*(?:\$ |- run: |run: |.*\| |.*xargs (?:-\S+ )*)?smux (\S.*)$`)
	// commandShown is one above its output.
	commandShown = regexp.MustCompile(`^<!-- \$ smux (.*) -->$`)
	// commandInWords is one between backticks.
	commandInWords = regexp.MustCompile("`smux ([^`]*)`")
)

// commandsIn are the commands of a line, each without the word smux.
func commandsIn(line string, inFence bool) []string {
	if m := commandShown.FindStringSubmatch(line); m != nil {
		return m[1:]
	}
	if inFence || strings.HasPrefix(line, "    ") {
		if m := commandLine.FindStringSubmatch(line); m != nil {
			return m[1:]
		}
		return nil
	}
	var out []string
	for _, m := range commandInWords.FindAllStringSubmatch(line, -1) {
		out = append(out, m[1])
	}
	return out
}

// namesRealFlags checks the words of a command up to where another one, a
// comment or the program's arguments begin.
func namesRealFlags(root *cobra.Command, line string) error {
	words, err := prose.Words(line)
	if err != nil {
		words = strings.Fields(line) // a line that goes on in the next one
	}
	if len(words) == 0 || !regexp.MustCompile(`^[a-z]+$`).MatchString(words[0]) {
		return nil // words[0] is a flag of the program itself, or an ellipsis
	}
	command, _, err := root.Find(words)
	if err != nil || command == root {
		return fmt.Errorf("there is no command %s", words[0])
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddFlagSet(command.Flags())
	flags.AddFlagSet(command.InheritedFlags())
	for _, word := range words[1:] {
		switch {
		case word == "--" || word == "|" || word == "#" || word == ">" || word == "-->" || word == "&&" || word == ";":
			return nil
		case strings.HasPrefix(word, "--"):
			name, _, _ := strings.Cut(strings.TrimRight(strings.TrimPrefix(word, "--"), ".,:;)]"), "=")
			if name != "help" && flags.Lookup(name) == nil {
				return fmt.Errorf("%s has no flag --%s", words[0], name)
			}
		case regexp.MustCompile(`^-[a-zA-Z]$`).MatchString(word):
			if word != "-h" && flags.ShorthandLookup(word[1:]) == nil {
				return fmt.Errorf("%s has no flag %s", words[0], word)
			}
		}
	}
	return nil
}

func TestWrongCommandsInPagesAreFound(t *testing.T) {
	root := newSession(strings.NewReader(""), io.Discard, io.Discard).rootCommand()
	for line, wrong := range map[string]bool{
		"    smux rewrite -d --gpu a100 k.cu | git apply --index": false,
		"    smux tune k.cu -- --size 4   # its own flag":         false,
		"<!-- $ smux analyze --json k.cu 2>&1 -->":                false,
		"text on `smux verify --all` and more":                    false,
		"    smux rewrit -d k.cu":                                 true,
		"    smux rewrite --dif k.cu":                             true,
		"    smux analyze -w k.cu":                                true,
		"text on `smux verify --every` and more":                  true,
		"    smux tune --run './app --size 4' --metric 'x' k.cu":  false,
		"    git diff | xargs -0 -r smux rewrite --quietly":       true,
	} {
		commands := commandsIn(line, false)
		require.Len(t, commands, 1, line)
		assert.Equal(t, wrong, namesRealFlags(root, commands[0]) != nil, line)
	}
}
