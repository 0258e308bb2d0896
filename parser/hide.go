package parser

import (
	"slices"
	"sort"
)

// Names of the MarkFix for text that was hidden from the grammar because it
// stands in a branch of an #if that was not chosen.
const (
	// FixInactiveBranch is a guess: the condition could not be decided, and
	// another build may compile just the hidden text.
	FixInactiveBranch = "inactive-branch"
	// FixDeadBranch is certain: the condition is false (#if 0).
	FixDeadBranch = "dead-branch"
	// FixDirective is an #if, #else or #endif line of such a group.
	FixDirective = "directive"
	// FixDecidedDirective is one of a group of which it is certain which branch is compiled.
	FixDecidedDirective = "decided-directive"
)

// group is one #if … #endif: its directives, by index.
type group struct{ parts []int }

func groups(directives []directive) (all []group) {
	var open []group
	for i := range directives {
		switch directives[i].op {
		case opIf, opIfdef, opIfndef:
			open = append(open, group{[]int{i}})
		case opElif, opElifdef, opElifndef, opElse:
			if n := len(open); n > 0 {
				open[n-1].parts = append(open[n-1].parts, i)
			}
		case opEndif:
			if n := len(open); n > 0 {
				all = append(all, group{append(open[n-1].parts, i)})
				open = open[:n-1]
			}
		}
	}
	return all
}

// retryLevel says which #if groups a retry hides.
type retryLevel uint8

const (
	// hideBroken: the groups that tear brackets apart, wherever they stand, and
	// among those that a fault touches the ones that cut a statement in two.
	hideBroken retryLevel = iota
	// hideTouched: all groups that a fault touches.
	hideTouched
	retryLevels
)

// hideBranches chooses one branch of each #if group that the level covers,
// and returns what to hide, with what was hidden before.
func (p *parsing) hideBranches(level retryLevel, before []Mark) []Mark {
	faults := errorSpans(p.nodes)
	hidden := before
	for _, g := range groups(p.directives) {
		first, last := p.directives[g.parts[0]], p.directives[g.parts[len(g.parts)-1]]
		if isHidden(before, first.start) {
			continue
		}
		touched := touches(faults, first.start, last.end)
		if level == hideBroken {
			balanced, whole := p.groupShape(g)
			if balanced && (whole || !touched) {
				continue
			}
		} else if !touched {
			continue
		}
		hidden = append(hidden[:len(hidden):len(hidden)], g.hide(p.directives, p.file.Macros)...)
	}
	return mergeMarks(hidden)
}

// hideDead hides the code in branches that are never compiled: it is no part of the program. Where
// such a group stands inside of a statement its directives are hidden too, as the grammar knows
// none there, if it is certain which branch is compiled.
func (p *parsing) hideDead() (out []Mark) {
	toks := p.scan.toks
	for _, g := range groups(p.directives) {
		marks := g.hide(p.directives, p.file.Macros)
		dead := false
		for _, m := range marks {
			i := sort.Search(len(toks), func(i int) bool { return int(toks[i].start) >= m.Start })
			dead = dead || m.Name == FixDeadBranch && i < len(toks) && int(toks[i].start) < m.End
		}
		if !dead {
			continue // or directives alone
		}
		balanced, whole := p.groupShape(g)
		switch {
		case balanced && whole:
			for _, m := range marks {
				if m.Name == FixDeadBranch {
					out = append(out, m)
				}
			}
		case g.decided(p.directives, p.file.Macros):
			out = append(out, marks...)
		}
	}
	return out
}

// groupShape looks at the text of a group's branches: balanced, the brackets of each branch match; whole, each branch
// also is a list of complete statements or declarations, and so no trouble to the grammar.
func (p *parsing) groupShape(g group) (balanced, whole bool) {
	toks, src := p.scan.toks, p.scan.src
	i := sort.Search(len(toks), func(i int) bool { return int(toks[i].start) >= p.directives[g.parts[0]].start })
	whole = i == 0 || endsStatement(src[toks[i-1].start])
	for k := range g.parts[:len(g.parts)-1] {
		end := p.directives[g.parts[k+1]].start
		depth, last := 0, byte(';')
		for ; i < len(toks) && int(toks[i].start) < end; i++ {
			last = src[toks[i].start]
			if toks[i].kind != tokPunct {
				last = 'x'
			}
			switch last {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				if depth--; depth < 0 {
					return false, false
				}
			}
		}
		if depth != 0 {
			return false, false
		}
		whole = whole && endsStatement(last)
	}
	return true, whole
}

