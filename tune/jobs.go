package tune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/slurm"
)

// tuneByJobs measures the forms of a group on the GPUs of a cluster: they are exported into a
// folder that the nodes see, measured there by an array job, and taken into the record. What
// waits to be confirmed is measured by further jobs.
func (s *Session) tuneByJobs(ctx context.Context, g *group, st *record.Store, path string) (*judge.Verdict, error) {
	in, err := s.bundleInput(ctx, g, g.forms)
	if err != nil {
		return nil, err
	}
	r := &jobsRun{session: s, group: g, store: st, told: map[string]bool{}, lost: map[string]bool{}, saidAt: time.Now()}
	if r.dir, err = s.sharedFolder(in, path); err != nil {
		return nil, err
	}
	if r.manifest, err = bundle.ReadManifest(r.dir); err != nil { // it appears when it is whole
		if r.manifest, err = s.writeBundle(in, r.dir); err != nil {
			return nil, err
		}
	}
	wanted := r.wanted()
	if err := r.compile(ctx, wanted); err != nil {
		return nil, err
	}
	r.line = newProgress(s.Console, &s.Options)
	r.line.all = true // they end by the dozen
	defer r.line.end()
	r.jobs = &slurm.Jobs{Options: s.Slurm, Dir: r.dir, Manifest: r.manifest, Report: r.report, Collect: r.collect}
	if err := r.jobs.Open(); err != nil {
		return nil, diag.Failed("reading what was submitted", err)
	}
	defer r.jobs.Close()
	if err := r.search(ctx, wanted); err != nil {
		return nil, s.jobsError(err)
	}
	if err := r.confirm(ctx); err != nil {
		return nil, s.jobsError(err)
	}
	v := r.verdict()
	return &v, nil
}

// sharedFolder returns the folder of what is exported: another one for each subject and for
// other texts of its forms, so that each goes on in its own.
func (s *Session) sharedFolder(in bundle.Input, path string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, bundle.Schema, in.Subject.Key(), in.Request.Arch)
	for _, f := range in.Forms {
		fmt.Fprintln(h, f.Variant.Key(), f.Failure == nil)
	}
	root := s.Shared
	if root == "" {
		root = strings.TrimSuffix(path, filepath.Ext(path)) + ".jobs"
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return "", diag.Usagef("name a folder that the nodes see with --shared DIR", "%s: jobs can't work here: %w", root, diag.PlainCause(err))
	}
	return filepath.Join(root, plainName(in.Subject.Kernel)+"-"+hex.EncodeToString(h.Sum(nil))[:record.HashInName]), nil
}

// jobsRun is one tuning by jobs.
type jobsRun struct {
	session  *Session
	group    *group
	store    *record.Store
	dir      string
	manifest *bundle.Manifest
	jobs     *slurm.Jobs
	line     *progress
	subject  *record.Subject // with the machine, nil before something was measured
	total    int             // forms to be searched
	told     map[string]bool // forms whose end was reported, by key
	lost     map[string]bool // folders that were given up
	said     string          // how the jobs were, when that was reported last where there is no terminal
	saidAt   time.Time
}

// wanted returns the folders of the forms that the budget allows, the original first.
func (r *jobsRun) wanted() []string {
	promising := map[string]bool{}
	for _, f := range r.session.promising(r.group.forms) {
		promising[f.Candidate.String()] = true
	}
	var out []string
	for _, f := range r.manifest.Forms {
		if f.Folder != "" && promising[f.Variant.Candidate.String()] {
			out = append(out, f.Folder)
		}
	}
	r.total = len(out)
	return out
}

// compile builds forms here where there is nvcc, so that no GPU waits for a compiler. Else the
// jobs do.
func (r *jobsRun) compile(ctx context.Context, folders []string) error {
	s := r.session
	toolkit, err := s.job.FindNVCC()
	if err == nil {
		_, err = exec.LookPath("make")
	}
	if err != nil {
		if !s.Quiet {
			s.Remark("kernel %q: compiled by the jobs, since it can't be here: %s", r.group.name(), err)
		}
		return nil
	}
	line := s.NewProgress()
	defer line.End()
	line.Say("kernel %q: compiling %s", r.group.name(), prose.Count(len(folders), "form"))
	c := process.Command(ctx, "make", append([]string{"-k", fmt.Sprintf("-j%d", runtime.NumCPU()), "NVCC=" + toolkit.Path}, folders...)...)
	c.Dir = r.dir
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // what is refused is no error of make's: the jobs try again
		s.Remark("kernel %q: not all forms are compiled here (%s); the jobs compile them", r.group.name(), lastLineOf(string(out)))
	}
	return nil
}

