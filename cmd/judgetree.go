package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// judgedTree has what `smux check` and `smux verify` print of a tree as JSON.
type judgedTree struct {
	Schema   int             `json:"schema"`
	Programs []judgedProgram `json:"programs"`
}

// judgedProgram is a program of a tree.
type judgedProgram struct {
	Name    string          `json:"name"` // its file with the main, or the only one
	Files   []string        `json:"files"`
	Verdict *verify.Verdict `json:"verdict"`

	request verify.Request
}

// treeSchema is the version of judgedTree.
const treeSchema = 1

// oneProgramFlags are those that say how one program is run.
var oneProgramFlags = []string{"kernel", "source", "library", "launch", "arg", "buffer", "keep"}

// judgeTree judges each program of trees and prints a line for each, with what was found after it.
func (s *session) judgeTree(command string, args []string, in load.Options, walk load.Tree, runs runFlags, own verifyFlags, choice *choiceFlags, judge func(*session, *runnable, runFlags) (verify.Request, *verify.Verdict, error)) error {
	for _, name := range oneProgramFlags {
		if in.Given(name) {
			return diag.Usagef("name the files of one program", "--%s is about one program, and a folder may have several", name)
		}
	}
	known, err := s.knownFindings(own)
	if err != nil {
		return err
	}
	walk.Runs, walk.Jobs = true, cmp.Or(runs.Jobs, walk.Jobs)
	var mu sync.Mutex
	var all []judgedProgram
	_, err = s.survey(args, in, walk, rewrite.Options{}, choice, func(s *session, p targets.Program) (*report.Program, error) {
		var request verify.Request
		var v *verify.Verdict
		runs, r := runs, &runnable{found: p}
		runs.sources = p.Sources
		var err error
		if r.prog, r.parse, err = p.Parse(s.Console, nil); err == nil && r.prog != nil && len(s.Unread) == 0 {
			request, v, err = judge(s, r, runs)
		}
		if v == nil {
			v = &verify.Verdict{Schema: verify.Schema, Outcome: verify.CouldNotRun, Rows: []verify.Row{}, Findings: []verify.Finding{}, Failures: []verify.Failure{}}
			for _, m := range s.Unread {
				v.Failures = append(v.Failures, verify.Failure{Variant: verify.OriginalName, Message: m})
			}
		} else {
			known.overlook(v, p.Name)
		}
		if clean := v.ExitCode() == diag.ExitOK; !own.document() {
			fmt.Fprintf(s.Stdout, "%s: %s\n", prose.Printable(p.Name), v.Summary())
			if len(s.Unread) == 0 {
				s.verdictMessages(v, own.quiet || clean)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, judgedProgram{p.Name, slices.Concat(p.Files, p.Sources), v, request})
		return nil, err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b judgedProgram) int { return cmp.Compare(a.Name, b.Name) })
	if err := known.write(s, args, own); err != nil {
		return err
	}
	codes, cached, unjudged := map[int]int{}, 0, 0
	r := finding.Report{Version: thisBuild().Version, Command: command, Findings: report.Unread(s.Unread)}
	for _, p := range all {
		codes[p.Verdict.ExitCode()]++
		if p.Verdict.Cached {
			cached++
		}
		if p.Verdict.Outcome == verify.CouldNotRun {
			unjudged++
		}
		if of := verdictReport(command, p.request, p.Verdict); len(p.request.Original.Files) > 0 { // else it could not be read
			r.Findings, r.Source = append(r.Findings, of.Findings...), of.Source
		}
	}
	switch {
	case codes[diag.ExitDiffers] > 0:
		s.Note(diag.ExitDiffers)
	case codes[diag.ExitNotRun] > 0:
		s.Note(diag.ExitNotRun)
	}
	switch {
	case own.format == formatJSON:
		return writeDocument(s.Stdout, judgedTree{treeSchema, all})
	case own.document():
		return s.showFindings(r, own.format)
	}
	if len(all) > 0 {
		s.Remark("%s: %d with findings, %d could not be judged; %d not run again, since nothing has changed", prose.Count(len(all), "program"),
			codes[diag.ExitDiffers], unjudged, cached)
	}
	return nil
}

// knownFindings are those of the file of --baseline.
type knownFindings struct {
	*baseline.KnownFindings      // nil for none
	record                  bool // all that is found is known from now on
}

// knownFindings reads the file of --baseline.
func (s *session) knownFindings(own verifyFlags) (knownFindings, error) {
	if own.baseline == "" {
		if own.record {
			return knownFindings{}, diag.Usagef("give --baseline "+baseline.Name, "--record says to write a baseline, and none is named")
		}
		return knownFindings{}, nil
	}
	b, err := s.storedBaseline(own.baseline)
	if err != nil {
		return knownFindings{}, err
	}
	if !b.Exists() && !own.record {
		return knownFindings{}, diag.Usagef("add --record to write it", "--baseline %s: there is no such file", own.baseline)
	}
	return knownFindings{b.Known(), own.record}, nil
}

// overlook has what is known of a verdict count no more. What stands nowhere is about a program's first file.
func (k knownFindings) overlook(v *verify.Verdict, first string) {
	if k.KnownFindings == nil {
		return
	}
	v.Overlook(func(m diag.Message, kernel string) bool {
		m.Pos.File = cmp.Or(m.Pos.File, first)
		return k.Has(m, kernel) || k.record
	})
}

// write writes what was found of some files into the baseline, where that is asked for.
func (k knownFindings) write(s *session, args []string, own verifyFlags) error {
	if !k.record {
		return nil
	}
	if s.Code >= diag.ExitUsage {
		s.Remark("%s was not written: not all files could be read", own.baseline)
		return nil
	}
	if _, err := k.Record(args); err != nil {
		return err
	}
	s.Remark("%s records %s of these files", own.baseline, prose.Count(len(k.Found), "place"))
	return nil
}

// storedBaseline opens a baseline. What is wrong with it is printed.
func (s *session) storedBaseline(name string) (*baseline.Stored, error) {
	b, err := baseline.Open(name)
	var format *baseline.FormatError
	if errors.As(err, &format) {
		s.Note(diag.ExitUsage)
		s.Message(format.Message)
		return nil, diag.ErrReported
	}
	return b, err
}
