package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/parser"
)

func (i *item) bytes() string {
	if strings.HasPrefix(i.device, "&") {
		return fmt.Sprintf("sizeof(%s)", i.device[1:])
	}
	if i.length == "" || i.length == "1" {
		return fmt.Sprintf("sizeof(*%s)", i.device)
	}
	return fmt.Sprintf("sizeof(*%s) * %s", i.device, enclosed(i.length))
}

// onHost is the pointer on the host of what sizeof is asked.
func (i *item) onHost() string {
	if i.v.isScalar() {
		return "&" + i.v.onHost()
	}
	return i.v.onHost()
}

func (i *item) host() string {
	base := cmp.Or(i.saved, i.onHost())
	if i.lower != "" {
		base += " + " + enclosed(i.lower)
	}
	return base
}

// known is the address and size of a counted item, as the table's functions take them: of unknown size, its first byte.
func (i *item) known() string {
	if i.length == "" && !i.v.isScalar() {
		return i.host() + ", 1"
	}
	host := *i
	host.device = i.onHost()
	return host.address()
}

// enter is the call that makes a counted item present, or looks it up.
func (r *region) enter(i *item) string {
	switch {
	case i.optional:
		return fmt.Sprintf("acc_where(%s)", i.known())
	case i.present:
		return fmt.Sprintf("acc_present(%s, \"%s\")", i.known(), i.v.onHost())
	case i.row != "":
		return fmt.Sprintf("acc_enter_rows(%s, %s, %s, %v)", i.host(), i.length, i.row, i.in)
	case i.zero:
		return fmt.Sprintf("acc_enter_zero(%s%s)", i.known(), behind(i.kind))
	}
	return fmt.Sprintf("acc_enter(%s, %v%s)", i.known(), i.in, behind(cmp.Or(i.kind, r.queue)))
}

// waited is a statement in which the host waits for a queue before it.
func waited(queue, statement string) []string {
	if queue == "" {
		return []string{statement}
	}
	return []string{synchronized(queue), statement}
}

// behind is a further argument, "" for none.
func behind(queue string) string {
	if queue == "" {
		return ""
	}
	return ", " + queue
}

// begin makes the copies of a region, end brings them back.
func (r *region) begin(t *translation, out *layout.Lines) {
	for _, i := range r.items {
		switch {
		case i.counted && !r.shows(i) && i.optional:
		case i.counted && !r.shows(i):
			out.Add(r.enter(i) + ";")
		case i.counted:
			out.Add(fmt.Sprintf("%s = (%s)%s;", i.v.pointerTo(i.device), i.pointerType(), r.enter(i)))
		case i.made():
			out.Add(i.v.pointerTo(i.device)+";",
				fmt.Sprintf("ACC_CHECK(cudaMalloc(&%s, %s));", i.device, i.bytes()))
		}
	}
	r.apart(t, out)
	for _, i := range r.items {
		switch {
		case i.always.in && (i.counted || !i.made()):
			out.Add(i.part().copy(toDevice, r.onDevice(i), r.queue))
		case !i.made() || i.counted:
		case i.in:
			out.Add(i.copy(toDevice, i.device, r.queue))
		case i.zero:
			out.Add(fmt.Sprintf("ACC_CHECK(cudaMemset(%s, 0, %s));", i.device, i.bytes()))
		}
	}
}

func (r *region) end(out *layout.Lines) {
	for _, i := range r.items {
		if i.always.out && (i.counted || !i.made()) {
			out.Add(i.part().copy(toHost, r.onDevice(i), r.queue))
		}
		switch {
		case !i.made():
		case i.row != "":
			out.Add(waited(r.queue, fmt.Sprintf("acc_leave_rows(%s, %s, %v, false);", i.host(), i.row, i.out))...)
		case i.counted:
			out.Add(fmt.Sprintf("acc_leave(%s, %v, false%s);", i.known(), i.out && !i.always.out, behind(r.queue)))
		case i.out:
			out.Add(i.copy(toHost, i.device, r.queue))
		}
	}
	for _, i := range r.items {
		switch {
		case !i.made() || i.counted:
		case r.queue != "":
			out.Add(fmt.Sprintf("acc_free_behind(%s, %s);", i.device, r.queue))
		default:
			out.Add(fmt.Sprintf("ACC_CHECK(cudaFree(%s));", i.device))
		}
	}
}

func (i *item) copy(direction, device, queue string) string {
	if direction == toHost {
		return copyText(i.host(), device, i.bytes(), toHost, queue)
	}
	return copyText(device, i.host(), i.bytes(), toDevice, queue)
}

