package nvcc

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
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

// addLoops adds the loops of a function and returns the innermost one of each instruction, -1 for none.
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

var registerForm = regexp.MustCompile(`\bR([0-9]+)\b`)

// flight is a load from global memory whose result nothing has used yet.
type flight struct {
	at       int // of the instruction
	from, to int // registers
	together int // the most that were under way at once, itself included
}

// loadWaits returns how much of a wait for global memory each load stands for: one over the loads that are under way
// with it, until the first instruction that needs its result. So a batch that comes back together adds up to one
// wait, and a loop that loads ahead to as few as it keeps many under way. The code is read as it stands: a load at
// the end of a loop that is used at its top is taken to be under way after the loop.
func (f *function) loadWaits() []float64 {
	waits := make([]float64, len(f.instructions))
	var out []flight
	for i := range f.instructions {
		in := &f.instructions[i]
		isLoad := classOf(in.opcode) == globalLoad
		if !isLoad && len(out) == 0 {
			continue
		}
		used := registersOf(in.operands)
		kept := out[:0]
		for _, l := range out {
			if slices.ContainsFunc(used, func(r int) bool { return r >= l.from && r < l.to }) {
				waits[l.at] = 1 / float64(l.together)
			} else {
				kept = append(kept, l)
			}
		}
		out = kept
		if !isLoad {
			continue
		}
		to, _, _ := strings.Cut(in.operands, ",")
		l := flight{at: i, from: -1, to: -1}
		if r := registersOf(to); len(r) > 0 {
			l.from, l.to = r[0], r[0]+max(1, width(in.opcode)/4)
		}
		out = append(out, l)
		for j := range out {
			out[j].together = max(out[j].together, len(out))
		}
	}
	for _, l := range out {
		waits[l.at] = 1 / float64(l.together)
	}
	return waits
}

func registersOf(operands string) (out []int) {
	for _, m := range registerForm.FindAllStringSubmatch(operands, -1) {
		r, _ := strconv.Atoi(m[1])
		out = append(out, r)
	}
	return out
}

// access is a kind of memory access or barrier at a place, which the chain of
// calls that were inlined there is part of.
type access struct {
	chain string
	kind  int
}

const barrierKind = 0

// accesses are the memory accesses and barriers of each loop's body without inner loops, and of the code outside all
// loops (-1). They show how far a loop was unrolled, since the compiler often merges arithmetic of several turns, but
// seldom these.
type accesses map[part]map[access]int

// part is a loop's body, or what is outside loops, in the kernel's own code or in functions that are called.
type part struct {
	loop   int
	called bool
}

func (a accesses) add(at part, chain string, c Counts) {
	body := a[at]
	if body == nil {
		body = map[access]int{}
		a[at] = body
	}
	for kind, n := range []int{c.Barriers, c.SharedLoadBytes, c.SharedStoreBytes, c.GlobalLoadBytes, c.GlobalStoreBytes,
		c.SharedAtomics, c.GlobalAtomics, c.TextureLoads} {
		if n > 0 {
			body[access{chain, kind}] += n
		}
	}
}

// compareUnrolled sets Unrolled of all loops. A line has one barrier as a rule, so several of them in a loop are
// several turns. Without a barrier, the copies of a body are compared: beside an unrolled loop there is a remainder
// loop, or there are single turns outside of loops.
func (l *Listing) compareUnrolled(all accesses) {
	for i := range l.Loops {
		loop := &l.Loops[i]
		mine := all[part{i, loop.Called}]
		if loop.Unrolled = fewestBarriers(mine); loop.Unrolled > 0 {
			continue
		}
		var copies []map[access]int
		for j := range l.Loops {
			if i != j && loop.Parent == l.Loops[j].Parent && loop.Called == l.Loops[j].Called {
				copies = append(copies, all[part{j, loop.Called}])
			}
		}
		copies = append(copies, all[part{loop.Parent, loop.Called}])
		loop.Unrolled = turns(mine, copies)
	}
}

func fewestBarriers(body map[access]int) int {
	fewest := 0
	for a, n := range body {
		if a.kind == barrierKind && (fewest == 0 || n < fewest) {
			fewest = n
		}
	}
	return fewest
}

// turns compares a body with copies that hold all of its accesses: one turn has what divides the counts of all
// copies. It returns 0 where there is no copy, or where the accesses disagree.
func turns(body map[access]int, copies []map[access]int) int {
	times := 0
	for a, n := range body {
		one := n
		for _, c := range copies {
			if containsAll(c, body) {
				one = gcd(one, c[a])
			}
		}
		if times > 0 && n/one != times {
			return 0
		}
		times = n / one
	}
	if !slices.ContainsFunc(copies, func(c map[access]int) bool { return containsAll(c, body) }) {
		return 0
	}
	return times
}

