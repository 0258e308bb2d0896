package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/setup"
)

const initLong = `Looks at the folder and this machine, writes ` + config.Name + ` and adds smux to a
` + setup.HooksFile + ` that is there. Then it runs check and analyze --summary once,
and names the next commands. Without a folder the working directory is meant.

The GPUs of ` + config.Name + ` are those that compile_commands.json or CMakeLists.txt builds
for, else those of this machine. A ` + config.Name + ` that is there stays, unless --force is
given. All files are written or none. --dry-run prints them, and runs nothing.`

// mostChecked is the number of files up to which smux init runs the programs.
const mostChecked = 20

// initCommand is `smux init [FOLDER]`.
func initCommand(s *session) *cobra.Command {
	var force, dry bool
	c := &cobra.Command{
		Use: "init [FOLDER]", Short: "Write the settings of a project, and look at it once", Long: initLong, Args: cobra.ArbitraryArgs,
		Example: "  smux init --dry-run  # see what would be written\n  smux init",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !project.IsFolder(args[0]) {
				return diag.Usagef("name one folder, or none for this one", "init takes one folder, got %q", args)
			}
			dir := project.Folder(append(args, ".")[0])
			tree, err := setup.Look(s.Context(), dir)
			if err != nil {
				return diag.Failed("looking at "+dir, diag.PlainCause(err))
			}
			if len(tree.Files) == 0 {
				return diag.Usagef("name a folder with .cu or .cuh files that git does not ignore", "no CUDA files below %s", dir)
			}
			s.Remark("%s: %s", dir, tree)
			plan, err := planSetup(s, tree, dir, force)
			if err != nil {
				return err
			}
			if dry {
				_, err := s.Stdout.Write(plan.Text())
				return err
			}
			if err := s.WriteAll(plan.Files); err != nil {
				return err
			}
			for _, f := range plan.Files {
				s.Remark("wrote %s", f.Name)
			}
			for _, text := range plan.Remarks {
				s.Remark("%s", text)
			}
			if len(tree.Files) <= mostChecked {
				runOnce(s, "check", "--fast", "--quiet", "--timeout", "10s", dir)
			} else {
				s.Remark("check was not run: there are %s", prose.Count(len(tree.Files), "CUDA file"))
			}
			runOnce(s, "analyze", "--summary", dir)
			s.Remark("next: %s", strings.Join(tree.Next(dir), "\n           "))
			return nil
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace a "+config.Name+" that is there")
	c.Flags().BoolVar(&dry, "dry-run", false, "print what would be written, and run nothing")
	return c
}

// runOnce runs a command of smux. Its exit code is not that of init.
func runOnce(s *session, args ...string) {
	own := s.apart()
	s.Remark("$ smux %s", strings.Join(args, " "))
	if err := diag.Guard(func() error {
		root := own.rootCommand()
		root.SetArgs(args)
		return root.Execute()
	}); console.Quietly(err) != nil {
		own.Fail(err)
	}
}

// planSetup returns what smux init writes into a folder.
func planSetup(s *session, tree setup.Tree, dir string, force bool) (setup.Plan, error) {
	gpus, source := tree.Architectures, tree.Source
	if _, unknown := targets.Boards(gpu.Default(), gpus); len(gpus) == 0 || len(unknown) > 0 {
		here, _ := s.targets().Native(gpu.Default()) // a machine without a GPU names none
		gpus, source = targets.Names(here), "this machine"
	}
	revision, known := thisBuild().Revision()
	return setup.NewPlan(dir, tree.Settings(gpus, source), revision, known, force)
}
