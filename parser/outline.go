package parser

import (
	"bytes"
	"slices"
	"strings"
)

// Outline holds what the tokens of a file tell of its kernels, without a parse.
// Where it errs it names too much: what stands in an #if always counts.
type Outline struct {
	Includes []OutlinedInclude
	Kernels  []OutlinedKernel
	Launches []string // names before <<<, also in macros; each once
	// Defines are the object-like macros with a short body: they may stand for __global__ or for a file to include.
	Defines []OutlinedMacro
	// Functions are the function-like macros: they may make kernels.
	Functions []*Macro
}

// GlobalMacros are macros that stand for __global__, and maybe more, by name. Those that
// take arguments have their definitions: what they make is seen where they are used.
type GlobalMacros map[string][]*Macro

// OutlinedInclude is an #include directive.
type OutlinedInclude struct {
	Path     string // without quotes; the macro's name where Computed
	System   bool   // <…>
	Computed bool   // the operand is a macro
}

// OutlinedKernel is a name after __global__.
type OutlinedKernel struct {
	Name     string
	Defined  bool // it has a body
	Internal bool // no other file can launch it: static, or in a namespace without a name
}

// OutlinedMacro is the definition of a macro.
type OutlinedMacro struct{ Name, Body string }

// Include reads the body as the operand of an #include.
func (m OutlinedMacro) Include() (inc OutlinedInclude, ok bool) {
	inc.Path, inc.System, ok = includePath(m.Body)
	return inc, ok
}

// Words are the names in the body.
func (m OutlinedMacro) Words() (words []string) {
	for _, t := range ppTokens(m.Body) {
		if t.kind == tokIdent {
			words = append(words, t.text)
		}
	}
	return words
}

// globalWord is the qualifier of kernels.
const globalWord = "__global__"

// mostOutlined is the length of a macro's body up to which it may stand for
// qualifiers or a path, mostMade that up to which it may make kernels.
const (
	mostOutlined = 300
	mostMade     = 64 << 10
)

// MentionsCUDA reports whether a text may hold a kernel or a launch.
func MentionsCUDA(src []byte) bool {
	return bytes.Contains(src, []byte(globalWord)) || bytes.Contains(src, []byte("<<<"))
}

// NewOutline reads the tokens of a file.
func NewOutline(src []byte, global GlobalMacros) *Outline {
	o := &Outline{}
	sc := scanSource(src)
	for _, at := range sc.directives {
		o.directive(parseDirective(src, at))
	}
	t := outlining{overlay: overlay{src: src, toks: sc.toks}, out: o, global: global, braces: sc.openBraces == 0}
	t.run()
	return o
}

func (o *Outline) directive(d directive) {
	switch d.op {
	case opInclude:
		path, system, ok := includePath(d.text)
		if !ok {
			path = d.text
		}
		o.Includes = append(o.Includes, OutlinedInclude{path, system, !ok})
	case opDefine:
		m := defineMacro(d, "")
		if m == nil || m.Body == "" {
			return
		}
		if strings.Contains(m.Body, "<<") {
			o.launchesIn(m)
		}
		if !m.FunctionLike && len(m.Body) <= mostOutlined {
			o.Defines = append(o.Defines, OutlinedMacro{m.Name, m.Body})
		}
		if m.FunctionLike && len(m.Body) <= mostMade {
			o.Functions = append(o.Functions, m)
		}
	}
}

// launchesIn notes the launches in a macro, but of what it is given.
func (o *Outline) launchesIn(m *Macro) {
	toks := ppTokens(m.Body)
	for i := 1; i+2 < len(toks); i++ {
		kernel := toks[i-1]
		if toks[i].text == "<" && toks[i+1].text == "<" && toks[i+2].text == "<" && kernel.kind == tokIdent && m.param(kernel) < 0 {
			o.launched(kernel.text)
		}
	}
}

func (o *Outline) launched(name string) {
	if !slices.Contains(o.Launches, name) {
		o.Launches = append(o.Launches, name)
	}
}

// outlining goes over the tokens of a file.
type outlining struct {
	overlay // for its tokens
	out     *Outline
	global  GlobalMacros
	braces  bool   // they match, so that depths mean something
	open    []bool // of each open brace: it is that of a namespace without a name
}

func (t *outlining) run() {
	for i := range t.toks {
		switch t.punct(i) {
		case '{':
			t.open = append(t.open, t.is(i-1, "namespace"))
		case '}':
			if len(t.open) > 0 {
				t.open = t.open[:len(t.open)-1]
			}
		case '<':
			if t.triple(i, '<') > 0 && t.punct(i-1) != '<' {
				t.launch(i)
			}
		}
		if !t.isIdent(i) {
			continue
		}
		if makers, stands := t.global[string(t.word(i))]; t.is(i, globalWord) || stands && len(makers) == 0 {
			t.kernel(i)
		} else if stands {
			t.made(i, makers)
		}
	}
	t.dropVariables()
}

