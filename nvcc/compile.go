package nvcc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/internal/process"
)

// answer holds the facts about one unit on one architecture.
type answer struct {
	Kernels  []Kernel
	Listings []*Listing      // only where lines or code were asked for
	Codes    [][]Instruction // of the listings, only where code was asked for
}

// detail is the amount of detail in an answer; one that holds more does for less.
type detail int

const (
	resources detail = iota
	lines            // … and listings
	machine          // … and the machine code itself
)

// Resources compiles the units of a request for its architecture and returns what ptxas reports of each kernel, in
// the order of the units. Units are compiled side by side, one per processor. The error is a *CompileError where nvcc
// refused a file, a *MissingError where a tool is not there, that of ctx where it ended, or reports what failed; of
// several files, the errors are joined. The kernels of the other files are returned with it.
func (t *Toolkit) Resources(ctx context.Context, r Request) ([]Kernel, error) {
	answers, err := t.answers(ctx, r, resources)
	var out []Kernel
	for _, a := range answers {
		out = append(out, a.Kernels...)
	}
	return out, err
}

// Lines is as Resources, but counts the machine instructions of each kernel by source line and loop.
func (t *Toolkit) Lines(ctx context.Context, r Request) ([]*Listing, error) {
	answers, err := t.answers(ctx, r, lines)
	var out []*Listing
	for _, a := range answers {
		out = append(out, a.Listings...)
	}
	return out, err
}

func (t *Toolkit) answers(ctx context.Context, r Request, d detail) ([]*answer, error) {
	p, err := r.resolve()
	if err != nil {
		return nil, err
	}
	if len(p.Units) == 0 {
		return nil, errNoKernel
	}
	answers, errs := make([]*answer, len(p.Units)), make([]error, len(p.Units))
	if err := parallel.Each(ctx, len(p.Units), len(p.Units), func(i int) error {
		answers[i], errs[i] = t.unit(ctx, p, p.Units[i], d)
		return nil
	}); err != nil {
		return nil, err
	}
	answers = slices.DeleteFunc(answers, func(a *answer) bool { return a == nil })
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return answers, errs[0]
	}
	return answers, errors.Join(errs...)
}

// unit answers for one unit, from the cache where that is possible.
func (t *Toolkit) unit(ctx context.Context, p *program, unit string, d detail) (*answer, error) {
	if a, _, err := t.known(ctx, p, unit, d); a != nil || err != nil {
		return a, err
	}
	o, err := t.object(ctx, p, unit, d >= lines)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if d >= lines {
		return o.list(ctx, d)
	}
	o.keep(d, o.answer)
	return o.answer, nil
}

// known is an answer that was kept and holds as much as is asked for, with how much it holds; nil for none.
func (t *Toolkit) known(ctx context.Context, p *program, unit string, d detail) (*answer, detail, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	for more := machine; more >= d; more-- { // an answer with more holds this one
		if a := t.cached(p, t.key(p, unit, more)); a != nil && (d < machine || len(a.Codes) == len(a.Listings)) {
			return a, more, nil
		}
	}
	return nil, 0, nil
}

