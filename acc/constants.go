package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// Constants of the file that functions of the device use: the device has them by another name, or alone
// if nothing else mentions them.

// forDevice reports whether the device can have a variable of the file: a constant with a value, without
// pointers, whose first value no other constant of that kind is part of.
func (t *translation) forDevice(v *variable) bool {
	if !v.isConst || v.src != t.source || v.declarator.Kind != parser.KindInitDeclarator || slices.ContainsFunc(v.derived, func(d derivation) bool { return d.pointer }) {
		return false
	}
	if kind := v.decl.Child(parser.FieldType); kind == nil || kind.Child(parser.FieldBody) != nil {
		return false
	}
	for _, o := range t.variablesIn(v.declarator) {
		if o != v && o.global && !(o.isConst && o.isInteger()) {
			return false
		}
	}
	return !hasCall(v.declarator)
}

// deviceConstants puts the constants into the text, once it is known which functions run on the device
// alone.
func (t *translation) deviceConstants() error {
	for _, f := range t.tree.Functions {
		if f.Body != nil && t.device[f.Name] && t.reachesConstants(f.Name, map[string]bool{}) && !t.deviceAlone(f) {
			return refusal(t.place(f.Node), CodeCall, fmt.Sprintf("the function %s, which the host may call, runs on the device and uses a variable of the file", f.Name),
				"hand it over as an argument, or make the function static and have the host call another one")
		}
	}
	unused := map[*parser.Node]bool{}
	for _, v := range t.constants {
		alone, onHost := true, false
		for _, o := range t.vars {
			alone = alone && (o.decl != v.decl || o == v)
		}
		var uses []*parser.Node
		for n := range t.usesIn(t.tree.Root, v) {
			if t.inDevice(n) {
				uses = append(uses, n)
			} else {
				onHost = true
			}
		}
		from, to := t.rangeOf(v.decl)
		if !t.isExact(v.decl) {
			return refusal(t.place(v.decl), CodeCall, fmt.Sprintf("a function of the device uses %s, which a macro declares", v.name), "write the declaration out")
		}
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
			if !t.isExact(n) {
				return refusal(t.place(n), CodeCall, fmt.Sprintf("a macro uses the variable %s of the file in a function of the device", v.name), "write it out there")
			}
			t.replace(n, twin)
		}
	}
	return nil
}

// reachesConstants reports whether a function uses constants of the file that the device has, or calls one
// that does.
func (t *translation) reachesConstants(name string, seen map[string]bool) bool {
	f := t.functionNamed(name)
	if f == nil || seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(t.variablesIn(f.Body), func(v *variable) bool { return slices.Contains(t.constants, v) }) || f.Body.Any(func(n *parser.Node) bool {
		return n.Kind == parser.KindCallExpression && t.reachesConstants(t.text(n.Child(parser.FieldFunction)), seen)
	})
}

// deviceAlone reports whether a function of the device is none of the host: nothing there calls it, nor may
// another file do so.
func (t *translation) deviceAlone(f *parser.Function) bool {
	return t.noHost[f.Name] != nil || t.ofFile(f) && !t.calledOnHost(f.Name, map[string]bool{})
}

// ofFile reports whether no other file may call a function of the device. One that uses constants is no
// function of the host where the file is all of the program.
func (t *translation) ofFile(f *parser.Function) bool {
	return f.Quals&parser.QualStatic != 0 || t.reachesConstants(f.Name, map[string]bool{}) && !t.isOneOfSeveral()
}
