package acc

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// derivation is one step of a declarator, from the name outwards: an array of, or a pointer to.
type derivation struct {
	pointer bool
	size    *parser.Node // of an array; nil for []
	in      *source      // that size is in
}

// variable is a declared variable.
type variable struct {
	name       string
	base       string // the type that the declarator starts from, without qualifiers and storage class
	resolved   string // the same behind typedefs
	derived    []derivation
	decl       *parser.Node // declaration or parameter_declaration
	declarator *parser.Node // of it
	src        *source      // that decl is in
	from, to   int          // where it is visible, in the written-out text of the unit
	param      bool
	global     bool
	isStatic   bool
	isConst    bool
	restricted bool
	flat       bool   // its rows are as long as the run says: it is a pointer to its elements (rows.go)
	path       string // of a member that stands for itself: m->x; "" for others
}

// onHost is the variable in C of the host.
func (v *variable) onHost() string  { return cmp.Or(v.path, v.name) }
func (v *variable) isScalar() bool  { return len(v.derived) == 0 }
func (v *variable) isPointer() bool { return len(v.derived) > 0 && v.derived[0].pointer }

// isArray reports whether the variable is an array that is no parameter: it has memory of its own.
func (v *variable) isArray() bool {
	return len(v.derived) > 0 && !v.derived[0].pointer && !v.param
}

// readSymbols collects the variables of the file, and those that its headers declare.
func (u *unit) readSymbols() {
	u.byName, u.types = map[string][]*variable{}, map[string]*variable{}
	for _, s := range append(slices.Clone(u.headers), u.source) {
		s.tree.Root.Walk(func(n *parser.Node) bool {
			switch n.Kind {
			case parser.KindTypeDefinition:
				u.declare(s, n, func(v *variable) { u.types[v.name] = v })
			case parser.KindDeclaration, parser.KindParameterDeclaration:
				u.declare(s, n, func(v *variable) { u.vars, u.byName[v.name] = append(u.vars, v), append(u.byName[v.name], v) })
			}
			return n.Kind != parser.KindTypeDefinition
		})
	}
}

// declare calls add for each variable that a declaration declares.
func (u *unit) declare(s *source, n *parser.Node, add func(*variable)) {
	proto, header := headOf(s, n), s != u.source
	proto.decl, proto.param = n, n.Kind == parser.KindParameterDeclaration
	proto.from, proto.to, proto.global = visible(s, n)
	if header && !proto.global || proto.param && proto.to == 0 { // of a declaration without a body
		return
	}
	if header {
		proto.from, proto.to = 0, len(u.tree.Src)
	}
	u.declared(s, n, proto, func(v *variable) {
		if !header && !v.param {
			v.from = max(v.from, int(v.declarator.End))
		}
		add(v)
	})
}

// declared calls add for each variable of a declaration, the part before the declarators read.
func (u *unit) declared(s *source, n *parser.Node, head *variable, add func(*variable)) {
	for _, c := range declarators(n) {
		v := *head
		v.declarator = c
		if v.walk(s, c); v.name != "" {
			add(u.behindTypedef(&v))
		}
	}
}

func declarators(n *parser.Node) (out []*parser.Node) {
	for c := n.First; c != nil; c = c.Next {
		if c.Field == parser.FieldDeclarator {
			out = append(out, c)
		}
	}
	return out
}

// bareType is the text of a type specifier; of a structure with a body, its name.
func bareType(s *source, n *parser.Node) string {
	if body, name := n.Child(parser.FieldBody), n.Child(parser.FieldName); isTag(n) && body != nil && name != nil {
		return s.text(n.First) + " " + s.text(name)
	}
	if text := strings.Join(strings.Fields(s.text(n)), " "); text != "_Bool" {
		return text
	}
	return "bool"
}

// walk reads a declarator, which may have no name, up to that of a function, which it returns.
func (v *variable) walk(s *source, d *parser.Node) (function *parser.Node) {
	for d != nil {
		inner := d.Child(parser.FieldDeclarator)
		switch d.Kind {
		case parser.KindIdentifier, parser.KindTypeIdentifier, parser.KindFieldIdentifier:
			v.name = s.text(d)
			return nil
		case parser.KindArrayDeclarator, parser.KindAbstractArrayDeclarator:
			v.derived = append([]derivation{{size: d.Child(parser.FieldSize), in: s}}, v.derived...)
			d = inner
			continue
		case parser.KindInitDeclarator, parser.KindParenthesizedDeclarator, parser.KindAttributedDeclarator, parser.KindAbstractParenthesizedDeclarator:
		case parser.KindPointerDeclarator, parser.KindPointerTypeDeclarator, parser.KindAbstractPointerDeclarator:
			for c := d.First; c != nil; c = c.Next {
				if c.Kind == parser.KindTypeQualifier && strings.Contains(s.text(c), "restrict") {
					v.restricted = true
				}
			}
			v.derived = append([]derivation{{pointer: true}}, v.derived...)
		default:
			return d
		}
		if inner == nil {
			for inner = d.FirstNamed(); inner != nil && inner.Kind == parser.KindTypeQualifier; {
				inner = inner.NextNamed()
			}
		}
		d = inner
	}
	return nil
}

