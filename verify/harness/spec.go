package harness

import (
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Spec describes what to run a kernel with. The names in it are not checked against the kernel yet: Resolve does that.
type Spec struct {
	Kernel    string // name without template arguments
	Template  string // template arguments with their brackets, "" if none are given
	Grid      []*Expr
	Block     []*Expr
	Shared    *Expr // bytes of dynamic shared memory, nil for none
	Arguments []Argument
	Buffers   []Buffer

	named  Phrase      // the name, or the whole specification where that has none
	source *Phrase     // the comment, nil for flags
	nearby *Definition // the kernel below the comment
}

// Argument is a parameter that is not a pointer.
type Argument struct {
	Name, Value string
	at          Phrase
	Phrase      Phrase
}

// Buffer is an array in device memory for a parameter that is a pointer.
type Buffer struct {
	Name string
	Type string // of an element
	Size *Expr  // in elements
	Fill Fill
	at   Phrase
}

// Fill describes what is in a buffer before the launch.
type Fill struct {
	Kind   string   // "zero", "iota", "rows", "const", "distinct", "random", "bytes", "file"
	Values []Number // of const (one) and random (two, or none for the default)
	Path   string   // of file
}

// Number is an integer expression or a floating-point literal.
type Number struct {
	Float float64
	Expr  *Expr // nil for a literal
}

// Name returns the kernel with its template arguments.
func (s *Spec) Name() string { return s.Kernel + s.Template }

// definition is a kernel and the file that holds it.
type Definition struct {
	File *parser.File
	Fn   *parser.Function
}

// add adds one NAME=VALUE item; reserved means that grid, block and shared are not parameters here.
func (s *Spec) add(item Phrase, reserved bool) error {
	name, value, err := item.assignment()
	if err != nil {
		return err
	}
	if reserved {
		switch name.Text {
		case "grid", "block", "shared":
			return s.addLaunch(name, value)
		}
		if rest, ok := strings.CutPrefix(name.Text, "param."); ok {
			name = name.from(len(name.Text) - len(rest))
		}
	}
	open := strings.IndexByte(value.Text, '[') // of TYPE[E] or TYPE[E]:FILL
	if open > 0 && !strings.ContainsAny(value.Text[:open], "{(\"'") && isPath(name.Text) {
		return s.addBuffer(name, value)
	}
	if !isPath(name.Text) {
		return name.wrong(CodeSyntax, "", "%q is not a parameter's name", name.Text)
	}
	s.addArgument(name, value)
	return nil
}

const extentsHelp = "extents are written 8x4x1, names among them in parentheses: (n)x(m)"

func (s *Spec) addLaunch(name, value Phrase) (err error) {
	switch {
	case name.Text == "grid" && s.Grid == nil:
		s.Grid, err = parseExtents(value, 'x', extentsHelp)
	case name.Text == "block" && s.Block == nil:
		s.Block, err = parseExtents(value, 'x', extentsHelp)
	case name.Text == "shared" && s.Shared == nil:
		s.Shared, err = ParseExpr(value)
	case name.Text == "grid" || name.Text == "block" || name.Text == "shared":
		return name.wrong(CodeSyntax, "", "%s is given twice", name.Text)
	default:
		return name.wrong(CodeSyntax, diag.DidYouMean(name.Text, []string{"grid", "block", "shared"}, "there are"), "a launch has no %q", name.Text)
	}
	return err
}

func (s *Spec) addArgument(name, value Phrase) {
	s.Arguments = append(s.Arguments, Argument{Name: name.Text, Value: value.Text, at: name, Phrase: value})
}

func (s *Spec) addBuffer(name, value Phrase) error {
	open := strings.IndexByte(value.Text, '[')
	if open < 0 {
		return value.wrong(CodeSyntax, "write NAME=TYPE[ELEMENTS]:FILL, as in in=float[n]:random", "%q is not an array", value.Text)
	}
	end := bracketEnd(value.Text, open)
	if end < 0 {
		return value.from(open).wrong(CodeSyntax, "", "\"[\" is never closed")
	}
	b := Buffer{Name: name.Text, Type: value.cut(0, open).trim().Text, at: name}
	if b.Type == "" {
		return value.wrong(CodeSyntax, "write NAME=TYPE[ELEMENTS]:FILL, as in in=float[n]:random", "the array %s has no type", name.Text)
	}
	if strings.ContainsAny(b.Type, "*&:,;=(){}\"'\\\n") && !strings.Contains(b.Type, "::") || strings.Contains(b.Type, "*") {
		return value.wrong(CodeSyntax, "", "%q can't be the type of an array in device memory", b.Type)
	}
	var err error
	if b.Size, err = ParseExpr(value.cut(open+1, end)); err != nil {
		return err
	}
	fill := value.from(end + 1).trim()
	if fill.Text != "" && fill.Text[0] != ':' {
		return fill.wrong(CodeSyntax, "what fills an array stands after a colon: "+value.Text[:end+1]+":random", "%q is not expected here", fill.Text)
	}
	if fill.Text == "" {
		b.Fill = Fill{Kind: "zero"}
	} else if b.Fill, err = parseFill(fill.from(1).trim()); err != nil {
		return err
	}
	s.Buffers = append(s.Buffers, b)
	return nil
}

// pathForm is a member of a parameter: q.p, q.rows[4], q.a.p.
var pathForm = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*(\[\d+\])?)*$`)

// isPath reports whether s names a parameter, or a member of one.
func isPath(s string) bool { return pathForm.MatchString(s) }

// parameterOf returns the parameter of a name, and reports whether that is of a member of it.
func ParameterOf(name string) (parameter string, member bool) {
	parameter, _, member = strings.Cut(name, ".")
	return parameter, member
}

// bracketEnd returns the offset of the bracket that closes the one at open, -1 if none does.
func bracketEnd(s string, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// setKernel takes "name" or "name<arguments>".
func (s *Spec) setKernel(p Phrase) error {
	name, template := p, ""
	if i := strings.IndexByte(p.Text, '<'); i >= 0 {
		if !strings.HasSuffix(p.Text, ">") {
			return p.from(i).wrong(CodeSyntax, "", "template arguments end with \">\"")
		}
		name, template = p.cut(0, i).trim(), p.Text[i:]
	}
	for _, part := range strings.Split(name.Text, "::") {
		if !isName(part) {
			return p.wrong(CodeSyntax, "write the kernel's name, with template arguments if it has any: scale<float>", "%q is not a kernel's name", p.Text)
		}
	}
	s.Kernel, s.Template, s.named = name.Text, template, p
	return nil
}
