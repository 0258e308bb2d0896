package cmd

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/rewrite"
)

// openedBaseline is a baseline, and what counts for the kernels that are looked at for it.
type openedBaseline struct {
	*baseline.Stored
	root     string           // of all that it is about, absolute
	settings *config.Settings // of the working directory, nil for none
	built    []string         // the architectures of a compilation database
}

// openBaseline reads the baseline that the flags or the settings of the working directory name, or else the nearest
// one upwards. Where there is none it would be in the working directory.
func (s *session) openBaseline(o *baselineFlags) (*openedBaseline, error) {
	set, err := o.in.Settings.For(s.Console, []string{"-"})
	if err != nil {
		return nil, err
	}
	how, err := o.in.Reading(s.Console, set)
	if err != nil {
		return nil, err
	}
	named := o.file != ""
	*o = o.with(set)
	b := &openedBaseline{settings: set, built: how.Commands.Below("/"), root: project.Resolved(".")}
	if b.Stored, err = s.storedBaseline(cmp.Or(o.file, baseline.Nearest())); err != nil {
		return nil, err
	}
	switch {
	case named:
	case o.file != "":
		b.root = set.Dir
	default:
		b.root = b.Dir
	}
	return b, nil
}

// everything returns the folder of all that a baseline is about, as it is seen from here: that of the baseline where
// it was found, that of the settings where they name it, the working directory where a person does.
func (b *openedBaseline) everything() string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(project.Resolved(wd), b.root); err == nil {
			return rel
		}
	}
	return b.root
}

// lookFor settles how kernels are looked at: as they are recorded, unless flags or settings say otherwise.
func (s *session) lookFor(b *openedBaseline, o *baselineFlags) ([]*gpu.GPU, error) {
	switch {
	case o.resources != "":
	case b.Compiled(), len(b.Kernels) == 0 && resourcesWith("", false, b.settings) == resources.NVCC:
		o.resources = resources.NVCC
	default:
		o.resources = resources.Estimate
	}
	if recorded := b.GPUs(); len(o.gpus.Names) == 0 && len(recorded) > 0 {
		o.gpus.Names = recorded
	} else {
		o.gpus = o.gpus.With(b.settings)
		o.gpus = o.gpus.BuiltFor(b.built)
	}
	if _, err := resources.New(s.Console, s.findNVCC, o.resources, &parser.Program{}, parser.Options{}); err != nil {
		return nil, err // told once, not for each program
	}
	return s.targets().GPUs(o.gpus)
}

// baselineSights looks at the kernels that the arguments name, those below the baseline's folder where there are
// none, and returns the arguments that it took. With ignores directives in the source count.
func (s *session) baselineSights(b *openedBaseline, args []string, o baselineFlags, opt rewrite.Options, ignores bool) ([]baseline.Sight, []string, error) {
	if len(args) == 0 {
		args = []string{b.everything()}
	}
	gpus, err := s.lookFor(b, &o)
	if err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex
	var out []baseline.Sight
	_, err = s.survey(args, o.in, o.walk, opt, nil, func(s *session, p targets.Program) (*report.Program, error) {
		opt, err := o.in.With(p.Settings).RewriteOptionsWith(opt, p.Settings)
		if err != nil {
			return nil, err
		}
		prog, parse, err := p.Parse(s.Console, opt.Kernels)
		if prog == nil || err != nil {
			return nil, err
		}
		kernels := slices.DeleteFunc(passes.NewProgram(prog, opt.Block).Kernels(), func(k *analysis.Kernel) bool { return !opt.Selects(k.Name) })
		if lost := report.Unparsed(prog, opt.Selects); len(lost) > 0 {
			s.remarkOnUnknown(lost, 0, false)
		}
		from, err := resources.New(s.Console, s.findNVCC, o.resources, prog, parse)
		if err != nil {
			return nil, err
		}
		if err := from.PrepareOrEnd(kernels, gpus); err != nil {
			return nil, err
		}
		ignored := &config.Directives{}
		if ignores {
			ignored = config.ReadDirectives(prog)
			s.reportWrongIgnores(ignored)
		}
		found, err := baseline.Look(kernels, gpus, from, b.Dir, ignored)
		mu.Lock()
		defer mu.Unlock()
		out = append(out, found...)
		return nil, err
	})
	return baseline.Sort(out), args, err
}

