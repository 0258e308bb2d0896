package hostcode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Settings holds what the host function tells of the cudaLaunchConfig_t of a launch:
//
//	cudaLaunchConfig_t config = {0};
//	config.gridDim = n / 64;
//	config.attrs = attrs;
//	attrs[0].id = cudaLaunchAttributePriority;
//	cudaLaunchKernelEx(&config, k, a);
//
// It is a variable of that function, which nothing changes but assignments to its members. Which
// attributes a launch has is not followed: it may have any that the function names for it.
type Settings struct {
	Attributes []string // names of cudaLaunchAttributeID, in the order of the text
	At         int      // where it is not so, an offset in the file
	Why        string   // and what is there, "" where all is as above
}

// SettingsOf looks at the cudaLaunchConfig_t of a launch that has one.
func SettingsOf(p *analysis.Program, l *analysis.Launch) *Settings {
	s := &settings{prog: p, file: l.File, fn: l.View.Function}
	name := l.View.SettingsName
	switch {
	case name == nil || s.fn == nil || s.fn.Body == nil:
		s.lost(l.View.Settings, "its configuration is not a variable of the function that launches")
	case len(p.MacroWords(l.File)[l.File.Text(name)]) > 0:
		s.lost(name, "a macro names its configuration")
	default:
		s.configuration(l.File.Text(name), l.View.Settings)
	}
	return &s.Settings
}

type settings struct {
	Settings
	prog *analysis.Program
	file *parser.File
	fn   *parser.Function
}

// lost notes the first thing that is not understood.
func (s *settings) lost(n *parser.Node, format string, args ...any) {
	if s.Why == "" {
		s.At, s.Why = int(n.Start), fmt.Sprintf(format, args...)
	}
}

// uses calls f for each place in the function that names a variable, and returns the one
// declaration of it, of a type; nil where it is another variable.
func (s *settings) uses(name, base string, at *parser.Node, f func(n *parser.Node)) (declared *parser.Node) {
	n, local := 0, false
	for id := range s.fn.Body.All() {
		if id.Kind != parser.KindIdentifier || s.file.Text(id) != name {
			continue
		}
		d := id.Parent
		for d != nil && (d.Kind == parser.KindInitDeclarator || d.Kind == parser.KindArrayDeclarator && id.Field == parser.FieldDeclarator) {
			d = d.Parent
		}
		if d == nil || d.Kind != parser.KindDeclaration || id.Field != parser.FieldDeclarator {
			f(id)
			continue
		}
		n++
		declared = id
		if t := d.Child(parser.FieldType); t != nil && strings.TrimPrefix(s.file.Text(t), "struct ") == base {
			words := strings.Fields(s.file.Text(d))
			local = !slices.Contains(words, "static") && !slices.Contains(words, "extern")
		}
	}
	if n != 1 || !local {
		s.lost(at, "%s is not a local %s that is declared once", name, base)
		return nil
	}
	return declared
}

// configuration goes through the uses of the variable.
func (s *settings) configuration(name string, at *parser.Node) {
	told := false // whether the attributes are set by an assignment
	declared := s.uses(name, "cudaLaunchConfig_t", at, func(id *parser.Node) {
		up := id.Parent
		switch {
		case up.Kind == parser.KindFieldExpression && id.Field == parser.FieldArgument:
			member := up.Child(parser.FieldField)
			if member == nil {
				s.lost(id, "%s is used here", name)
				return
			}
			told = s.member(up, s.file.Text(member)) || told
		case up.Kind == parser.KindPointerExpression && s.onlyReads(up):
		default:
			s.lost(id, "%s may change here", name)
		}
	})
	if declared == nil {
		return
	}
	first, zero := s.initial(declared)
	switch {
	case first == nil && !zero && declared.Parent.Kind == parser.KindInitDeclarator:
		s.lost(declared, "what %s begins with is not followed", name)
	case len(first) > 4:
		s.attributes(first[4])
	case !zero && !told:
		s.lost(declared, "the attributes of %s are not set", name)
	}
}

