package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionCommand is `smux version`.
func (s *session) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of smux",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(s.stdout, version())
			return nil
		},
	}
}

// version says which smux this is, as far as the Go toolchain recorded it.
func version() string {
	number, commit := "(unknown)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			number = info.Main.Version
		}
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				commit = " commit " + setting.Value[:min(12, len(setting.Value))]
			case setting.Key == "vcs.modified" && setting.Value == "true":
				commit += " (modified)"
			}
		}
	}
	return fmt.Sprintf("smux %s%s %s %s/%s", number, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
