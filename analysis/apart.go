package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Apart reports whether two parameters of the kernel, by their numbers, point into different
// allocations in all launches in view.
//
// A launch passes a pointer of its host function that nothing but cudaMalloc and its kin sets,
// or one that all calls in view of that function pass: two such pointers never hold one
// allocation. A pointer that is set by an assignment, by a function that takes its address or a
// reference, or that is a member or an element, may hold any.
func (k *Kernel) Apart(i, j int) bool {
	for _, l := range k.Launches {
		if l.View.Error != nil || l.View.Args == nil || l.View.Function == nil {
			return false
		}
		args := l.View.Arguments()
		if i < 0 || j < 0 || i >= len(args) || j >= len(args) {
			return false
		}
		a := k.Prog.allocations(l.File, l.View.Function, args[i], maxHostCalls)
		b := k.Prog.allocations(l.File, l.View.Function, args[j], maxHostCalls)
		if a == nil || b == nil || slices.ContainsFunc(a, func(v allocation) bool { return slices.Contains(b, v) }) {
			return false
		}
	}
	return len(k.Launches) > 0
}

// HoldsAllocation reports whether all launches in view pass for a parameter of the kernel, by its number,
// what an allocation returned, as Apart knows it: its address is a multiple of 256 bytes.
func (k *Kernel) HoldsAllocation(i int) bool {
	for _, l := range k.Launches {
		if l.View.Error != nil || l.View.Args == nil || l.View.Function == nil {
			return false
		}
		args := argumentNodes(l.View.Args)
		if i < 0 || i >= len(args) || k.Prog.allocations(l.File, l.View.Function, args[i], maxHostCalls) == nil {
			return false
		}
	}
	return len(k.Launches) > 0
}

// allocation is a pointer of a host function that holds what cudaMalloc gave it.
type allocation struct {
	fn   *parser.Function // nil for one of the file
	name string
}

// allocations are the pointers that an argument may be, nil where that is not known.
func (p *Program) allocations(f *parser.File, fn *parser.Function, arg *parser.Node, depth int) []allocation {
	arg = pointerIn(arg)
	if arg == nil || depth == 0 || fn.Body == nil || fn.Error != nil {
		return nil
	}
	name := f.Text(arg)
	if i := slices.IndexFunc(fn.Params, func(q parser.Param) bool { return q.Name == name }); i >= 0 {
		d := fn.Params[i].Node.Child(parser.FieldDeclarator)
		if d == nil || d.Kind != parser.KindPointerDeclarator || strings.Contains(f.Text(fn.Params[i].Node), "&") {
			return nil
		}
		if own := p.pointer(f, fn.Body, name); own.declared > 0 || own.holds != holdsSame {
			return nil
		}
		return p.passed(fn, i, depth-1)
	}
	switch own := p.pointer(f, fn.Body, name); {
	case own.declared > 1, own.declared == 1 && own.holds != holdsAllocation:
		return nil
	case own.declared == 1:
		return []allocation{{fn, name}}
	}
	return p.fileAllocation(f, name)
}

// fileAllocation is a pointer that a file declares outside of functions: no function of the
// program may set it otherwise. A name that two of them mean is taken for one.
func (p *Program) fileAllocation(f *parser.File, name string) []allocation {
	declared, state := 0, holdsSame
	for _, g := range p.allFiles() {
		in := p.pointer(g, g.Root, name)
		declared += in.declared
		switch in.holds {
		case holdsAnything:
			return nil
		case holdsAllocation:
			state = holdsAllocation
		}
	}
	if declared == 0 || state != holdsAllocation {
		return nil
	}
	return []allocation{{nil, name}}
}

// passed are the pointers that the calls in view pass for a parameter.
func (p *Program) passed(fn *parser.Function, i, depth int) (out []allocation) {
	calls := p.callsOf(fn.Name)
	if calls.unclear || fn.Class != "" {
		return nil
	}
	for _, c := range calls.at {
		args := c.node.Child(parser.FieldArguments)
		if c.fn == nil || c.fn == fn || args == nil || i >= len(argumentNodes(args)) {
			return nil
		}
		one := p.allocations(c.file, c.fn, argumentNodes(args)[i], depth)
		if one == nil {
			return nil
		}
		out = append(out, one...)
	}
	return out
}

func argumentNodes(list *parser.Node) (out []*parser.Node) {
	for a := list.FirstNamed(); a != nil; a = a.NextNamed() {
		out = append(out, a)
	}
	return out
}

// pointerIn is the name in (T *)name, (name) or name, nil for any other expression.
func pointerIn(n *parser.Node) *parser.Node {
	for n != nil {
		switch n.Kind {
		case parser.KindIdentifier:
			return n
		case parser.KindCastExpression:
			n = n.Child(parser.FieldValue)
		case parser.KindParenthesizedExpression:
			n = n.FirstNamed()
		default:
			return nil
		}
	}
	return nil
}

