package analysis

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Program is a parsed program with what the analyses of all its kernels share: an index of functions, constants at
// namespace scope, lowered functions. It is not safe for concurrent use.
type Program struct {
	Parsed *parser.Program
	// Skip names passes whose results nobody asks for.
	Skip []string

	passes    []*Pass
	Cache     ir.Cache
	units     map[*parser.File]*Unit
	lowered   map[*parser.Function]*ir.Func
	relation  map[[2]*parser.File]bool
	Launches  []*Launch
	hostFiles *Program                     // see beside
	from      *Program                     // what On made it of: the host sources are the same
	calls     map[string]*callSites        // by name, see CallsOf
	uses      map[string][]*KernelUses     // by name, see KernelUses
	once      map[*parser.Function]*Kernel // see Kernel
	Block     Shape                        // from the command line
	Hidden    []Hidden                     // see hiding, the last one made last
	Given     map[*parser.Function]*Kernel // the kernels of which something is hidden here
	AnyShape  bool                         // block shapes are hidden
	changed   []changed                    // see With, the last one asked for last
	Memo                                   // of what is found of files and names
}

// Unit holds what a file sees and is seen by: itself, the files that include it,
// and all that those include. Names are resolved in it.
type Unit struct {
	Files   []*parser.File
	ByName  map[string][]FuncIn
	globals map[string]*ir.Var
	Members []FuncIn // device code that may run without a call that names it
	// classes is built by SharedClasses.
	classes map[string]*ir.Var
	// Implicit is built by ImplicitCode.
	Implicit      []ImplicitCode
	ImplicitFound bool
	// UsesBlock is built by namesThatUseBlock.
	UsesBlock map[string]bool
	// Texts is built by declarationTexts.
	Texts map[string][]string
	// names is built by ClassNames.
	names map[string]bool
	// scope is built by effects.
	scope *effect.Scope
}

// FuncIn is a function and the file that defines it.
type FuncIn struct {
	File *parser.File
	Fn   *parser.Function
}

// NewProgram prepares a parsed program whose kernels go through the passes.
func NewProgram(p *parser.Program, block [3]int, passes []*Pass) *Program {
	prog := &Program{
		Parsed:   p,
		passes:   passes,
		units:    map[*parser.File]*Unit{},
		lowered:  map[*parser.Function]*ir.Func{},
		relation: map[[2]*parser.File]bool{},
		once:     map[*parser.Function]*Kernel{},
	}
	prog.Cache.Arithmetic, prog.Cache.Assumes, prog.Cache.Trees = prog.arithmetic, true, p.Trees()
	prog.Cache.Namespace = func(f *parser.File, name string) string { return prog.TypeNames(f).Namespace(name) }
	if block[0] > 0 {
		prog.Block = Shape{block[0], max(1, block[1]), max(1, block[2])}
	}
	for _, f := range p.Files {
		for _, l := range f.Launches {
			prog.Launches = append(prog.Launches, &Launch{File: f, View: l})
		}
	}
	return prog
}

// On prepares another state of the program, with one file changed say, under the same assumptions.
func (p *Program) On(parsed *parser.Program) *Program {
	out := NewProgram(parsed, [3]int{p.Block.X, p.Block.Y, p.Block.Z}, p.passes)
	out.from = p
	return out
}

// With returns the program with another text of one file. The last ones are kept: many variants of two steps begin
// with the same first one, and each is looked at when they are offered, ranked and made.
func (p *Program) With(f *parser.File, text []byte) (*Program, error) {
	for i, c := range p.changed {
		if c.file == f && bytes.Equal(c.text, text) {
			p.changed = append(slices.Delete(p.changed, i, i+1), c)
			return c.prog, nil
		}
	}
	size := len(text)
	for i, c := range slices.Backward(p.changed) {
		if size += len(c.text); size > KeptText { // before the new text takes as much
			p.changed = slices.Delete(p.changed, 0, i+1)
			break
		}
	}
	parsed, err := p.Parsed.With(f, text)
	if err != nil {
		return nil, err
	}
	prog := p.On(parsed)
	prog.Cache.Hidden, prog.AnyShape = p.Cache.Hidden, p.AnyShape
	p.changed = append(p.changed, changed{f, text, prog})
	return prog, nil
}

// KeptText bounds the bytes of text of which With keeps programs, beside the last one: their
// trees and analyses take some hundred times that.
const KeptText = 256 << 10

// changed is a program with another text of one of its files.
type changed struct {
	file *parser.File
	text []byte
	prog *Program
}

// Unit returns the unit of a file.
func (p *Program) Unit(f *parser.File) *Unit {
	if u := p.units[f]; u != nil {
		return u
	}
	u := &Unit{Files: effect.Files(p.Parsed, f), ByName: map[string][]FuncIn{}, globals: map[string]*ir.Var{}}
	p.units[f] = u
	for _, r := range u.Files {
		for _, fn := range r.Functions {
			u.ByName[fn.Name] = append(u.ByName[fn.Name], FuncIn{r, fn})
			if OnDevice(fn) && implicitMember(fn) {
				u.Members = append(u.Members, FuncIn{r, fn})
			}
		}
		for name, v := range p.FileGlobals(r) {
			u.globals[name] = conflicting(u.globals[name], v)
		}
	}
	return u
}

// conflicting returns what a name stands for that is declared in one file and
// maybe in another: two constants have no value that is known.
func conflicting(old, v *ir.Var) *ir.Var {
	if old == nil || v.Kind == ir.VarShared || old.Extern && old.Init == nil {
		return v
	}
	if v.Extern && v.Init == nil {
		return old
	}
	both := *v
	both.Init = nil
	both.Type.Const = v.Type.Const && old.Type.Const
	both.Redeclared = true
	return &both
}

