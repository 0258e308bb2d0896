package acc

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/texts"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// presentTable is the table with the functions of it that the translation calls.
func (t *translation) presentTable() (text string) {
	for _, name := range []string{"acc_leave_whole", "acc_leave", "acc_enter_zero", "acc_enter", "acc_where", "acc_present"} { // which call later ones
		calls := func(text string) bool { return strings.Contains(text, name+"(") }
		if calls(text) || calls(t.uses["acc_rows"]) || t.edited(calls) || t.apiNeeds(calls) {
			text = "\n" + texts.Pieces[name] + text
		}
	}
	return texts.Pieces["acc_memory"] + text
}

// crosses reports whether regions may cross functions: what is present is then known when the program runs.
func (t *translation) crosses() bool {
	for _, p := range t.pragmas {
		if p.Name == "enter data" || p.Name == "exit data" || p.Name == "declare" && p.fn == nil || p.Name == "data" && p.Has("if") || t.movingData(p) ||
			p.Name == "declare" && t.callsConstructs(p.fn.Body) || p.Name == "data" && t.callsConstructs(p.stmt) {
			return true
		}
		d, _ := p.Clause("default")
		if slices.ContainsFunc(t.variablesOf(p, namesMemory...), (*variable).leadsToRows) || argument(d) == "present" {
			return true
		}
		lexically := func(v *variable) bool { // a data region of the same function around the directive names it
			names := func(q *pragma) bool {
				return q.Name == "data" && q != p && slices.Contains(t.variablesOf(q, namesItems...), v)
			}
			return p.stmt != nil && t.isIn(p.stmt, names)
		}
		if (p.Has("present") || p.Has("no_create") || p.Has("if_present")) && !lists.All(t.variablesOf(p, "present", "no_create", "use_device", "host", "device"), lexically) {
			return true
		}
	}
	return false
}

// callsConstructs reports whether a statement calls a function with compute constructs or updates, directly or not.
func (t *translation) callsConstructs(n *parser.Node) bool {
	for c, f := range reached(t, n) {
		if t.callsElsewhere(c) || f != nil && slices.ContainsFunc(t.pragmas, func(p *pragma) bool { return p.fn == f && (!standalone[p.Name] || p.Name == "update") }) {
			return true
		}
	}
	return false
}

// reached yields the nodes of a statement, and then those of the functions that it calls, directly or not, with the function.
func reached(t *translation, stmt *parser.Node) iter.Seq2[*parser.Node, *parser.Function] {
	return func(yield func(*parser.Node, *parser.Function) bool) {
		all := []*parser.Function{nil}
		for i := 0; i < len(all); i++ {
			n := stmt
			if all[i] != nil {
				n = all[i].Body
			}
			for c := range n.All() {
				if !yield(c, all[i]) {
					return
				}
				if f := t.functionNamed(t.callee(c)); f != nil && !slices.Contains(all, f) {
					all = append(all, f)
				}
			}
		}
	}
}

// functionNamed is the function of the file of a name, nil where it has none.
func (u *unit) functionNamed(name string) *parser.Function {
	return lists.Find(u.tree.Functions, func(f *parser.Function) bool { return f.Body != nil && f.Name == name })
}

func (i *item) address() string { return fmt.Sprintf("%s, %s", i.host(), i.bytes()) }

// pointerType is the type of the pointer to the copy.
func (i *item) pointerType() string { return strings.TrimSpace(i.v.pointerTo("")) }

// The files of a program have one device: each has inline functions for what is present and queued, of which C++ has one copy.

// isOneOfSeveral reports whether the file has no main, or calls functions that it only declares.
func (t *translation) isOneOfSeveral() bool {
	return t.functionNamed("main") == nil || t.tree.Root.Any(t.callsElsewhere)
}

// callsElsewhere reports whether a node calls a function of another file.
func (t *translation) callsElsewhere(n *parser.Node) bool {
	name := t.callee(n)
	return name != "" && t.functionNamed(name) == nil && !strings.HasPrefix(name, "acc_") && t.declaredOnly(name)
}
