package cmd

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/usage"
)

// toolPages are the pages of a program that is made up, by name.
func toolPages(t *testing.T, date string) map[string]string {
	t.Helper()
	does := func(*cobra.Command, []string) {}
	tool := &cobra.Command{Use: "tool", Short: "Do things", Long: "Does things.\n\nExit codes: 0 and others."}
	cut := &cobra.Command{Use: "cut FILE", Short: "Cut a file", Long: "Cuts.\n\n    tool cut --at 3 x\n", Example: "  tool cut a.cu", Run: does}
	cut.Flags().IntP("at", "a", 7, "cut at line `N`")
	cut.Flags().Bool("dry-run", false, "cut nothing")
	set := &cobra.Command{Use: "set", Short: "Set things"}
	set.AddCommand(&cobra.Command{Use: "all", Short: "Set all", Run: does})
	tool.AddCommand(cut, set)
	out := map[string]string{}
	for _, p := range usage.Pages(tool, "tool 1.2", date) {
		out[p.Name] = string(p.Text)
	}
	require.Len(t, out, 4, "a page for each command")
	return out
}

func TestAPageSaysWhatTheCommandTakes(t *testing.T) {
	page := toolPages(t, "2026-01-31")["tool-cut.1"]
	assert.Contains(t, page, `.TH "TOOL-CUT" "1" "2026-01-31" "tool 1.2" "smux"`)
	assert.Contains(t, page, "tool\\-cut \\- Cut a file\n")
	assert.Contains(t, page, "\\fBtool cut FILE [flags]\\fP\n")
	assert.Contains(t, page, "\\fB\\-a\\fP, \\fB\\-\\-at\\fP \\fIN\\fP\ncut at line N (default 7)")
	assert.NotContains(t, page, "default false")
	assert.Contains(t, page, "tool cut \\-\\-at 3 x\n", "a minus sign can be copied")
	assert.Contains(t, page, "\\fBtool(1)\\fP")
	assert.NotContains(t, page, ".SH ENVIRONMENT")
}

func TestSectionsStandInTheirOrder(t *testing.T) {
	page := toolPages(t, "")["tool.1"]
	assert.Contains(t, page, `"TOOL" "1" "" "tool 1.2"`)
	last := -1
	for _, s := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"} {
		at := strings.Index(page, "\n.SH "+s+"\n")
		assert.Greater(t, at, last, s)
		last = at
	}
	assert.NotContains(t, page, "Exit codes:", "they have a section")
	assert.Contains(t, page, "\\fBtool\\-cut(1)\\fP, \\fBtool\\-set(1)\\fP")
}
