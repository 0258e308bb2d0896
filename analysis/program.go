package analysis

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// Program is a parsed program with what the analyses of all its kernels share:
// an index of functions, constants at namespace scope, lowered functions.
// It is not safe for concurrent use.
type Program struct {
	Parsed *parser.Program
	// Skip names passes whose results nobody asks for.
	Skip []string

	passes    []*Pass
	cache     ir.Cache
	units     map[*parser.File]*unit
	lowered   map[*parser.Function]*ir.Func
	relation  map[[2]*parser.File]bool
	launches  []*Launch
	hostFiles *Program                     // see beside
	from      *Program                     // what On made it of: the host sources are the same
	calls     map[string]*callSites        // by name, see callsOf
	uses      map[string][]*KernelUses     // by name, see KernelUses
	once      map[*parser.Function]*Kernel // see Kernel
	block     shape                        // from the command line
	hidden    []hidden                     // see hiding, the last one made last
	given     map[*parser.Function]*Kernel // the kernels of which something is hidden here
	anyShape  bool                         // block shapes are hidden
	changed   []changed                    // see With, the last one asked for last
	Memo                                   // of what is found of files and names
}

// unit holds what a file sees and is seen by: itself, the files that include it,
// and all that those include. Names are resolved in it.
type unit struct {
	files   []*parser.File
	byName  map[string][]funcIn
	globals map[string]*ir.Var
	members []funcIn // device code that may run without a call that names it
	// classes is built by sharedClasses.
	classes map[string]*ir.Var
	// implicit is built by implicitCode.
	implicit      []implicitCode
	implicitFound bool
	// usesBlock is built by namesThatUseBlock.
	usesBlock map[string]bool
	// texts is built by declarationTexts.
	texts map[string][]string
	// names is built by classNames.
	names map[string]bool
	// scope is built by effects.
	scope *effect.Scope
}

type funcIn struct {
	file *parser.File
	fn   *parser.Function
}

// NewProgram prepares a parsed program for analysis. block is the block shape
// to assume for kernels whose launch is out of sight; zero if there is none.
func NewProgram(p *parser.Program, block [3]int) *Program { return newProgram(p, block, Passes) }

// newProgram prepares a parsed program whose kernels go through the passes.
func newProgram(p *parser.Program, block [3]int, passes []*Pass) *Program {
	prog := &Program{
		Parsed:   p,
		passes:   passes,
		units:    map[*parser.File]*unit{},
		lowered:  map[*parser.Function]*ir.Func{},
		relation: map[[2]*parser.File]bool{},
		once:     map[*parser.Function]*Kernel{},
	}
	prog.cache.Arithmetic, prog.cache.Assumes, prog.cache.Trees = prog.arithmetic, true, p.Trees()
	prog.cache.Namespace = func(f *parser.File, name string) string { return prog.typeNames(f).Namespace(name) }
	if block[0] > 0 {
		prog.block = shape{block[0], max(1, block[1]), max(1, block[2])}
	}
	for _, f := range p.Files {
		for _, l := range f.Launches {
			prog.launches = append(prog.launches, &Launch{File: f, View: l})
		}
	}
	return prog
}

// On prepares another state of the program, with one file changed say, under the
// same assumptions.
func (p *Program) On(parsed *parser.Program) *Program {
	out := newProgram(parsed, [3]int{p.block.x, p.block.y, p.block.z}, p.passes)
	out.from = p
	return out
}

// With returns the program with another text of one file. The last ones are kept: many
// variants of two steps begin with the same first one, and each is looked at when they
// are offered, ranked and made.
func (p *Program) With(f *parser.File, text []byte) (*Program, error) {
	for i, c := range p.changed {
		if c.file == f && bytes.Equal(c.text, text) {
			p.changed = append(slices.Delete(p.changed, i, i+1), c)
			return c.prog, nil
		}
	}
	size := len(text)
	for i, c := range slices.Backward(p.changed) {
		if size += len(c.text); size > keptText { // before the new text takes as much
			p.changed = slices.Delete(p.changed, 0, i+1)
			break
		}
	}
	parsed, err := p.Parsed.With(f, text)
	if err != nil {
		return nil, err
	}
	prog := p.On(parsed)
	prog.cache.Hidden, prog.anyShape = p.cache.Hidden, p.anyShape
	p.changed = append(p.changed, changed{f, text, prog})
	return prog, nil
}

// keptText bounds the bytes of text of which With keeps programs, beside the last one: their
// trees and analyses take some hundred times that.
const keptText = 256 << 10

// changed is a program with another text of one of its files.
type changed struct {
	file *parser.File
	text []byte
	prog *Program
}