func containsAll(c, body map[access]int) bool {
	for a := range body {
		if c[a] == 0 {
			return false
		}
	}
	return true
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// step finds by how much the counter changes in one turn of a loop: the register
// that is compared for the predicate of the last jump back (or of a jump out of
// the loop), where constants are all that is added to it. 0 if there is none.
func (f *function) step(c *cycle, g *flow) int {
	ends := []int{}
	if f.instructions[c.last].predicate != "" {
		ends = append(ends, c.last)
	}
	for i, inside := range c.body {
		if inside && i != c.last && f.instructions[i].predicate != "" && slices.ContainsFunc(g.next[i], func(t int) bool { return !c.body[t] }) {
			ends = append(ends, i)
		}
	}
	for _, end := range ends {
		for _, register := range f.compared(c, end) {
			if n := f.increment(c, register); n != 0 {
				return n
			}
		}
	}
	return 0
}

var registerName = regexp.MustCompile(`^U?R\d+$`)

// operandsOf returns the operands without marks such as .reuse.
func operandsOf(in *instruction) []string {
	var out []string
	for o := range strings.SplitSeq(in.operands, ",") {
		out = append(out, strings.TrimSuffix(strings.TrimSpace(o), ".reuse"))
	}
	return out
}

// compared returns the registers that the predicate of an instruction was made from.
func (f *function) compared(c *cycle, end int) []string {
	predicate := strings.TrimLeft(f.instructions[end].predicate, "@!")
	for i := end - 1; i >= 0; i-- {
		in := &f.instructions[i]
		if !c.body[i] || !strings.HasPrefix(in.opcode, "ISETP") && !strings.HasPrefix(in.opcode, "UISETP") {
			continue
		}
		operands := operandsOf(in)
		if len(operands) < 3 || operands[0] != predicate && operands[1] != predicate {
			continue
		}
		return lists.Filter(operands[2:], registerName.MatchString)
	}
	return nil
}

// increment returns what a loop's body adds to a register in all; 0 where it does anything else to it, or nothing.
func (f *function) increment(c *cycle, register string) int {
	sum := 0
	for i, inside := range c.body {
		in := &f.instructions[i]
		if !inside || !writes(in, register) {
			continue
		}
		n, ok := constantAdded(in, register)
		if !ok {
			return 0
		}
		sum += n
	}
	return sum
}

// writes reports whether an instruction may set a register: as its first operand, or
// as part of a wider one that begins there or just before.
func writes(in *instruction, register string) bool {
	switch classOf(in.opcode) {
	case sharedStore, globalStore, localStore, branch, barrier:
		return false
	}
	operands := operandsOf(in)
	if operands[0] == register {
		return true
	}
	words := max(1, width(in.opcode)/4)
	if strings.Contains(in.opcode, ".WIDE") || strings.HasPrefix(in.opcode, "D") {
		words = 2
	}
	first, ok1 := registerNumber(operands[0])
	asked, ok2 := registerNumber(register)
	return ok1 && ok2 && operands[0][0] == register[0] && first < asked && asked < first+words
}

func registerNumber(register string) (int, bool) {
	if !registerName.MatchString(register) {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimLeft(register, "UR"))
	return n, err == nil
}

// constantAdded reads IADD3 R0, R0, 0x4, RZ and its kin.
func constantAdded(in *instruction, register string) (int, bool) {
	base, _, _ := strings.Cut(in.opcode, ".")
	if !slices.Contains([]string{"IADD3", "IADD", "IADD32I", "VIADD", "UIADD3", "UVIADD"}, base) || in.predicate != "" {
		return 0, false
	}
	self, sum, constants := 0, 0, 0
	for _, o := range operandsOf(in)[1:] {
		if o == register {
			self++
			continue
		}
		if n, err := strconv.ParseInt(o, 0, 64); err == nil {
			sum, constants = sum+int(int32(n)), constants+1
			continue
		}
		if o != "RZ" && o != "URZ" && !strings.HasPrefix(o, "P") && !strings.HasPrefix(o, "!P") && !strings.HasPrefix(o, "UP") && !strings.HasPrefix(o, "!UP") {
			return 0, false
		}
	}
	return sum, self == 1 && constants == 1
}
