package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// session is one call of Run.
type session struct {
	Request
	toolchain *build.Toolchain
	scratch   string     // logs of copies, and the programs unless they are kept
	original  *subject   // also subjects[0]
	subjects  []*subject // in the order of the verdict
	remarks   []diag.Message
	anyOutput bool         // the original's output is one of several: a difference from it proves nothing
	restless  bool         // two equal runs of the original differ
	idle      map[use]bool // nothing that the original shows depends on these values
}

// Run runs the programs of a request and judges them. What keeps a program from being judged is in the verdict; an
// error is one of this machine (no room to write, say) or ctx's.
//
// The original goes first, twice, since nothing can be compared with a program that does not run or whose two equal
// runs differ. All else is then built and run in parallel.
func Run(ctx context.Context, r Request) (*Verdict, error) {
	v := &Verdict{Schema: Schema, Rows: []Row{}, Findings: []Finding{}, Failures: []Failure{}}
	s := &session{Request: r.withDefaults()}
	if err := s.run(ctx, v); err != nil {
		return nil, err
	}
	v.conclude(len(r.Variants) > 0)
	return v, nil
}

func (s *session) run(ctx context.Context, v *Verdict) error {
	compiler, err := build.Find(s.Compiler)
	if err != nil {
		v.Failures = append(v.Failures, Failure{Variant: OriginalName, Message: noCompiler(err)})
		return nil
	}
	v.Compiler = compiler.Version
	if s.scratch, err = disk.TempDir("", "smux-verify-"); err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	defer disk.Remove(s.scratch)
	if s.toolchain, err = build.Open(compiler, s.CacheDir); err != nil {
		return fmt.Errorf("preparing the compiler: %w", err)
	}
	defer s.toolchain.Close()
	if s.Preparing != nil && !s.toolchain.Prepared(s.modes()...) {
		s.Preparing(compiler.Path)
	}
	s.addSubjects()
	begun, path := time.Now(), s.keptAt("verdict")
	if recall(path, v) {
		v.Cached = true
		return nil
	}
	if s.reference(ctx) {
		ready := s.prepared()
		s.groupSubjects(ready[1:])
		s.parallel(s.tasks(ctx, ready))
		if ctx.Err() == nil {
			s.parallel(s.tasks(ctx, s.doubtful()))
		}
		s.exploreAll(ctx)
		s.findUndefined(ctx)
		s.findNotExercised()
		s.findNotShown(ctx)
		s.compareForms(ctx)
	} else if s.original.err == nil && ctx.Err() == nil && goesOn(s, s.original) {
		s.parallel(s.tasks(ctx, s.subjects))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	v.countKernels(s)
	v.countBranches(s)
	s.collect(v)
	s.keep(path, v, begun)
	return s.internalError()
}

// noCompiler returns the message of a machine without a C++ compiler.
func noCompiler(err error) diag.Message {
	var missing *build.NoCompilerError
	if errors.As(err, &missing) {
		return missing.Message()
	}
	return diag.Message{Code: CodeNoCompiler, Text: err.Error(), Help: diag.Help(CodeNoCompiler)}
}

// addSubjects lists the programs.
func (s *session) addSubjects() {
	s.original = &subject{name: OriginalName, program: &s.Original, remarks: s.Original.Remarks}
	s.subjects = []*subject{s.original}
	for i := range s.Variants {
		v := &s.Variants[i]
		s.subjects = append(s.subjects, &subject{name: v.Name, program: &v.Program, places: newPlaces(&s.Original, v), checked: v.Checked && len(s.CheckedSchedules) > 0})
	}
	keep := s.Keep
	keep = cmp.Or(keep, s.scratch)
	for i, sub := range s.subjects {
		sub.dir = filepath.Join(keep, folderName(i, sub.name))
	}
}

// reference builds the original and runs it in the first order, twice with each argument list. It reports whether the
// others have something to be compared with.
func (s *session) reference(ctx context.Context) bool {
	if err := s.prepare(s.original); err != nil {
		return false
	}
	jobs := []job{{s.original, build.Plain, func() { s.runPlain(ctx, s.original, s.Schedules[:1]) }}}
	if len(s.CheckedSchedules) > 0 && !s.Original.isHost() {
		// It will be needed, and there may be a second processor for it.
		jobs = append(jobs, job{s.original, build.Checked, func() { s.build(ctx, s.original, build.Checked) }})
	}
	s.parallel(jobs)
	if s.Original.Followed != nil && len(s.original.failures) > 0 && ctx.Err() == nil {
		s.Original.Followed = nil
		s.original.builds, s.original.runs, s.original.failures = nil, nil, nil
		ok := s.reference(ctx)
		if ok {
			s.remarkDirectives(diag.Message{Text: "the C program does not end well with what its directives say of values", Help: "smux compares with the program without them"})
		}
		return ok
	}
	if len(s.original.failures) > 0 || s.original.err != nil || ctx.Err() != nil {
		return false
	}
	for i := range s.Args {
		first := s.original.find(build.Plain, i, s.Schedules[0])
		if first.isFatal() {
			return len(s.Variants) == 0
		}
		s.runAgain(ctx, first)
	}
	return len(s.original.failures) == 0 && s.original.err == nil && (s.Original.isHost() || !s.failIdle())
}

// goesOn reports whether a program is run on although two equal runs of it differ, or a run was ended by its host code, by what smux lacks, or by
// the timeout: what its kernels did until then may be why. It must be checked alone, and a run must have come to a kernel.
func goesOn(s *session, sub *subject) bool {
	cut := s.restless || sub.anyRun(func(r *run) bool { return !r.judged })
	return len(s.Variants) == 0 && cut && sub.anyRun(func(r *run) bool { return r.result != nil && launched(r.result) })
}

// tooLong reports whether the plain build of a program that is checked alone met the timeout. Its slower build gets one order and no more time.
func tooLong(s *session, sub *subject) bool {
	return len(s.Variants) == 0 && sub.anyRun(func(r *run) bool { return r.mode == build.Plain && r.result != nil && r.result.TimedOut })
}

// prepared returns the original and the variants that could be parsed.
func (s *session) prepared() []*subject {
	out := []*subject{s.original}
	for _, sub := range s.subjects[1:] {
		if s.prepare(sub) == nil {
			out = append(out, sub)
		}
	}
	return out
}

// job is the runs of one build of a program.
type job struct {
	subject *subject
	mode    build.Mode
	do      func()
}

// tasks returns all builds and runs of programs beside the reference, as jobs that know nothing of each other.
func (s *session) tasks(ctx context.Context, of []*subject) (jobs []job) {
	for _, sub := range of {
		orders := s.Schedules
		if sub == s.original && s.Original.isHost() {
			continue // it has no order of threads, and no memory of the device
		}
		if tooLong(s, sub) {
			first := s.CheckedSchedules[:min(1, len(s.CheckedSchedules))]
			jobs = append(jobs, job{sub, build.Checked, func() { s.runBuild(ctx, sub, build.Checked, first) }})
			continue
		}
		if sub == s.original {
			orders = orders[1:]
		}
		if sub.checked {
			jobs = append(jobs, job{sub, build.Checked, func() { s.runBuild(ctx, sub, build.Checked, s.CheckedSchedules) }})
			continue
		}
		// A program that hangs or crashes in a plain run is judged: its other, slower builds need not do the same.
		rest, stop := context.WithCancel(ctx)
		jobs = append(jobs, job{sub, build.Plain, func() {
			if !s.runPlain(ctx, sub, orders) && !goesOn(s, sub) {
				stop()
			}
		}})
		if len(s.CheckedSchedules) > 0 {
			jobs = append(jobs, job{sub, build.Checked, func() { s.runBuild(rest, sub, build.Checked, s.CheckedSchedules) }})
		}
		if s.Address {
			jobs = append(jobs, job{sub, build.Address, func() { s.runBuild(rest, sub, build.Address, s.Schedules[:1]) }})
		}
	}
	return jobs
}

// parallel does jobs, as many at a time as the request allows.
func (s *session) parallel(jobs []job) {
	var telling sync.Mutex
	begun := 0
	parallel.Each(context.Background(), len(jobs), s.Jobs, func(i int) error {
		if s.Progress != nil {
			telling.Lock()
			begun++
			s.Progress(jobs[i].subject.name, jobs[i].mode, begun, len(jobs))
			telling.Unlock()
		}
		jobs[i].do()
		return nil
	})
}

// internalError is the first error that is not a property of a program.
func (s *session) internalError() error {
	for _, sub := range s.subjects {
		if sub.err != nil {
			return sub.err
		}
	}
	return nil
}

// allOrders returns the orders of plain and checked runs, each once.
func (s *session) allOrders() []execute.Schedule {
	out := slices.Clone(s.Schedules)
	for _, o := range s.CheckedSchedules {
		if !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}
