package tune

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/record"
)

// Export writes what is to be measured into a folder, for several kernels into one for
// each.
func (s *Session) Export(dir string) error {
	if s.Command.Run != "" || s.On != OnGPU {
		return diag.Usagef("omit --run and --on", "--export is for a GPU elsewhere")
	}
	if err := s.load(true); err != nil {
		return err
	}
	groups, err := s.groups()
	if err != nil || len(groups) == 0 {
		return err
	}
	for _, g := range groups {
		own := dir
		if len(groups) > 1 {
			own = filepath.Join(dir, plainName(g.name()))
		}
		if err := s.exportGroup(g, own); err != nil {
			return err
		}
	}
	return nil
}

// bundleInput writes the forms of kernels that are rewritten together, for a folder.
func (s *Session) bundleInput(ctx context.Context, g *group, forms []Variant) (bundle.Input, error) {
	in := bundle.Input{
		Subject: s.subject(g, record.Machine{On: OnGPU}), Program: s.program(g), Root: s.Command.Root,
		Request: nvcc.Request{Includes: s.job.Parse.IncludeDirs, Defines: s.job.Parse.Defines, Flags: s.job.Parse.Flags, Arch: "sm_" + strings.ReplaceAll(s.gpu.CC(), ".", "")},
		Search:  s.Rules.MaxPairs, Confirm: s.Rules.Confirm,
	}
	line := s.NewProgress()
	defer line.End()
	for _, f := range forms {
		if ctx.Err() != nil {
			return in, ctx.Err()
		}
		line.Say("kernel %q: writing %s", g.name(), f.Candidate)
		src, err := s.source(g, f.Candidate)
		var failed *record.Failure
		if err != nil && !errors.As(err, &failed) {
			return in, diag.Failed("rewriting", err)
		}
		f.MeasuredVariant.Subject, f.MeasuredVariant.Name = in.Subject, f.Candidate.String()
		if failed == nil {
			f.MeasuredVariant.Text = record.HashTexts(src.Texts, src.Flags)
		}
		in.Forms = append(in.Forms, bundle.Source{Variant: f.MeasuredVariant, Source: src, Failure: failed})
	}
	return in, nil
}

// writeBundle writes the folder.
func (s *Session) writeBundle(in bundle.Input, dir string) (*bundle.Manifest, error) {
	m, err := bundle.Export(dir, in)
	var failed *record.Failure
	switch {
	case errors.As(err, &failed):
		return nil, &diag.Failure{Exit: diag.ExitInternal, Err: &BaseError{Failure: failed}, Help: s.helpOf(failed)}
	case err != nil:
		return nil, s.bundleError(err)
	}
	if !s.Quiet {
		for _, left := range m.Left {
			s.Remark("%s: not brought along: %s", dir, left)
		}
	}
	return m, nil
}

// exportGroup writes the folder of kernels that are rewritten together.
func (s *Session) exportGroup(g *group, dir string) error {
	var in bundle.Input
	err := s.Interruptible("exporting", func(ctx context.Context) (err error) {
		in, err = s.bundleInput(ctx, g, s.promising(g.forms))
		return err
	})
	if err != nil {
		return err
	}
	m, err := s.writeBundle(in, dir)
	if err != nil || s.Quiet {
		return err
	}
	s.Remark("kernel %q: %s to be measured in %s: run \"make && sh run.sh\" there, on a machine with nvcc and a GPU such as %s, then smux tune --import %s", g.name(), prose.Count(len(m.Forms), "form"), dir, s.gpu, dir)
	return nil
}

// promising returns the forms that the budget allows, those of which the model expects
// most; in their order.
func (s *Session) promising(forms []Variant) []Variant {
	most := s.Budget.Forms
	if most == 0 || len(forms) <= most+1 {
		return forms
	}
	order := slices.Clone(forms[1:])
	slices.SortStableFunc(order, func(a, b Variant) int { return cmp.Compare(rank(b), rank(a)) })
	kept := map[string]bool{}
	for _, f := range order[:most] {
		kept[f.Candidate.String()] = true
	}
	return slices.DeleteFunc(slices.Clone(forms), func(f Variant) bool {
		return !f.Candidate.IsOriginal() && !kept[f.Candidate.String()]
	})
}

// rank returns what a form may gain: nothing, where the model doesn't know.
func rank(f Variant) float64 { return cmp.Or(f.Predicted, 1) }

// bundleError returns what is wrong with a folder: with what was named, or with the
// machine.
func (s *Session) bundleError(err error) error {
	var wrong *bundle.Error
	var unsteady *bundle.UnsteadyError
	switch {
	case errors.As(err, &wrong):
		return diag.Usagef("", "%w", err)
	case errors.As(err, &unsteady):
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: s.helpOf(unsteady.Failure)}
	case errors.Is(err, os.ErrNotExist):
		return diag.Usagef("", "%w", err)
	}
	return &diag.Failure{Exit: diag.ExitInternal, Err: err}
}
