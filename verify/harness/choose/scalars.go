package choose

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// candidates returns the values that a parameter gets in the runs of a kernel, one after the other: what the kernel compares it with,
// first. nil for a type that nothing is chosen for.
func (c *chooser) candidates(p *parser.Param, t harness.ParamType, s setting) []string {
	if list := c.numbers(p.Name, t.Known, s); list != nil {
		return list
	}
	switch {
	case t.Known != "":
		return []string{t.Known + "(1.5f)"}
	case t.Base == "dim3":
		return []string{"dim3(3, 2, 1)"}
	case harness.HasWord(t.Base, "cudaTextureObject_t"):
		return []string{"0"} // on the CPU, each place of a texture that nobody bound has a number of its own
	}
	if functions := c.functionsOf(t.Base); functions != nil {
		return functions
	}
	if scalar, lanes := ctype.Components(t.Base); lanes > 1 && scalar != t.Base {
		list := []string{"1", "2", "3", "4"}
		return []string{t.Base + "{" + strings.Join(list[:lanes], ", ") + "}"}
	}
	if harness.HasWord(t.Base, "cudaSurfaceObject_t") || strings.Contains(c.file.Text(p.Node), "&") {
		return nil
	}
	return []string{t.Base + "{}"}
}

// numbers returns the values of a number of a type of the language, nil for any other.
func (c *chooser) numbers(name, known string, s setting) []string {
	switch {
	case known == "bool":
		return [][]string{{"true", "false"}, {"false", "true"}}[s.other%2]
	case known == "float":
		return []string{"1.5f", "3.0f", "0.75f"}
	case known == "double":
		return []string{"1.5", "3.0", "0.75"}
	case ctype.Bits[known] != 0:
		return c.integers(name, known, s)
	}
	return nil
}

