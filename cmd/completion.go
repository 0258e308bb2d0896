package cmd

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
)

const completionLong = `Prints a script with which the shell completes commands, flags, GPUs, codes, and the
kernels of the files that stand on the line already.

    bash  source <(smux completion bash)         in ~/.bashrc; needs the package bash-completion
    zsh   source <(smux completion zsh)          in ~/.zshrc, after compinit
    fish  smux completion fish | source          in ~/.config/fish/config.fish
    pwsh  smux completion powershell | Out-String | Invoke-Expression

Instead, the script can lie where the shell looks for it, such as
/etc/bash_completion.d/smux or ~/.config/fish/completions/smux.fish.`

// shells are those that there are scripts for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionCommand is `smux completion SHELL`.
func (s *session) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "completion " + strings.Join(shells, "|"),
		Short:     "Print a script with which the shell completes smux's commands",
		Long:      completionLong,
		ValidArgs: shells,
		Args:      cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return diag.Usagef("the shells are: "+strings.Join(shells, ", "), "completion takes the name of one shell, got %d", len(args))
			}
			if err := oneOf("the shell", args[0], shells...); err != nil {
				return err
			}
			write := map[string]func(io.Writer) error{
				"bash":       func(w io.Writer) error { return bashCompletion(c.Root(), w) },
				"zsh":        c.Root().GenZshCompletion,
				"fish":       func(w io.Writer) error { return c.Root().GenFishCompletion(w, true) },
				"powershell": c.Root().GenPowerShellCompletionWithDesc,
			}[args[0]]
			return write(s.Stdout)
		},
	}
}

// completes gives all commands their completions. A flag completes to what it is
// annotated with, or what its usage says: DIR is a folder.
func (s *session) completes(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if complete := s.flagCompletion(f); complete != nil {
				// The error is for a flag that is not there or has one already.
				_ = c.RegisterFlagCompletionFunc(f.Name, complete)
			}
		})
		if c.ValidArgs == nil && c.ValidArgsFunction == nil && strings.Contains(c.Use, "FILE") {
			c.ValidArgsFunction = sourceFiles
		}
		s.completes(c)
	}
}

func (s *session) flagCompletion(f *pflag.Flag) cobra.CompletionFunc {
	takes, _ := pflag.UnquoteUsage(f)
	switch {
	case f.Name == "gpu":
		return s.completeGPUs
	case f.Name == "kernel":
		return s.completeKernels
	case f.Name == "gpu-file":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
		}
	case f.Name == "order" || f.Name == "checked-orders":
		return inList("ascending", "descending", "random")
	case usage.Words(f) != nil:
		return cobra.FixedCompletions(usage.Words(f), cobra.ShellCompDirectiveNoFileComp)
	case takes == "DIR" || takes == "folder":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
	return nil
}

// sourceFiles completes CUDA files, headers and folders. What stands after "--" is for another program; of that the
// first word can't be told apart, since cobra puts a "--" at the end of what it parses.
func sourceFiles(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if at := c.ArgsLenAtDash(); at >= 0 && at < len(args) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return []string{"cu", "cuh", "h", "hpp", "hh"}, cobra.ShellCompDirectiveFilterFileExt
}

// inList completes the last of some words with commas between them.
func inList(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []string
		for _, w := range words {
			if strings.HasPrefix(strings.ToLower(before+w), strings.ToLower(typed)) {
				out = append(out, before+w)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeGPUs completes a list of GPUs; those that stand in it already are left
// out, and what --gpu-file adds is there, too.
func (s *session) completeGPUs(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	g := targets.Request{Changed: c.Flags().Changed}
	if f := c.Flags().Lookup("gpu-file"); f != nil {
		g.File = f.Value.String()
	}
	silent := s.apart() // a prompt is no place for messages
	silent.Stderr = io.Discard
	table, err := g.Table(silent.Console)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	given := strings.Split(strings.ToLower(typed), ",")
	given = given[:len(given)-1]
	words := []string{}
	if !slices.Contains(given, targets.Native) {
		words = append(words, cobra.CompletionWithDesc(targets.Native, "the GPUs of this machine"))
	}
	for _, one := range table.All() {
		if !slices.Contains(given, one.Name) {
			words = append(words, cobra.CompletionWithDesc(one.Name, one.Product+", "+one.Arch.SM()))
		}
	}
	return inList(words...)(c, args, typed)
}

// completionTime bounds the time to complete the names of kernels: any longer, and a person has typed the name.
const completionTime = 300 * time.Millisecond

// completeKernels completes the names of the kernels in the files and folders that stand on the line already.
func (s *session) completeKernels(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(context.Background(), s.completing)
	defer cancel()
	names := slices.DeleteFunc(load.KernelNames(ctx, args), func(name string) bool { return !strings.HasPrefix(name, typed) })
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeCodes completes a message's code.
func completeCodes(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, d := range diag.Docs() {
		if len(args) == 0 && strings.HasPrefix(string(d.Code), typed) {
			out = append(out, cobra.CompletionWithDesc(string(d.Code), d.Title))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// quotedWords are the lines of cobra's script that quote what is completed, with the variable that they leave it in.
var quotedWords = []struct {
	line *regexp.Regexp
	then string
}{
	{regexp.MustCompile(`(?m)^( *)(printf -v (comp) "%q".*)$`), `$1$2
$1$3=$${$3//\\,/,}`},
	{regexp.MustCompile(`(?m)^( *)((COMPREPLY\[0\])=\$\(printf "%q".*)$`), `$1$2
$1$3=$${$3//\\,/,}`},
	{regexp.MustCompile(`(?m)^( *)(IFS=\$'\\n' read -ra (\w+) -d '' < <\(printf "%q.*)$`), `$1$2
$1$3=("$${$3[@]//\\,/,}")`},
}

// bashCompletion writes cobra's script for bash. bash quotes commas, which need none, and then finds no word that
// begins as what was typed: --gpu a100,h would complete to nothing.
func bashCompletion(root *cobra.Command, w io.Writer) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	text := script.Bytes()
	for _, q := range quotedWords {
		text = q.line.ReplaceAll(text, []byte(q.then))
	}
	_, err := w.Write(text)
	return err
}