func lastLineOf(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// collect takes what is new in the folder into the record.
func (r *jobsRun) collect(_ context.Context, product string) error {
	found, err := bundle.Import(r.dir, bundle.Options{Known: r.store.Lines(), Tolerance: r.session.Tolerance, Product: product})
	var wrong *bundle.Error
	if errors.As(err, &wrong) && r.subject == nil {
		if all, e := bundle.Products(r.dir); e == nil && !slices.Contains(all, product) {
			return nil // nothing yet
		}
	}
	if err != nil {
		return r.session.bundleError(err)
	}
	if len(found.Lines) > 0 {
		if err := r.store.Append(found.Lines...); err != nil {
			return err
		}
	}
	r.subject = &found.Subject
	r.tell()
	return nil
}

// search has the forms measured next to the original, as often as the rules ask for.
func (r *jobsRun) search(ctx context.Context, folders []string) error {
	rules := r.session.Rules
	for turns := rules.MinPairs; len(folders) > 0; turns += rules.MinPairs {
		turns = min(turns, rules.MaxPairs)
		if err := r.measure(ctx, folders, false, "", turns); err != nil {
			return err
		}
		if r.subject == nil {
			return errors.New("nothing was measured")
		}
		if turns == rules.MaxPairs {
			return nil
		}
		folders = slices.DeleteFunc(folders, func(folder string) bool { return r.lost[folder] || r.enough(folder) })
	}
	return nil
}

// measure has forms measured by jobs, and tells of those that are given up.
func (r *jobsRun) measure(ctx context.Context, folders []string, confirms bool, against string, turns int) error {
	want := slurm.Want{Turns: turns, Against: against}
	for _, folder := range folders {
		if n, ok := r.manifest.Task(folder, confirms); ok {
			want.Tasks = append(want.Tasks, n)
		}
	}
	product, lost, err := r.jobs.Measure(ctx, want)
	if err != nil {
		return err
	}
	for _, l := range lost {
		r.lost[l.Form] = true
		r.session.Fail(r.session.jobsError(l))
	}
	if product == "" {
		return nil
	}
	return r.collect(ctx, product)
}

// enough reports whether nothing more is to be searched of a form.
func (r *jobsRun) enough(folder string) bool {
	key := r.key(folder)
	var pairs []record.Pair
	for _, l := range r.store.Lines() {
		switch {
		case l.Key != key:
		case l.Failure != nil:
			return true
		case l.Pair != nil:
			pairs = append(pairs, *l.Pair)
		}
	}
	return r.session.Rules.Enough(pairs)
}

// key returns the key of a folder's form as it was measured.
func (r *jobsRun) key(folder string) string {
	for _, f := range r.manifest.Forms {
		if f.Folder == folder {
			v := f.Variant
			v.Subject = *r.subject
			return v.Key()
		}
	}
	return ""
}

// folderOf returns the folder of the form for which is holds.
func (r *jobsRun) folderOf(is func(bundle.Form) bool) string {
	if i := slices.IndexFunc(r.manifest.Forms, is); i >= 0 {
		return r.manifest.Forms[i].Folder
	}
	return ""
}

// confirm has measured what the decision waits for.
func (r *jobsRun) confirm(ctx context.Context) error {
	for {
		lines := Of(r.store.Lines(), *r.subject)
		task, ok := judge.Waits(judge.Verdict{Subject: *r.subject}, lines, r.session.Rules)
		if !ok {
			return nil
		}
		folder := r.folderOf(func(f bundle.Form) bool { return f.Folder != "" && r.key(f.Folder) == task.Key })
		against := ""
		if task.Against != "" {
			against = r.folderOf(func(f bundle.Form) bool { return f.Variant.Candidate.String() == task.Against })
		}
		if folder == "" || task.Against != "" && against == "" {
			return fmt.Errorf("%s: its text is not what was measured", task.Key)
		}
		have := 0
		for _, l := range lines {
			if l.Key == task.Key && l.Pair != nil && l.Pair.Phase == record.Confirm && l.Pair.Against == task.Against {
				have++
			}
		}
		if err := r.measure(ctx, []string{folder}, true, against, have+task.Pairs); err != nil {
			return err
		}
		if r.lost[folder] {
			return nil // which the verdict says
		}
		if len(Of(r.store.Lines(), *r.subject)) == len(lines) {
			return errors.New("a measurement that is waited for can't be made")
		}
	}
}

// verdict returns how things stand.
func (r *jobsRun) verdict() judge.Verdict {
	if all := judge.Of(Of(r.store.Lines(), *r.subject), r.session.Rules); len(all) > 0 {
		return all[0]
	}
	return judge.Verdict{Chosen: -1, Form: -1, Subject: *r.subject}
}

// jobsError is an error of jobs as a person is to see it: with its code.
func (s *Session) jobsError(err error) error {
	var coded interface {
		error
		Code() diag.Code
	}
	var base *slurm.BaseError
	switch {
	case errors.As(err, &base):
		return &BaseError{Failure: &record.Failure{Kind: record.FailedRun, Text: strings.TrimPrefix(base.Text, "the program as it is ")}}
	case errors.As(err, &coded):
		exit := diag.ExitInternal
		if c := coded.Code(); c == slurm.CodeNoSlurm || c == slurm.CodeRefused {
			exit = diag.ExitUsage
		}
		return &diag.Failure{Exit: exit, Err: fmt.Errorf("%s: %w", coded.Code(), err), Help: diag.Help(coded.Code())}
	}
	return err
}