// integers are the constants that a number is compared with; lengths of rows where it is one; just below the
// number of threads where it is compared with something else, as a length is with a subscript; what lets two single
// threads meet; and small and odd numbers. One that is compared with elements for equality is as small as those are. A run that is compared with another one keeps what that has if it is a constant.
func (c *chooser) integers(name, known string, s setting) []string {
	grid, block := s.grid, s.block
	if c.standsForBlock == nil {
		c.standsForBlock = map[string]bool{}
		for _, m := range asBlock.FindAllSubmatch(c.file.Src, -1) {
			c.standsForBlock[string(m[1])] = true
		}
	}
	if c.standsForBlock[name] {
		return []string{"0"}
	}
	var constants, tails []int64
	compared, factors := false, 0
	look := func(of, other *parser.Node, operator string) {
		text := c.file.Text(other)
		if n, ok := c.constant(text); ok {
			if strings.Trim(c.file.Text(of), "() \t\n") == name {
				constants = append(constants, n)
			}
			return
		}
		compared = compared || operator != "==" && operator != "!="
		if text := c.file.Text(of); strings.Contains(text, "*") { // i < width * height
			factors = max(factors, strings.Count(text, "*")+1)
		}
		for i, axis := range "xyz" {
			if strings.Contains(text, "blockDim."+string(axis)) {
				tails = append(tails, block[i])
			}
			if strings.Contains(text, "gridDim."+string(axis)) {
				tails = append(tails, grid[i])
			}
		}
	}
	trips := map[*parser.Node]bool{} // conditions of loops that each thread makes from the same number on
	for n := range c.fn.Body.All() {
		switch n.Kind {
		case parser.KindForStatement:
			if init := n.Child(parser.FieldInitializer); init != nil {
				_, from, _ := strings.Cut(c.file.Text(init), "=")
				if _, constant := c.constant(strings.Trim(from, "; \t\n")); constant {
					trips[n.Child(parser.FieldCondition)] = true
				}
			}
		case parser.KindBinaryExpression:
			left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
			if left == nil || right == nil || trips[n] || !slices.Contains(comparisons, c.operator(n)) {
				break
			}
			if harness.HasWord(c.file.Text(left), name) {
				look(left, right, c.operator(n))
			} else if harness.HasWord(c.file.Text(right), name) {
				look(right, left, c.operator(n))
			}
		case parser.KindSwitchStatement:
			if harness.HasWord(c.file.Text(n.Child(parser.FieldCondition)), name) {
				for m := range n.All() {
					if m.Kind == parser.KindCaseStatement {
						if value := m.Child(parser.FieldValue); value != nil {
							look(n.Child(parser.FieldCondition), value, "==")
						}
					}
				}
			}
		}
	}
	if s.layout > 0 && (s.number >= len(constants) || len(constants) == 0) {
		value, _ := c.layout(name, s.layout)
		return []string{strconv.FormatInt(value, 10)}
	}
	compared = compared || c.matches(name, loopMacro)
	threads, one := count(grid)*count(block), count(block)
	if axes := max(grid[1]*block[1], grid[2]*block[2]); axes > 1 {
		threads, one = max(grid[0]*block[0], axes), max(block[0], block[1], block[2])
	}
	values := constants
	rows, part := c.strides(name, grid, block, factors > 1 && s.other%2 == 1), c.isPart(name)
	doubled, mirrored := c.matches(name, powersOfTwo), c.matches(name, reversed)
	switch {
	case rows != nil:
		values = append(values, rows...)
	case part:
		values = append(values, c.lengths(name, 0), c.lengths(name, 1), c.lengths(name, 2))
	case len(tails) > 0:
		values = append(values, tails...)
	case doubled || mirrored && !compared:
		values = append(values, one)
	case factors > 1:
		values = append(values, int64(math.Pow(float64(threads), 1/float64(factors))))
	case compared:
		values = append(values, min(max(1, threads-3), c.longest(name, block)))
	}
	values = append(values, c.distances(name)...)
	level := c.matches(name, asLevel)
	if level {
		values = constants
	}
	switch {
	case level:
		values = append(values, int64(1+s.other%3), int64(1+(s.other+1)%3))
	case s.other > 0 && s.number >= len(constants):
		if factors > 1 {
			threads = values[len(constants)]
		}
		if values = c.others(name, rows, threads, one, compared && !doubled, s.other); part {
			values = []int64{c.lengths(name, s.other)}
		}
	case part:
	case rows != nil || mirrored && !compared:
	case doubled:
		values = append(values, max(1, one/4), 2)
	default:
		values = append(values, 3, 1, 7)
		if compared {
			values = append(values, max(1, threads/2+1))
		}
	}
	step := int64(1)
	if m := c.pattern(name, asserted); m != nil {
		step, _ = c.constant(m[1])
	}
	var out []string
	for _, v := range values {
		if step > 1 {
			v = max(1, v/step) * step
		}
		if text := strconv.FormatInt(v, 10); ctype.Fits(v, known) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out[:min(len(out), mostRuns)]
}

// lengths returns one of several small lengths, others for parameters that stand beside each other.
func (c *chooser) lengths(name string, number int) int64 {
	at := slices.IndexFunc(c.fn.Params, func(p parser.Param) bool { return p.Name == name })
	return []int64{5, 6, 4, 7, 3}[(at+2*number)%5]
}

// largeSizes is the number of the run that others makes with large sizes.
const largeSizes = 11

// others returns the value that a number that is no constant has in a run that is compared with another one: in one of them sizes are large and
// the last number, which may say how often, is small.
func (c *chooser) others(name string, rows []int64, threads, one int64, compared bool, number int) []int64 {
	switch {
	case rows != nil:
		return []int64{rows[number%2], 4 * rows[0], rows[2]}[number%3:][:1]
	case compared:
		return []int64{threads - int64(number%2)*min(3, threads-1)}
	}
	if number == largeSizes {
		return []int64{map[bool]int64{true: 2, false: threads}[name == c.fn.Params[len(c.fn.Params)-1].Name]}
	}
	return []int64{[]int64{one, 2, threads, 16}[number%4]}
}

// A number that is halved, or that a doubled counter comes up to, is a power of two; from one that an index is taken off all
// indices are below.
const (
	powersOfTwo = `\bNAME\s*(>>|/\s*2\b)|&\s*\(?\s*NAME\s*-\s*1\b|<=?\s*NAME\s*;\s*\w+\s*(\*=\s*2|<<=\s*1)`
	reversed    = `\bNAME\s*-\s*(\(?\s*[a-zA-Z_]|1\s*-)|\bNAME\s*-\s*1\s*\]`
)

// loopMacro matches a macro that stands for a loop over a grid's elements: CUDA_KERNEL_LOOP(i, n).
const loopMacro = `(?i)\b\w*loop\w*\s*\(\s*\w+\s*,\s*NAME\s*\)`

// asBlock matches where a number stands for the block's, in the kernel or in a function that gets it: each block has its own if it is 0 alone.
var asBlock = regexp.MustCompile(`\b(\w+)\s*==\s*0\s*\)?\s*\?\s*blockIdx\.`)

// asLevel matches where a number is compared with an array's element, as the level of a search is with a vertex's.
const asLevel = `\w\[[^][]*\]\s*[!=]=\s*NAME\b|\bNAME\s*[!=]=\s*\w+\[`

// asConstant matches where an element, which ELEMENT stands for, is compared with a literal, negated, or a condition by itself.
var asConstant = strings.ReplaceAll(`ELEMENT\s*([!=<>]=|[<>])\s*NUMBER|NUMBER\s*([!=<>]=|[<>])\s*ELEMENT|!\s*ELEMENT|(?:if|while)\s*\(\s*ELEMENT\s*(?:\)|&&|\|\|)`,
	"NUMBER", `(-?\b[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?)[fFuUlL]*\b`)

// swapped matches where an element is exchanged if it has a value, as a lock or a free place of a hash table, or whatever it has, as a lock.
const swapped = `\batomic(?:CAS\s*\(\s*&?\s*NAME\b[^,;]*,\s*(-?[0-9]+)[uUlL]*\s*,|Exch\s*\(\s*&?\s*NAME\b[^,;]*,\s*1\s*\)\s*(?:[!=]=|\)))`

// levels returns the fill of an array whose elements the kernel compares: with a parameter, where one thread at most would find its own
// if all differed, or with constants, so that some threads go each way; "" where it compares none.
func (c *chooser) levels(name, scalar string) string {
	body := c.file.Text(c.fn.Body)
	element := pattern(name, `\bNAME\s*\[(?:[^][]|\[[^][]*\])*\]`).String()
	for _, m := range regexp.MustCompile(`\b(\w+)\s*=\s*`+element+`\s*[;,]`).FindAllStringSubmatch(body, -1) {
		element += `|\b` + m[1] + `\b`
	}
	element = "(?:" + element + ")"
	whole := ctype.Bits[scalar] != 0
	low, high := math.Inf(1), math.Inf(-1)
	if m := c.pattern(name, swapped); m != nil && whole {
		return fmt.Sprintf("const(%s)", cmp.Or(m[1], "0"))
	}
	if whole && slices.ContainsFunc(c.fn.Params, func(p parser.Param) bool {
		of := `\b` + regexp.QuoteMeta(p.Name) + `\b`
		return p.Name != "" && !strings.Contains(c.file.Text(p.Node), "*") && c.pattern(name, element+`\s*[!=]=\s*`+of+`|`+of+`\s*[!=]=\s*`+element) != nil
	}) {
		low, high = 1, 4
	}
	for _, m := range regexp.MustCompile(strings.ReplaceAll(asConstant, "ELEMENT", element)).FindAllStringSubmatch(body, -1) {
		at, err := strconv.ParseFloat(cmp.Or(m[2], m[3], "0"), 64)
		if err != nil || math.Abs(at) > 1<<20 {
			continue
		}
		low, high = min(low, at), max(high, at+3)
		if op := cmp.Or(m[1], m[4], "=="); !whole || op[0] == '<' || op[0] == '>' {
			low = min(low, at-2)
		}
	}
	if ctype.Bits[scalar] < 0 {
		low = max(low, 0)
	}
	if low >= high || scalar == "bool" || (scalar == "char" || scalar == "unsigned char") && high > 100 {
		return ""
	}
	return fmt.Sprintf("random(%v,%v)", low, high)
}

// holdsRows reports whether an array tells where rows begin, as of a sparse matrix: the kernel reads an element and the next one.
func (c *kernelText) holdsRows(name string) bool {
	var read []string
	for _, m := range pattern(name, `\bNAME\s*\[([^][]+)\]`).FindAllStringSubmatch(c.file.Text(c.fn.Body), -1) {
		read = append(read, strings.ReplaceAll(m[1], " ", ""))
	}
	return slices.ContainsFunc(read, func(e string) bool { return slices.Contains(read, e+"+1") })
}

// asserted matches what a number must be a multiple of.
const asserted = `assert\(\s*NAME\s*%\s*(\w+)\s*==\s*0`

// matches reports whether the kernel's text holds a pattern of a parameter.
func (c *kernelText) matches(name, pattern string) bool { return c.pattern(name, pattern) != nil }

func (c *kernelText) pattern(name, text string) []string {
	return pattern(name, text).FindStringSubmatch(c.file.Text(c.fn.Body))
}

func pattern(name, text string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(text, "NAME", regexp.QuoteMeta(name)))
}

