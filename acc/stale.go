package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// stale looks for what the two memories have different of a variable: the host writes it in a
// data region that gave the device a copy before, and a kernel of the region reads it, or the
// other way round, and no update stands in the region.
func (t *translation) stale(r *region, stmt *parser.Node) {
	for _, i := range r.items {
		if i.v.isScalar() || i.pointer {
			continue
		}
		var host, device [2]*access // that read, that write
		for _, a := range t.accessesOf(stmt) {
			if a.v != i.v || a.whole {
				continue
			}
			side := &host
			if t.inCompute(a.node) {
				side = &device
			}
			if a.read && side[0] == nil {
				side[0] = &a
			}
			if a.write && side[1] == nil {
				side[1] = &a
			}
		}
		if host[1] != nil && device[0] != nil && !t.updates(stmt, i.v, "device") {
			t.say(t.place(host[1].node), CodeStale, fmt.Sprintf("the host writes %s, of which the device has a copy since the data region began: kernels read the copy", i.v.name),
				fmt.Sprintf("put \"#pragma acc update device(%s)\" after it, or write it before the region", i.v.name))
		}
		if host[0] != nil && device[1] != nil && !t.updates(stmt, i.v, "host") {
			t.say(t.place(host[0].node), CodeStale, fmt.Sprintf("the host reads %s, whose copy on the device kernels write: what they write comes back at the end of the data region", i.v.name),
				fmt.Sprintf("put \"#pragma acc update self(%s)\" before it, or read it after the region", i.v.name))
		}
	}
}

// updates reports whether an update directive in a statement names a variable.
func (t *translation) updates(stmt *parser.Node, v *variable, clause string) bool {
	for _, p := range t.pragmas {
		if p.Name != "update" {
			continue
		}
		if at := uint32(t.written(p.start)); at < stmt.Start || stmt.End <= at {
			continue
		}
		if slices.Contains(t.variablesOf(p, clause), v) {
			return true
		}
	}
	return false
}
