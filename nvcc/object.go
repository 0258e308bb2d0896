package nvcc

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

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
