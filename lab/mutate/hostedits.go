package mutate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// HostEdits lists the edits of a program, the kinds in turns, so that the first ones are of all kinds.
func HostEdits(prog *parser.Program) []HostEdit {
	byKind := map[string][]HostEdit{}
	for _, f := range prog.Files {
		h := &hostEdits{file: f, text: f.Original(), prog: prog, byKind: byKind, seen: map[string]bool{}, feeds: map[string]bool{}, literals: map[*parser.Node]bool{}}
		h.list()
	}
	var out []HostEdit
	for i := 0; ; i++ {
		some := false
		for _, kind := range HostKinds {
			if list := byKind[kind]; i < len(list) {
				// From the middle of a long list and both ends in turns: neighbours are alike.
				out, some = append(out, list[spread(i, len(list))]), true
			}
		}
		if !some {
			return out
		}
	}
}

// spread permutes 0 … n-1 so that neighbours come far apart.
func spread(i, n int) int {
	step := max(1, n*5/13)
	for gcd(step, n) != 1 {
		step++
	}
	return i * step % n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// hostEdits collects the edits of a file.
type hostEdits struct {
	file     *parser.File
	text     []byte
	prog     *parser.Program
	byKind   map[string][]HostEdit
	seen     map[string]bool
	feeds    map[string]bool // names from which an operand of a launch follows
	literals map[*parser.Node]bool
}

func (h *hostEdits) add(kind string, start, end int, with string, added bool) {
	from := strings.Join(strings.Fields(string(h.text[start:end])), " ")
	text := from + " becomes " + with
	if added {
		text = with + " is added"
	}
	if key := fmt.Sprint(start, end, with); !h.seen[key] && from != with {
		h.seen[key] = true
		h.byKind[kind] = append(h.byKind[kind], HostEdit{Kind: kind, Pos: h.file.Position(start), Text: text, File: h.file.Name,
			start: start, end: end, with: with, added: added})
	}
}

func (h *hostEdits) source(n *parser.Node) string { return string(h.text[n.Start:n.End]) }

// replace adds an edit of an expression, in which "$" stands for its text.
func (h *hostEdits) replace(kind string, n *parser.Node, forms ...string) {
	if len(h.text) != len(h.file.Src) {
		return // kernels that macros make: the offsets are of another text
	}
	text := h.source(n)
	if value, err := strconv.Atoi(text); err == nil {
		h.numbers(kind, int(n.Start), int(n.End), value)
		return
	}
	for _, form := range forms {
		h.add(kind, int(n.Start), int(n.End), strings.ReplaceAll(form, "$", "("+text+")"), false)
	}
}

// numbers adds the edits of an integer: one less and more, half, a prime, one, and more than a tile.
func (h *hostEdits) numbers(kind string, start, end, value int) {
	prime := 37
	if value <= 37 {
		prime = 7
	}
	if value <= 7 {
		prime = 3
	}
	values := []int{value - 1, value / 2, value + 1, prime, value * 2, 1}
	if value >= 64 {
		values = append(values, value+20)
	}
	for _, v := range values {
		if v > 0 || value == 0 {
			h.add(kind, start, end, strconv.Itoa(v), false)
		}
	}
}

func (h *hostEdits) list() {
	for _, l := range h.file.Launches {
		if l.Node != nil && l.Error == nil && l.Call == "" && l.Args != nil {
			h.launch(l)
		}
	}
	h.follow()
	for n := range h.literals {
		h.replace(OfValue, n)
	}
	slices.SortFunc(h.byKind[OfValue], func(a, b HostEdit) int { return a.start - b.start })
	h.constants()
}

// launch adds the edits of a launch's operands.
func (h *hostEdits) launch(l *parser.Launch) {
	var config [3]*parser.Node
	copy(config[:], l.Config)
	for i, n := range config {
		if n == nil {
			continue
		}
		h.feed(n)
		forms := []string{"$ + 1", "$ - 1", "1"}
		if i == 1 {
			forms = []string{"$ / 2", "$ * 2", "48", "$ - 1"}
		} else if i == 2 {
			forms = []string{"$ + 256", "$ / 2", "$ * 2"}
		}
		kind := []string{OfGrid, OfBlock, OfBytes}[i]
		for _, part := range h.extents(n) {
			h.replace(kind, part, forms...)
		}
	}
	if l.TemplateArgs != nil {
		h.feed(l.TemplateArgs)
		for n := l.TemplateArgs.FirstNamed(); n != nil; n = n.NextNamed() {
			if n.Kind == parser.KindNumberLiteral {
				h.replace(OfTemplate, n)
			}
		}
	}
	h.arguments(l)
}

// extents returns the parts of a launch's shape: the arguments of dim3(…), of which a variable was
// made, too, or the one expression.
func (h *hostEdits) extents(n *parser.Node) (out []*parser.Node) {
	list := func(args *parser.Node) {
		for a := args.FirstNamed(); a != nil; a = a.NextNamed() {
			out = append(out, a)
		}
	}
	switch n.Kind {
	case parser.KindCallExpression:
		if f := n.Child(parser.FieldFunction); f != nil && h.source(f) == "dim3" {
			list(n.Child(parser.FieldArguments))
			return out
		}
	case parser.KindIdentifier:
		name, shape := h.source(n), false
		h.file.Root.Walk(func(d *parser.Node) bool {
			if d.Kind != parser.KindDeclaration {
				return true
			}
			if t := d.Child(parser.FieldType); t == nil || h.source(t) != "dim3" {
				return true
			}
			for c := d.First; c != nil; c = c.Next {
				if c.Kind == parser.KindIdentifier && h.source(c) == name {
					shape = true
				}
				declared := c.Child(parser.FieldDeclarator)
				if c.Kind != parser.KindInitDeclarator || declared == nil || h.source(declared) != name {
					continue
				}
				shape = true
				switch value := c.Child(parser.FieldValue); {
				case value == nil:
				case value.Kind == parser.KindArgumentList || value.Kind == parser.KindInitializerList:
					list(value)
				case value.Kind == parser.KindCallExpression:
					list(value.Child(parser.FieldArguments))
				default:
					out = append(out, value)
				}
			}
			return true
		})
		if shape {
			return out
		}
	}
	return []*parser.Node{n}
}

// arguments adds the edits of a launch's arguments, and of launches that are added.
func (h *hostEdits) arguments(l *parser.Launch) {
	var params []parser.Param
	var of *parser.File
	for _, f := range h.prog.All() {
		for _, fn := range f.Functions {
			if fn.Name == l.Kernel && fn.IsKernel() {
				params, of = fn.Params, f
			}
		}
	}
	var pointers, scalars []*parser.Node
	i := 0
	for a := l.Args.FirstNamed(); a != nil; a, i = a.NextNamed(), i+1 {
		h.feed(a)
		if i >= len(params) || params[i].Node == nil {
			continue
		}
		switch text := of.Text(params[i].Node); {
		case strings.ContainsAny(text, "*["):
			pointers = append(pointers, a)
		case integral(text):
			scalars = append(scalars, a)
		}
	}
	for _, a := range scalars {
		h.replace(OfArgument, a, "$ - 1", "$ / 2", "$ + 1", "$ - 37", "1", "$ + 20")
	}
	for _, a := range pointers {
		h.replace(OfPointer, a, "$ + 1")
		for _, b := range pointers {
			if a != b {
				h.replace(OfPointer, a, h.source(b))
			}
		}
	}
	statement := l.Node.Parent
	if statement == nil || statement.Kind != parser.KindExpressionStatement || statement.Parent == nil || statement.Parent.Kind != parser.KindCompoundStatement {
		return
	}
	further := func(n *parser.Node, form string) {
		text := h.source(statement)
		at, end := n.Start-statement.Start, n.End-statement.Start
		h.add(OfLaunch, int(statement.Start), int(statement.End), text[:at]+strings.ReplaceAll(form, "$", "("+h.source(n)+")")+text[end:], true)
	}
	for _, a := range scalars {
		further(a, "$ / 2")
		further(a, "$ - 1")
	}
	if len(l.Config) > 1 {
		for _, part := range h.extents(l.Config[1]) {
			if part.Start >= statement.Start && part.End <= statement.End {
				further(part, "$ / 2")
			}
		}
	}
}

// integral reports whether a parameter is declared with a type of integers.
func integral(param string) bool {
	if strings.Contains(param, "&") {
		return false
	}
	return slices.ContainsFunc(strings.Fields(param), func(w string) bool {
		return slices.Contains([]string{"int", "unsigned", "long", "short", "size_t", "uint", "int32_t", "uint32_t", "int64_t", "uint64_t"}, w)
	})
}

// feed notes the names of an expression, from whose values a launch follows, and its literals.
func (h *hostEdits) feed(n *parser.Node) {
	if n == nil {
		return
	}
	n.Walk(func(c *parser.Node) bool {
		switch c.Kind {
		case parser.KindIdentifier:
			h.feeds[h.source(c)] = true
		case parser.KindNumberLiteral:
			h.literals[c] = true
		case parser.KindLambdaExpression:
			return false
		}
		return true
	})
}

// follow notes what the names are set to, and so on.
func (h *hostEdits) follow() {
	for before := -1; before != len(h.feeds)+len(h.literals); {
		before = len(h.feeds) + len(h.literals)
		for _, fn := range h.file.Functions {
			if fn.Body == nil || fn.IsKernel() || fn.IsDevice() {
				continue
			}
			for i, p := range fn.Params {
				if h.feeds[p.Name] {
					h.passed(fn.Name, i)
				}
			}
			fn.Body.Walk(func(n *parser.Node) bool {
				left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
				switch n.Kind {
				case parser.KindInitDeclarator:
					left, right = n.Child(parser.FieldDeclarator), n.Child(parser.FieldValue)
				case parser.KindAssignmentExpression:
				default:
					return true
				}
				if left != nil && left.Kind == parser.KindIdentifier && h.feeds[h.source(left)] {
					h.feed(right)
				}
				return true
			})
		}
	}
}

// passed notes what calls of a host function pass for a parameter.
func (h *hostEdits) passed(name string, i int) {
	h.file.Root.Walk(func(n *parser.Node) bool {
		if n.Kind != parser.KindCallExpression {
			return true
		}
		f, args := n.Child(parser.FieldFunction), n.Child(parser.FieldArguments)
		if f == nil || args == nil || h.source(f) != name {
			return true
		}
		at := 0
		for a := args.FirstNamed(); a != nil; a, at = a.NextNamed(), at+1 {
			if at == i {
				h.feed(a)
			}
		}
		return true
	})
}

// constants adds the edits of macros that are integers, and of constants outside of functions.
func (h *hostEdits) constants() {
	uses := map[string]int{}
	for _, w := range words(string(h.text)) {
		uses[w.text]++
	}
	for _, d := range h.file.Definitions() {
		body := strings.TrimSpace(d.Body)
		value, err := strconv.Atoi(body)
		if err != nil || d.FunctionLike || uses[d.Name] < 2 {
			continue
		}
		at := strings.Index(string(h.text[d.BodyStart:d.BodyEnd]), body)
		if at >= 0 {
			h.numbers(OfConstant, d.BodyStart+at, d.BodyStart+at+len(body), value)
		}
	}
	h.file.Root.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindFunctionDefinition:
			return false
		case parser.KindInitDeclarator, parser.KindEnumerator:
			value := n.Child(parser.FieldValue)
			if value == nil || n.Kind == parser.KindInitDeclarator && !strings.Contains(h.source(n.Parent), "const") {
				return true
			}
			value.Walk(func(c *parser.Node) bool {
				if c.Kind == parser.KindNumberLiteral {
					h.replace(OfConstant, c)
				}
				return c.Kind != parser.KindInitializerList // a table
			})
		}
		return true
	})
}
