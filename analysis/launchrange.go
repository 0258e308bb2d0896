package analysis

import (
	"maps"
	"math"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// launchRange is one launch of the kernel: what its host function says of the grid,
// the block and the arguments. With
//
//	k<<<n / 256, 256>>>(a, n);
//
// threads are numbered from 0 to 255, blocks from 0 to n / 256 - 1, and 256 * (n / 256)
// is at most n, so that blockIdx.x * blockDim.x + threadIdx.x is below n in every
// thread. A launch whose grid or block is empty or too large starts no threads: what
// follows from extents that do is known of n, too.
type launchRange struct {
	kernel *frame   // in which expressions of the kernel are looked at
	host   *frame   // of the function that launches it
	at     ir.Range // the launch in its text
	facts  polynomial.Facts

	block, grid    [3]polynomial.Polynomial // blockDim and gridDim
	thread, number [3]polynomial.Polynomial // threadIdx and blockIdx
	quotients      []*quotient
	frames         map[*ir.Func][]*frame // see framesOf
}

// decided reports whether all threads of a grid answer a comparison of the kernel, or
// of a function that it calls, alike in each launch: as its host expressions tell.
func (k *Kernel) decided(fn *ir.Func, e *ir.Expr) bool {
	if e.Op != ir.OpBinary || !slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, e.Tok) {
		return false
	}
	d, known := k.decisions[e]
	if !known {
		d = k.decide(fn, e)
		k.decisions[e] = d
	}
	return d.alike
}

// Decided returns the first comparison of the kernel's own, by its place, to which threads of a grid could come to
// different answers but for what the launches in view say, else one of a function that it calls; nil where there is none.
func (k *Kernel) Decided() (fn *ir.Func, first *ir.Expr) {
	for _, in := range k.Functions {
		in.Body.WalkExprs(func(e *ir.Expr) bool {
			if first == nil && k.decisions[e].alike {
				fn, first = in, e
			}
			return first == nil
		})
	}
	return fn, first
}

// decision is the outcome of a comparison under the launches: alike if all threads of a grid
// come to the same answer, and always if that is the same in all launches.
type decision struct {
	alike, always, answer bool
}

func (k *Kernel) decide(fn *ir.Func, e *ir.Expr) (d decision) {
	for _, r := range k.launchRanges() {
		first := true
		for _, f := range r.framesOf(fn) {
			yes, ok := r.answer(f, e)
			if !ok || !first && yes != d.answer {
				return decision{}
			}
			d = decision{alike: true, always: !d.alike || d.always && d.answer == yes, answer: yes}
			first = false
		}
		if first {
			return decision{}
		}
	}
	return d
}

// framesOf returns the frames of a function under the launch, one for each way to call it;
// none where there may be ways that can't be seen.
func (r *launchRange) framesOf(fn *ir.Func) (out []*frame) {
	k := r.kernel.ev.kernel
	if fn == k.Func {
		return []*frame{r.kernel}
	}
	if known, ok := r.frames[fn]; ok {
		return known
	}
	r.frames[fn] = nil // where it is recursive
	if fn.View.Class != "" || implicitMember(fn.View) || k.callsOf(fn) == 0 || k.inLambdas[fn.View.Name] > 0 {
		return nil
	}
	for _, in := range k.Functions {
		var calls []*ir.Expr
		in.Body.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpCall && slices.Contains(k.callees(in, e), fn) {
				calls = append(calls, e)
			}
			return true
		})
		if len(calls) == 0 {
			continue
		}
		callers := r.framesOf(in)
		if len(callers) == 0 || len(out)+len(callers)*len(calls) > maxLaunchFrames {
			return nil
		}
		for _, f := range callers {
			for _, e := range calls {
				out = append(out, f.enter(fn, e))
			}
		}
	}
	r.frames[fn] = out
	return out
}

// maxLaunchFrames bounds the ways to call a function under one launch.
const maxLaunchFrames = 16

