package cmd

import (
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/spf13/cobra"
)

const manLong = `Writes a page for smux and for each of its commands into the folder: smux.1,
smux-rewrite.1 and so on. The folder is made if it is not there. All are written or none.

    smux man ~/.local/share/man/man1
    man smux-rewrite

The pages of one smux are the same wherever and whenever they are written. Their
date is that of its commit, or what SOURCE_DATE_EPOCH says.`

// manCommand is `smux man DIR`.
func (s *session) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the man pages",
		Long:  manLong,
		Args:  cobra.ArbitraryArgs,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return diag.Usagef("write smux man DIR", "man takes the folder that the pages go to, got %q", args)
			}
			if args[0] == "-" {
				return diag.Usagef("write ./- if that is its name", "man pages are several files, and standard output is one")
			}
			return s.writePages(args[0])
		},
	}
}

// writePages writes all man pages into a folder.
func (s *session) writePages(dir string) error {
	epoch := s.Getenv("SOURCE_DATE_EPOCH")
	date, err := thisBuild().Day(epoch)
	if err != nil {
		return diag.Usagef(err.Error(), "SOURCE_DATE_EPOCH %q is not a time", epoch)
	}
	pages := usage.Pages(s.rootCommand(), "smux "+thisBuild().Version, date)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return diag.Failed("making the folder "+dir, diag.PlainCause(err))
	}
	files := lists.Map(pages, func(p usage.Page) disk.File { return disk.File{Name: filepath.Join(dir, p.Name), Text: p.Text} })
	if err := s.WriteAll(files); err != nil {
		return err
	}
	s.Remark("%d pages written to %s", len(pages), dir)
	return nil
}
