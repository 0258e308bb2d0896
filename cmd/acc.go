package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/acc/space"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
)

const accLong = `Translates C with OpenACC directives to CUDA: kernels, launches and data movement,
as text that a person can review. Each directive is honoured, or refused with its
place and the reason. Messages on standard error say which loops stay sequential and
why, and what is copied beyond what a clause says.

With --gpu the model chooses, where the directives leave it open, which loops of a
nest get threads and in thread blocks of which shape. With --stage it also chooses
what thread blocks keep in shared memory. --report prints what it has looked at.

The result is one file. -d and -w part it in the host's program, which stays close
to the C file, and the kernels. -d prints a patch for "git apply", -w writes the
two.

The result needs nothing but the CUDA toolkit. verify and check run it without a
GPU; rewrite and tune go on from it.

Exit codes: 0 translated; 1 translated, and -d has printed it; 2 wrong usage,
unreadable input, or something that can't be translated; 3 I/O or internal error.`

const accExample = `  smux acc jacobi.c -o jacobi.cu
  smux acc -d jacobi.c                  # a diff, and jacobi_kernels.cu as a new file
  smux acc --gpu a100,h100 jacobi.c -o jacobi.cu
  smux acc --gpu a100 --stage jacobi.c  # arrays that blocks read again in shared memory
  smux acc --gpu a100 --report jacobi.c # the design space of each kernel
  smux verify jacobi.c jacobi.cu        # the same results as the C program, without a GPU`

// accFlags are those of `smux acc`.
type accFlags struct {
	in     load.Options
	gpus   targets.Request
	out    string
	diff   bool
	write  bool
	report bool
	asJSON bool
	quiet  bool
	stage  string // "auto", or "" for what cache directives name alone
	// reduction says how thread blocks are combined: tree or atomic.
	reduction string
}

func (a *accFlags) register(f *pflag.FlagSet) {
	f.StringVarP(&a.out, "output", "o", "", "write the program to this `FILE`")
	f.BoolVarP(&a.diff, "diff", "d", false, "print the host's program as a unified diff, and the kernels as a new file NAME_kernels.cu")
	f.BoolVarP(&a.write, "write", "w", false, "write these two, NAME.cu and NAME_kernels.cu, beside the C file")
	registerGPUs(f, &a.gpus)
	f.Lookup("gpu").Usage = "have the model choose loops and thread blocks for these GPUs, `NAMES` such as a100,sm_86 or native; without it the text is the same on every machine"
	f.StringVar(&a.stage, "stage", "", "have the model choose what to keep in shared memory beside what cache directives name: `auto`")
	f.Lookup("stage").NoOptDefVal = "auto"
	f.BoolVar(&a.report, "report", false, "print the design space of each kernel; the program is written with -o alone then")
	f.BoolVar(&a.asJSON, "json", false, "print the report as JSON")
	usage.Word(f, &a.reduction, "reduction", "tree", "combine thread blocks in this `WAY`; tree has the same order in each run, atomic has not", "tree", "atomic")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "say nothing of what was decided")
	f.StringArrayVarP(&a.in.Includes, "include", "I", nil, "add a `DIR` to search for #include")
	f.StringArrayVarP(&a.in.Defines, "define", "D", nil, "define a macro, `NAME` or NAME=VALUE")
}

func (a *accFlags) check(args []string) error {
	switch {
	case len(args) != 1:
		return diag.Usagef("name one C file", "acc translates one file, got %d", len(args))
	case a.reduction != "tree" && a.reduction != "atomic":
		return diag.Usagef("write --reduction tree or --reduction atomic", "--reduction %q is neither tree nor atomic", a.reduction)
	case a.stage != "" && a.stage != "auto":
		return diag.Usagef("write --stage, or --stage=auto", "--stage %q is not auto", a.stage)
	case a.out != "" && a.write:
		return diag.Usagef("", "-o and -w both say where to write: give one")
	case a.out != "" && a.diff:
		return diag.Usagef("redirect standard output to keep a diff", "-o cannot be combined with -d")
	case a.asJSON && !a.report:
		return diag.Usagef("add --report", "--json is the form of a report, and none is asked for")
	}
	return a.in.Check()
}

// options are those of the translation of a file.
func (a *accFlags) options(name string) acc.Options {
	o := acc.Options{Atomic: a.reduction == "atomic"}
	for _, d := range a.in.Defines {
		name, _, _ := strings.Cut(d, "=")
		o.Given = append(o.Given, name)
	}
	if a.diff || a.write {
		o.KernelFile = filepath.Base(withoutSuffix(name)) + "_kernels.cu"
	}
	return o
}