// dropVariables takes names from the launches that are declared in the file as variables or parameters, and not as
// kernels, too: launch(F kernel) launches whatever it is given, which is named elsewhere.
func (t *outlining) dropVariables() {
	if len(t.out.Launches) == 0 {
		return
	}
	variables := map[string]bool{}
	for i := range t.toks {
		if t.isIdent(i) && t.isVariable(i) {
			variables[string(t.word(i))] = true
		}
	}
	t.out.Launches = slices.DeleteFunc(t.out.Launches, func(name string) bool { return variables[name] })
}

// isVariable reports whether token i is the name in the declaration of a variable,
// a parameter or a pointer to a function.
func (t *outlining) isVariable(i int) bool {
	before, behind := t.punct(i-1), t.punct(i+1)
	if behind == ')' && before == '*' && t.punct(i+2) == '(' { // void (*k)(int)
		return t.punct(i-2) == '(' || t.punct(i-2) == ':'
	}
	if behind != ',' && behind != ')' && behind != '=' && behind != ';' || behind == '=' && t.punct(i+2) == '=' {
		return false
	}
	k := i - 1
	for t.punct(k) == '*' || t.punct(k) == '&' {
		k--
	}
	return t.isIdent(k) && !notTypes[string(t.word(k))] || k < i-1 && t.punct(k) == '>'
}

// notTypes are keywords before which a name declares nothing new.
var notTypes = map[string]bool{
	"return": true, "else": true, "do": true, "case": true, "goto": true, "new": true, "delete": true, "throw": true,
	"sizeof": true, "typename": true, "class": true, "struct": true, "template": true, "using": true, "namespace": true,
	"co_return": true, "co_yield": true, "and": true, "or": true, "not": true, "operator": true,
}

// launch notes what is launched by the <<< at token i. Before template arguments
// all names of the statement that have any are taken: which one is meant is left open.
func (t *outlining) launch(i int) {
	if t.isIdent(i - 1) {
		t.out.launched(string(t.word(i - 1)))
		return
	}
	if t.punct(i-1) != '>' {
		return
	}
	for k := i - 2; k > 0; k-- {
		switch c := t.punct(k); {
		case c == ';' || c == '{' || c == '}':
			return
		case c == '<' && t.isIdent(k-1):
			t.out.launched(string(t.word(k - 1)))
		}
	}
}

// kernel notes the names that the __global__ at token i may belong to: those
// before a '(' up to the body or the end of the declaration.
func (t *outlining) kernel(i int) {
	k := OutlinedKernel{Internal: t.isStatic(i) || t.braces && slices.Contains(t.open, true)}
	var names []string
	for j := i + 1; j < len(t.toks); j++ {
		c := t.punct(j)
		if c == ';' || c == '{' || c == '}' {
			k.Defined = c == '{'
			break
		}
		if t.is(j, "static") {
			k.Internal = true
		}
		if c != '(' {
			continue
		}
		if name := t.nameBefore(j); name != "" && !strings.HasPrefix(name, "__") && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if j = t.closing(j); j < 0 {
			break
		}
	}
	for _, name := range names {
		k.Name = name
		t.out.Kernels = append(t.out.Kernels, k)
	}
}

// made notes the kernels that the macro use at token i makes, by any of its definitions.
func (t *outlining) made(i int, makers []*Macro) {
	last := t.closing(i + 1)
	if t.punct(i+1) != '(' || last < 0 {
		return
	}
	next := t.punct(last + 1)
	for _, m := range makers {
		x := &expander{lookup: func(name string) *Macro {
			if name == m.Name {
				return m
			}
			if inner := t.global[name]; len(inner) > 0 {
				return inner[0]
			}
			return nil
		}}
		text, err := x.text(string(t.src[t.toks[i].start:t.toks[last].end]))
		if err != nil {
			continue
		}
		for _, part := range strings.Split(text, globalWord)[1:] {
			name := definedName(part)
			if name == "" { // qualifiers alone
				t.kernel(last)
			} else {
				t.out.Kernels = append(t.out.Kernels, OutlinedKernel{
					Name: name, Defined: strings.Contains(part, "{") || next != ';' && !strings.Contains(part, ";"),
					Internal: strings.Contains(text, "static") || t.isStatic(i) || t.braces && slices.Contains(t.open, true),
				})
			}
		}
	}
}

// isStatic reports whether static stands before token i in its declaration.
func (t *outlining) isStatic(i int) bool {
	for i--; i >= 0; i-- {
		switch t.punct(i) {
		case ';', '{', '}', ')':
			return false
		}
		if t.is(i, "static") {
			return true
		}
	}
	return false
}

// nameBefore is the name before token i, which may have template arguments.
func (t *outlining) nameBefore(i int) string {
	i--
	if t.punct(i) == '>' {
		depth := 0
		for ; i > 0; i-- {
			switch t.punct(i) {
			case '>':
				depth++
			case '<':
				depth--
			case ';', '{', '}':
				return ""
			}
			if depth == 0 {
				break
			}
		}
		i--
	}
	if !t.isIdent(i) {
		return ""
	}
	return string(t.word(i))
}
