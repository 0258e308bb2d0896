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

	named  phrase      // the name, or the whole specification where that has none
	source *phrase     // the comment, nil for flags
	nearby *definition // the kernel below the comment
}

// Argument is a parameter that is not a pointer.
type Argument struct {
	Name, Value string
	at          phrase
	value       phrase
}

// Buffer is an array in device memory for a parameter that is a pointer.
type Buffer struct {
	Name string
	Type string // of an element
	Size *Expr  // in elements
	Fill Fill
	at   phrase
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
type definition struct {
	file *parser.File
	fn   *parser.Function
}

// add adds one NAME=VALUE item; reserved means that grid, block and shared are not parameters here.
func (s *Spec) add(item phrase, reserved bool) error {
	name, value, err := item.assignment()
	if err != nil {
		return err
	}
	if reserved {
		switch name.text {
		case "grid", "block", "shared":
			return s.addLaunch(name, value)
		}
		if rest, ok := strings.CutPrefix(name.text, "param."); ok {
			name = name.from(len(name.text) - len(rest))
		}
	}
	open := strings.IndexByte(value.text, '[') // of TYPE[E] or TYPE[E]:FILL
	if open > 0 && !strings.ContainsAny(value.text[:open], "{(\"'") && isPath(name.text) {
		return s.addBuffer(name, value)
	}
	if !isPath(name.text) {
		return name.wrong(CodeSyntax, "", "%q is not a parameter's name", name.text)
	}
	s.addArgument(name, value)
	return nil
}

const extentsHelp = "extents are written 8x4x1, names among them in parentheses: (n)x(m)"

func (s *Spec) addLaunch(name, value phrase) (err error) {
	switch {
	case name.text == "grid" && s.Grid == nil:
		s.Grid, err = parseExtents(value, 'x', extentsHelp)
	case name.text == "block" && s.Block == nil:
		s.Block, err = parseExtents(value, 'x', extentsHelp)
	case name.text == "shared" && s.Shared == nil:
		s.Shared, err = parseExpr(value)
	case name.text == "grid" || name.text == "block" || name.text == "shared":
		return name.wrong(CodeSyntax, "", "%s is given twice", name.text)
	default:
		return name.wrong(CodeSyntax, diag.DidYouMean(name.text, []string{"grid", "block", "shared"}, "there are"), "a launch has no %q", name.text)
	}
	return err
}

func (s *Spec) addArgument(name, value phrase) {
	s.Arguments = append(s.Arguments, Argument{Name: name.text, Value: value.text, at: name, value: value})
}

func (s *Spec) addBuffer(name, value phrase) error {
	open := strings.IndexByte(value.text, '[')
	if open < 0 {
		return value.wrong(CodeSyntax, "write NAME=TYPE[ELEMENTS]:FILL, as in in=float[n]:random", "%q is not an array", value.text)
	}
	end := bracketEnd(value.text, open)
	if end < 0 {
		return value.from(open).wrong(CodeSyntax, "", "\"[\" is never closed")
	}
	b := Buffer{Name: name.text, Type: value.cut(0, open).trim().text, at: name}
	if b.Type == "" {
		return value.wrong(CodeSyntax, "write NAME=TYPE[ELEMENTS]:FILL, as in in=float[n]:random", "the array %s has no type", name.text)
	}
	if strings.ContainsAny(b.Type, "*&:,;=(){}\"'\\\n") && !strings.Contains(b.Type, "::") || strings.Contains(b.Type, "*") {
		return value.wrong(CodeSyntax, "", "%q can't be the type of an array in device memory", b.Type)
	}
	var err error
	if b.Size, err = parseExpr(value.cut(open+1, end)); err != nil {
		return err
	}
	fill := value.from(end + 1).trim()
	if fill.text != "" && fill.text[0] != ':' {
		return fill.wrong(CodeSyntax, "what fills an array stands after a colon: "+value.text[:end+1]+":random", "%q is not expected here", fill.text)
	}
	if fill.text == "" {
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
func parameterOf(name string) (parameter string, member bool) {
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
func (s *Spec) setKernel(p phrase) error {
	name, template := p, ""
	if i := strings.IndexByte(p.text, '<'); i >= 0 {
		if !strings.HasSuffix(p.text, ">") {
			return p.from(i).wrong(CodeSyntax, "", "template arguments end with \">\"")
		}
		name, template = p.cut(0, i).trim(), p.text[i:]
	}
	for _, part := range strings.Split(name.text, "::") {
		if !isName(part) {
			return p.wrong(CodeSyntax, "write the kernel's name, with template arguments if it has any: scale<float>", "%q is not a kernel's name", p.text)
		}
	}
	s.Kernel, s.Template, s.named = name.text, template, p
	return nil
}
