package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// count is the number of elements of an item's first dimension, in C.
func (i *item) count() string {
	if i.length == "" {
		return "1"
	}
	return i.length
}

// bytes is the size of an item's memory, in C.
func (i *item) bytes() string {
	if i.length == "" || i.length == "1" {
		return fmt.Sprintf("sizeof(*%s)", i.device)
	}
	return fmt.Sprintf("sizeof(*%s) * %s", i.device, enclosed(i.length))
}

// host is the address of an item's memory on the host.
func (i *item) host() string {
	switch {
	case i.v.isScalar():
		return "&" + i.v.name
	case i.lower != "":
		return i.v.name + " + " + enclosed(i.lower)
	}
	return i.v.name
}

// begin makes the copies of a region, end brings them back.
func (r *region) begin(out *lines) {
	for _, i := range r.items {
		switch {
		case i.counted && i.present:
			host := *i
			host.device = i.v.name
			size := "1"
			if i.length != "" {
				size = host.bytes()
			}
			out.add(fmt.Sprintf("%s = (%s)acc_present(%s, %s, \"%s\");", i.v.pointerTo(i.device), i.pointerType(), i.host(), size, i.v.name))
		case i.counted:
			host := *i
			host.device = i.v.name
			out.add(fmt.Sprintf("%s = (%s)acc_enter(%s, %v);", i.v.pointerTo(i.device), i.pointerType(), host.address(), i.in))
		case i.made():
			out.add(i.v.pointerTo(i.device)+";",
				fmt.Sprintf("ACC_CHECK(cudaMalloc(&%s, %s));", i.device, i.bytes()))
		}
	}
	r.apart(out)
	for _, i := range r.items {
		if i.in && i.made() && !i.counted {
			out.add(fmt.Sprintf("ACC_CHECK(cudaMemcpy(%s, %s, %s, cudaMemcpyHostToDevice));", i.device, i.host(), i.bytes()))
		}
	}
}

func (r *region) end(out *lines) {
	for _, i := range r.items {
		switch {
		case !i.made():
		case i.counted:
			host := *i
			host.device = i.v.name
			out.add(fmt.Sprintf("acc_leave(%s, %v, false);", host.address(), i.out))
		case i.out:
			out.add(fmt.Sprintf("ACC_CHECK(cudaMemcpy(%s, %s, %s, cudaMemcpyDeviceToHost));", i.host(), i.device, i.bytes()))
		}
	}
	for _, i := range r.items {
		if i.made() && !i.counted {
			out.add(fmt.Sprintf("ACC_CHECK(cudaFree(%s));", i.device))
		}
	}
}

// apart lets the program look whether pointers lead to different memory where one of them is
// written back: each has a copy of its own.
func (r *region) apart(out *lines) {
	for k, i := range r.items {
		for _, j := range r.items[:k] {
			if !i.made() || !j.made() || i.counted || j.counted || !i.out && !j.out || i.v.isScalar() || j.v.isScalar() || i.v.isArray() && j.v.isArray() {
				continue
			}
			r.checksApart = true
			out.add(fmt.Sprintf("acc_apart(%s, %s, %s, %s);", j.host(), j.bytes(), i.host(), i.bytes()))
		}
	}
}

// made reports whether the region makes the copy, and ends it.
func (i *item) made() bool { return !i.present && !i.pointer }

// makes reports whether a region has anything to declare.
func (r *region) makes() bool {
	return slices.ContainsFunc(r.items, func(i *item) bool { return i.made() || i.counted })
}

// data translates a data region.
func (t *translation) data(p *pragma) error {
	if leaves(p.stmt) {
		return refusal(t.at(p.Pos), CodeStatement, "the data region is left before its end", "have return, goto and break lead to places in it")
	}
	r, err := t.newRegion(p)
	if err != nil {
		return err
	}
	t.regions = append(t.regions, r)
	t.protect(r, p.stmt)
	t.stale(r, p.stmt)
	if !r.makes() {
		return nil
	}
	from, to := t.original(int(p.stmt.Start), int(p.stmt.End))
	indent := t.indentAt(from)
	before, after := &lines{}, &lines{}
	t.waits(p, before)
	r.begin(before)
	t.useApart(r)
	r.end(after)
	t.generated[p.fn] += before.b.String() + after.b.String()
	if p.stmt.Kind == parser.KindCompoundStatement {
		inner := t.indentInside(p.stmt, indent)
		t.edits.Insert(from+1, openLine(t.file.Src, from+1, shift(before.b.String(), inner), inner))
		t.edits.Insert(t.lineBefore(to-1), shift(after.b.String(), inner))
		return nil
	}
	t.edits.Insert(from, "{\n"+shift(before.b.String(), indent+"    ")+indent+deeper)
	t.edits.Insert(to, shallower+"\n"+shift(after.b.String(), indent+"    ")+indent+"}")
	return nil
}

func (t *translation) useApart(r *region) {
	if r.checksApart {
		t.use("acc_apart")
	}
}
