package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
)

var (
	loopClauses    = []string{"gang", "worker", "vector", "seq", "auto", "independent", "collapse", "tile", "device_type", "private", "reduction"}
	dataMoves      = []string{"copy", "copyin", "copyout", "create", "no_create", "present", "deviceptr", "attach"}
	computeClauses = slices.Concat(dataMoves, []string{"default", "async", "wait", "device_type", "private", "firstprivate",
		"reduction", "if", "self", "num_gangs", "num_workers", "vector_length"})
)

// supported are the directives that smux translates, with the clauses of each. All others
// are refused: none is dropped. docs/acc.md shows it beside what OpenACC has.
var supported = map[string][]string{
	"parallel":      computeClauses,
	"kernels":       computeClauses,
	"serial":        computeClauses,
	"parallel loop": slices.Concat(computeClauses, loopClauses),
	"kernels loop":  slices.Concat(computeClauses, loopClauses),
	"serial loop":   slices.Concat(computeClauses, loopClauses),
	"loop":          loopClauses,
	"data":          slices.Concat(dataMoves, []string{"async", "wait", "device_type", "default", "if"}),
	"enter data":    {"copyin", "create", "attach", "if", "async", "wait"},
	"exit data":     {"copyout", "delete", "detach", "if", "async", "wait", "finalize"},
	"update":        {"host", "device", "if", "if_present", "async", "wait", "device_type"},
	"host_data":     {"use_device", "if", "if_present"},
	"declare":       {"copy", "copyin", "copyout", "create", "present", "deviceptr", "device_resident", "link"},
	"routine":       {"seq", "vector", "worker", "gang", "device_type", "nohost", "bind"},
	"atomic":        {"read", "write", "update", "capture", "if"},
	"cache":         {},
	"wait":          {"async", "if"},
	"init":          {"device_type", "device_num", "if"},
	"shutdown":      {"device_type", "device_num", "if"},
	"set":           {"default_async", "device_num", "device_type", "if"},
}

// Supports reports whether smux translates a directive, and a clause of it; "" asks for the
// directive itself.
func Supports(name, clause string) bool {
	clauses, ok := supported[name]
	return ok && (clause == "" || slices.Contains(clauses, clause))
}

// checkSupported refuses a directive or a clause that smux does not translate.
func (u *unit) checkSupported(d directive.Directive) error {
	const help = "see docs/acc.md for what it translates"
	if !Supports(d.Name, "") {
		return refusal(u.at(d.Pos), CodeUnsupported, fmt.Sprintf("smux does not translate the directive %s yet", d.Name), help)
	}
	for _, c := range d.Clauses {
		if !Supports(d.Name, c.Name) {
			return refusal(u.at(c.Pos), CodeUnsupported, fmt.Sprintf("smux does not translate the clause %s of %s yet", c.Name, d.Name), help)
		}
	}
	return nil
}
