package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// deviceFunctions are those of C's library that the device has, beside those of mathArguments, which may have an f after their name.
var deviceFunctions = strings.Fields("labs llabs div memcpy memset printf malloc free assert __assert_fail nan isnan isinf isfinite signbit acc_on_cuda")

// onDevice reports whether the device has a function of C's library.
func onDevice(name string) bool {
	of := strings.TrimSuffix(name, "f")
	return mathArguments[name] != "" || mathArguments[of] != "" || slices.Contains(deviceFunctions, name) || slices.Contains(deviceFunctions, of) || strings.HasPrefix(name, "__builtin_")
}

// routines gives the functions that kernels call, directly or not, to the device.
func (t *translation) routines() {
	todo := lists.Map(computing(t.pragmas), func(p *pragma) *parser.Node { return p.stmt })
	device := map[string]bool{}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		for c := range n.All() {
			callee := c.Child(parser.FieldFunction)
			if c.Kind != parser.KindCallExpression || callee != nil && callee.Kind == parser.KindTemplateFunction { // C has none: a < b && c > (d)
				continue
			}
			name := cmp.Or(t.bound[t.text(callee)], t.text(callee))
			f := t.functionNamed(name)
			defines := func(f *parser.Function) bool { return f.Name == name && f.Body != nil }
			header := lists.Find(t.headers, func(s *source) bool { return slices.ContainsFunc(s.tree.Functions, defines) })
			if f == nil && t.bound[t.text(callee)] == "" && header != nil {
				panic(stop{needsHeader(header.file.Name)})
			}
			switch {
			case f == nil && t.declaredOnly(name):
				panic(refusal(t.place(c), CodeCall, fmt.Sprintf("a kernel calls %s, which another file defines", name), "define it in this file, as static inline for instance"))
			case f == nil && !onDevice(name):
				panic(refusal(t.place(c), CodeCall, fmt.Sprintf("a kernel calls %s, which is no function that the device has", name), "call it on the host, in front of the region, or a function of this file by its name"))
			case f != nil && !device[name]:
				device[name] = true
				todo = append(todo, f.Body)
				for _, v := range t.variablesIn(f.Body) {
					if !v.global || v.isConst && v.isInteger() || slices.Contains(t.constants, v) {
						continue
					}
					refuseIf(!t.forDevice(v), t.place(f.Node), CodeCall, fmt.Sprintf("the function %s runs on the device and uses the variable %s of the file", f.Name, v.name), "hand it over as an argument")
					t.constants = append(t.constants, v)
				}
			}
		}
	}
	t.device = device
}

// needsHeader is the name of a header that has to stand in the file, since kernels call its functions.
type needsHeader string

func (h needsHeader) Error() string { return string(h) }

// readRoutines notes which functions stand in for others on the device (bind), and which are for the device alone (nohost).
func (t *translation) readRoutines() {
	for _, p := range lists.Filter(t.pragmas, func(p *pragma) bool { return p.Name == "routine" }) {
		name := t.routineName(p)
		refuseIf(name == "", t.at(p.Pos), CodeStatement, "no function stands under routine", "put it over a function, or name one: routine(f)")
		p.takes("gang", "worker", "vector", "seq", "nohost") // each thread that calls it runs it
		if c, ok := p.take("bind"); ok {
			other := strings.Trim(c.Args[0].Text, "\"")
			refuseIf(t.functionNamed(other) == nil && !onDevice(other), t.at(c.Pos), CodeCall, fmt.Sprintf("bind names %s, which this file does not define", other), "define it in this file")
			t.bound[name] = other
		}
		if p.Has("nohost") {
			t.noHost[name] = p
		}
	}
}

func (t *translation) routineName(p *pragma) string {
	if len(p.Args) > 0 {
		return p.Args[0].Text
	}
	at := t.written(p.start)
	if f := lists.Find(t.tree.Functions, func(f *parser.Function) bool { return f.Start >= at }); f != nil { // they are in the order of the text
		return f.Name
	}
	return ""
}

func (t *translation) onDevice() []*parser.Function {
	return lists.Filter(t.tree.Functions, func(f *parser.Function) bool { return f.Body != nil && t.device[f.Name] })
}

// bindCalls lets functions of the device call what routine directives bind to a name.
func (t *translation) bindCalls() {
	for _, f := range t.onDevice() {
		for n := range f.Body.All() {
			if other := t.bound[t.callee(n)]; other != "" {
				refuseIf(t.calledOnHost(f.Name, map[string]bool{}), t.place(n), CodeUnsupported,
					fmt.Sprintf("%s is bound to %s on the device, and %s, which calls it, runs on the host, too", t.callee(n), other, f.Name), "call "+other+" there, or have two functions")
				t.replace(n.Child(parser.FieldFunction), other)
			}
		}
	}
}

// markRoutines gives functions of the device the words that CUDA has for them.
func (t *translation) markRoutines() {
	for name, p := range t.noHost {
		if t.calledOnHost(name, map[string]bool{}) {
			c, _ := p.Clause("nohost")
			panic(refusal(t.at(c.Pos), CodeCall, fmt.Sprintf("the host calls %s, which is not for the host (nohost)", name), "take nohost out"))
		}
	}
	for name := range t.bound {
		if f := t.functionNamed(name); f != nil && f.Quals&parser.QualStatic != 0 && !t.device[name] && !t.calledOnHost(name, map[string]bool{}) {
			t.edits.Insert(t.startOf(f), "[[maybe_unused]] ")
		}
	}
	for _, f := range t.tree.Functions {
		if t.device[f.Name] || t.noHost[f.Name] != nil {
			word := "__host__ __device__ "
			if t.deviceAlone(f) {
				word = "__device__ "
			}
			t.edits.Insert(t.startOf(f), word)
		}
	}
}

