package nvcc

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Build compiles the units of a request for its architecture, links them with
// further files (sources, objects, archives) and libraries, and writes the program
// to out. The texts of the request stand for the files on disk, as in Resources.
// own are flags of the caller's that Request.Flags can't have: they choose what is made. Nothing is kept. The error is a *CompileError where nvcc refused, that of ctx where
// it ended, or reports what failed.
func (t *Toolkit) Build(ctx context.Context, r Request, further, libraries []string, out string, own ...string) error {
	p, err := r.resolve()
	if err != nil {
		return err
	}
	if len(p.Units) == 0 {
		return errNoKernel
	}
	free, err := t.slot(ctx)
	if err != nil {
		return err
	}
	defer free()
	o, err := p.overlay()
	if err != nil {
		return fmt.Errorf("writing the program's texts for nvcc: %w", err)
	}
	defer o.remove()
	args := append([]string{"-arch=" + p.Arch, "-Wno-deprecated-gpu-targets", "-o", out}, p.searchFlags(o)...)
	for _, d := range p.Defines {
		args = append(args, "-D"+d)
	}
	args = slices.Concat(args, p.flags, own)
	for _, u := range p.Units {
		args = append(args, o.path(p.absolute(u)))
	}
	for _, f := range further {
		args = append(args, p.absolute(f))
	}
	for _, l := range libraries {
		args = append(args, "-l"+l)
	}
	_, err = t.run(ctx, p, o, t.Path, args)
	var refused *exitError
	switch {
	case errors.As(err, &refused):
		return p.refused(o, p.Units[0], refused)
	case err != nil:
		return fmt.Errorf("building %s for %s: %w", p.Units[0], p.Arch, err)
	}
	return nil
}
