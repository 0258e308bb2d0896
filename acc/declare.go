package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/parser"
)

// declare is a data region from the directive to where its function, or the program, ends (OpenACC 3.3, section 2.13).
func (t *translation) declare(p *pragma) {
	for _, c := range p.Clauses {
		switch {
		case p.fn == nil && slices.Contains([]string{"copy", "copyout", "present"}, c.Name):
			panic(refusal(t.at(c.Pos), directive.CodeClause, c.Name+" stands in a declare outside of functions", "write create or copyin there, and update where values are to come back"))
		case p.fn != nil && c.Name == "link":
			panic(refusal(t.at(c.Pos), directive.CodeClause, "link is for variables of the file", "take it out: memory of a function needs no link"))
		case c.Name == "link":
			p.takes("link")
			t.noEffect(c, "kernels get the device's address of each array, so nothing has to be linked")
		case c.Name == "device_resident":
			p.takes("device_resident")
		}
	}
	for _, v := range t.variablesOf(p, "device_resident") {
		for n := range t.usesIn(t.tree.Root, v) {
			refuseIf(!t.inCompute(n), t.place(n), CodeStatement, fmt.Sprintf("the host uses %s, which is on the device only (device_resident)", v.name), "declare it with create, and update it")
		}
	}
	if p.fn == nil {
		t.declareFile(p)
	} else {
		t.declareFunction(p)
	}
}

// declareFile makes arrays of the file present while the program runs.
func (t *translation) declareFile(p *pragma) {
	main, r, out := t.functionNamed("main"), &region{pragma: p}, &layout.Lines{}
	for _, clause := range p.Clauses {
		p.takes(clause.Name)
		for _, a := range clause.Args {
			switch clause.Name {
			case "link":
			case "deviceptr":
				i := t.newItem(p, clause, a)
				i.pointer = true
				r.items = append(r.items, i)
			default:
				t.enterItem(&pragma{Directive: directive.Directive{Name: "enter data"}}, clause, t.movedItem(p, clause, a), "", out)
			}
		}
	}
	if len(r.items) > 0 {
		t.regions = append(t.regions, r)
	}
	if out.Len() == 0 {
		return
	}
	refuseIf(main == nil, t.at(p.Pos), CodeUnsupported, "declare in a file without main", "use enter data where the program begins")
	t.generated[main] += out.String()
	from, _ := t.original(int(main.Body.Start), int(main.Body.Start)+1)
	inner := t.indentInside(main.Body, "")
	t.edits.Insert(from+1, layout.OpenLine(t.file.Src, from+1, layout.Shift(out.String(), inner), inner))
}

// declareFunction opens a region at the directive and ends it before each return, and where the function ends.
func (t *translation) declareFunction(p *pragma) {
	body := p.fn.Body
	at := uint32(t.written(p.start))
	for n := body.FirstNamed(); n != nil && n.Start < at; n = n.NextNamed() {
		refuseIf(n.End > at, t.at(p.Pos), CodeStatement, "declare stands in an inner block", "put it after the declarations of the function, or write data")
		refuseIf(has(n, parser.KindReturnStatement), t.at(p.Pos), CodeStatement, "the function may return in front of declare", "put it after the declarations of the function")
	}
	for _, q := range t.pragmas {
		refuseIf(q.fn == p.fn && q.start < p.start && q.Name != "declare", t.at(p.Pos), CodeStatement, "declare stands after other directives of its function", "put it after the declarations of the function")
	}
	r := t.newRegion(p, body)
	t.regions = append(t.regions, r)
	t.protect(r, body)
	t.stale(r, body)
	before, after := &layout.Lines{}, &layout.Lines{}
	t.beginAndEnd(r, before, after)
	t.standIn(p, before)
	t.generated[p.fn] += after.String()
	for n := range body.All() {
		if n.Kind != parser.KindReturnStatement || n.Start <= at || after.Len() == 0 {
			continue
		}
		from, to := t.rangeOf(n)
		indent := t.indentAt(from)
		value := n.FirstNamed()
		switch {
		case !t.isExact(n):
			panic(refusal(t.place(n), CodeStatement, "a macro returns from a function with declare", "write the return statement out"))
		case value == nil || value.Kind == parser.KindNumberLiteral:
			t.edits.Insert(from, fmt.Sprintf("{\n%s%s    ", layout.Shift(after.String(), indent+"    "), indent))
			t.edits.Insert(to, "\n"+indent+"}")
		default:
			// What is returned is computed before the region ends.
			a, z := t.rangeOf(value)
			t.edits.Insert(from, fmt.Sprintf("{\n%s    const auto acc_result = ", indent))
			t.edits.Replace(from, a, "")
			t.edits.Replace(z, to, fmt.Sprintf(";\n%s%s    return acc_result;\n%s}", layout.Shift(after.String(), indent+"    "), indent, indent))
		}
	}
	if all := parts(body); len(all) == 0 || all[len(all)-1].Kind != parser.KindReturnStatement {
		_, to := t.original(int(body.End)-1, int(body.End))
		inner := t.indentInside(body, "")
		t.edits.Insert(t.lineBefore(to-1), strings.TrimSuffix(layout.Shift(after.String(), inner), "\n")+"\n")
	}
}