// slot waits until the toolkit may be run; free says that it is through.
func (t *Toolkit) slot(ctx context.Context) (free func(), err error) {
	select {
	case t.slots <- struct{}{}:
		return func() { <-t.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// compile runs nvcc for one unit and reads what ptxas reports. The cubin has the places of
// instructions where they may be asked for.
func (t *Toolkit) compile(ctx context.Context, p *program, o *overlay, unit, cubin, depends string, places bool) (*answer, error) {
	args := []string{"-cubin", "-arch=" + p.Arch, "-Wno-deprecated-gpu-targets", "-Xptxas", "-v", "-o", cubin}
	if places {
		args = append(args, "-lineinfo")
	}
	args = append(args, p.searchFlags(o)...)
	for _, d := range p.Defines {
		args = append(args, "-D"+d)
	}
	args = append(append(args, p.flags...), o.path(p.absolute(unit)))
	out, err := t.bySteps(ctx, p, o, args, depends)
	if errors.Is(err, errNoSteps) {
		out, err = t.run(ctx, p, o, t.Path, append([]string{"-MD", "-MF", depends}, args...))
	}
	var refused *exitError
	if errors.As(err, &refused) && noRule.MatchString(refused.output) {
		out, err = t.run(ctx, p, o, t.Path, args) // without the list of headers, so the answer can't be kept
	}
	if errors.As(err, &refused) {
		return nil, p.refused(o, unit, refused)
	}
	if err != nil {
		return nil, fmt.Errorf("compiling %s for %s: %w", unit, p.Arch, err)
	}
	a := &answer{Kernels: parsePTXAS(out)}
	barriers := barriersOf(cubin)
	var mangled []string
	for i := range a.Kernels {
		k := &a.Kernels[i]
		k.Unit, k.Arch = unit, p.Arch
		if n, ok := barriers[k.Mangled]; ok && k.Barriers < 0 {
			k.Barriers = n
		}
		mangled = append(mangled, k.Mangled)
	}
	names := t.demangle(ctx, mangled)
	for i := range a.Kernels {
		a.Kernels[i].Name = names[a.Kernels[i].Mangled]
	}
	return a, nil
}

// noRule matches the answer of versions before 10.2 to -MD.
var noRule = regexp.MustCompile(`Unknown option '-?MD'`)

// exitError reports that a program ran and failed.
type exitError struct {
	tool   string
	output string
	err    error
}

func (e *exitError) Error() string {
	if said := firstLine(e.output); said != "" {
		return filepath.Base(e.tool) + ": " + said
	}
	return filepath.Base(e.tool) + ": " + e.err.Error()
}

// run runs a program of the toolkit, counted, and returns what it printed.
func (t *Toolkit) run(ctx context.Context, p *program, o *overlay, tool string, args []string) (string, error) {
	t.count()
	return t.call(ctx, p, o, nil, tool, args)
}

func (t *Toolkit) count() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.runs++
}

// call runs a program and returns what it printed. A context that ends kills it together with what it started.
func (t *Toolkit) call(ctx context.Context, p *program, o *overlay, env []string, tool string, args []string) (string, error) {
	limit := t.Timeout
	limit = cmp.Or(limit, 5*time.Minute)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := process.Command(limited, tool, args...)
	c.Dir = p.cwd
	c.Env = slices.Concat(os.Environ(), env, []string{"LC_ALL=C", "LANGUAGE=", "TMPDIR=" + o.dir})
	out, err := process.OutputWithin(c, t.Memory)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", fmt.Errorf("%s did not end within %v: %w", filepath.Base(tool), limit, limited.Err())
	case err != nil && c.ProcessState == nil:
		return "", err // it could not be started
	case err != nil:
		return "", &exitError{tool, string(out), err}
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n"), nil
}

// CompileError reports that nvcc refused a file.
type CompileError struct {
	Unit string // the .cu file, as named in the request
	Arch string
	// File and Line are the place of the first error; Line is 0 where nvcc names
	// none, as for a wrong flag. Message is its text there.
	File    string
	Line    int
	Message string
	Output  string // all that nvcc printed, with the request's file names
	Help    string // what may be done about it, one line; may be empty
}

func (e *CompileError) Error() string {
	if e.Line > 0 {
		return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Message
	}
	return e.Unit + ": " + e.Message
}

// Object is a unit that was compiled, and whose machine code can still be listed: the
// disassembler takes half as long as the compiler, and of many forms of a kernel what
// ptxas reports tells that they are none. Close lets go of its files.
type Object struct {
	Kernels []Kernel // as Resources returns them

	toolkit *Toolkit
	program *program
	unit    string
	answer  *answer
	holds   detail   // how much the answer tells
	overlay *overlay // with the cubin; nil where the answer was known
	depends *depends
	started time.Time
}

// Object compiles the one unit of a request. The errors are those of Resources.
func (t *Toolkit) Object(ctx context.Context, r Request) (*Object, error) {
	p, err := r.resolve()
	if err != nil {
		return nil, err
	}
	if len(p.Units) == 0 {
		return nil, errNoKernel
	}
	unit := p.Units[0]
	a, holds, err := t.known(ctx, p, unit, resources)
	if err != nil {
		return nil, err
	}
	if a != nil {
		return &Object{Kernels: a.Kernels, toolkit: t, program: p, unit: unit, answer: a, holds: holds}, nil
	}
	o, err := t.object(ctx, p, unit, true)
	if err != nil {
		return nil, err
	}
	o.keep(resources, o.answer)
	return o, nil
}

// object compiles a unit.
func (t *Toolkit) object(ctx context.Context, p *program, unit string, places bool) (*Object, error) {
	free, err := t.slot(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	o := &Object{toolkit: t, program: p, unit: unit, started: time.Now()}
	if o.overlay, err = p.overlay(); err != nil {
		return nil, fmt.Errorf("writing the program's texts for nvcc: %w", err)
	}
	rule := filepath.Join(o.overlay.dir, "depends")
	if o.answer, err = t.compile(ctx, p, o.overlay, unit, o.cubin(), rule, places); err == nil {
		o.depends, err = p.dependencies(o.overlay, unit, rule)
	}
	if err != nil {
		o.Close()
		return nil, err
	}
	o.Kernels = o.answer.Kernels
	return o, nil
}

func (o *Object) cubin() string { return filepath.Join(o.overlay.dir, "unit.cubin") }

// keep puts an answer into the cache.
func (o *Object) keep(d detail, a *answer) {
	o.toolkit.keep(o.program, o.toolkit.key(o.program, o.unit, d), a, o.depends, o.started)
}

// Codes lists the machine code. The errors are those of Toolkit.Codes.
func (o *Object) Codes(ctx context.Context) ([]*Code, error) {
	a, err := o.answer, error(nil)
	switch {
	case o.overlay != nil:
		a, err = o.list(ctx, machine)
	case o.holds < machine:
		a, err = o.toolkit.unit(ctx, o.program, o.unit, machine)
	}
	if err != nil {
		return nil, err
	}
	return a.codes(), nil
}

// list adds the listings to what is known, and the code itself where that is asked for.
func (o *Object) list(ctx context.Context, d detail) (*answer, error) {
	free, err := o.toolkit.slot(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	a := *o.answer
	if a.Listings, a.Codes, err = o.toolkit.disassemble(ctx, o.program, o.overlay, o.cubin(), a.Kernels, d == machine); err != nil {
		return nil, fmt.Errorf("listing the machine code of %s: %w", o.unit, err)
	}
	o.keep(d, &a)
	return &a, nil
}

// Close removes the files. What was listed stays.
func (o *Object) Close() {
	if o.overlay != nil {
		o.overlay.remove()
	}
}
