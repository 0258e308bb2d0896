package parser

import (
	"strconv"
	"strings"
)

// Limits of what one file may include.
const (
	maxIncludeDepth = 100
	maxIncludeFiles = 2000
)

// preprocessor runs over the directives of a file and those of its includes in the order in which a compiler would.
// Conditions are true, false or undecided; under an undecided one each branch starts from the same state, and at the
// #endif the states are merged.
type preprocessor struct {
	load   *loader
	out    *Macros
	frames []conditionFrame
	under  []assumption

	active   map[string]bool // files being read, against cycles
	once     map[string]bool // files with #pragma once that were read
	reached  []string        // includes that were read, in order, each once
	seen     map[string]bool
	entered  int
	fixedPos int // the position all changes get inside an include, -1 outside
}

// preprocessed holds the effect of the directives of one file.
type preprocessed struct {
	macros   *Macros
	includes []Include
	reached  []string
}

// preprocess evaluates the directives of the file called name. The context is
// what other files define before they include it, nil for nothing.
func preprocess(load *loader, name string, list directiveList, size int, context macroContext) preprocessed {
	p := &preprocessor{
		load: load,
		out: &Macros{
			names:    map[string]*meanings{},
			verdicts: map[int]verdict{},
		},
		active:   map[string]bool{cleanPath(name): true},
		once:     map[string]bool{},
		seen:     map[string]bool{},
		fixedPos: -1,
	}
	for _, name := range []string{"__CUDACC__", "__NVCC__"} {
		if !load.opt.C {
			p.define(&Macro{Name: name, Body: "1"}, 0)
		}
	}
	for _, name := range ofHIP {
		p.set(name, []possibility{{}}, 0)
	}
	for _, d := range load.opt.Defines {
		if m := commandLineMacro(d); m != nil {
			p.define(m, 0)
			p.add(m)
		}
	}
	context.apply(p)
	includes := p.file(name, list)
	for len(p.frames) > 0 { // #if without #endif
		p.endif(size, size)
	}
	return preprocessed{p.out, includes, p.reached}
}

// ofHIP are macros of the other compiler, for AMD's GPUs, and of builds with it. With nvcc only HIP's own headers
// define some of them.
var ofHIP = []string{"__HIP__", "__HIPCC__", "__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__", "__HIP_DEVICE_COMPILE__", "USE_ROCM"}

// commandLineMacro reads the argument of a -D; nil if it is malformed.
func commandLineMacro(d string) *Macro {
	k := 0
	for k < len(d) && isIdentByte(d[k]) {
		k++
	}
	rest := d[k:]
	switch {
	case rest == "":
		rest = " 1"
	case rest[0] == '=':
		rest = " " + rest[1:]
	case rest[0] == '(':
		rest = strings.Replace(rest, "=", " ", 1)
	default:
		return nil
	}
	return defineMacro(directive{name: d[:k], text: rest}, "")
}

// file runs over one file's directives and returns its #includes.
func (p *preprocessor) file(name string, list directiveList) (includes []Include) {
	outside, directives := len(p.frames), list.directives
	for i := range directives {
		d := &directives[i]
		switch d.op {
		case opIf, opIfdef, opIfndef:
			p.begin(d, i == list.guard || isEmptyGuard(directives[i:]))
		case opElif, opElifdef, opElifndef, opElse:
			if len(p.frames) > outside {
				p.elif(d)
			}
		case opEndif:
			if len(p.frames) > outside {
				p.endif(d.start, d.end)
			}
		case opInclude:
			if inc, ok := p.include(name, d); ok {
				includes = append(includes, inc)
			}
		}
		if p.isLive() {
			p.effect(name, d)
		}
	}
	for len(p.frames) > outside && p.fixedPos >= 0 {
		p.endif(0, 0)
	}
	return includes
}

// effect carries out a directive that changes definitions.
func (p *preprocessor) effect(name string, d *directive) {
	switch d.op {
	case opDefine:
		if m := defineMacro(*d, name); m != nil {
			p.define(m, d.end)
			p.add(m)
		}
	case opUndef:
		p.set(d.name, []possibility{{}}, d.end)
	case opPragmaOnce:
		p.once[cleanPath(name)] = true
	}
}

func (p *preprocessor) define(m *Macro, pos int) {
	p.set(m.Name, []possibility{{macro: m}}, pos)
}

// add makes a definition one that is in view.
func (p *preprocessor) add(m *Macro) {
	n := p.out.of(m.Name)
	n.all = appendMacros(n.all, m)
}

