package sizes

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
)

var (
	word   = regexp.MustCompile(`[A-Za-z_]\w*`)
	number = regexp.MustCompile(`^\(*\s*([1-9][0-9]*)[uUlL]*\s*\)*$`)
	define = regexp.MustCompile(`^#[ \t]*define[ \t]+\w+[ \t]+\(*[ \t]*([1-9][0-9]*)[uUlL]*[ \t]*\)*[ \t]*(?:\r?\n|$|//|/\*)`)
)

// wordsNear are the words of kernels, of the functions that they call and of those
// that launch them: what a constant that sets a size is reached from.
func wordsNear(kernels []*analysis.Kernel) map[string]bool {
	near := map[string]bool{}
	add := func(f *parser.File, start, end uint32) {
		for _, w := range word.FindAll(f.Src[start:end], -1) {
			near[string(w)] = true
		}
	}
	for _, k := range kernels {
		for _, fn := range k.Functions {
			add(fn.File, fn.View.Node.Start, fn.View.Node.End)
		}
		for _, l := range k.Launches {
			if fn := l.View.Function; fn != nil {
				add(l.File, fn.Node.Start, fn.Node.End)
			} else {
				add(l.File, l.View.Node.Start, l.View.Node.End)
			}
		}
		if len(k.Launches) == 0 { // through a pointer, say
			for _, u := range k.Prog.KernelUses(k.Name) {
				for _, n := range u.Mentions {
					if fn := u.Within(n); fn != nil {
						add(u.File, fn.Node.Start, fn.Node.End)
					}
				}
			}
		}
		for _, s := range k.Shared {
			if d := s.Var.Decl; d != nil {
				add(s.Var.File, uint32(d.Range.Start), uint32(d.Range.End))
			}
		}
	}
	return near
}

// named is a name with the text that it stands for.
type named struct {
	name, body string
	constant   *Constant // nil where the text is no number in one place
}

// constants are those of a program that are reached from some words, through other macros and variables, too.
func constants(p *parser.Program, near map[string]bool) (out []*Constant) {
	var all []named
	for _, f := range p.Files {
		all = append(all, macrosOf(f)...)
		all = append(all, variablesOf(f)...)
		all = append(all, argumentsOf(f, near)...)
	}
	reached := map[string]bool{}
	for again := true; again; {
		again = false
		for _, n := range all {
			if !near[n.name] || reached[n.name] {
				continue
			}
			reached[n.name], again = true, true
			for _, w := range word.FindAllString(n.body, -1) {
				near[w] = true
			}
		}
	}
	for _, n := range all {
		again := func(c *Constant) bool { return c.File == n.constant.File && c.Places[0] == n.constant.Places[0] }
		if n.constant != nil && near[n.name] && n.constant.Value <= largest && !slices.ContainsFunc(out, again) {
			out = append(out, n.constant)
		}
	}
	slices.SortStableFunc(out, func(a, b *Constant) int { return cmpPlace(p, a, b) })
	times := map[string]int{}
	for _, c := range out {
		times[c.Name]++
	}
	for _, c := range out {
		if times[c.Name] > 1 { // as recipes tell variables of one name apart
			c.Name += fmt.Sprintf("@%d", c.Position().Line)
		}
	}
	return out
}

// cmpPlace orders by files and places.
func cmpPlace(p *parser.Program, a, b *Constant) int {
	if a.File != b.File {
		return slices.Index(p.Files, a.File) - slices.Index(p.Files, b.File)
	}
	return a.Places[0][0] - b.Places[0][0]
}

// macrosOf are the macros without parameters that a file defines.
func macrosOf(f *parser.File) (out []named) {
	for _, m := range f.Macros.All() {
		if m.FunctionLike || m.File != f.Name {
			continue
		}
		n := named{name: m.Name, body: m.Body}
		if at := define.FindSubmatchIndex(f.Src[m.Pos:]); at != nil && number.MatchString(m.Body) {
			n.constant = constant(f, m.Name, m.Pos+at[2], m.Pos+at[3])
		}
		out = append(out, n)
	}
	return out
}

