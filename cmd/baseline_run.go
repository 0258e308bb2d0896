package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/internal/printable"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/report/finding/github"
	"github.com/smux-cuda/smux/report/finding/rdjson"
	"github.com/smux-cuda/smux/report/finding/sarif"
	"github.com/smux-cuda/smux/rewrite"
)

// baselineWrite is `smux baseline write` behind its flags.
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
		s.Remark("%s was not written: not all files could be read", b.name)
		return nil
	}
	covers := b.covers(args, opt.Kernels)
	kernels := slices.DeleteFunc(slices.Clone(b.file.Kernels), covers)
	for _, k := range now {
		kernels = append(kernels, k.Kernel)
	}
	written, err := b.replace(baseline.Encode(kernels))
	if err != nil {
		return err
	}
	verb := "has"
	if !written {
		verb = "is as it should be, with"
	}
	s.Remark("%s %s %s", b.name, verb, plural.Count(len(kernels), "kernel"))
	return nil
}

// baselineCheck is `smux baseline check` behind its flags.
func (s *session) baselineCheck(args []string, o baselineFlags, opt rewrite.Options) error {
	b, err := s.openBaseline(&o)
	if err != nil {
		return err
	}
	if b.text == nil {
		s.Note(diag.ExitUsage)
		s.Message(diag.Message{Pos: diag.Position{File: b.name}, Code: CodeNoBaseline, Text: "there is no such baseline", Help: diag.Help(CodeNoBaseline)})
		return diag.ErrReported
	}
	now, args, err := s.baselineSights(b, args, o, opt, true)
	if err != nil {
		return err
	}
	covers := b.covers(args, opt.Kernels)
	if s.Code >= diag.ExitUsage { // what could not be read is not gone
		covers = func(baseline.Kernel) bool { return false }
	}
	found := baseline.Compare(b.file, now, baseline.Options{Threshold: o.threshold, Name: b.name, Covers: covers})
	if o.format != formatText {
		if err := s.baselineDocument(found, o.format); err != nil {
			return err
		}
	}
	return s.showBaseline(found, len(now), o.format != formatText)
}

// baselineDocument prints findings for another tool.
func (s *session) baselineDocument(found []finding.Finding, format string) error {
	r := finding.Report{Version: thisBuild().Version, Command: "baseline check", Findings: found, Path: repositoryPath}
	texts := map[string][]byte{}
	r.Source = func(name string) []byte {
		if _, read := texts[name]; !read {
			texts[name], _ = os.ReadFile(name)
		}
		return texts[name]
	}
	var out bytes.Buffer
	var err error
	switch format {
	case formatSARIF:
		err = sarif.Write(&out, r)
	case formatGitHub:
		err = github.Write(&out, r)
	case formatRDJSONL:
		r.Path = filepath.ToSlash
		err = rdjson.Write(&out, r)
	}
	if err != nil {
		return diag.Failed("writing the findings", err)
	}
	_, err = s.Stdout.Write(out.Bytes())
	return err
}

// baselineSights looks at the kernels that the arguments name, those below the
// baseline's folder where there are none, and returns the arguments that it took. With
// ignores directives in the source count.
func (s *session) baselineSights(b *baselineFile, args []string, o baselineFlags, opt rewrite.Options, ignores bool) ([]baseline.Sight, []string, error) {
	if len(args) == 0 {
		args = []string{b.everything()}
	}
	how, err := b.sighting(s, &o)
	if err != nil {
		return nil, nil, err
	}
	how.opt, how.ignores = opt, ignores
	now, err := s.sights(args, o, how)
	return now, args, err
}

// mostNotes is how many notes of a kind are told one by one.
const mostNotes = 5

// showBaseline tells what a comparison found, unless a document has it, and notes the
// exit code.
func (s *session) showBaseline(found []finding.Finding, kernels int, told bool) error {
	notes, worse, ignored := map[diag.Code]int{}, map[string]bool{}, 0
	for _, f := range found {
		switch {
		case f.Suppressed != "":
			ignored++
			continue
		case f.Level == finding.Note:
			if notes[f.Rule]++; told || notes[f.Rule] > mostNotes {
				continue
			}
			s.baselineNote(f)
			continue
		case f.Rule == baseline.CodeSource:
			s.Note(diag.ExitUsage)
		default:
			s.Note(diag.ExitDiffers)
			worse[f.Pos.File+"\n"+f.Kernel] = true
		}
		if told {
			continue
		}
		s.Message(diag.Message{Pos: f.Pos, Code: f.Rule, Text: fmt.Sprintf("kernel %q: %s", f.Kernel, f.Text), Help: f.Help})
	}
	for _, code := range []diag.Code{baseline.CodeNew, baseline.CodeGone, baseline.CodeBetter} {
		if more := notes[code] - mostNotes; more > 0 && !told {
			s.Remark("%s: %d more", code, more)
		}
	}
	text := fmt.Sprintf("%s compared, %d got worse", plural.Count(kernels, "kernel"), len(worse))
	if ignored > 0 {
		text += fmt.Sprintf("; %s ignored", plural.Count(ignored, "message"))
	}
	if len(notes) > 0 {
		text += `; "smux baseline write" records what is new, gone or better`
	}
	s.Remark("%s", text)
	return nil
}

// baselineNote tells what fails nothing.
func (s *session) baselineNote(f finding.Finding) {
	p := s.Paint()
	fmt.Fprintf(s.Stderr, "%s%s:%s %s: kernel %q: %s\n", p.Place, printable.Text(f.Pos.String()), p.Reset, f.Rule, f.Kernel, f.Text)
}