// include reads an #include; ok is false for a computed one that gives no path.
func (p *preprocessor) include(from string, d *directive) (inc Include, ok bool) {
	path, system, ok := includePath(d.text)
	if !ok {
		x := &expander{lookup: p.expandable}
		if text, err := x.text(d.text); err == nil {
			path, system, ok = includePath(text)
		}
		if !ok {
			return inc, false
		}
	}
	inc = Include{Path: path, System: system, Pos: d.start, End: d.end}
	if p.isLive() && strings.HasPrefix(path, "hip/") {
		for _, name := range ofHIP {
			p.set(name, externalOnly, d.end)
		}
	}
	if !p.isLive() || p.entered >= maxIncludeFiles || len(p.active) > maxIncludeDepth {
		return inc, true
	}
	h := p.load.include(from, path, system)
	if h == nil {
		return inc, true
	}
	inc.File = h.path
	if !p.seen[h.path] {
		p.seen[h.path] = true
		p.reached = append(p.reached, h.path)
	}
	if p.active[h.path] || p.once[h.path] {
		return inc, true
	}
	p.entered++
	p.active[h.path] = true
	outside := p.fixedPos
	if outside < 0 {
		p.fixedPos = d.end
	}
	p.file(h.path, h.directiveList)
	p.fixedPos = outside
	delete(p.active, h.path)
	return inc, true
}

// set changes what a name stands for.
func (p *preprocessor) set(name string, cases []possibility, pos int) {
	before, ok := p.out.names[name].now()
	if !ok {
		before = externalOnly
	}
	for i := len(p.frames) - 1; i >= 0; i-- {
		f := &p.frames[i]
		if !f.recording {
			continue
		}
		if _, saved := f.saved[name]; !saved {
			f.saved[name] = before
		}
		break
	}
	p.record(name, cases, pos)
}

// record notes the change without regard to branches.
func (p *preprocessor) record(name string, cases []possibility, pos int) {
	if p.fixedPos >= 0 {
		pos = p.fixedPos
	}
	n := p.out.of(name)
	n.changed++
	if last := len(n.changes) - 1; last >= 0 && n.changes[last].pos >= pos {
		n.changes[last].cases = cases
		return
	}
	n.changes = append(n.changes, change{pos, cases})
}

// changed returns how often a name has changed.
func (p *preprocessor) changed(name string) int {
	if n := p.out.names[name]; n != nil {
		return n.changed
	}
	return 0
}

// expandable returns the macro that a name stands for where that is certain.
func (p *preprocessor) expandable(name string) *Macro {
	if m, state := p.macro(name); state == macroDefined {
		return m
	}
	return nil
}

// macro and defined make the preprocessor the scope of its conditions.
func (p *preprocessor) macro(name string) (*Macro, macroState) {
	cases, ok := p.out.names[name].now()
	if !ok {
		if p.load.opt.Closed {
			return nil, macroUndefined
		}
		return nil, macroExternal
	}
	cases = feasible(cases, p.under)
	if m, found := choose(cases, nil); found {
		if m.Ambiguous {
			return nil, macroUnclear
		}
		return m, macroDefined
	}
	if d := p.defined(name); d.isFalse() {
		return nil, macroUndefined
	}
	return nil, macroExternal
}

func (p *preprocessor) defined(name string) interval {
	if name == cplusplusName {
		return truth(!p.load.opt.C, p.load.opt.C)
	}
	cases, ok := p.out.names[name].now()
	if !ok {
		if p.load.opt.Closed {
			return exactly(0)
		}
		cases = externalOnly
	}
	key := definedKey(name) + strconv.Itoa(p.changed(name))
	for _, a := range p.under {
		if a.key == key {
			return truth(a.value, !a.value)
		}
	}
	isDefined, isUndefined := true, true
	for _, c := range feasible(cases, p.under) {
		d, u := c.macro != nil, c.macro == nil && !c.external
		if c.external { // what the branch that left it alone knew of it
			for _, a := range c.under {
				if strings.HasPrefix(a.key, definedKey(name)) {
					d, u = a.value, !a.value
				}
			}
		}
		isDefined, isUndefined = isDefined && d, isUndefined && u
	}
	return truth(isDefined, isUndefined)
}

func definedKey(name string) string { return definedMark + name + "@" }

// definedMark begins the key of a condition that asks whether a name is defined.
const definedMark = "defined "
