package acc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/words"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// checkCPlusPlus refuses C that C++ does not take, and that is not written otherwise here.
func (t *translation) checkCPlusPlus() error {
	var errs []error
	refuse := func(n *parser.Node, text, help string) {
		if n != nil {
			errs = append(errs, refusal(t.place(n), CodeCPlusPlus, text+": C++ does not take it", help).error)
		}
	}
	for _, inc := range t.file.Includes {
		if inc.Path == "complex.h" && t.at(inc.Pos).File == t.file.Name && !t.file.Macros.Dead(inc.Pos) {
			errs = append(errs, refusal(t.at(inc.Pos), CodeCPlusPlus, "complex numbers of C: C++ does not take them", "use a structure of two numbers, or cuComplex.h in the result").error)
		}
	}
	if at := words.OldFunction(t.tree.Src); at >= 0 {
		from, _ := t.original(at, at+1)
		errs = append(errs, refusal(t.at(from), CodeCPlusPlus, "parameters that are declared after the parenthesis: C++ does not take them", "write f(double x, int n)").error)
	}
	for n := range t.tree.Root.All() {
		switch n.Kind {
		case parser.KindSubscriptDesignator, parser.KindSubscriptRangeDesignator:
			refuse(n, "an initialiser with the number of an element", "write all elements in their order, or assign them")
		case parser.KindFunctionDefinition:
			if n.Child(parser.FieldType) == nil && n.Parent == t.tree.Root {
				refuse(n, "a function without a type", "write int before it, or what it returns")
			}
		case parser.KindInitializerPair:
			if all := parts(n); len(all) > 1 && (all[1].Kind == parser.KindFieldDesignator || all[1].Kind == parser.KindSubscriptDesignator) {
				refuse(n, "an initialiser of a part of a member", "initialise the whole member: .m = { … }")
			}
		case parser.KindInitializerList:
			named := lists.Filter(parts(n), func(c *parser.Node) bool { return c.Kind == parser.KindInitializerPair })
			if len(named) > 0 && len(named) < len(parts(n)) {
				refuse(n, "an initialiser that names some of the members", "name all of them, or none")
			}
			refuse(t.outOfOrder(n), "an initialiser of a structure that is not in the order of its members", "put it in their order")
		case parser.KindCompoundLiteralExpression:
			whole := t.described(n.Child(parser.FieldType))
			taken := n.Parent.Kind == parser.KindPointerExpression && t.text(n.Parent.First) == "&"
			if taken || whole != nil && len(whole.derived) > 0 {
				refuse(n, "the address of a literal of a structure or an array", "give it a name: a variable with the same initialiser")
			}
		case parser.KindGotoStatement:
			refuse(t.jumpedOver(n), "a jump over the initialiser of a variable", "declare it before the goto, and assign it here")
		case parser.KindSwitchStatement:
			refuse(words.JumpedIn(n.Child(parser.FieldBody)), "a case after the initialiser of a variable in the same block", "put the statements of its case into braces")
		case parser.KindStructSpecifier:
			if name := t.usedOutside(n); name != "" {
				refuse(n, fmt.Sprintf("the structure %s, which is defined in another one and used outside of it", name), "define it before the other one")
			}
		case parser.KindInitDeclarator:
			if t.noRoom(n) {
				refuse(n, "a string without room for its end", "make the array one character longer, or leave its length out")
			}
		case parser.KindUpdateExpression, parser.KindAssignmentExpression, parser.KindBinaryExpression:
			t.checkOperands(n, refuse)
		}
	}
	for _, v := range t.vars {
		t.checkSize(v, refuse)
	}
	t.checkDeclaredTwice(refuse)
	return errors.Join(errs...)
}

// outOfOrder is a designator of an initialiser that comes before one that it should come after.
func (t *translation) outOfOrder(list *parser.Node) *parser.Node {
	last, whole := -1, t.listType(list)
	for _, c := range parts(list) {
		d := c.FirstNamed()
		if c.Kind != parser.KindInitializerPair || d.Kind != parser.KindFieldDesignator || whole == nil {
			continue
		}
		name := strings.TrimPrefix(t.text(d), ".")
		at := slices.IndexFunc(t.fieldsOf(whole), func(f *variable) bool { return f.name == name })
		if at >= 0 && at < last {
			return d
		}
		last = max(last, at)
	}
	return nil
}

