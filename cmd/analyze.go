package cmd

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

const analyzeLong = `Says, for each kernel, which shared variables it has, in which regions they are
live, where its barriers and exits are and how uniform the control around them
is, which launches are in view, and which rewrites are possible or why not. For
each GPU of --gpu it says which resources a thread block (TB) takes and how many
run at once, which global arrays would be worth staging in shared memory and with
which tile, ranks the possible rewrites by what the model expects of them, and
says which one smux rewrite would choose, if any (docs/choice.md).

The share of a kernel that its regions take is an estimate: statements are
counted, each loop level weighing ten times the one around it.

With --json the report has a version, "schema": fields may be added to it, but
none changes its meaning without a new version.`

// analyzeCommand is `smux analyze FILE…`.
func (s *session) analyzeCommand() *cobra.Command {
	var (
		in     inputFlags
		choice choiceFlags
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "analyze FILE…",
		Short: "Say what a kernel does with its shared memory and which rewrites are possible",
		Long:  analyzeLong,
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			opt, err := in.options()
			if err != nil {
				return err
			}
			if err := choice.check(); err != nil {
				return err
			}
			return s.analyzeFiles(args, in, opt, choice, asJSON)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	choice.register(f)
	in.register(f)
	return c
}

// options checks the flags that say how to read the files.
func (in *inputFlags) options() (rewrite.Options, error) {
	opt := rewrite.Options{Kernels: in.kernels}
	if err := in.check(); err != nil {
		return opt, err
	}
	if in.block == "" {
		return opt, nil
	}
	var err error
	opt.Block, err = parseBlock(in.block)
	return opt, err
}

// analyzeFiles is the whole of `smux analyze` behind its flags.
func (s *session) analyzeFiles(args []string, in inputFlags, opt rewrite.Options, flags choiceFlags, asJSON bool) error {
	prog, parse, err := s.load(args, in)
	if err != nil {
		return err
	}
	if len(prog.Files) == 0 {
		return nil // each file's message has been printed
	}
	if err := checkKernelNames(prog, opt.Kernels); err != nil {
		return err
	}
	model, err := s.study(prog, parse, opt, flags, false, false)
	if err != nil {
		return err
	}
	report := analyze(prog, opt, model)
	var out bytes.Buffer
	if asJSON {
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false) // <<<grid, block>>>
		e.SetIndent("", "  ")
		if err := e.Encode(report); err != nil {
			return failure("writing the report", err)
		}
	} else {
		report.text(&out)
	}
	if _, err := s.stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if !asJSON && len(report.Kernels)+len(report.Lost) != 1 {
		s.remark("%s", report.summary())
	}
	return nil
}

// analyze runs all analyses and tries all rewrites on a program's kernels, and
// adds what the model says of them.
func analyze(parsed *parser.Program, opt rewrite.Options, model *choice) analyzeReport {
	offers := rewrite.ProgramOffers(model.prog, model.kernels, opt)
	report := analyzeReport{Schema: analysis.ReportSchema, Kernels: []analyzedKernel{}, Lost: []lostKernel{}}
	for _, k := range model.kernels {
		if wanted(opt.Kernels, k.Name) {
			r := model.of(k.Position())
			single, sets := reuseOf(k, r)
			report.Kernels = append(report.Kernels, analyzedKernel{k.Report(), offers[k], r, single, sets})
		}
	}
	for _, f := range parsed.Files {
		for _, l := range f.Lost {
			if wanted(opt.Kernels, l.Name) {
				report.Lost = append(report.Lost, lostKernel{l.Name, f.Position(l.Mark.Start)})
			}
		}
	}
	return report
}

// wanted reports whether a kernel's name matches one of the globs, or there
// are none.
func wanted(globs []string, name string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool {
		ok, _ := path.Match(g, name) // inputFlags.check has checked it
		return ok
	})
}
