package nvcc

import (
	"cmp"
	"slices"
	"strconv"
)

// count makes the listing of a kernel. rename gives files the request's names.
func (c *code) count(rename func(Place) Place) *Listing {
	l := &Listing{}
	type key struct {
		place, in Place
		loop      int
		called    bool
	}
	sums, all := map[key]Counts{}, accesses{}
	for n := range c.functions {
		f := &c.functions[n]
		for i := range f.instructions {
			in := &f.instructions[i]
			in.place, in.in = rename(in.place), rename(in.in)
		}
		called := n > 0
		g := flowOf(f)
		loopOf := l.addLoops(f, g, called)
		waits := f.loadWaits()
		for i := range f.instructions {
			if !g.reached[i] {
				continue
			}
			in := &f.instructions[i]
			in.reached, in.loop = true, loopOf[i]
			k := key{in.place, in.in, loopOf[i], called}
			one := countOf(in.opcode)
			one.LoadWaits = waits[i]
			sums[k] = sums[k].Add(one)
			all.add(part{loopOf[i], called}, in.chain, one)
		}
	}
	for k, sum := range sums {
		l.Lines = append(l.Lines, LineCounts{Place: k.place, In: k.in, Loop: k.loop, Called: k.called, Counts: sum})
	}
	slices.SortFunc(l.Lines, func(a, b LineCounts) int {
		return cmp.Or(comparePlaces(a.Place, b.Place), comparePlaces(a.In, b.In), cmp.Compare(a.Loop, b.Loop),
			cmp.Compare(strconv.FormatBool(a.Called), strconv.FormatBool(b.Called)))
	})
	l.compareUnrolled(all)
	return l
}

// addLoops adds the loops of a function and returns the innermost one of each
// instruction, -1 for none.
func (l *Listing) addLoops(f *function, g *flow, called bool) []int {
	loopOf := make([]int, len(f.instructions))
	for i := range loopOf {
		loopOf[i] = -1
	}
	for _, c := range g.cycles() { // outer ones first, so that inner ones overwrite
		branch := &f.instructions[c.last]
		loop := Loop{
			ID: len(l.Loops), Parent: loopOf[c.head], Depth: 1, Called: called,
			From: f.instructions[c.head].address, To: branch.address, Branch: branch.place, BranchIn: branch.in, Step: f.step(c, g),
		}
		if loop.Parent >= 0 {
			loop.Depth = l.Loops[loop.Parent].Depth + 1
		}
		for i, inside := range c.body {
			if !inside {
				continue
			}
			loopOf[i] = loop.ID
			if at := f.instructions[i].in; at.File == branch.in.File && at.Line > 0 {
				if loop.First == 0 || at.Line < loop.First {
					loop.First = at.Line
				}
				loop.Last = max(loop.Last, at.Line)
			}
		}
		l.Loops = append(l.Loops, loop)
	}
	return loopOf
}
