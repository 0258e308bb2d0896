package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/verify/build"
)

// EachRun runs a request's checked builds with each list of arguments, in the checked orders,
// and returns what is wrong with each run: "" if nothing is. Run says more of fewer
// runs: it ends at an original that is wrong with any arguments, and compiles again by itself what differs.
// Variants are not run with arguments with which the original is wrong. What can't be compiled has
// one run with what the compiler says.
func EachRun(ctx context.Context, r Request) (original []string, variants [][]string, err error) {
	s := &session{Request: r.withDefaults()}
	compiler, err := build.Find(s.Compiler)
	if err != nil {
		return nil, nil, err
	}
	if s.scratch, err = disk.TempDir("", "smux-verify-"); err != nil {
		return nil, nil, err
	}
	defer disk.Remove(s.scratch)
	if s.toolchain, err = build.Open(compiler, s.CacheDir); err != nil {
		return nil, nil, err
	}
	defer s.toolchain.Close()
	s.addSubjects()
	if s.prepare(s.original) == nil {
		s.parallel([]job{
			{s.original, build.Plain, func() { s.build(ctx, s.original, build.Plain) }},
			{s.original, build.Checked, func() { s.build(ctx, s.original, build.Checked) }},
		})
	}
	if why := s.original.failedBuild(); why != "" {
		return []string{why}, nil, nil
	}
	original = make([]string, len(s.Args))
	var jobs []job
	for args := range s.Args {
		jobs = append(jobs, job{s.original, build.Checked, func() { original[args] = s.originalWith(ctx, args) }})
	}
	s.parallel(jobs)
	ready := s.prepared()[1:]
	s.groupSubjects(ready)
	jobs, variants = nil, make([][]string, len(s.Variants))
	for i, sub := range s.subjects[1:] {
		jobs = append(jobs, job{sub, build.Checked, func() {
			if sub.parsed != nil {
				s.build(ctx, sub, build.Checked)
			}
			if why := sub.failedBuild(); why != "" {
				variants[i] = []string{why}
				return
			}
			variants[i] = make([]string, len(s.Args))
			for args := range s.Args {
				if original[args] == "" {
					variants[i][args] = s.variantWith(ctx, sub, args)
				}
			}
		}})
	}
	s.parallel(jobs)
	for _, sub := range s.subjects {
		if sub.err != nil {
			return nil, nil, sub.err
		}
	}
	return original, variants, ctx.Err()
}

// failedBuild returns why a program has no build.
func (sub *subject) failedBuild() string {
	for _, f := range sub.failures {
		return fmt.Sprintf("%s: %s", f.Message.Code, strings.Join(strings.Fields(f.Message.Text+" "+f.Output), " "))
	}
	return ""
}

// originalWith returns what is wrong with the original's runs with some arguments, and keeps the reference.
func (s *session) originalWith(ctx context.Context, args int) string {
	for i, mode := range []build.Mode{build.Plain, build.Checked} {
		for j, order := range slices.Concat(s.Schedules[:1], s.CheckedSchedules) {
			r := &run{mode: mode, args: args, order: order}
			r.log = fmt.Sprint(s.logName(s.original, r), i, j)
			s.execute(ctx, s.original, s.build(ctx, s.original, mode), r)
			if i == 0 && j == 0 {
				s.original.add(r)
			} else {
				s.compare(s.original, r, s.original.find(build.Plain, args, s.Schedules[0]), s.Tolerance)
				s.dropLog(r)
			}
			if why := s.wrong(s.original, r); why != "" {
				return why
			}
			if !launched(r.result) {
				return fmt.Sprintf("%s: %d, and no kernel was launched", CodeExitsNonzero, r.result.Exit)
			}
		}
	}
	return ""
}

// variantWith returns what is wrong with a variant's runs with some arguments.
func (s *session) variantWith(ctx context.Context, sub *subject, args int) string {
	for _, order := range s.CheckedSchedules {
		r := &run{mode: build.Checked, args: args, order: order}
		r.log = s.logName(sub, r)
		s.execute(ctx, sub, s.build(ctx, sub, build.Checked), r)
		s.compare(sub, r, s.original.find(build.Plain, args, s.Schedules[0]), s.Tolerance)
		s.dropLog(r)
		if why := s.wrong(sub, r); why != "" {
			return why
		}
	}
	return ""
}

// wrong returns what is wrong with a run.
func (s *session) wrong(sub *subject, r *run) string {
	if r.result == nil {
		return "not-run"
	}
	var why []string
	for i := range r.result.Report {
		f := &r.result.Report[i]
		if f.Code != reportCrash && !isSameValue(f) {
			why = append(why, fmt.Sprintf("%s: %s %s", codeOf(f.Code), sentence(f, sub.places), f.Text))
		}
	}
	if m := s.badEnd(sub, r); m != nil {
		why = append(why, fmt.Sprintf("%s: %s", m.Code, m.Text))
	} else if r.difference != nil {
		why = append(why, "different: "+r.difference.String())
	}
	return strings.Join(strings.Fields(strings.Join(why, "; ")), " ")
}