// Global finds a variable or enumerator at namespace scope.
func (p *Program) Global(f *parser.File, name string) *ir.Var {
	return p.Unit(f).globals[name]
}

// FileGlobals returns the constants and variables that a file declares at namespace scope, by name.
func (p *Program) FileGlobals(f *parser.File) map[string]*ir.Var {
	type key struct{ f *parser.File }
	return Once(&p.Memo, key{f}, func() map[string]*ir.Var { return ir.LowerGlobals(&p.Cache, f) })
}

// Lower returns the lowered form of a function definition.
func (p *Program) Lower(f *parser.File, fn *parser.Function) *ir.Func {
	if l := p.lowered[fn]; l != nil {
		return l
	}
	l := ir.Lower(&p.Cache, f, fn)
	p.lowered[fn] = l
	p.Effects(f).Resolve(l)
	p.MarkReferences(l)
	return l
}

// Effects returns the scope of a file, which answers what its functions do.
func (p *Program) Effects(f *parser.File) *effect.Scope {
	u := p.Unit(f)
	if u.scope == nil {
		u.scope = effect.NewScope(u.Files, &p.Cache, p.TypeNames(f), p.Lower, func(name string) *ir.Var { return u.globals[name] })
		for _, v := range u.globals {
			u.scope.Mark(v)
		}
	}
	return u.scope
}

// Candidates returns the definitions that a call by that name with n arguments
// may reach. Member calls reach members only, other calls any function.
func (p *Program) Candidates(f *parser.File, name string, n int, member bool) []*ir.Func {
	var out []*ir.Func
	for _, c := range p.Unit(f).ByName[name] {
		if c.Fn.Body == nil || member && c.Fn.Class == "" {
			continue
		}
		if !effect.Takes(c.Fn, n) {
			continue
		}
		if c.Fn.Quals&(parser.QualGlobal|parser.QualHost) == 0 && c.Fn.Quals&parser.QualDevice == 0 && c.Fn.Quals&parser.QualConstexpr == 0 {
			continue // host only
		}
		if c.Fn.Quals&parser.QualHost != 0 && c.Fn.Quals&parser.QualDevice == 0 || c.Fn.IsKernel() {
			continue
		}
		out = append(out, p.Lower(c.File, c.Fn))
	}
	return out
}

// members returns the member functions that a call on an object may reach:
// those of its class where that is in view, else all of that name.
func (p *Program) members(fn *ir.Func, obj, call *ir.Expr) []*ir.Func {
	all := p.Candidates(fn.File, call.Name, call.CountArgs(), true)
	if obj.Op != ir.OpIdent || obj.Var == nil || obj.Var.Type.IsAuto() {
		return all
	}
	class := LastName(obj.Var.Type.Base)
	if i := strings.IndexByte(class, '<'); i >= 0 {
		class = class[:i]
	}
	if !p.Unit(fn.File).ClassNames()[class] {
		if IsTypeParam(fn, class) {
			return all
		}
		return nil // of a class that is not in view
	}
	own := lists.Filter(all, func(m *ir.Func) bool { return m.View.Class == class })
	if len(own) == 0 {
		return all // inherited, perhaps
	}
	return own
}

// ResolveCall returns the one definition that a plain call reaches, or nil if there is none or more than one.
func (p *Program) ResolveCall(f *parser.File, call *ir.Expr) *ir.Func {
	if call.Name == "" || len(call.Kids) == 0 || call.Kids[0].Op != ir.OpIdent || call.Kids[0].Var != nil {
		return nil
	}
	c := p.Candidates(f, call.Name, call.CountArgs(), false)
	if len(c) != 1 {
		return nil
	}
	return c[0]
}

// SizeOf returns the size in bytes of a type as CUDA lays it out on a 64-bit machine, or 0 if it is not known.
func (p *Program) SizeOf(fn *ir.Func, t ir.Type) int {
	if t.Ptr > 0 {
		return 8
	}
	return BytesOf(strings.TrimPrefix(strings.TrimPrefix(t.Base, "struct "), "const "))
}

// BytesOf is the size of a number or a vector that has a name of its own, 0 of any other type.
func BytesOf(base string) int {
	of, n, _ := ir.PartsOf(base)
	return max(n*of.Bytes, otherBytes[base])
}

var otherBytes = map[string]int{
	"__half2": 4, "half2": 4, "__nv_bfloat16": 2, "nv_bfloat16": 2, "__nv_bfloat162": 4, "dim3": 12, "cuComplex": 8, "cuFloatComplex": 8, "cuDoubleComplex": 16,
}

// WholeHost returns a host function with all that stands in it, where Lower leaves out what flows into no launch.
func (p *Program) WholeHost(f *parser.File, fn *parser.Function) *ir.Func {
	type key struct{ fn *parser.Function }
	return Once(&p.Memo, key{fn}, func() *ir.Func {
		l := ir.LowerFor(&p.Cache, f, fn, []*parser.Node{fn.Body})
		p.MarkReferences(l)
		return l
	})
}

// Beside returns the host sources beside the program's files, nil where there are none.
func (p *Program) Beside() *Program {
	if p.Parsed.Beside == nil {
		return nil
	}
	if p.from != nil {
		return p.from.Beside()
	}
	if p.hostFiles == nil {
		if parsed := p.Parsed.Beside(); parsed != nil {
			p.hostFiles = NewProgram(parsed, [3]int{}, p.passes)
		}
	}
	return p.hostFiles
}

// SameMacro reports whether two definitions, nil for none, are one.
func SameMacro(a, b *parser.Macro) bool {
	return a == nil && b == nil || a != nil && b != nil && a.File == b.File && a.Pos == b.Pos
}

// Hidden is the program with values hidden.
type Hidden struct {
	What string
	Prog *Program
}