// variablesOf are variables with an initialiser, which need not be const, parameters with a default and enumerators.
func variablesOf(f *parser.File) (out []named) {
	for n := range f.Root.All() {
		var name, value *parser.Node
		switch n.Kind {
		case parser.KindInitDeclarator:
			name, value = n.Child(parser.FieldDeclarator), n.Child(parser.FieldValue)
		case parser.KindEnumerator:
			name, value = n.Child(parser.FieldName), n.Child(parser.FieldValue)
		case parser.KindOptionalParameterDeclaration:
			name, value = n.Child(parser.FieldDeclarator), n.Child(parser.FieldDefaultValue)
		}
		if name == nil {
			continue
		}
		one := named{name: f.Text(name), body: f.Text(n)}
		if value != nil && value.Kind == parser.KindNumberLiteral {
			one.constant = numeral(f, one.name, value)
		}
		out = append(out, one)
	}
	return out
}

// argumentsOf are the template arguments of kernels among some words that are the same number in all launches in a
// file. Where they differ the program chooses from them by something else, which another number would contradict.
func argumentsOf(f *parser.File, near map[string]bool) (out []named) {
	type parameter struct {
		kernel string
		index  int
	}
	found := map[parameter]*Constant{} // nil where launches differ
	var order []parameter
	for _, l := range f.Launches {
		if l.TemplateArgs == nil || !near[l.Kernel] {
			continue
		}
		i := 0
		for n := l.TemplateArgs.FirstNamed(); n != nil; n = n.NextNamed() {
			i++
			p := parameter{l.Kernel, i}
			var c *Constant
			if n.Kind == parser.KindNumberLiteral {
				c = numeral(f, fmt.Sprintf("argument %d of %s", i, l.Kernel), n)
			}
			was, again := found[p]
			switch {
			case !again:
				found[p], order = c, append(order, p)
			case was == nil || c == nil || was.Value != c.Value:
				found[p] = nil
			default:
				was.Places = append(was.Places, c.Places...)
			}
		}
	}
	for _, p := range order {
		if c := found[p]; c != nil {
			out = append(out, named{name: p.kernel, constant: c})
		}
	}
	return out
}

// numeral is the constant that a number literal is, nil where it is no decimal integer.
func numeral(f *parser.File, name string, n *parser.Node) *Constant {
	at := number.FindStringSubmatchIndex(f.Text(n))
	if at == nil {
		return nil
	}
	return constant(f, name, int(n.Start)+at[2], int(n.Start)+at[3])
}

func constant(f *parser.File, name string, start, end int) *Constant {
	value, err := strconv.ParseInt(string(f.Src[start:end]), 10, 32)
	if err != nil {
		return nil
	}
	return &Constant{Name: name, name: name, File: f, Value: value, Places: [][2]int{{start, end}}}
}

// pragma is a #pragma unroll with what follows it, in its line.
var pragma = regexp.MustCompile(`(?m)#[ \t]*pragma[ \t]+unroll\b(.*)$`)

// unrolls names the loops of a kernel whose #pragma unroll names the constant.
func (c *Constant) unrolls(k *analysis.Kernel) (out []string) {
	for _, fn := range k.Functions {
		start := int(fn.View.Node.Start)
		for _, at := range pragma.FindAllSubmatchIndex(fn.File.Src[start:fn.View.Node.End], -1) {
			factor := string(fn.File.Src[start+at[2] : start+at[3]])
			if slices.Contains(word.FindAllString(strings.TrimSpace(factor), -1), c.Name) {
				out = append(out, fmt.Sprintf("unrolling in line %d", fn.File.Position(start+at[0]).Line))
			}
		}
	}
	return out
}
