package parser

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// conditionFrame is one open #if.
type conditionFrame struct {
	outerLive  bool
	live       bool // the current branch may be compiled
	taken      bool // a branch is certainly compiled: none after it is
	undecided  bool // a condition so far could not be decided
	recording  bool // the current branch's changes are undone at its end
	outerUnder []assumption
	negated    []assumption // conditions of the branches before, taken for false
	branch     []assumption // what the current branch adds to outerUnder
	saved      map[string][]possibility
	ends       []branchEnd
	deadFrom   int // begin of the current dead branch
}

// branchEnd is the state at the end of a branch: what changed in it, and what was assumed.
type branchEnd struct {
	changed map[string][]possibility
	under   []assumption
}

func (p *preprocessor) isLive() bool {
	return len(p.frames) == 0 || p.frames[len(p.frames)-1].live
}

// begin opens an #if. isGuard is set if it is an include guard, which holds where its name is not in view.
func (p *preprocessor) begin(d *directive, isGuard bool) {
	p.frames = append(p.frames, conditionFrame{outerLive: p.isLive(), outerUnder: p.under})
	key, sense, v := p.decide(d)
	if isGuard && !v.known {
		v = verdict{true, true}
	}
	p.startBranch(d, key, sense, v)
}

func (p *preprocessor) elif(d *directive) {
	p.finishBranch(d.start, d.start)
	f := &p.frames[len(p.frames)-1]
	p.under = append(f.outerUnder[:len(f.outerUnder):len(f.outerUnder)], f.negated...)
	if d.op == opElse {
		p.startBranch(d, "", true, verdict{true, true})
		return
	}
	key, sense, v := p.decide(d)
	p.startBranch(d, key, sense, v)
}

// endif leaves the innermost #if, whose #endif stands from start to pos.
func (p *preprocessor) endif(start, pos int) {
	p.finishBranch(start, pos)
	f := p.frames[len(p.frames)-1]
	p.frames = p.frames[:len(p.frames)-1]
	p.under = f.outerUnder
	p.notePath(pos)
	if !f.undecided {
		return
	}
	if !f.taken { // no #else: nothing may be compiled at all
		f.ends = append(f.ends, branchEnd{nil, f.negated})
	}
	p.merge(f.ends, pos)
}

// startBranch enters a branch; key names its condition and sense is whether the branch holds when that is true.
func (p *preprocessor) startBranch(d *directive, key string, sense bool, v verdict) {
	f := &p.frames[len(p.frames)-1]
	if p.fixedPos < 0 && d.op != opElse {
		p.out.verdicts[d.start] = v
	}
	f.live = f.outerLive && !f.taken && !(v.known && !v.value)
	f.branch = f.negated[:len(f.negated):len(f.negated)]
	switch {
	case !f.live:
		f.deadFrom = d.end
	case v.known:
		f.taken = true
	default:
		f.undecided = true
		f.branch = append(f.branch, assumption{key, sense})
		f.negated = append(f.negated[:len(f.negated):len(f.negated)], assumption{key, !sense})
	}
	f.recording = f.live && f.undecided
	if f.recording {
		f.saved = map[string][]possibility{}
	}
	p.under = append(f.outerUnder[:len(f.outerUnder):len(f.outerUnder)], f.branch...)
	p.notePath(d.end)
}

// finishBranch leaves a branch, whose text ends at end, and undoes what it changed from pos on.
func (p *preprocessor) finishBranch(end, pos int) {
	f := &p.frames[len(p.frames)-1]
	if !f.live && f.outerLive && p.fixedPos < 0 {
		p.out.dead = append(p.out.dead, span{f.deadFrom, end})
	}
	if !f.recording {
		return
	}
	f.recording = false
	left := branchEnd{make(map[string][]possibility, len(f.saved)), f.branch}
	for name, before := range f.saved {
		left.changed[name], _ = p.out.names[name].now()
		p.record(name, before, pos)
	}
	f.saved = nil
	f.ends = append(f.ends, left)
}

// merge joins the states at the ends of all branches.
func (p *preprocessor) merge(ends []branchEnd, pos int) {
	names := map[string]bool{}
	for _, e := range ends {
		for name := range e.changed {
			names[name] = true
		}
	}
	for name := range names {
		merged := make([]possibility, 0, len(ends))
		for _, e := range ends {
			cases, ok := e.changed[name]
			if !ok {
				cases, _ = p.out.names[name].now()
			}
			for _, c := range feasible(cases, e.under) {
				merged = addPossibility(merged, c, e.under)
			}
		}
		p.set(name, merged, pos)
	}
}

// Bounds that keep merged states small in headers full of conditions. Dropping assumptions is safe, it only makes
// names more ambiguous; and more than maxPossibilities distinct definitions are ambiguous whichever are kept.
const (
	maxPossibilities = 12
	maxAssumptions   = 12
)

func addPossibility(list []possibility, c possibility, under []assumption) []possibility {
	if len(list) >= maxPossibilities {
		return list
	}
	under = under[:min(len(under), max(0, maxAssumptions-len(c.under)))]
	if len(c.under) == 0 {
		c.under = under
	} else if len(under) > 0 {
		c.under = slices.Concat(c.under, under)
	}
	return append(list, c)
}

// notePath notes which assumptions hold from a position of the main file on.
func (p *preprocessor) notePath(pos int) {
	if p.fixedPos >= 0 {
		return
	}
	p.out.paths = append(p.out.paths, pathFrom{pos, p.under})
}

// decide evaluates the condition of a directive and names it.
func (p *preprocessor) decide(d *directive) (key string, sense bool, v verdict) {
	name, sense := d.name, true
	switch d.op {
	case opIfdef, opElifdef:
	case opIfndef, opElifndef:
		sense = false
	default:
		name, sense = definedTest(d.text)
	}
	if name != "" {
		key = definedKey(name) + strconv.Itoa(p.changed(name))
		n := p.defined(name)
		return key, sense, verdict{n.isTrue() == sense, n.known()}
	}
	key, sense = p.conditionKey(d.text), true
	for _, a := range p.under {
		if a.key == key {
			return key, sense, verdict{a.value, true}
		}
	}
	n := evaluate(d.text, p)
	return key, sense, verdict{n.isTrue(), n.isTrue() || n.isFalse()}
}

// definedTest recognises "defined X" and "!defined(X)".
func definedTest(text string) (name string, sense bool) {
	text = strings.TrimSpace(text)
	sense = true
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		text, sense = strings.TrimSpace(rest), false
	}
	rest, ok := strings.CutPrefix(text, "defined")
	if !ok || rest == "" || isIdentByte(rest[0]) {
		return "", true
	}
	rest = strings.TrimSpace(rest)
	if inner, ok := strings.CutPrefix(rest, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); !ok {
			return "", true
		}
		rest = strings.TrimSpace(inner)
	}
	for i := range len(rest) {
		if !isIdentByte(rest[i]) {
			return "", true
		}
	}
	return rest, sense
}

// conditionKey names a condition by its text and by how often its names have changed so far.
func (p *preprocessor) conditionKey(text string) string {
	toks := ppTokens(text)
	var b strings.Builder
	b.WriteString(joinTokens(toks))
	names := map[string]bool{}
	for _, t := range toks {
		if t.kind == tokIdent && p.changed(t.text) > 0 {
			names[t.text] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		b.WriteString("@" + n + strconv.Itoa(p.changed(n)))
	}
	return b.String()
}