// part returns the section that a clause names of an item that a region around has.
func (i *item) part() *item {
	p := *i
	if i.outer != nil && i.section != nil {
		p.lower, p.length = i.section.Lower, i.section.Length
	}
	if p.length == "" && i.outer != nil {
		p.lower, p.length = i.outer.lower, i.outer.length
	}
	p.device = i.onHost()
	return &p
}

// onDevice is the address of an item's section on the device.
func (r *region) onDevice(i *item) string {
	p := i.part()
	if i.counted && !r.shows(i) {
		return fmt.Sprintf("acc_present(%s, \"%s\")", i.known(), i.v.onHost())
	}
	if i.outer == nil {
		return i.device
	}
	return from(i.outer, p.lower)
}

// from is the address on the device of the element of an item that has a number.
func from(i *item, lower string) string {
	device := i.device
	if lower == i.lower {
		return device
	}
	if lower != "" {
		device += " + " + enclosed(lower)
	}
	if i.lower != "" {
		device += " - " + enclosed(i.lower)
	}
	return device
}

// apart lets the program look whether pointers lead to different memory where one of them is written back.
func (r *region) apart(t *translation, out *layout.Lines) {
	for k, i := range r.items {
		for _, j := range r.items[:k] {
			if !i.made() || !j.made() || i.counted || j.counted || !i.out && !j.out || i.v.isScalar() || j.v.isScalar() || i.v.isArray() && j.v.isArray() {
				continue
			}
			t.use("acc_apart")
			out.Add(fmt.Sprintf("acc_apart(%s, %s, %s, %s);", j.host(), j.bytes(), i.host(), i.bytes()))
		}
	}
}

// made reports whether the region makes the copy, and ends it.
func (i *item) made() bool { return !i.present && !i.pointer && !i.optional }

func (r *region) makes() bool {
	return slices.ContainsFunc(r.items, func(i *item) bool { return i.made() || i.counted || i.always.in || i.always.out })
}

func (t *translation) data(p *pragma) {
	p.takes("default") // which the constructs in it ask for
	refuseIf(t.leaves(p.stmt), t.at(p.Pos), CodeStatement, "the data region is left before its end", "have return, goto and break lead to places in it")
	r := t.newRegion(p, p.stmt)
	t.regions = append(t.regions, r)
	t.protect(r, p.stmt)
	t.stale(r, p.stmt)
	before, after := &layout.Lines{}, &layout.Lines{}
	t.waits(p, before)
	if !r.makes() && before.Len() == 0 {
		return
	}
	t.beginAndEnd(r, before, after)
	t.generated[p.fn] += before.String() + after.String()
	from, to := t.rangeOf(p.stmt)
	indent := t.indentAt(from)
	if p.stmt.Kind == parser.KindCompoundStatement && t.over(p.stmt, func(q *pragma) bool { return q.start > p.start }) == nil {
		inner := t.indentInside(p.stmt, indent)
		t.edits.Insert(from+1, layout.OpenLine(t.file.Src, from+1, layout.Shift(before.String(), inner), inner))
		t.edits.Insert(t.lineBefore(to-1), layout.Shift(after.String(), inner))
		return
	}
	t.edits.Insert(from, "{\n"+layout.Shift(before.String(), indent+"    ")+indent+layout.Deeper)
	t.ahead(to, layout.Shallower+"\n"+layout.Shift(after.String(), indent+"    ")+indent+"}") // of a region around it comes later
}

// beginAndEnd writes what a region does at its ends, under its condition, which holds or not for both.
func (t *translation) beginAndEnd(r *region, before, after *layout.Lines) {
	for _, i := range r.items {
		if i.moving && i.counted {
			i.saved = t.unused(fmt.Sprintf("%s_of_%d", i.v.name, t.at(r.pragma.start).Line))
			constant := ""
			if i.v.isConst {
				constant = "const "
			}
			before.Add(fmt.Sprintf("%s%s = %s; // which may lead elsewhere at the end", constant, i.v.pointerTo(i.saved), i.v.onHost()))
		}
	}
	if r.condition == "" {
		r.begin(t, before)
		r.end(after)
		return
	}
	name := t.unused(fmt.Sprintf("data_%d", t.at(r.pragma.start).Line))
	before.Add(fmt.Sprintf("bool %s = %s;", name, r.condition))
	before.Open(fmt.Sprintf("if (%s)", name))
	r.begin(t, before)
	before.Shut()
	after.Open(fmt.Sprintf("if (%s)", name))
	r.end(after)
	after.Shut()
}
