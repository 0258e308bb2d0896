package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/store"
	"github.com/smux-cuda/smux/verify"
)

// export writes what is to be measured into a folder, for several kernels into one
// for each.
func (t *tuning) export() error {
	if t.flags.run != "" || t.flags.on != onGPU {
		return diag.Usagef("leave --run and --on away", "--export is for a GPU elsewhere")
	}
	if err := t.load(); err != nil {
		return err
	}
	groups, err := t.groups()
	if err != nil || len(groups) == 0 {
		return err
	}
	for _, g := range groups {
		dir := t.flags.export
		if len(groups) > 1 {
			dir = filepath.Join(dir, plainName(g.name()))
		}
		if err := t.exportGroup(g, dir); err != nil {
			return err
		}
	}
	return nil
}

// exportGroup writes the folder of kernels that are rewritten together.
func (t *tuning) exportGroup(g *tuneGroup, dir string) error {
	rules := t.flags.rules()
	in := bundle.Input{
		Subject: t.subject(g, record.Machine{On: onGPU}), Program: t.program(g), Root: t.flags.root,
		Request: nvcc.Request{Includes: t.parse.IncludeDirs, Defines: t.parse.Defines, Arch: "sm_" + strings.ReplaceAll(t.gpu.CC(), ".", "")},
		Search:  rules.MaxPairs, Confirm: rules.Confirm,
	}
	err := t.session.Interruptible("exporting", func(ctx context.Context) error {
		line := t.session.NewProgress()
		defer line.End()
		for _, f := range t.promising(g.forms) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			line.Say("kernel %q: writing %s", g.name(), f.Candidate)
			src, err := t.source(g, f.Candidate)
			var failed *record.Failure
			if err != nil && !errors.As(err, &failed) {
				return diag.Failed("rewriting", err)
			}
			f.MeasuredVariant.Subject, f.MeasuredVariant.Name = in.Subject, f.Candidate.String()
			if failed == nil {
				f.MeasuredVariant.Text = record.HashTexts(src.Texts, src.Flags)
			}
			in.Forms = append(in.Forms, bundle.Source{Variant: f.MeasuredVariant, Source: src, Failure: failed})
		}
		return nil
	})
	if err != nil {
		return err
	}
	m, err := bundle.Export(dir, in)
	var failed *record.Failure
	switch {
	case errors.As(err, &failed):
		return &diag.Failure{Exit: diag.ExitInternal, Err: &tune.BaseError{Failure: failed}, Help: t.helpOf(failed)}
	case err != nil:
		return t.bundleError(err)
	}
	if t.flags.quiet {
		return nil
	}
	for _, left := range m.Left {
		t.session.Remark("%s: not brought along: %s", dir, left)
	}
	t.session.Remark("kernel %q: %s to be measured in %s: run \"make && sh run.sh\" there, on a machine with nvcc and a GPU such as %s, then smux tune --import %s", g.name(), plural.Count(len(m.Forms), "form"), dir, t.gpu, dir)
	return nil
}

// promising are the forms that the budget allows, those of which the model expects
// most; in their order.
func (t *tuning) promising(forms []tune.Variant) []tune.Variant {
	most, _, _ := t.flags.limits()
	if most == 0 || len(forms) <= most+1 {
		return forms
	}
	order := slices.Clone(forms[1:])
	slices.SortStableFunc(order, func(a, b tune.Variant) int { return cmp.Compare(rank(b), rank(a)) })
	kept := map[string]bool{}
	for _, f := range order[:most] {
		kept[f.Candidate.String()] = true
	}
	return slices.DeleteFunc(slices.Clone(forms), func(f tune.Variant) bool {
		return !f.Candidate.IsOriginal() && !kept[f.Candidate.String()]
	})
}

// rank is what a form may gain: nothing, where the model doesn't know.
func rank(f tune.Variant) float64 { return cmp.Or(f.Predicted, 1) }

// bundleError says what is wrong with a folder: with what was named, or with the
// machine.
func (t *tuning) bundleError(err error) error {
	var wrong *bundle.Error
	var unsteady *bundle.UnsteadyError
	switch {
	case errors.As(err, &wrong):
		return diag.Usagef("", "%w", err)
	case errors.As(err, &unsteady):
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: t.helpOf(unsteady.Failure)}
	case errors.Is(err, os.ErrNotExist):
		return diag.Usagef("", "%w", err)
	}
	return &diag.Failure{Exit: diag.ExitInternal, Err: err}
}

// importBundle takes the results of exported folders into the record, and decides.
func (t *tuning) importBundle() error {
	dirs, err := exported(t.flags.imported)
	if err != nil {
		return err
	}
	path := t.flags.store
	if path == "" {
		path = filepath.Join(t.flags.imported, "results.jsonl")
	}
	st, err := store.Open(path)
	if err != nil {
		return storeError(err)
	}
	defer st.Close()
	var verdicts []judge.Verdict
	for _, dir := range dirs {
		found, err := bundle.Import(dir, bundle.Options{Known: st.Lines(), Tolerance: t.tolerance()})
		if err != nil {
			return t.bundleError(err)
		}
		if len(found.Lines) > 0 {
			if err := st.Append(found.Lines...); err != nil {
				return storeError(err)
			}
		}
		if !t.flags.quiet {
			t.session.Remark("%s: %s of kernel %q taken into %s", dir, plural.Count(len(found.Lines), "line"), found.Subject.Kernel, path)
			if len(found.Unbuilt) > 0 {
				t.session.Remark("%s: not measured yet: %s", dir, strings.Join(found.Unbuilt, ", "))
			}
		}
		of := judge.Of(tune.Of(st.Lines(), found.Subject), t.flags.rules())
		t.remarkOnWaiting(dir, of)
		verdicts = append(verdicts, of...)
	}
	if len(verdicts) == 0 {
		return diag.Usagef(`run "make && sh run.sh" there; it says what is wrong with a program that can't be measured`, "%s: nothing has been measured in it", t.flags.imported)
	}
	if err := t.compareFiles(verdicts); err != nil {
		return err
	}
	return t.deliver(verdicts, st.Lines())
}

// remarkOnWaiting says what to run for what is missing before there is a decision.
func (t *tuning) remarkOnWaiting(dir string, verdicts []judge.Verdict) {
	for _, v := range verdicts {
		if v.Waits == nil || v.Waits.Against != "" || t.flags.quiet {
			continue
		}
		for _, row := range v.Rows {
			if row.Key == v.Waits.Key {
				t.session.Remark(`%s: for a decision run "sh run.sh --confirm-turns %d" there, and import it again`, dir, row.Confirm.Pairs+v.Waits.Pairs)
			}
		}
	}
}

// tolerance is what --atol and --rtol say, nil where neither is given.
func (t *tuning) tolerance() *verify.Tolerance {
	if f := t.flags.set; !f.Changed("atol") && !f.Changed("rtol") {
		return nil
	}
	return &verify.Tolerance{Abs: t.flags.abs, Rel: t.flags.rel}
}

// exported are the folders of one export: itself, or one for each kernel.
func exported(dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err == nil {
		return []string{dir}, nil
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
	if err != nil || len(found) == 0 {
		return nil, diag.Usagef("name a folder of --export", "%s: this is no folder that --export has written", dir)
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found, nil
}