// pointerDeclared counts the declarations of a plain pointer of a name; those of any other thing of
// that name count twice.
func pointerDeclared(f *parser.File, within *parser.Node, name string) (n int) {
	within.Walk(func(id *parser.Node) bool {
		if id.Kind != parser.KindIdentifier || f.Text(id) != name || !isDeclared(id) {
			return true
		}
		n++
		if d := id.Parent; d.Kind != parser.KindPointerDeclarator || d.Parent == nil || d.Parent.Kind != parser.KindDeclaration && d.Parent.Kind != parser.KindInitDeclarator {
			n++
		}
		return true
	})
	return n
}

func isDeclared(id *parser.Node) bool {
	if id.Field != parser.FieldDeclarator && (id.Parent == nil || id.Parent.Kind != parser.KindPointerDeclarator && id.Parent.Kind != parser.KindReferenceDeclarator) {
		return false
	}
	switch id.Parent.Kind {
	case parser.KindPointerDeclarator, parser.KindReferenceDeclarator, parser.KindArrayDeclarator, parser.KindInitDeclarator, parser.KindDeclaration, parser.KindParameterDeclaration, parser.KindFunctionDeclarator:
		return true
	}
	return false
}

// holding is what a pointer may hold.
type holding uint8

const (
	holdsAnything   holding = iota
	holdsSame               // what it had
	holdsAllocation         // what an allocation of its own gave it
)

// ownMemory set what their first argument points to, to a new allocation.
var ownMemory = map[string]bool{"cudaMalloc": true, "cudaMallocManaged": true, "cudaMallocAsync": true, "cudaMallocPitch": true, "cudaMallocHost": true, "cudaHostAlloc": true}

// pointerNamed is a pointer by its name in a part of a text.
type pointerNamed struct {
	within *parser.Node
	name   string
}

// pointerUse is what a part of a text does with a pointer that it names.
type pointerUse struct {
	declared int // see pointerDeclared
	holds    holding
}

// pointer looks at all places that name a pointer, once: a host function that launches
// thousands of kernels is asked about its pointers by each.
func (p *Program) pointer(f *parser.File, within *parser.Node, name string) pointerUse {
	key := pointerNamed{within, name}
	use, known := p.pointers[key]
	if !known {
		p.pointers[key] = pointerUse{holds: holdsAnything} // to a function that asks for itself
		use = pointerUse{pointerDeclared(f, within, name), p.heldIn(f, within, name)}
		p.pointers[key] = use
	}
	return use
}

func (p *Program) heldIn(f *parser.File, within *parser.Node, name string) holding {
	if _, macro := p.MacroWords(f)[name]; macro {
		return holdsAnything
	}
	state, seen := holdsSame, 0
	within.Walk(func(id *parser.Node) bool {
		if id.Kind != parser.KindIdentifier || f.Text(id) != name {
			return true
		}
		seen++
		switch p.use(f, id) {
		case holdsAnything:
			state = holdsAnything
		case holdsAllocation:
			if state == holdsSame {
				state = holdsAllocation
			}
		}
		return true
	})
	if wordsNamed(string(f.Src[within.Start:within.End]), name) != seen {
		return holdsAnything // in text that the parser does not see
	}
	return state
}

// use finds out what one place does to a pointer that it names.
func (p *Program) use(f *parser.File, id *parser.Node) holding {
	n, up := id, id.Parent
	for up != nil && up.Kind == parser.KindParenthesizedExpression {
		n, up = up, up.Parent
	}
	if up == nil {
		return holdsAnything
	}
	switch up.Kind {
	case parser.KindPointerDeclarator, parser.KindParameterDeclaration:
		return p.initialHolding(f, up)
	case parser.KindPointerExpression:
		if !strings.HasPrefix(f.Text(up), "&") {
			return holdsSame
		}
		for n, up = up, up.Parent; up != nil && (up.Kind == parser.KindCastExpression || up.Kind == parser.KindParenthesizedExpression); {
			n, up = up, up.Parent
		}
		if up != nil && up.Kind == parser.KindArgumentList && up.FirstNamed() == n && ownMemory[p.calleeOf(f, up)] {
			return holdsAllocation
		}
		return holdsAnything
	case parser.KindArgumentList:
		name := p.calleeOf(f, up)
		if isLaunchList(f, up) || name != "" && p.byValue(f, name, slices.Index(argumentNodes(up), n)) {
			return holdsSame
		}
		return holdsAnything
	case parser.KindSubscriptExpression, parser.KindBinaryExpression, parser.KindReturnStatement, parser.KindConditionClause, parser.KindConditionalExpression:
		return holdsSame
	case parser.KindCastExpression:
		if strings.Contains(f.Text(up.Child(parser.FieldType)), "&") {
			return holdsAnything
		}
		return holdsSame
	case parser.KindAssignmentExpression:
		if up.Child(parser.FieldLeft) != n {
			return holdsSame
		}
		right := up.Child(parser.FieldRight)
		if right != nil && isNull(f, right) {
			return holdsSame
		}
		return holdsAnything
	case parser.KindInitDeclarator:
		d := up.Child(parser.FieldDeclarator)
		if up.Child(parser.FieldValue) == n && d.Kind == parser.KindPointerDeclarator && !strings.Contains(f.Text(d), "&") {
			return holdsSame
		}
		return holdsAnything
	}
	return holdsAnything
}