// endsStatement reports whether a statement or declaration may begin after a token that begins with c.
func endsStatement(c byte) bool { return c == ';' || c == '{' || c == '}' || c == ':' }

// errorSpans returns the ranges of ERROR and MISSING nodes by position.
func errorSpans(nodes []Node) (out []span) {
	end := -1
	for i := range nodes {
		n := &nodes[i]
		if n.Kind != KindError && n.Flags&FlagMissing == 0 || int(n.End) <= end {
			continue
		}
		out = append(out, span{int(n.Start), int(n.End)})
		end = int(n.End)
	}
	return out
}

func touches(spans []span, start, end int) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].end >= start })
	return i < len(spans) && spans[i].start <= end
}

func isHidden(marks []Mark, at int) bool {
	return slices.ContainsFunc(marks, func(m Mark) bool { return m.Start <= at && at < m.End })
}

// chosen returns the branch of the group to keep: the first one that is not certainly left out. -1 means none.
func (g group) chosen(directives []directive, macros *Macros) int {
	return slices.IndexFunc(g.parts[:len(g.parts)-1], func(part int) bool {
		v := macros.verdicts[directives[part].start]
		return !v.known || v.value
	})
}

// hide returns marks for all of the group but the chosen branch.
func (g group) hide(directives []directive, macros *Macros) (out []Mark) {
	keep, line := g.chosen(directives, macros), FixDirective
	if g.decided(directives, macros) {
		line = FixDecidedDirective
	}
	for i, part := range g.parts {
		d := directives[part]
		out = append(out, Mark{Kind: MarkFix, Name: line, Start: d.start, End: d.end})
		if i == keep || i == len(g.parts)-1 {
			continue
		}
		name := FixInactiveBranch
		if v := macros.verdicts[d.start]; v.known && !v.value || g.decidedBefore(i, keep, directives, macros) {
			name = FixDeadBranch
		}
		out = append(out, Mark{Kind: MarkFix, Name: name, Start: d.end, End: directives[g.parts[i+1]].start})
	}
	return out
}

// decidedBefore reports whether branch i comes after the kept one, which is certainly compiled.
func (g group) decidedBefore(i, keep int, directives []directive, macros *Macros) bool {
	if keep < 0 || i < keep {
		return false
	}
	v := macros.verdicts[directives[g.parts[keep]].start]
	return v.known && v.value
}

// mergeMarks sorts hidden ranges and drops those inside others.
func mergeMarks(marks []Mark) (out []Mark) {
	sort.SliceStable(marks, func(i, j int) bool {
		a, b := marks[i], marks[j]
		return a.Start < b.Start || a.Start == b.Start && a.End > b.End
	})
	for _, m := range marks {
		if m.Start >= m.End || len(out) > 0 && m.End <= out[len(out)-1].End {
			continue
		}
		out = append(out, m)
	}
	return out
}

// unclosedBrace returns the offset of a brace that is open at the end, whatever
// branches are compiled; -1 if there is none.
func (p *parsing) unclosedBrace() int {
	sc := p.scan
	var hidden []Mark
	for _, g := range groups(p.directives) {
		if balanced, _ := p.groupShape(g); !balanced && !g.decided(p.directives, p.file.Macros) {
			return -1
		}
		hidden = append(hidden, g.hide(p.directives, p.file.Macros)...)
	}
	hidden = mergeMarks(hidden)
	open, h := []int{-1}, 0
	for _, t := range sc.toks {
		if t.kind != tokPunct {
			continue
		}
		for h < len(hidden) && hidden[h].End <= int(t.start) {
			h++
		}
		if h < len(hidden) && hidden[h].Start <= int(t.start) {
			continue
		}
		switch sc.src[t.start] {
		case '{':
			open = append(open, int(t.start))
		case '}':
			open = open[:max(1, len(open)-1)]
		}
	}
	return open[len(open)-1]
}
