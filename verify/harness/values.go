package harness

import (
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// maxBytes limits what one array may hold, so that a slip of the pen doesn't take the machine's memory.
const maxBytes = 1 << 34

// buffer checks an array against its parameter.
func (r *Resolver) buffer(b *Buffer, t ParamType) *Value {
	switch elements := ctype.Canonical(b.Type); {
	case t.Pointers > 1:
		r.note(b.at.wrong(CodeParameter, "", "%s is a pointer to pointers: smux can't make those", b.Name))
		return nil
	case t.Pointers == 0 && (t.Known != "" || t.Base == "dim3"):
		r.note(b.at.wrong(CodeParameter, "write "+b.Name+"=VALUE", "%s is not a pointer: it is %s", b.Name, t.Base))
		return nil
	case t.Pointers == 1 && t.Known != "" && elements != "" && t.Known != elements:
		r.note(b.at.wrong(CodeParameter, "", "%s points to %s, not to %s", b.Name, t.Base, b.Type))
		return nil
	}
	c := &Contents{Size: b.Size.String(), Fill: b.Fill.Kind, Path: r.path(b.Fill.Path)}
	var err error
	if c.Count, err = r.Eval(b.Size); err == nil && (c.Count < 1 || c.Count > maxBytes) {
		err = b.Size.wrong(CodeValue, "", "an array of %d elements", c.Count)
	}
	r.note(err)
	for _, n := range b.Fill.Values {
		v := n.Float
		if n.Expr != nil {
			whole, err := r.Eval(n.Expr)
			r.note(err)
			v = float64(whole)
		}
		c.Values = append(c.Values, v)
	}
	if c.Fill == "random" && len(c.Values) == 2 && c.Values[0] >= c.Values[1] {
		r.note(b.at.wrong(CodeValue, "write random(FROM,BELOW)", "no number is from %g up to, but below %g", c.Values[0], c.Values[1]))
	}
	if c.Fill == "random" && ctype.Canonical(b.Type) == "bool" && c.Values == nil {
		c.Values = []float64{0, 2}
	}
	return &Value{Name: b.Name, Type: b.Type, Buffer: c, Cast: t.rows}
}

// path makes the path of a file independent of where the program will run: it
// is relative to the file with the comment, or to the current folder.
func (r *Resolver) path(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	if r.source != nil {
		path = filepath.Join(filepath.Dir(r.source.file.Name), path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// literal matches a value that is not an integer expression.
var literal = regexp.MustCompile(`^(` +
	`[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?[fFlL]?` + // 1.5f
	`|[-+]?0[xX][0-9a-fA-F.]+([pP][-+]?\d+)?[uUlLfF]*` +
	`|'(\\?.|\\x[0-9a-fA-F]+)'` +
	`|[-+]?[A-Za-z_][\w:]*(<[^;{}]*>)?(\([^;{}]*\)|\{[^;]*\})?` + // NAME, ns::NAME, make_float2(1, 2), Size{3}
	`|\{[^;]*\}` +
	`)$`)

var null = regexp.MustCompile(`^(0|NULL|nullptr)$`)

// argument checks a value against its parameter.
func (r *Resolver) argument(a *Argument, t ParamType) *Value {
	if t.Pointers > 0 {
		if null.MatchString(a.Value) {
			return &Value{Name: a.Name, Text: "nullptr"}
		}
		for i := range r.Buffers {
			if r.Buffers[i].Name == a.Value && ParamNamed(r.Fn, a.Value) != nil {
				return &Value{Name: a.Name, Text: a.Value + ".device"}
			}
		}
		r.note(a.Phrase.wrong(CodeParameter, "write "+a.Name+"="+t.Base+"[ELEMENTS]:random", "%s is a pointer: it needs an array", a.Name))
		return nil
	}
	v := &Value{Name: a.Name, Type: t.Base}
	if t.Template || len(r.namespaces()) > 0 && t.Known == "" {
		v.Type = ""
	}
	n, whole, err := r.integer(a)
	switch {
	case err != nil:
		r.note(err)
		return nil
	case !whole:
		v.Text = a.Value
	case !ctype.Fits(n, t.Known):
		r.note(a.Phrase.wrong(CodeValue, "", "%d can't be held by %s, which is %s", n, a.Name, t.Base))
		return nil
	case n > math.MaxInt32 || n < -math.MaxInt32:
		v.Text = strconv.FormatInt(n, 10) + "LL"
	default:
		v.Text = strconv.FormatInt(n, 10)
	}
	if v.Type == "" && strings.HasPrefix(v.Text, "{") {
		r.note(a.Phrase.wrong(CodeValue, "write the type in front: TYPE"+v.Text, "smux does not know the type of %s", a.Name))
	}
	return v
}

// integer returns the value of an argument that is an integer expression; whole is false for all other literals.
func (r *Resolver) integer(a *Argument) (n int64, whole bool, err error) {
	e, syntax := ParseExpr(a.Phrase)
	isLiteral := literal.MatchString(a.Value)
	if syntax != nil {
		if isLiteral {
			return 0, false, nil
		}
		m := AsMessage(syntax)
		if m.Help == "" {
			m.Help = "a value is an integer expression or a C literal, such as 1.5f, true, {1, 2}"
		}
		return 0, false, m
	}
	n, err = r.Eval(e)
	if err != nil && isLiteral && !r.namesArgument(e) {
		return 0, false, nil // an enumerator or a constant, which the compiler knows
	}
	return n, err == nil, err
}

// namesArgument reports whether an expression depends on another argument.
func (r *Resolver) namesArgument(e *Expr) (found bool) {
	e.root.names(func(name string) {
		for i := range r.Arguments {
			found = found || r.Arguments[i].Name == name
		}
	})
	return found
}

func (r *Resolver) Eval(e *Expr) (int64, error) {
	return e.root.eval(r.lookup)
}

// lookup returns the value of a name in an expression: an argument or a macro.
func (r *Resolver) lookup(name Phrase) (int64, error) {
	known := []string{}
	for i := range r.Arguments {
		a := &r.Arguments[i]
		known = append(known, a.Name)
		if a.Name != name.Text {
			continue
		}
		if n, ok := r.Known[a.Name]; ok {
			return n, nil
		}
		if r.Busy[a.Name] {
			return 0, name.wrong(CodeValue, "", "the value of %s depends on itself", a.Name)
		}
		r.Busy[a.Name] = true
		defer delete(r.Busy, a.Name)
		n, whole, err := r.integer(a)
		if err == nil && whole {
			r.Known[a.Name] = n
		}
		if err == nil && !whole {
			err = name.wrong(CodeValue, "", "%s is %s, which is not an integer", a.Name, a.Value)
		}
		return n, err
	}
	if m, ok := r.File.Macros.Lookup(name.Text, len(r.File.Src)); ok && !m.Ambiguous && !m.FunctionLike {
		if text, err := r.File.Macros.Expand(name.Text, len(r.File.Src)); err == nil {
			inner := name
			inner.Text = text
			if e, err := ParseExpr(inner); err == nil {
				return e.root.eval(func(n Phrase) (int64, error) {
					return 0, name.wrong(CodeValue, "", "the macro %s is not an integer", name.Text)
				})
			}
		}
		return 0, name.wrong(CodeValue, "", "the macro %s is not an integer", name.Text)
	}
	return 0, name.wrong(CodeValue, diag.DidYouMean(name.Text, known, "there are"), "nothing says what %s is", name.Text)
}