// usedOutside is the name of a structure that is defined in another one and mentioned outside of that; "" for others.
func (s *source) usedOutside(n *parser.Node) string {
	name, outer := s.text(n.Child(parser.FieldName)), n.Ancestor(parser.KindFieldDeclarationList)
	used := func(c *parser.Node) bool {
		return c.Kind == parser.KindStructSpecifier && !within(c, outer) && s.text(c.Child(parser.FieldName)) == name
	}
	if name == "" || n.Child(parser.FieldBody) == nil || outer == nil || !s.tree.Root.Any(used) {
		return ""
	}
	return name
}

// noRoom reports whether a string fills an array of characters to the last.
func (t *translation) noRoom(n *parser.Node) bool {
	value, v := n.Child(parser.FieldValue), t.declaredBy(n)
	if value == nil || value.Kind != parser.KindStringLiteral || strings.Contains(t.text(value), `\`) || v == nil || len(v.derived) != 1 {
		return false
	}
	size, ok := t.constant(v.derived[0].size) // which neither a pointer nor [] has
	return ok && size <= int64(len(t.text(value))-2)
}

// checkOperands refuses arithmetic on pointers to nothing, and changes of an enumeration by operators.
func (t *translation) checkOperands(n *parser.Node, refuse func(n *parser.Node, text, help string)) {
	op, binary := t.op(n), n.Kind == parser.KindBinaryExpression
	left, changed, right := t.typeOf(n.Child(parser.FieldLeft)), t.typeOf(n.Child(parser.FieldArgument)), t.typeOf(n.Child(parser.FieldRight))
	switch {
	case op == "=":
	case !binary && (left.isEnum() || changed.isEnum()):
		refuse(n, "a step of an enumeration", "use an int, or write the new value with a cast")
	case strings.ContainsAny(op, "+-") && (left.isVoidPointer() || changed.isVoidPointer() || binary && right.isVoidPointer()):
		refuse(n, "arithmetic on a pointer to void", "use a pointer to char")
	}
}

func (v *variable) isEnum() bool {
	return v != nil && len(v.derived) == 0 && strings.HasPrefix(v.resolved, "enum")
}

// checkDeclaredTwice refuses variables that are declared twice, and functions that are declared without their parameters.
func (t *translation) checkDeclaredTwice(refuse func(n *parser.Node, text, help string)) {
	seen := map[string]bool{}
	for _, v := range t.vars {
		if v.src != t.source || !v.global || v.param || v.path != "" || strings.HasPrefix(t.text(v.decl), "extern") {
			continue
		}
		if seen[v.name] {
			refuse(v.decl, fmt.Sprintf("%s, which is declared a second time", v.name), "declare it once, or all but one as extern")
		}
		seen[v.name] = true
	}
	for _, f := range t.tree.Functions {
		if f.Body != nil || f.ParamList == nil || f.ParamList.FirstNamed() != nil || f.Class != "" {
			continue
		}
		called := func(n *parser.Node) bool {
			return t.callee(n) == f.Name && n.Child(parser.FieldArguments) != nil && n.Child(parser.FieldArguments).FirstNamed() != nil
		}
		g := t.functionNamed(f.Name)
		if g == nil && t.tree.Root.Any(called) || g != nil && g.ParamList != nil && g.ParamList.FirstNamed() != nil && t.text(g.ParamList) != "(void)" {
			refuse(f.Node, fmt.Sprintf("%s, which is declared without its parameters", f.Name), "declare it as it is defined")
		}
	}
}

// jumpedOver is an initialised declaration that a goto leaves out on its way forward.
func (u *unit) jumpedOver(jump *parser.Node) *parser.Node {
	var label *parser.Node
	for n, gotos := range u.labelsAround(jump) {
		if slices.Contains(gotos, jump) {
			label = n
		}
	}
	for n := label; n != nil && !within(jump, n); n = n.Parent {
		for s := n.Parent.FirstNamed(); n.Parent.Kind == parser.KindCompoundStatement && s != n; s = s.NextNamed() {
			if (s.Start > jump.Start || !within(jump, n.Parent)) && words.Initialises(s) {
				return s
			}
		}
	}
	return nil
}