// withoutSuffix is a file's name without it.
func withoutSuffix(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// accCommand is `smux acc FILE`.
func (s *session) accCommand() *cobra.Command {
	var own accFlags
	c := &cobra.Command{
		Use:     "acc FILE",
		Short:   "Translate C with OpenACC directives to CUDA",
		Long:    accLong,
		Example: accExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := own.check(args); err != nil {
				return err
			}
			return s.translate(args[0], own)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	own.register(f)
	return c
}

// translate runs `smux acc` with its flags read.
func (s *session) translate(name string, own accFlags) error {
	opt := acc.Reading(own.in.Defines...)
	opt.IncludeDirs = own.in.Includes
	prog, errs := parser.LoadProgram([]string{name}, opt)
	if len(errs) > 0 {
		return s.unreadable(errors.Join(errs...))
	}
	result, report, err := s.mapped(prog, own)
	if err != nil {
		return err
	}
	slices.SortStableFunc(result.Messages, func(a, b diag.Message) int {
		return cmp.Or(-cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	if !own.quiet {
		for _, m := range result.Messages {
			s.Message(m)
		}
	}
	if own.report {
		out, err := render(report, own.asJSON)
		if err != nil {
			return err
		}
		if _, err := s.Stdout.Write(out); err != nil {
			return err
		}
	} else if own.diff || own.write {
		return s.deliverApart(name, prog.Files[0].Src, result, own)
	} else if own.out == "" {
		_, err = s.Stdout.Write(result.Text)
		return err
	}
	if own.out == "" {
		return nil
	}
	staged, err := disk.Stage(own.out, result.Text)
	if err != nil {
		return diag.Failed("writing "+own.out, err)
	}
	if err := staged.Commit(); err != nil {
		return diag.Failed("writing "+own.out, err)
	}
	return nil
}

// deliverApart prints or writes a translation as two files: NAME.cu, as what is different from
// the C file, and NAME_kernels.cu.
func (s *session) deliverApart(name string, before []byte, result *acc.Result, own accFlags) error {
	host, kernels := withoutSuffix(name)+".cu", withoutSuffix(name)+"_kernels.cu"
	if own.diff {
		s.Note(diag.ExitDiffers)
		from, to := project.DiffName(name), project.DiffName(host)
		var text bytes.Buffer
		fmt.Fprintf(&text, "diff --git a/%[1]s b/%[2]s\ncopy from %[1]s\ncopy to %[2]s\n", from, to)
		s.printDiff(&text, from, to, before, result.Text)
		if len(result.KernelText) > 0 {
			fmt.Fprintf(&text, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n", project.DiffName(kernels))
			s.printDiff(&text, "", project.DiffName(kernels), nil, result.KernelText)
		}
		if _, err := s.Stdout.Write(text.Bytes()); err != nil {
			return err
		}
	}
	if !own.write {
		return nil
	}
	var staged []*disk.Staged
	for _, f := range []struct {
		name string
		text []byte
	}{{host, result.Text}, {kernels, result.KernelText}} {
		if len(f.text) == 0 {
			continue // no kernels
		}
		st, err := disk.Stage(f.name, f.text)
		if err != nil {
			return diag.Failed("writing "+f.name, err)
		}
		staged = append(staged, st)
	}
	if err := errors.Join(s.PutInPlace(staged)[0]...); err != nil {
		return diag.Failed("writing "+host+" and "+kernels, err)
	}
	return nil
}

// mapped translates a program, with a model where GPUs are named or a report is asked for.
func (s *session) mapped(prog *parser.Program, own accFlags) (*acc.Result, space.Report, error) {
	name := prog.Files[0].Name
	if !own.gpus.Asked() && !own.report && own.stage == "" {
		result, err := acc.Translate(prog, prog.Files[0], own.options(name))
		if err == nil {
			err = own.staged(name, result, nil)
		}
		if err != nil {
			err = s.unreadable(err)
		}
		return result, space.Report{}, err
	}
	gpus, err := s.targets().GPUs(own.gpus)
	if err != nil {
		return nil, space.Report{}, err
	}
	want := space.Want{Mappings: own.gpus.Asked(), Schemes: own.stage != "", Report: own.report}
	result, chosen, report, err := space.Explore(prog, prog.Files[0], own.options(name), gpus, want)
	if err == nil {
		err = own.staged(name, result, chosen)
	}
	if err != nil {
		err = s.unreadable(err)
	}
	return result, report, err
}

// staged stages what was chosen of a translation, and what its directives ask for.
func (a *accFlags) staged(name string, result *acc.Result, chosen map[string]rewrite.Variant) error {
	cached := func(n acc.Nest) bool { return len(n.Cached) > 0 }
	if len(chosen) == 0 && !slices.ContainsFunc(result.Nests, cached) {
		return nil
	}
	texts := map[string][]byte{withoutSuffix(name) + ".cu": result.Text}
	names := []string{withoutSuffix(name) + ".cu"}
	if len(result.KernelText) > 0 {
		names = append(names, withoutSuffix(name)+"_kernels.cu")
		texts[names[1]] = result.KernelText
	}
	opt := parser.Options{IncludeDirs: a.in.Includes, Defines: a.in.Defines, Closed: true, ReadFile: func(path string) ([]byte, error) {
		for name, text := range texts {
			if filepath.Clean(name) == filepath.Clean(path) {
				return text, nil
			}
		}
		return os.ReadFile(path)
	}}
	prog, errs := parser.LoadProgram(names, opt)
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	return space.Stage(prog, result, chosen)
}

// unreadable prints what is wrong with a file.
func (s *session) unreadable(err error) error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, e := range many.Unwrap() {
			s.unreadable(e)
		}
		return diag.ErrReported
	}
	var m diag.Message
	var input *parser.InputError
	switch {
	case errors.As(err, &m):
		s.Message(m)
	case errors.As(err, &input):
		s.Message(input.Message())
	default:
		return diag.Usagef("", "%w", err)
	}
	s.Note(diag.ExitUsage)
	return diag.ErrReported
}