// launchRanges are the launches of the kernel, once for each instance of their host
// functions; none where there is one that isn't understood.
func (k *Kernel) launchRanges() []*launchRange {
	if k.rangesFound {
		return k.ranges
	}
	k.rangesFound = true
	for _, l := range k.Launches {
		of := k.rangesOf(l)
		if of == nil {
			k.ranges = nil
			break
		}
		k.ranges = append(k.ranges, of...)
	}
	return k.ranges
}

// rangesOf is a launch, once for each instance of its host function.
func (k *Kernel) rangesOf(l *Launch) (out []*launchRange) {
	host := k.Prog.hostOf(l.File, l.View.Function)
	if host == nil || l.View.Error != nil || host.View.Error != nil || len(host.Problems) > 0 || host.View.Quals&(parser.QualGlobal|parser.QualDevice) != 0 {
		return nil
	}
	e := k.Prog.launchIn(host, l.View)
	if e == nil || len(l.View.Config) < 2 {
		return nil
	}
	for _, vals := range k.Prog.hostInstances(l, host) {
		out = append(out, k.launchRange(e, len(l.View.Config), host, vals))
	}
	return out
}

// launchRange looks at a launch, whose expression is e; vals are the template values
// of its host function.
func (k *Kernel) launchRange(e *ir.Expr, configs int, host *ir.Func, vals map[*ir.Var]value) *launchRange {
	ev := newEvaluator(k.Prog, shape{})
	r := &launchRange{at: e.Range, host: ev.newFrame(host), kernel: ev.newFrame(k.Func), frames: map[*ir.Func][]*frame{}}
	ev.kernel, ev.anyLevel, ev.launch = k, true, r
	maps.Copy(r.host.vals, vals)
	r.kernel.caller = r.host
	for i, p := range k.Func.TParams {
		if p.Pack {
			break // which argument is whose is not known from here on
		}
		if p.Kind != ir.VarTemplateValue || i >= len(e.TArgs) {
			continue
		}
		r.kernel.args[p] = e.TArgs[i]
		if x := r.host.eval(e.TArgs[i]); x.uniform() {
			r.kernel.vals[p] = convert(x, p.Type.Base)
		}
	}
	args, pointer := e.Kids[configs:], k.Prog.pointersOf(host.File, k.Name)
	for i, p := range k.Func.Params {
		if i < len(args) && !pointer[i] {
			r.kernel.args[p] = args[i]
		}
	}
	r.block = r.extents("blockDim", e.Kids[1], [3]int64{hardware.MaxThreadsPerBlock, hardware.MaxThreadsPerBlock, hardware.MaxThreadsPerBlock})
	r.grid = r.extents("gridDim", e.Kids[0], [3]int64{hardware.MaxGridDimX, hardware.MaxGridDimY, hardware.MaxGridDimZ})
	r.settle()
	r.argumentsFit()
	r.thread, r.number = r.numbers("threadIdx", r.block), r.numbers("blockIdx", r.grid)
	return r
}

// extents are those of a grid or a block. They are at least 1 and at most what the
// hardware has, or no thread runs.
func (r *launchRange) extents(name string, e *ir.Expr, most [3]int64) (out [3]polynomial.Polynomial) {
	forms, known := r.host.dimensions(e)
	for d := range 3 {
		switch {
		case !known:
			out[d] = r.extent(name, d, lostForm, most[d])
		case d < len(forms):
			out[d] = r.extent(name, d, forms[d], most[d])
		default:
			out[d] = polynomial.Number(1)
		}
	}
	return out
}