var comparisons = []string{"==", "!=", "<", "<=", ">", ">="}

// operator returns what stands between the operands of an expression.
func (c *kernelText) operator(n *parser.Node) string {
	left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
	return strings.TrimSpace(string(c.file.Src[left.End:right.Start]))
}

// constant returns the value of an expression of literals, macros and parameters before this one, which
// have their first values.
func (c *chooser) constant(text string) (int64, bool) {
	e, err := harness.ParseExpr(harness.Phrase{Text: text})
	if err != nil {
		return 0, false
	}
	r := &harness.Resolver{Spec: &harness.Spec{Arguments: c.first[:c.known]}, Definition: &harness.Definition{File: c.file, Fn: c.fn}, Busy: map[string]bool{}, Known: map[string]int64{}}
	n, err := r.Eval(e)
	return n, err == nil && n >= 0 && n <= 1<<20
}

// functionsOf returns the device functions of the file that a type may point to, where it is the name of a
// pointer to functions: those that take as many parameters and return the same.
func (c *chooser) functionsOf(typ string) (out []string) {
	m := regexp.MustCompile(`typedef\s+([^;{}()]+?)\s*\(\s*\*\s*` + regexp.QuoteMeta(typ) + `\s*\)\s*\(([^;{}]*?)\)\s*;`).FindStringSubmatch(string(c.file.Src))
	if m == nil {
		return nil
	}
	parameters := 0
	if strings.TrimSpace(m[2]) != "" && strings.TrimSpace(m[2]) != "void" {
		parameters = strings.Count(m[2], ",") + 1
	}
	for _, fn := range c.file.Functions {
		if !fn.IsDevice() || fn.Body == nil || fn.Class != "" || fn.IsTemplate || len(fn.Params) != parameters || slices.Contains(out, fn.Name) {
			continue
		}
		if harness.HasWord(strings.TrimSpace(c.file.Text(fn.Node.Child(parser.FieldType))), strings.TrimSpace(m[1])) {
			out = append(out, fn.Name)
		}
	}
	return out
}