// reportWrongIgnores prints which ignores are not obeyed. The status is that of what is
// found: nothing is stopped by them.
func (s *session) reportWrongIgnores(set *config.Directives) {
	for _, w := range set.Wrong {
		if w.Code == config.CodeIgnoreCode || w.Code == config.CodeIgnoreReason {
			s.Message(w.Message)
		}
	}
}

// baselineWrite is `smux baseline write` after its flags.
func (s *session) baselineWrite(args []string, o baselineFlags, opt rewrite.Options) error {
	b, err := s.openBaseline(&o)
	if err != nil {
		return err
	}
	now, args, err := s.baselineSights(b, args, o, opt, false)
	if err != nil {
		return err
	}
	if s.Code >= diag.ExitUsage {
		s.Remark("%s was not written: not all files could be read", b.Name)
		return nil
	}
	kernels, written, err := b.Record(now, b.Covers(args, opt.Kernels))
	if err != nil {
		return err
	}
	verb := "has"
	if !written {
		verb = "is as it should be, with"
	}
	s.Remark("%s %s %s", b.Name, verb, prose.Count(kernels, "kernel"))
	return nil
}

// baselineCheck is `smux baseline check` after its flags.
func (s *session) baselineCheck(args []string, o baselineFlags, opt rewrite.Options) error {
	b, err := s.openBaseline(&o)
	if err != nil {
		return err
	}
	if !b.Exists() {
		s.Note(diag.ExitUsage)
		s.Message(diag.Message{Pos: diag.Position{File: b.Name}, Code: baseline.CodeMissing, Text: "there is no such baseline", Help: diag.Help(baseline.CodeMissing)})
		return diag.ErrReported
	}
	now, args, err := s.baselineSights(b, args, o, opt, true)
	if err != nil {
		return err
	}
	covers := b.Covers(args, opt.Kernels)
	if s.Code >= diag.ExitUsage { // what could not be read is not gone
		covers = func(baseline.Kernel) bool { return false }
	}
	found := baseline.Compare(b.File, now, baseline.Options{Threshold: o.threshold, Name: b.Name, Covers: covers})
	if o.format != formatText {
		if err := s.baselineDocument(found, o.format); err != nil {
			return err
		}
	}
	s.showDigest(baseline.NewDigest(found, len(now)), o.format == formatText)
	return nil
}

// baselineDocument prints findings for another tool.
func (s *session) baselineDocument(found []finding.Finding, format string) error {
	r := finding.Report{Version: thisBuild().Version, Command: "baseline check", Findings: found}
	texts := map[string][]byte{}
	r.Source = func(name string) []byte {
		if _, read := texts[name]; !read {
			texts[name], _ = os.ReadFile(name)
		}
		return texts[name]
	}
	return s.showFindings(r, format)
}

// showDigest tells what a comparison found, one by one unless a document has it, and notes the exit code.
func (s *session) showDigest(d baseline.Digest, oneByOne bool) {
	if d.Incomparable {
		s.Note(diag.ExitUsage)
	}
	if d.Worse {
		s.Note(diag.ExitDiffers)
	}
	if oneByOne {
		for _, f := range d.Told {
			s.tellFinding(f)
		}
		for _, more := range d.More {
			s.Remark("%s", more)
		}
	}
	s.Remark("%s", d.Text)
}

// tellFinding prints what was found of a kernel; what fails nothing has no help.
func (s *session) tellFinding(f finding.Finding) {
	text := fmt.Sprintf("kernel %q: %s", f.Kernel, f.Text)
	if f.Level != finding.Note {
		s.Message(diag.Message{Pos: f.Pos, Code: f.Rule, Text: text, Help: f.Help})
		return
	}
	p := s.Paint()
	fmt.Fprintf(s.Stderr, "%s%s:%s %s: %s\n", p.Place, prose.Printable(f.Pos.String()), p.Reset, f.Rule, text)
}