// extent is one of them, which is an unsigned number of 32 bits. What is negative is
// too large then; of a number of 64 bits the high ones are lost, and what is left is
// no more than it was.
func (r *launchRange) extent(name string, d int, a form, most int64) polynomial.Polynomial {
	ev := r.host.ev
	p := a.Polynomial
	if !a.exact && a.wasSigned() {
		a.exact, a.wide = true, false
	}
	if !a.exact || a.wide && !ev.within(p, math.MaxUint32) {
		p = polynomial.Of(ev.symbol(name+"."+"xyz"[d:d+1], 1, most, symbolInfo{}))
		if a.exact && ev.nonNegative(a.Polynomial) {
			r.facts = append(r.facts, a.Minus(p))
		}
		return p
	}
	r.facts = append(r.facts, p.Minus(polynomial.Number(1)), polynomial.Number(most).Minus(p))
	p.Symbols(func(s *polynomial.Symbol) {
		if p.Equal(polynomial.Of(s)) {
			s.Min, s.Max = 1, most
		}
	})
	return p
}

// numbers are those of threads or blocks, below an extent.
func (r *launchRange) numbers(name string, extents [3]polynomial.Polynomial) (out [3]polynomial.Polynomial) {
	for d, extent := range extents {
		most := polynomial.None
		if n, ok := extent.Constant(); ok {
			most = n - 1
		}
		if most != 0 {
			out[d] = polynomial.Of(r.host.ev.symbol(name+"."+"xyz"[d:d+1], 0, most, symbolInfo{}))
			r.facts = append(r.facts, extent.Minus(polynomial.Number(1)).Minus(out[d]))
		}
	}
	return out
}

// argumentsFit adds that what is passed for an integer can be held by it.
func (r *launchRange) argumentsFit() {
	for _, p := range r.kernel.fn.Params {
		a := r.kernel.symbolicName(&ir.Expr{Op: ir.OpIdent, Name: p.Name, Var: p})
		t := integerTypes[p.Type.Base]
		if _, number := a.Constant(); number || !a.exact || t.bytes != 4 {
			continue
		}
		low, high := int64(math.MinInt32), int64(math.MaxInt32)
		if t.unsigned {
			low, high = 0, math.MaxUint32
		}
		r.facts = append(r.facts, a.Minus(polynomial.Number(low)), polynomial.Number(high).Minus(a.Polynomial))
	}
}

// builtin is a component of a built-in variable of the device.
func (r *launchRange) builtin(f *frame, name string, d int) form {
	of, ok := map[string][3]polynomial.Polynomial{"threadIdx": r.thread, "blockIdx": r.number, "blockDim": r.block, "gridDim": r.grid}[name]
	if f == r.host || !ok {
		return lostForm
	}
	return form{Polynomial: of[d], unsigned: true, exact: true}
}

// answer returns what all threads find for a comparison in a frame.
func (r *launchRange) answer(f *frame, e *ir.Expr) (yes, ok bool) {
	ev := f.ev
	ev.budget = maxEvaluation
	a, okA := f.symbolic(e.Kids[0])
	b, okB := f.symbolic(e.Kids[1])
	if !okA || !okB || !a.exact || !b.exact {
		return false, false
	}
	if a.unsigned != b.unsigned && !(ev.nonNegative(a.Polynomial) && ev.nonNegative(b.Polynomial)) {
		return false, false // the signed one is converted
	}
	one := polynomial.Number(1)
	atMost := func(p, q polynomial.Polynomial) bool { return ev.nonNegative(q.Minus(p)) }
	less := func() bool { return atMost(a.Plus(one), b.Polynomial) }
	more := func() bool { return atMost(b.Plus(one), a.Polynomial) }
	switch e.Tok {
	case "<", ">=":
		yes = less()
		ok = yes || atMost(b.Polynomial, a.Polynomial)
		return yes == (e.Tok == "<"), ok
	case ">", "<=":
		yes = more()
		ok = yes || atMost(a.Polynomial, b.Polynomial)
		return yes == (e.Tok == ">"), ok
	}
	equal := a.Equal(b.Polynomial)
	return equal == (e.Tok == "=="), equal || less() || more()
}
