package acc

import "fmt"

// update copies between the two memories, at the place of the directive.
func (t *translation) update(p *pragma) error {
	out := &lines{}
	t.waits(p, out)
	for _, clause := range p.Clauses {
		if clause.Name != "host" && clause.Name != "device" {
			continue
		}
		for _, a := range clause.Args {
			at := t.at(a.Pos)
			v := t.named(p, a)
			if v == nil {
				return refusal(at, CodeShape, fmt.Sprintf("no variable %s is declared here", a.Name), "check the name")
			}
			outer := t.outerAt(p, v)
			if outer == nil && t.table && !v.isScalar() {
				i, err := t.newItem(p, clause, a)
				if err != nil {
					return err
				}
				i.device = v.name
				size := i.bytes()
				device := fmt.Sprintf("acc_present(%s, %s, \"%s\")", i.host(), size, v.name)
				if clause.Name == "host" {
					out.add(fmt.Sprintf("ACC_CHECK(cudaMemcpy(%s, %s, %s, cudaMemcpyDeviceToHost));", i.host(), device, size))
				} else {
					out.add(fmt.Sprintf("ACC_CHECK(cudaMemcpy(%s, %s, %s, cudaMemcpyHostToDevice));", device, i.host(), size))
				}
				continue
			}
			if outer == nil {
				return refusal(at, CodeUnsupported, fmt.Sprintf("no data region of this function has %s on the device", v.name), "open the data region in the function that updates")
			}
			i, err := t.newItem(p, clause, a)
			if err != nil {
				return err
			}
			if i.length == "" && !v.isScalar() {
				i.length, i.lower = outer.length, outer.lower
			}
			i.device = outer.device
			device := i.device
			if i.lower != outer.lower {
				if i.lower != "" {
					device += " + " + enclosed(i.lower)
				}
				if outer.lower != "" {
					device += " - " + enclosed(outer.lower)
				}
			}
			if clause.Name == "host" {
				out.add(fmt.Sprintf("ACC_CHECK(cudaMemcpy(%s, %s, %s, cudaMemcpyDeviceToHost));", i.host(), device, i.bytes()))
			} else {
				out.add(fmt.Sprintf("ACC_CHECK(cudaMemcpy(%s, %s, %s, cudaMemcpyHostToDevice));", device, i.host(), i.bytes()))
			}
		}
	}
	t.standIn(p, out)
	return nil
}

// outerAt is the item of the regions around a directive for a variable.
func (t *translation) outerAt(p *pragma, v *variable) *item {
	at := uint32(t.written(p.start))
	for k := len(t.regions) - 1; k >= 0; k-- {
		r := t.regions[k]
		if r.pragma.stmt.Start <= at && at < r.pragma.stmt.End {
			if i := r.of(v); i != nil {
				return i
			}
		}
	}
	return nil
}
