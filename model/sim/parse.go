package sim

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/model/hardware"
)

// String writes the policy as ParsePolicy reads it: "vtb:named:N=2",
// "dyn:lock:N=4:M=1", "co-vtb:block:N=2:P=0.75", "hw:K+2".
func (p Policy) String() string {
	parts := []string{p.Kind.String()}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch p.Kind {
	case HW, CoHW:
		add("K+%d", p.Cap)
	case Baseline:
	default:
		add("%s", p.Sync)
		add("N=%d", p.N)
	}
	if p.Kind == Dyn {
		add("M=%d", p.M)
	}
	for _, f := range p.flags() {
		if *f.set {
			add("%s", f.name)
		}
	}
	if p.Private != 0 {
		add("P=%s", strconv.FormatFloat(p.Private, 'g', -1, 64))
	}
	if p.Shared != 0 {
		add("S=%d", p.Shared)
	}
	if p.Registers != 0 {
		add("R=%d", p.Registers)
	}
	return strings.Join(parts, ":")
}

// flag is a knob that is set or not, and whether it is one of the policy's kind.
type flag struct {
	name string
	set  *bool
	of   bool
}

// flags are those of a policy, in the order in which String has them.
func (p *Policy) flags() []flag {
	takesTurns := p.Kind == VTB || p.Kind == CoVTB || p.Kind == Dyn
	return []flag{
		{"even", &p.Even, p.Kind == Pipe}, {"ahead", &p.Ahead, p.Kind == Baseline}, {"joint", &p.Joint, p.Kind == CoVTB},
		{"pinned", &p.Pinned, takesTurns}, {"computed", &p.Computed, takesTurns}, {"numbered", &p.Numbered, takesTurns && p.Kind != Dyn},
		{"persistent", &p.Persistent, takesTurns},
	}
}

// PolicyError reports what is wrong with the text of a policy.
type PolicyError struct{ Text, Reason string }

func (e *PolicyError) Error() string { return fmt.Sprintf("policy %q: %s", e.Text, e.Reason) }

// ParsePolicy reads a kind and its knobs, joined by colons, in any order: a sync
// mode, N=2, M=1, K+2, even (of vtb-pipe), ahead (of baseline), joint (of co-vtb), pinned, computed, numbered and persistent (of what takes turns), P=0.75 (private part), S=8736 (shared bytes of a launched
// TB), R=40 (registers per thread). What is left out is two v-TBs, one set of
// arrays, block mode and K+2. The error is a *PolicyError.
func ParsePolicy(text string) (Policy, error) {
	fail := func(format string, args ...any) (Policy, error) {
		return Policy{}, &PolicyError{text, fmt.Sprintf(format, args...)}
	}
	fields := strings.Split(text, ":")
	p, ok := defaults(fields[0])
	if !ok {
		return fail("no kind %q; there are %s", fields[0], strings.Join(kindNames[:], ", "))
	}
	seen := map[string]bool{}
	for _, f := range fields[1:] {
		key, err := p.set(f)
		if err != nil {
			return fail("%s", err)
		}
		if seen[key] {
			return fail("%s is given twice", key)
		}
		seen[key] = true
	}
	if err := p.check(); err != nil {
		return fail("%s", err)
	}
	return p, nil
}

// defaults returns a policy of the kind of that name with the knobs that it has when none are given.
func defaults(name string) (Policy, bool) {
	if name == "pipe" {
		name = Pipe.String()
	}
	for i, n := range kindNames {
		if n != name {
			continue
		}
		switch p := (Policy{Kind: Kind(i)}); p.Kind {
		case Baseline:
			return p, true
		case HW, CoHW:
			p.Cap = 2
			return p, true
		case Dyn:
			p.Sync, p.N, p.M = Lock, 2, 1
			return p, true
		default:
			p.N = 2
			return p, true
		}
	}
	return Policy{}, false
}

// set takes one knob and returns its name.
func (p *Policy) set(field string) (key string, err error) {
	for i, n := range syncNames {
		if field == n {
			p.Sync = Sync(i)
			return "the sync mode", p.has("a sync mode", p.merged() > 0 && p.Kind != Baseline && p.Kind != HW && p.Kind != CoHW)
		}
	}
	for _, f := range p.flags() {
		if f.name == field {
			*f.set = true
			return field, p.has(field, f.of)
		}
	}
	if value, ok := strings.CutPrefix(field, "K+"); ok {
		return "K", cmp.Or(number(value, &p.Cap), p.has("a cap", p.Kind == HW || p.Kind == CoHW))
	}
	key, value, ok := strings.Cut(field, "=")
	if !ok {
		return "", fmt.Errorf("can't read %q", field)
	}
	switch key {
	case "N":
		return key, cmp.Or(number(value, &p.N), p.has(key, p.Kind != Baseline && p.Kind != HW && p.Kind != CoHW))
	case "M":
		return key, cmp.Or(number(value, &p.M), p.has(key, p.Kind == Dyn))
	case "S":
		return key, number(value, &p.Shared)
	case "R":
		return key, number(value, &p.Registers)
	case "P":
		p.Private, err = strconv.ParseFloat(value, 64)
		if err != nil || !(p.Private >= 0 && p.Private <= 1) {
			return key, fmt.Errorf("%q is not a number from 0 to 1", value)
		}
		return key, p.has(key, p.Kind == CoVTB || p.Kind == CoHW)
	}
	return key, fmt.Errorf("there is no knob %q", key)
}

func (p *Policy) has(what string, yes bool) error {
	if yes {
		return nil
	}
	return fmt.Errorf("%s has no use for %s", p.Kind, what)
}

func number(s string, to *int) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a whole number", s)
	}
	*to = n
	return nil
}

// check reports what makes no sense on any GPU and for any kernel.
func (p Policy) check() error {
	switch n := p.merged(); {
	case int(p.Kind) >= len(kindNames) || int(p.Sync) >= len(syncNames):
		return fmt.Errorf("there is no such kind or sync mode")
	case p.Kind == Baseline || p.Kind == HW || p.Kind == CoHW:
	case n < 1:
		return fmt.Errorf("N must be at least 1")
	case p.Kind == Pipe && n != 2:
		return fmt.Errorf("%s has two v-TBs, not %d", p.Kind, n)
	case (p.Kind == Pipe || p.Kind == Merge) && p.Sync == Lock:
		return fmt.Errorf("%s takes no turns by locks", p.Kind)
	case p.Kind == Dyn && p.Sync != Lock:
		return fmt.Errorf("%s takes turns by locks only", p.Kind)
	case p.Kind == Dyn && (p.M < 1 || p.M > n):
		return fmt.Errorf("M must be from 1 to N")
	case p.Sync == Named && p.Kind != Merge && p.Kind != Pipe && n+1 > hardware.NamedBarriers:
		return fmt.Errorf("named mode needs N+1 barriers of the %d that are free, so N is at most %d", hardware.NamedBarriers, hardware.NamedBarriers-1)
	case p.Sync != Block && n > hardware.NamedBarriers:
		return fmt.Errorf("%s mode needs N barriers of the %d that are free", p.Sync, hardware.NamedBarriers)
	}
	switch {
	case p.Persistent && p.Sync == Block:
		return fmt.Errorf("in block mode no v-TB has a head start that it could keep")
	case !(p.Private >= 0 && p.Private <= 1):
		return fmt.Errorf("the private part must be from 0 to 1")
	case p.Shared < 0 || p.Registers < 0 || p.Cap < 0:
		return fmt.Errorf("bytes, registers and caps cannot be negative")
	}
	return nil
}