// visible returns the range in which the names of a declaration can be used.
func visible(s *source, n *parser.Node) (from, to int, global bool) {
	if n.Kind == parser.KindParameterDeclaration {
		if f := lists.Find(s.tree.Functions, func(f *parser.Function) bool { return f.Body != nil && f.ParamList == n.Parent }); f != nil {
			return int(n.Start), int(f.Node.End), false
		}
		return 0, 0, false
	}
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.Kind {
		case parser.KindCompoundStatement, parser.KindForStatement:
			return int(n.Start), int(p.End), false
		case parser.KindStructSpecifier, parser.KindUnionSpecifier:
			return 0, 0, false
		}
	}
	return int(n.Start), len(s.tree.Src), true
}

// lookup is the variable that a name means at a place of the written-out text, nil for none.
func (u *unit) lookup(name string, at int) *variable {
	var best *variable
	for _, v := range u.byName[name] {
		if v.from <= at && at < v.to && (best == nil || v.src != u.source == (best.src != u.source) && v.from >= best.from || best.src != u.source) {
			best = v
		}
	}
	return best
}

// variableOf is the variable that an identifier names, nil for none.
func (u *unit) variableOf(n *parser.Node) *variable {
	v := u.plainVariable(n)
	return cmp.Or(u.member(n, v), v)
}

// usesIn yields the identifiers in a subtree that name a variable and do not declare it.
func (u *unit) usesIn(root *parser.Node, v *variable) iter.Seq[*parser.Node] {
	return func(yield func(*parser.Node) bool) {
		for n := range root.All() {
			if n.Kind == parser.KindIdentifier && u.variableOf(n) == v && !u.declares(n) && !yield(n) {
				return
			}
		}
	}
}

// plainVariable is the same where members don't stand for themselves.
func (u *unit) plainVariable(n *parser.Node) *variable {
	if n.Kind != parser.KindIdentifier {
		return nil
	}
	own := lists.Find(u.byName[u.text(n)], func(v *variable) bool { return v.src == u.source && within(n, v.declarator) })
	if own != nil && u.declares(n) { // in its own declaration
		return own
	}
	return cmp.Or(u.lookup(u.text(n), int(n.Start)), own)
}

// enclosed is an expression in parentheses where it is more than a word.
func enclosed(text string) string {
	if onlyWord.MatchString(text) {
		return text
	}
	return "(" + text + ")"
}

var onlyWord = regexp.MustCompile(`^\w*$`)

func parseConstant(text string) (int64, bool) {
	c, err := strconv.ParseInt(strings.TrimSpace(text), 0, 64)
	return c, err == nil
}

// pointerTo declares a pointer to the elements of a variable's first dimension, or to a scalar.
func (v *variable) pointerTo(name string) string {
	if v.leadsToRows() {
		return fmt.Sprintf("%s **%s", v.base, name)
	}
	if len(v.derived) < 2 || v.flat {
		return fmt.Sprintf("%s *%s", v.base, name)
	}
	return fmt.Sprintf("%s (*%s)%s", v.base, name, v.extents(1))
}

// extents are the brackets of the dimensions from one on.
func (v *variable) extents(from int) string {
	return strings.Join(lists.Map(v.derived[from:], func(d derivation) string { return "[" + d.text() + "]" }), "")
}

func (v *variable) declaration() string {
	if v.isPointer() {
		return v.pointerTo(v.name)
	}
	return fmt.Sprintf("%s %s%s", v.base, v.name, v.extents(0))
}

// text is the size of an array as it is written, or as a number where a macro writes it; "" for none.
func (d derivation) text() string {
	if d.size == nil {
		return ""
	}
	u := unit{source: d.in}
	if c, ok := u.constant(d.size); ok && !u.isExact(d.size) {
		return fmt.Sprint(c)
	}
	return u.spelled(d.size)
}
