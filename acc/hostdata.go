package acc

import (
	"fmt"
	"strings"
)

// hostData gives the host the addresses of the device: a pointer of the array's name stands in
// for the array. Where the condition does not hold, or, with if_present, where the array is
// not on the device, it is the host's address.
func (t *translation) hostData(p *pragma) error {
	out := &lines{}
	condition := ""
	if c, ok := p.Clause("if"); ok {
		condition = t.unused(fmt.Sprintf("use_device_%d", t.at(p.start).Line))
		out.add(fmt.Sprintf("bool %s = %s;", condition, c.Args[0].Text))
	}
	var shadows []string
	for _, a := range p.ArgsOf("use_device") {
		v := t.named(p, a)
		if v == nil || v.isScalar() {
			return refusal(t.at(a.Pos), CodeShape, fmt.Sprintf("%s is no array", a.Name), "name arrays in use_device")
		}
		if v.path != "" {
			return refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("the member %s in use_device", v.path), "use a pointer of its own in the region")
		}
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
			return refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("no data region of this function has %s on the device", v.name), "put the data region around it")
		}
		if condition != "" {
			given = fmt.Sprintf("%s ? %s : %s", condition, given, v.name)
		}
		if given != name { // else it is the region's own
			name = t.unused("on_" + name)
			out.add(fmt.Sprintf("%s = %s;", v.pointerTo(name), given))
		}
		shadows = append(shadows, fmt.Sprintf("{ %s = %s; // of the device", v.pointerTo(v.name), name))
	}
	out.add(shadows...)
	t.generated[p.fn] += out.b.String()
	from, to := t.rangeOf(p.stmt)
	indent := t.indentAt(from)
	t.edits.Insert(from, "{\n"+shift(out.b.String(), indent+"    ")+indent)
	t.edits.Insert(to, strings.Repeat(" }", len(shadows)+1))
	return nil
}