// unit returns the unit of a file.
func (p *Program) unit(f *parser.File) *unit {
	if u := p.units[f]; u != nil {
		return u
	}
	u := &unit{files: effect.Files(p.Parsed, f), byName: map[string][]funcIn{}, globals: map[string]*ir.Var{}}
	p.units[f] = u
	for _, r := range u.files {
		for _, fn := range r.Functions {
			u.byName[fn.Name] = append(u.byName[fn.Name], funcIn{r, fn})
			if onDevice(fn) && implicitMember(fn) {
				u.members = append(u.members, funcIn{r, fn})
			}
		}
		for name, v := range p.fileGlobals(r) {
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

// global finds a variable or enumerator at namespace scope.
func (p *Program) global(f *parser.File, name string) *ir.Var {
	return p.unit(f).globals[name]
}

func (p *Program) fileGlobals(f *parser.File) map[string]*ir.Var {
	type key struct{ f *parser.File }
	return Once(&p.Memo, key{f}, func() map[string]*ir.Var { return ir.LowerGlobals(&p.cache, f) })
}

// Lower returns the lowered form of a function definition.
func (p *Program) Lower(f *parser.File, fn *parser.Function) *ir.Func {
	if l := p.lowered[fn]; l != nil {
		return l
	}
	l := ir.Lower(&p.cache, f, fn)
	p.lowered[fn] = l
	p.effects(f).Resolve(l)
	p.markReferences(l)
	return l
}

// effects returns the scope of a file, which answers what its functions do.
func (p *Program) effects(f *parser.File) *effect.Scope {
	u := p.unit(f)
	if u.scope == nil {
		u.scope = effect.NewScope(u.files, &p.cache, p.typeNames(f), p.Lower, func(name string) *ir.Var { return u.globals[name] })
		for _, v := range u.globals {
			u.scope.Mark(v)
		}
	}
	return u.scope
}

// candidates returns the definitions that a call by that name with n arguments
// may reach. Member calls reach members only, other calls any function.
func (p *Program) candidates(f *parser.File, name string, n int, member bool) []*ir.Func {
	var out []*ir.Func
	for _, c := range p.unit(f).byName[name] {
		if c.fn.Body == nil || member && c.fn.Class == "" {
			continue
		}
		if !effect.Takes(c.fn, n) {
			continue
		}
		if c.fn.Quals&(parser.QualGlobal|parser.QualHost) == 0 && c.fn.Quals&parser.QualDevice == 0 && c.fn.Quals&parser.QualConstexpr == 0 {
			continue // host only
		}
		if c.fn.Quals&parser.QualHost != 0 && c.fn.Quals&parser.QualDevice == 0 || c.fn.IsKernel() {
			continue
		}
		out = append(out, p.Lower(c.file, c.fn))
	}
	return out
}

// members returns the member functions that a call on an object may reach:
// those of its class where that is in view, else all of that name.
func (p *Program) members(fn *ir.Func, obj, call *ir.Expr) []*ir.Func {
	all := p.candidates(fn.File, call.Name, call.CountArgs(), true)
	if obj.Op != ir.OpIdent || obj.Var == nil || obj.Var.Type.IsAuto() {
		return all
	}
	class := lastName(obj.Var.Type.Base)
	if i := strings.IndexByte(class, '<'); i >= 0 {
		class = class[:i]
	}
	if !p.unit(fn.File).classNames()[class] {
		if isTypeParam(fn, class) {
			return all
		}
		return nil // of a class that is not in view
	}
	var own []*ir.Func
	for _, m := range all {
		if m.View.Class == class {
			own = append(own, m)
		}
	}
	if len(own) == 0 {
		return all // inherited, perhaps
	}
	return own
}

// resolveCall returns the one definition that a plain call reaches, or nil if
// there is none or more than one.
func (p *Program) resolveCall(f *parser.File, call *ir.Expr) *ir.Func {
	if call.Name == "" || len(call.Kids) == 0 || call.Kids[0].Op != ir.OpIdent || call.Kids[0].Var != nil {
		return nil
	}
	c := p.candidates(f, call.Name, call.CountArgs(), false)
	if len(c) != 1 {
		return nil
	}
	return c[0]
}

// sizeOf returns the size in bytes of a type as CUDA lays it out on a 64-bit
// machine, or 0 if it is not known.
func (p *Program) sizeOf(fn *ir.Func, t ir.Type) int {
	if t.Ptr > 0 {
		return 8
	}
	return bytesOf(strings.TrimPrefix(strings.TrimPrefix(t.Base, "struct "), "const "))
}

// bytesOf is the size of a number or a vector that has a name of its own, 0 of any other type.
func bytesOf(base string) int {
	of, n, _ := ir.PartsOf(base)
	return max(n*of.Bytes, otherBytes[base])
}

var otherBytes = map[string]int{
	"__half2": 4, "half2": 4, "__nv_bfloat16": 2, "nv_bfloat16": 2, "__nv_bfloat162": 4, "dim3": 12, "cuComplex": 8, "cuFloatComplex": 8, "cuDoubleComplex": 16,
}