// initial are the elements of a list that a variable begins with; zero says that members without an element are 0.
func (s *settings) initial(declared *parser.Node) (elements []*parser.Node, zero bool) {
	if declared.Parent.Kind != parser.KindInitDeclarator {
		return nil, false
	}
	v := declared.Parent.Child(parser.FieldValue)
	if v == nil {
		return nil, false
	}
	if v.Kind == parser.KindCompoundLiteralExpression || v.Kind == parser.KindCallExpression { // T{}, T()
		return nil, strings.HasSuffix(s.file.Text(v), "{}") || strings.HasSuffix(s.file.Text(v), "()")
	}
	if v.Kind != parser.KindInitializerList {
		return nil, false
	}
	for c := v.FirstNamed(); c != nil; c = c.NextNamed() {
		if c.Kind == parser.KindInitializerPair { // .attrs = attrs
			s.lost(c, "what a member begins with is not followed")
		}
		elements = append(elements, c)
	}
	return elements, true
}

// onlyReads reports whether an address is that of a configuration which the runtime reads.
func (s *settings) onlyReads(address *parser.Node) bool {
	list := address.Parent
	if s.file.Src[address.Start] != '&' || list.Kind != parser.KindArgumentList || list.Parent.Kind != parser.KindCallExpression {
		return false
	}
	callee := list.Parent.Child(parser.FieldFunction)
	return callee != nil && slices.Contains([]string{parser.CallLaunchEx, parser.CallLaunchExC}, strings.TrimPrefix(s.file.Text(callee), "::"))
}

// member judges a use of a member of the configuration, and reports whether it sets the attributes.
func (s *settings) member(n *parser.Node, name string) (told bool) {
	up := n.Parent
	assigned := up.Kind == parser.KindAssignmentExpression && up.Child(parser.FieldLeft) == n
	switch name {
	case "attrs":
		switch {
		case assigned:
			s.attributes(up.Child(parser.FieldRight))
		case up.Kind == parser.KindSubscriptExpression && up.Child(parser.FieldArgument) == n:
			s.element(up)
		default:
			s.lost(n, "its attributes are used here")
		}
		return assigned
	case "numAttrs":
		if up.Kind == parser.KindPointerExpression {
			s.lost(n, "the number of its attributes may change here")
		}
		return assigned && s.file.Text(up.Child(parser.FieldRight)) == "0"
	}
	for up.Kind == parser.KindFieldExpression || up.Kind == parser.KindParenthesizedExpression {
		n, up = up, up.Parent
	}
	switch up.Kind {
	case parser.KindPointerExpression:
		s.lost(n, "%s may change here", s.file.Text(n))
	case parser.KindArgumentList:
		if callee := calleeOf(s.file, up); callee == "" || !byValue(s.prog, s.file, callee, slices.Index(ArgumentNodes(up), n)) {
			s.lost(n, "%s may change here", s.file.Text(n))
		}
	}
	return false
}

// attributes looks at what is said to hold the attributes: a variable or an array of the function.
func (s *settings) attributes(n *parser.Node) {
	text := strings.Join(strings.Fields(s.file.Text(n)), "")
	if slices.Contains([]string{"0", "NULL", "nullptr"}, text) {
		return
	}
	name := strings.TrimSuffix(strings.TrimPrefix(text, "&"), "[0]")
	for _, r := range name {
		if !parser.IsWordRune(r) {
			s.lost(n, "its attributes are not a variable of the function that launches")
			return
		}
	}
	declared := s.uses(name, "cudaLaunchAttribute", n, func(id *parser.Node) {
		if n.Start <= id.Start && id.End <= n.End {
			return
		}
		up := id.Parent
		if up.Kind == parser.KindSubscriptExpression && up.Child(parser.FieldArgument) == id {
			s.element(up)
		} else {
			s.element(id)
		}
	})
	if declared == nil {
		return
	}
	d := declared
	for d.Parent.Kind == parser.KindArrayDeclarator {
		d = d.Parent
	}
	if d.Parent.Kind != parser.KindInitDeclarator {
		return
	}
	found := false
	for c := range d.Parent.Child(parser.FieldValue).All() {
		if c.Kind == parser.KindIdentifier && strings.HasPrefix(s.file.Text(c), "cudaLaunchAttribute") {
			s.Attributes, found = append(s.Attributes, s.file.Text(c)), true
		}
	}
	if text := strings.Join(strings.Fields(s.file.Text(d.Parent.Child(parser.FieldValue))), ""); !found && text != "{}" && text != "{0}" {
		s.lost(d, "which attributes %s holds is not followed", name)
	}
}