// initialHolding is what the declaration of a pointer gives it.
func (p *Program) initialHolding(f *parser.File, declarator *parser.Node) holding {
	up := declarator.Parent
	if up == nil {
		return holdsAnything
	}
	if up.Kind != parser.KindInitDeclarator || isNull(f, up.Child(parser.FieldValue)) {
		return holdsSame
	}
	if p.makesMemory(f, up.Child(parser.FieldValue)) {
		return holdsAllocation
	}
	return holdsAnything
}

// makesMemory reports whether an expression is a call of the one function in view of its name, which
// returns an allocation of each call's own: all that it returns is a pointer of its own that holds one.
func (p *Program) makesMemory(f *parser.File, call *parser.Node) bool {
	if call == nil || call.Kind != parser.KindCallExpression {
		return false
	}
	callee := call.Child(parser.FieldFunction)
	if callee != nil && callee.Kind == parser.KindTemplateFunction {
		callee = callee.Child(parser.FieldName)
	}
	if callee == nil || callee.Kind != parser.KindIdentifier {
		return false
	}
	name := f.Text(callee)
	fns := p.unit(f).byName[name]
	if _, macro := f.Macros.Lookup(name, len(f.Src)); macro || len(fns) != 1 {
		return false
	}
	in, fn := fns[0].file, fns[0].fn
	if fn.Body == nil || fn.Error != nil || fn.Class != "" {
		return false
	}
	returns, own := 0, true
	fn.Body.Walk(func(n *parser.Node) bool {
		if !own || n.Kind != parser.KindReturnStatement {
			return own
		}
		returns++
		value := n.FirstNamed()
		if own = value != nil && value.Kind == parser.KindIdentifier; !own {
			return false
		}
		use := p.pointer(in, fn.Body, in.Text(value))
		own = use.declared == 1 && use.holds == holdsAllocation && !declaredStatic(in, fn.Body, in.Text(value))
		return false
	})
	return own && returns > 0
}

// declaredStatic reports whether a declaration of a name is of storage that stays.
func declaredStatic(f *parser.File, within *parser.Node, name string) (found bool) {
	within.Walk(func(id *parser.Node) bool {
		if id.Kind == parser.KindIdentifier && f.Text(id) == name && isDeclared(id) {
			for up := id.Parent; up != nil; up = up.Parent {
				if up.Kind == parser.KindDeclaration {
					found = found || strings.Contains(f.Text(up), "static") || strings.Contains(f.Text(up), "thread_local") || strings.Contains(f.Text(up), "extern")
					break
				}
			}
		}
		return !found
	})
	return found
}

func isNull(f *parser.File, n *parser.Node) bool {
	if n == nil {
		return false
	}
	switch f.Text(n) {
	case "0", "NULL", "nullptr":
		return true
	}
	return false
}

// calleeOf is the name of the function whose arguments a list holds, "" for any other list.
func (p *Program) calleeOf(f *parser.File, list *parser.Node) string {
	call := list.Parent
	if call == nil || call.Kind != parser.KindCallExpression {
		return ""
	}
	callee := call.Child(parser.FieldFunction)
	if callee == nil || callee.Kind != parser.KindIdentifier {
		return ""
	}
	return f.Text(callee)
}

func isLaunchList(f *parser.File, list *parser.Node) bool {
	return slices.ContainsFunc(f.Launches, func(l *parser.Launch) bool { return l.Args == list })
}

// byValue reports whether all functions in view of a name take an argument, by its number, by
// value, or it is one of C or CUDA; a macro may do anything.
func (p *Program) byValue(f *parser.File, name string, i int) bool {
	fns := p.unit(f).byName[name]
	if _, macro := f.Macros.Lookup(name, len(f.Src)); macro {
		return false
	}
	if len(fns) == 0 {
		return takesByValue(name)
	}
	return !slices.ContainsFunc(fns, func(c funcIn) bool {
		if i < 0 || i >= len(c.fn.Params) {
			return true
		}
		param := c.file.Text(c.fn.Params[i].Node)
		return strings.Contains(param, "&") || c.fn.IsTemplate && !strings.Contains(param, "*")
	})
}

// wordsNamed counts a name in a text, without comments and what is quoted.
func wordsNamed(text, name string) (n int) {
	inWord := func(i int) bool {
		c := text[i]
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return n
			}
			i += end + 4
		case text[i] == '"' || text[i] == '\'':
			quote := text[i]
			for i++; i < len(text) && text[i] != quote; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i++
		case inWord(i):
			from := i
			for i < len(text) && inWord(i) {
				i++
			}
			if text[from:i] == name {
				n++
			}
		default:
			i++
		}
	}
	return n
}

// Parameter is the number of a parameter of the kernel, -1 for any other variable.
func (k *Kernel) Parameter(v *ir.Var) int { return slices.Index(k.Func.Params, v) }
