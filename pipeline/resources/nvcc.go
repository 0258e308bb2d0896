package resources

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
	"sync/atomic"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
)

// CodeNVCCRefused is nvcc's own message about a file.
const CodeNVCCRefused diag.Code = "nvcc-refused"

// Prepare compiles what the kernels need for the GPUs, side by side, each file
// once per architecture. What nvcc refuses is reported where it matters.
func (r *Reader) Prepare(ctx context.Context, kernels []*analysis.Kernel, gpus []*gpu.GPU) {
	if r.Toolkit == nil {
		return
	}
	for _, k := range kernels {
		for _, unit := range r.Units(k) {
			for _, g := range gpus {
				if arch, _ := r.Toolkit.NearestArch(g.CC()); arch != "" {
					r.known[Unit{unit, arch}] = &compiled{}
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
			r.console.Remark("instructions are counted in the source: %v", c.unlisted)
			break
		}
	}
	r.Warn()
}

// PrepareOrEnd is Prepare for a command that is done when a person interrupts.
func (r *Reader) PrepareOrEnd(kernels []*analysis.Kernel, gpus []*gpu.GPU) error {
	return r.console.Interruptible("asking nvcc", func(ctx context.Context) error {
		r.Prepare(ctx, kernels, gpus)
		return nil
	})
}

// compileAll fills in what is known, and shows on a terminal how far it is.
func (r *Reader) compileAll(ctx context.Context) {
	line := r.console.NewProgress()
	defer line.End()
	keys := slices.Collect(maps.Keys(r.known))
	var done atomic.Int32
	// The toolkit sees to it that no more than its share runs at once, and that of several
	// which wait for the same step none stands in the way of others.
	parallel.Each(ctx, len(keys), 4*runtime.NumCPU(), func(i int) error {
		line.Say("asking nvcc, %d of %d: %s for %s", done.Load()+1, len(keys), keys[i].Name, keys[i].Arch)
		c := r.known[keys[i]]
		c.kernels, c.listings, c.unlisted, c.err = r.ask(ctx, keys[i], r.Request.Texts)
		done.Add(1)
		return nil
	})
}

// Compile asks nvcc about a file on an architecture, with other texts than the
// program's. There are no listings where none are asked for or nvcc has none.
func (r *Reader) Compile(ctx context.Context, key Unit, texts map[string][]byte) ([]nvcc.Kernel, []*nvcc.Listing, error) {
	kernels, listings, _, err := r.ask(ctx, key, texts)
	return kernels, listings, err
}

// TimedOut reports whether nvcc was asked and did not end in time: asking again takes as long.
func (r *Reader) TimedOut() bool { return r.timedOut.Load() }

func (r *Reader) ask(ctx context.Context, key Unit, texts map[string][]byte) (kernels []nvcc.Kernel, listings []*nvcc.Listing, unlisted, err error) {
	defer func() {
		if errors.Is(err, context.DeadlineExceeded) {
			r.timedOut.Store(true)
		}
	}()
	req := r.Request
	req.Texts, req.Units, req.Arch = texts, []string{key.Name}, key.Arch
	if r.Listings { // first: its answer holds the other one
		listings, unlisted = r.Toolkit.Lines(ctx, req)
		var refused *nvcc.CompileError
		if errors.As(unlisted, &refused) || errors.Is(unlisted, context.DeadlineExceeded) {
			return nil, nil, unlisted, unlisted // it would fail again, after as long
		}
	}
	kernels, err = r.Toolkit.Resources(ctx, req)
	return kernels, listings, unlisted, err
}

// once reports whether something is to be printed: the first time only.
func (r *Reader) once(text string) bool {
	first := !r.told[text]
	r.told[text] = true
	return first
}

// Warn passes on what the toolkit reports that is not an error.
func (r *Reader) Warn() {
	if r.Toolkit == nil {
		return
	}
	for _, w := range r.Toolkit.Warnings() {
		if r.once(w) {
			r.console.Remark("%s", w)
		}
	}
}

// Failed prints what nvcc reported, once for all architectures. It returns the error
// if nothing but nvcc's figures will do.
func (r *Reader) Failed(err error) error {
	must := r.mode == NVCC
	instead := cmp.Or(r.Instead, "registers are estimated")
	var refused *nvcc.CompileError
	switch {
	case errors.As(err, &refused):
		if r.once(refused.Error()) {
			if must {
				instead = ""
			}
			r.refusedByNVCC(refused, instead)
		}
	case must:
		return diag.Failed("asking nvcc", err)
	case r.once(err.Error()):
		r.console.Remark("nvcc: %v; %s", err, instead)
	}
	if must {
		r.console.Note(diag.ExitUsage)
		return diag.ErrReported
	}
	return nil
}

// nvccError finds the errors in what nvcc prints.
var nvccError = regexp.MustCompile(`(?m)^[^:\n]+(:[0-9]+)*\)?\s*: (fatal |catastrophic )?error\b[^:\n]*:.*$`)

// refusedByNVCC passes on what nvcc has against a file: its first error as the
// message with its consequence, others as they are.
func (r *Reader) refusedByNVCC(e *nvcc.CompileError, instead string) {
	m := diag.Message{Pos: diag.Position{File: e.File}, Code: CodeNVCCRefused, Text: e.Message, Help: e.Help}
	if e.Line > 0 {
		m.Pos = r.place(e)
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
	r.console.MessageWith(m, rest)
}

// place returns the place where nvcc stopped. nvcc gives no columns; where smux can't parse the line either, it stopped there.
func (r *Reader) place(e *nvcc.CompileError) diag.Position {
	for _, f := range r.prog.Files {
		for _, fn := range f.Functions {
			if fn.Error == nil || f.Name != e.File {
				continue
			}
			if at := f.Position(int(fn.Error.Start)); at.Line == e.Line {
				return at
			}
		}
	}
	return diag.Position{File: fmt.Sprintf("%s:%d", e.File, e.Line)}
}

// mostNVCCErrors is the number of errors of one file that are passed on.
const mostNVCCErrors = 5

// Complain reports what nvcc has against the program, and returns the error if nothing but nvcc's figures will do.
func (r *Reader) Complain(kernels []*analysis.Kernel, gpus []*gpu.GPU) error {
	if r.Toolkit == nil {
		return nil
	}
	for _, k := range kernels {
		for _, in := range k.Instances {
			for _, g := range gpus {
				if _, err := r.Of(k, in, g); err != nil && err != ErrNoCode {
					return err
				}
			}
		}
	}
	return nil
}
