package nvcc

import (
	"regexp"
	"slices"
	"strings"
)

// flow is the control flow of one function of the listing, by instruction.
type flow struct {
	next    [][]int // successors of each instruction
	before  [][]int
	reached []bool
}

var (
	targetName = regexp.MustCompile("`\\(([^)]+)\\)")
	listedName = regexp.MustCompile(`\.L_x_\d+`)
)

// flowOf builds the control flow. Waiting points (SSY and BSSY name one, SYNC and
// BSYNC go there) are taken as jumps to the nearest one named before.
func flowOf(f *function) *flow {
	n := len(f.instructions)
	g := &flow{next: make([][]int, n), before: make([][]int, n), reached: make([]bool, n)}
	for i := range f.instructions {
		in := &f.instructions[i]
		var to []int
		ends := in.predicate == "" // nothing falls through
		base, _, _ := strings.Cut(in.opcode, ".")
		switch base {
		case "BRA", "JMP", "BRX", "JMX", "BRXU", "JMXU":
			to = f.targets(in)
			// A branch that depends on an operand: BRA.DIV, BRA P0, `(.L_x_1)
			ends = ends && !strings.Contains(in.opcode, ".DIV") && !strings.HasPrefix(strings.TrimLeft(in.operands, "!"), "P") &&
				!strings.HasPrefix(strings.TrimLeft(in.operands, "!"), "UP")
		case "CALL", "CAL", "JCAL":
			// ptxas writes some jumps within a function as calls.
			to, ends = f.targets(in), false
		case "SYNC", "BSYNC", "BRK", "CONT":
			to = f.waiting(i, base)
			ends = ends && len(to) > 0
		case "EXIT", "RET":
			// these end it, where no predicate holds them
		default:
			ends = false
		}
		if !ends && i+1 < n {
			to = append(to, i+1)
		}
		g.next[i] = to
		for _, t := range to {
			g.before[t] = append(g.before[t], i)
		}
	}
	g.reach()
	return g
}

// targets returns the instructions that a jump names.
func (f *function) targets(in *instruction) []int {
	var out []int
	for _, m := range targetName.FindAllStringSubmatch(in.operands, -1) {
		if i, ok := f.labels[m[1]]; ok && i < len(f.instructions) {
			out = append(out, i)
		}
	}
	if len(out) == 0 { // BRX R2 -0x10 (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)
		for _, name := range listedName.FindAllString(in.operands, -1) {
			if i, ok := f.labels[name]; ok && i < len(f.instructions) && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}

// waiting returns where an instruction such as SYNC goes on: the place that the last
// matching instruction before it has named.
func (f *function) waiting(at int, base string) []int {
	opener := map[string]string{"SYNC": "SSY", "BSYNC": "BSSY", "BRK": "PBK", "CONT": "PCNT"}[base]
	register, _, _ := strings.Cut(f.instructions[at].operands, ",")
	for i := at - 1; i >= 0; i-- {
		in := &f.instructions[i]
		name, _, _ := strings.Cut(in.opcode, ".")
		if name != opener {
			continue
		}
		if base == "BSYNC" && !strings.HasPrefix(in.operands, strings.TrimSpace(register)+",") {
			continue
		}
		to := f.targets(in)
		if len(to) == 1 && (to[0] > at || base == "CONT") {
			return to
		}
	}
	return nil
}

// reach finds what is done at all: what follows the last EXIT fills up the
// code or stops a processor that went astray.
func (g *flow) reach() {
	if len(g.next) == 0 {
		return
	}
	todo := []int{0}
	g.reached[0] = true
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, t := range g.next[i] {
			if !g.reached[t] {
				g.reached[t] = true
				todo = append(todo, t)
			}
		}
	}
}

// dominators returns the immediate dominator of each instruction that is reached (Cooper, Harvey and Kennedy, "A
// simple, fast dominance algorithm"), and the instructions' numbers in reverse postorder.
func (g *flow) dominators() (idom, order []int) {
	n := len(g.next)
	idom, order = make([]int, n), make([]int, n)
	for i := range idom {
		idom[i], order[i] = -1, -1
	}
	if n == 0 {
		return idom, order
	}
	sequence := g.reversePostorder()
	for i, node := range sequence {
		order[node] = i
	}
	idom[0] = 0
	for changed := true; changed; {
		changed = false
		for _, node := range sequence[1:] {
			best := -1
			for _, p := range g.before[node] {
				if idom[p] < 0 {
					continue
				}
				if best < 0 {
					best = p
					continue
				}
				for a := p; a != best; {
					for order[a] > order[best] {
						a = idom[a]
					}
					for order[best] > order[a] {
						best = idom[best]
					}
				}
			}
			if best != idom[node] {
				idom[node], changed = best, true
			}
		}
	}
	return idom, order
}

func (g *flow) reversePostorder() []int {
	type visit struct{ node, next int }
	var out []int
	seen := make([]bool, len(g.next))
	stack := []visit{{0, 0}}
	seen[0] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(g.next[top.node]) {
			out = append(out, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		to := g.next[top.node][top.next]
		top.next++
		if !seen[to] {
			seen[to] = true
			stack = append(stack, visit{to, 0})
		}
	}
	slices.Reverse(out)
	return out
}

// cycle is a natural loop: all that can run again after its head without leaving it.
type cycle struct {
	head int
	last int // the instruction that jumps back, the last one of them
	body []bool
	size int
}

// cycles returns the natural loops, the larger ones first. A jump back into
// the middle of a loop from outside (irreducible control flow) makes none.
func (g *flow) cycles() []*cycle {
	idom, order := g.dominators()
	dominates := func(a, b int) bool {
		for order[b] > order[a] {
			b = idom[b]
		}
		return a == b
	}
	byHead := map[int]*cycle{}
	var out []*cycle
	for from := range g.next {
		if !g.reached[from] {
			continue
		}
		for _, head := range g.next[from] {
			if !dominates(head, from) {
				continue
			}
			c := byHead[head]
			if c == nil {
				c = &cycle{head: head, body: make([]bool, len(g.next))}
				c.body[head], c.size = true, 1
				byHead[head] = c
				out = append(out, c)
			}
			c.last = max(c.last, from)
			todo := []int{from}
			for len(todo) > 0 {
				i := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				if c.body[i] {
					continue
				}
				c.body[i] = true
				c.size++
				for _, p := range g.before[i] {
					if g.reached[p] {
						todo = append(todo, p)
					}
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *cycle) int { return b.size - a.size })
	return out
}
