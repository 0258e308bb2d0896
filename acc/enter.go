package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/parser"
)

func (t *translation) enter(p *pragma) {
	out := &layout.Lines{}
	t.waits(p, out)
	t.attach(p)
	queue := t.queueOf(p)
	moves := []string{"copyin", "create", "copyout", "delete"}
	p.takes(moves...)
	for clause, a := range p.ArgsOf(moves...) {
		t.enterItem(p, clause, t.movedItem(p, clause, a), queue, out)
	}
	t.standIn(p, out)
}

// enterItem writes what enter data or exit data does for one item.
func (t *translation) enterItem(p *pragma, clause directive.Clause, i *item, queue string, out *layout.Lines) {
	t.modify(i, clause)
	p.takes("finalize")
	finalize, copies := p.Has("finalize"), clause.Name == "copyout"
	present := fmt.Sprintf("acc_present(%s, \"%s\")", i.address(), i.v.onHost())
	whole := i.length == "" && !i.v.isScalar() // all that was made present
	switch {
	case p.Name == "enter data":
		i.in = clause.Name == "copyin" && !i.always.in
		out.Add((&region{queue: queue}).enter(i) + ";")
		if i.always.in {
			out.Add(i.copy(toDevice, present, queue))
		}
	case i.v.leadsToRows():
		t.use("acc_rows")
		out.Add(waited(queue, fmt.Sprintf("acc_leave_rows(%s, %s, %v, %v);", i.host(), cmp.Or(i.row, "0"), copies, finalize))...)
	case whole && i.always.out:
		panic(refusal(t.at(clause.Pos), CodeShape, fmt.Sprintf("always, but no clause gives the size of the memory at pointer %s", i.v.name), fmt.Sprintf("write a section: %s[0:n]", i.v.name)))
	case whole && copies:
		out.Add(fmt.Sprintf("acc_leave_whole(%s, %v%s);", i.host(), finalize, behind(queue)))
	default:
		if i.always.out {
			out.Add(i.copy(toHost, present, queue))
		}
		out.Add(fmt.Sprintf("acc_leave(%s, %v, %v%s);", i.known(), copies && !i.always.out, finalize, behind(queue)))
	}
}

func (t *translation) movedItem(p *pragma, clause directive.Clause, a directive.Arg) *item {
	i := t.newItem(p, clause, a)
	refuseIf(i.v.isScalar() && p.fn == nil, t.at(a.Pos), CodeUnsupported, fmt.Sprintf("the variable %s, which is no array, in %s", i.v.name, p.Name), "hand it to the kernels: each has the value of its launch")
	i.device = i.onHost()
	return i
}

// standIn puts statements where a directive stands, under its condition.
func (t *translation) standIn(p *pragma, out *layout.Lines) {
	text := out.String()
	if c, ok := p.take("if"); ok && text != "" {
		text = fmt.Sprintf("if (%s) {\n%s}\n", c.Args[0].Text, layout.Shift(text, "    "))
	}
	t.generated[p.fn] += text
	t.edits.Insert(t.lineBefore(p.start), layout.Shift(text, t.indentOfNext(p.end)))
}

// steady reports whether what says how large an item of a data region is stays as it is meanwhile.
func (t *translation) steady(n *parser.Node, i *item) bool {
	return !slices.ContainsFunc(t.regions, func(r *region) bool {
		return r.stmt != nil && r.isAround(n) && r.of(i.v) == i && slices.ContainsFunc(t.measuring(i, int(r.stmt.Start)), func(v *variable) bool { return t.assigned(r.stmt, v) })
	})
}

// update copies between the two memories, at the place of the directive.
func (t *translation) update(p *pragma) {
	out := &layout.Lines{}
	t.waits(p, out)
	p.takes("host", "device", "if_present")
	for clause, a := range p.ArgsOf("host", "device") {
		i, direction, queue := t.newItem(p, clause, a), toDevice, t.queueOf(p)
		if clause.Name == "host" {
			direction = toHost
		}
		switch outer := t.outerAt(p, i.v); {
		case i.row != "":
			out.Add(waited(queue, fmt.Sprintf("acc_copy_rows(%s, %s, %s, cudaMemcpy%s);", i.host(), i.length, i.row, direction))...)
		case outer != nil:
			if i.length == "" && !i.v.isScalar() {
				i.length, i.lower = outer.length, outer.lower
			}
			i.device = outer.device
			out.Add(i.copy(direction, from(outer, i.lower), queue))
		case t.table && (!i.v.isScalar() || i.v.isMadePresent(t) || t.follows):
			i.device = i.onHost()
			text := i.copy(direction, fmt.Sprintf("acc_present(%s, \"%s\")", i.address(), i.v.onHost()), queue)
			if p.Has("if_present") {
				out.Add(fmt.Sprintf("if (acc_find(%s) != NULL)", i.address()))
				text = "    " + text
			}
			out.Add(text)
		default:
			panic(refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("no data region of this function has %s on the device", i.v.name), "open the data region in the function that updates"))
		}
	}
	t.standIn(p, out)
}

// outerAt is the item of the regions around a directive for a variable.
func (t *translation) outerAt(p *pragma, v *variable) *item {
	at := uint32(t.written(p.start))
	return t.innermost(v, func(r *region, i *item) bool {
		return (r.stmt == nil || r.stmt.Start <= at && at < r.stmt.End) && r.shows(i)
	})
}

// hostData has a pointer to the device's memory stand in for an array of the host, or its own address, by the clauses if and if_present.
func (t *translation) hostData(p *pragma) {
	out := &layout.Lines{}
	condition := ""
	p.takes("use_device", "if_present")
	if c, ok := p.take("if"); ok {
		condition = t.unused(fmt.Sprintf("use_device_%d", t.at(p.start).Line))
		out.Add(fmt.Sprintf("bool %s = %s;", condition, c.Args[0].Text))
	}
	var shadows []string
	for _, a := range p.ArgsOf("use_device") {
		v := t.named(p, a)
		refuseIf(v == nil || v.isScalar(), t.at(a.Pos), CodeShape, fmt.Sprintf("%s is no array", a.Name), "name arrays in use_device")
		refuseIf(v.path != "", t.at(a.Pos), CodeUnsupported, fmt.Sprintf("the member %s in use_device", v.path), "use a pointer of its own in the region")
		i := &item{v: v, device: t.deviceName(v)}
		given, name := "", i.device
		switch outer := t.outer(p.stmt, v); {
		case outer != nil:
			given = from(outer, "")
		case t.table && p.Has("if_present"):
			given = fmt.Sprintf("(%s)acc_where(%s, 1)", i.pointerType(), v.name)
		case t.table:
			given = fmt.Sprintf("(%s)acc_present(%s, 1, \"%s\")", i.pointerType(), v.name, v.name)
		default:
			panic(refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("no data region of this function has %s on the device", v.name), "put the data region around it"))
		}
		if condition != "" {
			given = fmt.Sprintf("%s ? %s : %s", condition, given, v.name)
		}
		if given != name { // else it is the region's own
			name = t.unused("on_" + name)
			out.Add(fmt.Sprintf("%s = %s;", v.pointerTo(name), given))
		}
		shadows = append(shadows, fmt.Sprintf("{ %s = %s; // of the device", v.pointerTo(v.name), name))
	}
	out.Add(shadows...)
	t.generated[p.fn] += out.String()
	from, to := t.rangeOf(p.stmt)
	indent := t.indentAt(from)
	t.edits.Insert(from, "{\n"+layout.Shift(out.String(), indent+"    ")+indent)
	t.ahead(to, strings.Repeat(" }", len(shadows)+1))
}
