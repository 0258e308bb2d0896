package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
)

// CodeNVCCRefused is nvcc's own message about a file.
const CodeNVCCRefused diag.Code = "nvcc-refused"

// prepare compiles what the kernels need for the GPUs, side by side, each file
// once per architecture. What nvcc refuses is told where it matters.
func (r *resourceReader) prepare(ctx context.Context, kernels []*analysis.Kernel, gpus []*gpu.GPU) {
	if r.toolkit == nil {
		return
	}
	for _, k := range kernels {
		for _, unit := range r.units(k) {
			for _, g := range gpus {
				if arch, _ := r.toolkit.NearestArch(g.CC()); arch != "" {
					r.known[unitArch{unit, arch}] = &compiled{}
				}
			}
		}
	}
	r.compileAll(ctx)
	if ctx.Err() != nil {
		return
	}
	for _, c := range r.known {
		if c.err == nil && c.unlisted != nil {
			r.session.Remark("instructions are counted in the source: %v", c.unlisted)
			break
		}
	}
	r.warn()
}

// prepareOrEnd is prepare for a command that is done when a person interrupts.
func (r *resourceReader) prepareOrEnd(kernels []*analysis.Kernel, gpus []*gpu.GPU) error {
	return r.session.Interruptible("asking nvcc", func(ctx context.Context) error {
		r.prepare(ctx, kernels, gpus)
		return nil
	})
}

// compileAll fills in what is known, and says on a terminal how far it is.
func (r *resourceReader) compileAll(ctx context.Context) {
	line := r.session.NewProgress()
	defer line.End()
	keys := slices.Collect(maps.Keys(r.known))
	parallel.Each(ctx, len(keys), runtime.NumCPU(), func(i int) error {
		line.Say("asking nvcc: %s for %s, %d of %d", keys[i].unit, keys[i].arch, i+1, len(keys))
		r.compile(ctx, keys[i], r.known[keys[i]])
		return nil
	})
}

// compile asks nvcc about a file on an architecture.
func (r *resourceReader) compile(ctx context.Context, key unitArch, c *compiled) {
	req := r.request
	req.Units, req.Arch = []string{key.unit}, key.arch
	if r.listings { // first: its answer holds the other one
		c.listings, c.unlisted = r.toolkit.Lines(ctx, req)
		var refused *nvcc.CompileError
		if errors.As(c.unlisted, &refused) || errors.Is(c.unlisted, context.DeadlineExceeded) {
			c.err = c.unlisted // it would say so again, after as long
			return
		}
	}
	c.kernels, c.err = r.toolkit.Resources(ctx, req)
}

// once reports whether something is to be said: the first time only.
func (r *resourceReader) once(text string) bool {
	first := !r.told[text]
	r.told[text] = true
	return first
}

// warn passes on what the toolkit has to say that is no error.
func (r *resourceReader) warn() {
	if r.toolkit == nil {
		return
	}
	for _, w := range r.toolkit.Warnings() {
		if r.once(w) {
			r.session.Remark("%s", w)
		}
	}
}

// failed tells what nvcc said, once for all architectures. It returns the error
// where nothing but nvcc's figures will do.
func (r *resourceReader) failed(err error) error {
	must := r.mode == resourcesNVCC
	instead := cmp.Or(r.instead, "registers are estimated")
	var refused *nvcc.CompileError
	switch {
	case errors.As(err, &refused):
		if r.once(refused.Error()) {
			if must {
				instead = ""
			}
			r.session.refusedByNVCC(refused, instead)
		}
	case must:
		return diag.Failed("asking nvcc", err)
	case r.once(err.Error()):
		r.session.Remark("nvcc: %v; %s", err, instead)
	}
	if must {
		r.session.Note(diag.ExitUsage)
		return diag.ErrReported
	}
	return nil
}

// nvccError finds the errors in what nvcc prints.
var nvccError = regexp.MustCompile(`(?m)^[^:\n]+(:[0-9]+)*\)?\s*: (fatal |catastrophic )?error\b[^:\n]*:.*$`)

// refusedByNVCC passes on what nvcc has against a file: its first error as the
// message with what comes of it, others as they are.
func (s *session) refusedByNVCC(e *nvcc.CompileError, instead string) {
	m := diag.Message{Pos: diag.Position{File: e.File}, Code: CodeNVCCRefused, Text: e.Message, Help: e.Help}
	if e.Line > 0 {
		m.Pos.File = fmt.Sprintf("%s:%d", e.File, e.Line) // nvcc tells no columns
	}
	if instead != "" {
		m.Text += "; " + instead
	}
	errs := nvccError.FindAllString(e.Output, -1)
	var rest string
	switch {
	case e.Line == 0:
		rest = e.Output
	case len(errs) > 1:
		rest = strings.Join(errs[1:min(len(errs), mostNVCCErrors)], "\n")
	}
	s.MessageWith(m, rest)
}

// mostNVCCErrors is how many errors of one file are passed on.
const mostNVCCErrors = 5

// complain says what nvcc has against the program, and returns the error where
// nothing but nvcc's figures will do.
func (r *resourceReader) complain(kernels []*analysis.Kernel, gpus []*gpu.GPU) error {
	if r.toolkit == nil {
		return nil
	}
	for _, k := range kernels {
		for _, in := range k.Instances {
			for _, g := range gpus {
				if _, err := r.of(k, in, g); err != nil && err != errNoCode {
					return err
				}
			}
		}
	}
	return nil
}
