package cmd

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/usage"
)

// TestHelpIsReadInAMinute holds the help of each command: at most 15 flags in lines that a terminal has room for, the others
// with --help-all.
func TestHelpIsReadInAMinute(t *testing.T) {
	help := func(args ...string) string {
		var out, errs bytes.Buffer
		require.Zero(t, newSession(strings.NewReader(""), &out, &errs).main(args), "%q: %s", args, errs.String())
		return out.String()
	}
	flagLine := regexp.MustCompile(`(?m)^  (?:-\w, |    )--([a-z0-9-]+)`)
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		for _, sub := range usage.Below(c) {
			look(sub)
		}
		path := strings.Fields(c.CommandPath())[1:]
		short := help(append(path, "--help")...)
		_, list, _ := strings.Cut(short, "\nFlags:\n")
		assert.LessOrEqual(t, len(flagLine.FindAllString(list, -1)), 15, c.CommandPath())
		whole := short
		if c.Flags().Lookup("help-all") != nil {
			whole = help(append(path, "--help-all")...)
		}
		_, list, _ = strings.Cut(whole, "\nFlags:\n")
		listed := map[string]int{}
		for _, m := range flagLine.FindAllStringSubmatch(list, -1) {
			listed[m[1]]++
		}
		for _, f := range usage.ShownFlags(c) {
			assert.Equal(t, 1, listed[f.Name], "%s --%s", c.CommandPath(), f.Name)
			name, _ := pflag.UnquoteUsage(f)
			assert.LessOrEqual(t, len(name), 12, "%s --%s", c.CommandPath(), f.Name)
		}
		for _, line := range strings.Split(whole, "\n") {
			assert.LessOrEqual(t, len([]rune(line)), 100, "%s: %s", c.CommandPath(), line)
		}
	}
	look(newSession(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}).rootCommand())
}
