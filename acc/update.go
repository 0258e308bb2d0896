package acc

import (
	"fmt"

	"github.com/smux-cuda/smux/acc/directive"
)

// update copies between the two memories, at the place of the directive.
func (t *translation) update(p *pragma) error {
	out := &lines{}
	if err := t.waits(p, out); err != nil {
		return err
	}
	for clause, a := range p.ArgsOf("host", "device") {
		if err := t.updateItem(p, clause, a, out); err != nil {
			return err
		}
	}
	t.standIn(p, out)
	return nil
}

// updateItem copies one section. A region of the function around has its memory on the
// device, or the table knows.
func (t *translation) updateItem(p *pragma, clause directive.Clause, a directive.Arg, out *lines) error {
	i, err := t.newItem(p, clause, a)
	if err != nil {
		return err
	}
	outer := t.outerAt(p, i.v)
	device := ""
	switch {
	case outer != nil:
		if i.length == "" && !i.v.isScalar() {
			i.length, i.lower = outer.length, outer.lower
		}
		i.device = outer.device
		device = from(outer, i.lower)
	case t.table && !i.v.isScalar():
		i.device = i.v.onHost()
		device = fmt.Sprintf("acc_present(%s, \"%s\")", i.address(), i.v.onHost())
	default:
		return refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("no data region of this function has %s on the device", i.v.name), "open the data region in the function that updates")
	}
	if p.Has("if_present") && outer == nil {
		out.add(fmt.Sprintf("if (acc_find(%s) != NULL)", i.address()))
		out.level++
		defer func() { out.level-- }()
	}
	if clause.Name == "host" {
		out.add(copyText(i.host(), device, i.bytes(), toHost, t.queueOf(p)))
	} else {
		out.add(copyText(device, i.host(), i.bytes(), toDevice, t.queueOf(p)))
	}
	return nil
}

// outerAt is the item of the regions around a directive for a variable.
func (t *translation) outerAt(p *pragma, v *variable) *item {
	at := uint32(t.written(p.start))
	for k := len(t.regions) - 1; k >= 0; k-- {
		r := t.regions[k]
		if r.stmt == nil || r.stmt.Start <= at && at < r.stmt.End {
			if i := r.of(v); i != nil && r.shows(i) {
				return i
			}
		}
	}
	return nil
}