// element judges a use of an attribute: all that counts is what is assigned to its id.
func (s *settings) element(n *parser.Node) {
	up := n.Parent
	if up.Kind != parser.KindFieldExpression || up.Child(parser.FieldArgument) != n || up.Child(parser.FieldField) == nil {
		s.lost(n, "an attribute may change here")
		return
	}
	inner := up
	for inner.Parent.Kind == parser.KindFieldExpression {
		inner = inner.Parent
	}
	if inner.Parent.Kind == parser.KindPointerExpression {
		s.lost(n, "an attribute may change here")
		return
	}
	if s.file.Text(up.Child(parser.FieldField)) != "id" || up.Parent.Kind != parser.KindAssignmentExpression || up.Parent.Child(parser.FieldLeft) != up {
		return
	}
	id := s.file.Text(up.Parent.Child(parser.FieldRight))
	if !strings.HasPrefix(id, "cudaLaunchAttribute") {
		s.lost(n, "which attribute this is is not followed")
		return
	}
	s.Attributes = append(s.Attributes, id)
}

// withSettings gives a launch by cudaLaunchKernelEx the configuration that its function sets in
// front of it: what is assigned to a member, by a statement of the list that declares the variable,
// stands for the member. A member of which that isn't known stands for itself.
func withSettings(host *ir.Func, e *ir.Expr) *ir.Expr {
	if e.Launch.SettingsName == nil {
		return e
	}
	out := *e
	out.Kids = slices.Clone(e.Kids)
	for i := range e.Launch.Config {
		if v := setting(host, e, out.Kids[i]); v != nil {
			out.Kids[i] = v
		}
	}
	return &out
}

// setting is the value of a member of a local variable when control comes to a launch, nil where that isn't known.
func setting(host *ir.Func, at, member *ir.Expr) *ir.Expr {
	v := member.Kids[0].Var
	if v == nil || v.Kind != ir.VarLocal || v.Static || v.AddrTaken || v.Type.Ptr > 0 || v.Type.Ref || len(v.Dims) > 0 || len(v.Writes) > 0 || InBranchOfIf(v.Decl) {
		return nil
	}
	var set *ir.Expr // the last assignment
	known := true
	for w := range host.Body.AllExprs() {
		if w.Op != ir.OpAssign && w.Op != ir.OpIncDec || w.Kids[0].Op != ir.OpMember {
			continue
		}
		switch t := w.Kids[0]; {
		case t.Root() == nil || t.Root().Var != v || !within(t, member.Name):
		case w.Range.Start > at.Range.Start && Straight(v, at, w): // after the launch, which isn't repeated
		case t.Name != member.Name || w.Op != ir.OpAssign || w.Tok != "=" || !Straight(v, w, at):
			known = false
		default:
			set = w
		}
	}
	switch {
	case !known:
		return nil
	case set != nil && keeps(host, set.Kids[1], set.Range.Start):
		return set.Kids[1]
	case set == nil && v.Init != nil && v.Init.Op == ir.OpInitList:
		return initialSetting(host, v, member)
	}
	return nil
}

// within reports whether an assignment's target is a member or a part of it.
func within(target *ir.Expr, member string) bool {
	for t := target; t.Op == ir.OpMember; t = t.Kids[0] {
		if t.Kids[0].Op == ir.OpIdent {
			return t.Name == member
		}
	}
	return true
}

// initialSetting returns the value that a list, with which a variable begins, gives a member.
func initialSetting(host *ir.Func, v *ir.Var, member *ir.Expr) *ir.Expr {
	i := slices.Index([]string{"gridDim", "blockDim", "dynamicSmemBytes"}, member.Name)
	switch {
	case i < 0:
	case i < len(v.Init.Kids):
		if e := v.Init.Kids[i]; e.Op != ir.OpUnknown && keeps(host, e, v.Init.Range.Start) {
			return e
		}
	case i == 2:
		return &ir.Expr{Op: ir.OpInt, Range: member.Range}
	}
	return nil
}

// keeps reports whether the variables that an expression names are not written after it.
func keeps(host *ir.Func, e *ir.Expr, at int) bool {
	return !host.Body.AnyExpr(func(w *ir.Expr) bool {
		if w.Op != ir.OpAssign && w.Op != ir.OpIncDec || w.Range.Start <= at {
			return false
		}
		r := w.Kids[0].Root()
		return r != nil && r.Var != nil && e.Any(func(t *ir.Expr) bool { return t.Var == r.Var })
	})
}