// calledOnHost reports whether the host mentions a function in what may run on the host.
func (t *translation) calledOnHost(name string, asked map[string]bool) bool {
	asked[name] = true
	found := false
	onDevice := func(p *pragma) bool { return p.Compute() && !p.Has("if") && !p.Has("self") }
	t.tree.Root.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindFunctionDefinition {
			for _, f := range t.tree.Functions {
				if f.Node == n && t.device[f.Name] && (asked[f.Name] || t.ofFile(f) && !t.calledOnHost(f.Name, asked)) {
					return false
				}
			}
		}
		if n.Kind == parser.KindIdentifier && t.text(n) == name && n.Parent.Kind != parser.KindFunctionDeclarator && !t.isIn(n, onDevice) {
			found = true
		}
		return !found
	})
	return found
}

// declaredOnly reports whether the program declares a function that it does not define here.
func (t *translation) declaredOnly(name string) bool {
	s, f := t.declaration(name)
	return f != nil && (f.Body == nil || s != t.source && f.Quals&parser.QualStatic == 0)
}

// loopOfRoutine checks the clauses of a loop that each thread runs in order.
func (t *translation) loopOfRoutine(p *pragma) {
	p.takes(threading...)
	p.takes("private", "reduction")
	for c, a := range p.ArgsOf("private", "reduction") {
		v := t.named(p, a)
		if v == nil {
			panic(undeclared(t.at(a.Pos), a))
		}
		if c.Name == "private" {
			p.keeps(t.unit, v, nil, a)
		}
	}
}

// inRoutine reports whether a directive stands in a function that runs on the device, or that a routine directive is about.
func (t *translation) inRoutine(p *pragma) bool {
	return p.fn != nil && (t.device[p.fn.Name] || slices.ContainsFunc(t.pragmas, func(q *pragma) bool { return q.Name == "routine" && t.routineName(q) == p.fn.Name }))
}

// The device has constants of the file that its functions use by another name, or alone if nothing else mentions them.

// forDevice reports whether the device can have a variable of the file: a constant without pointers that rests on none of that kind.
func (t *translation) forDevice(v *variable) bool {
	kind := v.decl.Child(parser.FieldType)
	if !v.isConst || v.src != t.source || v.declarator.Kind != parser.KindInitDeclarator || kind == nil || kind.Child(parser.FieldBody) != nil ||
		slices.ContainsFunc(v.derived, func(d derivation) bool { return d.pointer }) {
		return false
	}
	other := func(o *variable) bool { return o != v && o.global && !(o.isConst && o.isInteger()) }
	return !hasCall(v.declarator) && !slices.ContainsFunc(t.variablesIn(v.declarator), other)
}

// deviceConstants puts the constants into the text, once it is known which functions run on the device alone.
func (t *translation) deviceConstants() {
	for _, f := range t.onDevice() {
		refuseIf(t.reachesConstants(f.Name) && !t.deviceAlone(f), t.place(f.Node), CodeCall, fmt.Sprintf("the function %s, which the host may call, runs on the device and uses a variable of the file", f.Name),
			"hand it over as an argument, or make the function static and have the host call another one")
	}
	unused := map[*parser.Node]bool{}
	for _, v := range t.constants {
		alone, onHost := !slices.ContainsFunc(t.vars, func(o *variable) bool { return o.decl == v.decl && o != v }), false
		var uses []*parser.Node
		for n := range t.usesIn(t.tree.Root, v) {
			if t.inDevice(n) {
				uses = append(uses, n)
			} else {
				onHost = true
			}
		}
		from, to := t.rangeOf(v.decl)
		refuseIf(!t.isExact(v.decl), t.place(v.decl), CodeCall, fmt.Sprintf("a function of the device uses %s, which a macro declares", v.name), "write the declaration out")
		if alone && !onHost {
			t.edits.Insert(from, "__device__ ")
			continue
		}
		if !onHost && !unused[v.decl] {
			unused[v.decl] = true
			t.edits.Insert(from, "[[maybe_unused]] ")
		}
		twin := t.deviceName(v)
		t.words[twin] = true
		a, z := t.rangeOf(v.declarator)
		text := string(t.file.Src[a:z])
		at := strings.Index(text, v.name) // of names in a declarator its own is the first
		t.edits.Insert(to, fmt.Sprintf("\nstatic __device__ const %s %s%s%s;", t.spelled(v.decl.Child(parser.FieldType)), text[:at], twin, text[at+len(v.name):]))
		for _, n := range uses {
			refuseIf(!t.isExact(n), t.place(n), CodeCall, fmt.Sprintf("a macro uses the variable %s of the file in a function of the device", v.name), "write it out there")
			t.replace(n, twin)
		}
	}
}

// reachesConstants reports whether a function uses constants of the file that the device has, or calls one that does.
func (t *translation) reachesConstants(name string) bool {
	if f := t.functionNamed(name); f != nil {
		for n := range reached(t, f.Body) {
			if slices.Contains(t.constants, t.plainVariable(n)) {
				return true
			}
		}
	}
	return false
}

// deviceAlone reports whether neither the host nor another file may call a function of the device.
func (t *translation) deviceAlone(f *parser.Function) bool {
	return t.noHost[f.Name] != nil || t.ofFile(f) && !t.calledOnHost(f.Name, map[string]bool{})
}

// ofFile reports whether no other file may call a function of the device.
func (t *translation) ofFile(f *parser.Function) bool {
	atomic := func(p *pragma) bool { return p.Name == "atomic" && p.fn == f }
	return f.Quals&parser.QualStatic != 0 || !t.isOneOfSeveral() && (slices.ContainsFunc(t.pragmas, atomic) || t.reachesConstants(f.Name))
}
