package regreduce

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// need says what an attempt still lacks; the parts count in their order.
type need struct {
	registers int // above those of the step, or very many where it is lost otherwise
	local     int // bytes more of stack than spilled words take: arrays that lay in registers
	spilled   int // bytes more than the kernel spills as it stands
	grown     int // instructions more than the rules allow
}

func (n need) less(o need) bool { return n.compare(o) < 0 }

func (n need) compare(o need) int {
	return cmp.Or(n.registers-o.registers, n.local-o.local, n.spilled-o.spilled, n.grown-o.grown)
}

// met says that nothing lacks.
func (n need) met() bool { return n == need{} }

// clean says that the step is reached and nothing is spilled.
func (n need) clean() bool { n.grown = 0; return n.met() }

// lost is the need of what failed, or needs too much of something else.
const lost = math.MaxInt32

// need of an attempt; -1 stands for one that was not made.
func (c *climber) need(i int) need {
	if i < 0 || c.report.Attempts[i].Failed != "" {
		return need{registers: lost}
	}
	a, was := c.report.Attempts[i], c.report.Attempts[original].Figures
	n := need{
		registers: max(0, a.Figures.Registers-c.report.Step.Demand.Registers),
		spilled:   max(0, a.Figures.Spills()-was.Spills()),
		grown:     max(0, a.Figures.Instructions-c.allowed()),
	}
	if a.Occupancy.Blocks < c.report.Step.Blocks && n.registers == 0 {
		n.registers = lost
	}
	n.local = max(0, a.Figures.Stack-was.Stack)
	if stored := a.Figures.SpillStores - was.SpillStores; stored > 0 {
		n.local = max(0, n.local-stored-stackAlignment)
	}
	return n
}

// stackAlignment is by how much a stack frame may be larger than what lies in it.
const stackAlignment = 16

// allowed returns the number of instructions that the kernel may have: those that it has as it stands and one for
// each word that the cap loads or stores in local memory, plus what the rules allow. Those of the cap are in it
// because at that occupancy the compiler can't do without them or something in their place; what takes their place is
// judged by SharedRatio, and what remains by MaxSpill, and neither is to be counted twice. The whole growth of the
// cap is not in it, so that a cap that blows the code up makes no room for others.
func (c *climber) allowed() int {
	was := c.report.Attempts[original].Figures
	n := was.Instructions
	if c.capped >= 0 && c.report.Attempts[c.capped].Failed == "" {
		n += max(0, c.report.Attempts[c.capped].Figures.Spills()-was.Spills()) / 4
	}
	return n + int(float64(n)*c.opt.Rules.Growth)
}

// against says which rule an attempt breaks on the target and by how much, "" for none.
func (c *climber) against(i int) string {
	a, was, step := c.report.Attempts[i], c.report.Attempts[original], c.report.Step
	if a.Occupancy.Blocks < step.Blocks || a.Occupancy.Occupancy <= was.Occupancy.Occupancy {
		return fmt.Sprintf("%d registers and %d bytes of shared memory give %s per SM, %d promised",
			a.Figures.Registers, a.Figures.Shared+c.subject.Dynamic, blocks(a.Occupancy.Blocks), step.Blocks)
	}
	but := lists.Filter([]string{c.againstSpills(i), c.againstShared(i), c.againstGrowth(i)}, func(why string) bool { return why != "" })
	if len(but) == 0 {
		return ""
	}
	return fmt.Sprintf("occupancy %.2f%s%s", a.Occupancy.Occupancy, asPromised, strings.Join(but, ", and "))
}

const asPromised = " as promised, but "

// againstSpills: at most MaxSpill bytes more than the kernel spills as it stands, and fewer than the cap alone spills
// where that spills any. The stack has not grown but for spilled words: an array that moves from registers to local
// memory is no spill to the compiler, and worse than one.
func (c *climber) againstSpills(i int) string {
	a, n := c.report.Attempts[i], c.need(i)
	switch {
	case n.local > 0:
		return fmt.Sprintf("%d bytes of stack, %d before", a.Figures.Stack, c.report.Attempts[original].Figures.Stack)
	case n.spilled > c.opt.Rules.MaxSpill:
		return fmt.Sprintf("%d bytes spilled, %d allowed", n.spilled, c.opt.Rules.MaxSpill)
	case n.spilled > 0 && c.capped >= 0 && i != c.capped && n.spilled >= c.need(c.capped).spilled:
		return fmt.Sprintf("%d bytes spilled, no less than by the cap alone", n.spilled)
	}
	return ""
}

// againstShared: weighted accesses to shared memory that were added, against those
// to local memory that went; both as against the same recipe without words.
func (c *climber) againstShared(i int) string {
	r := c.recipes[i]
	if len(r.Words) == 0 && !r.Spill {
		return ""
	}
	r.Words, r.Form, r.Spill = nil, "", false
	without, ok := c.known[r.String()]
	if !ok {
		without = original
	}
	now, was := c.report.Attempts[i].Figures, c.report.Attempts[without].Figures
	added, replaced := now.SharedWeight-was.SharedWeight, max(0, was.LocalWeight-now.LocalWeight)
	if added <= c.opt.Rules.SharedRatio*replaced {
		return ""
	}
	if replaced == 0 {
		return fmt.Sprintf("%.0f weighted accesses to shared memory take the place of none to local memory", added)
	}
	return fmt.Sprintf("%.0f weighted accesses to shared memory for %.0f to local memory, %.1f times as many, %.1f allowed",
		added, replaced, added/replaced, c.opt.Rules.SharedRatio)
}

// againstGrowth: static instructions, see allowed.
func (c *climber) againstGrowth(i int) string {
	if c.need(i).grown == 0 {
		return ""
	}
	was := c.report.Attempts[original].Figures.Instructions
	if was == 0 {
		return "the instructions of the kernel as it stands are not known"
	}
	percent := func(n int) float64 { return 100 * float64(n-was) / float64(was) }
	return fmt.Sprintf("%.1f %% more instructions, %.1f %% allowed", percent(c.report.Attempts[i].Figures.Instructions), percent(c.allowed()))
}

// elsewhere compiles an attempt for the other GPUs and says on which it makes things worse: fewer warps at once, or
// more bytes spilled than MaxSpill. A GPU that the kernel can't be compiled for as it stands doesn't count.
func (c *climber) elsewhere(i int) (string, error) {
	others := lists.Filter(c.opt.GPUs, func(g *gpu.GPU) bool { return g != c.target && c.compiler.Arch(g) != "" })
	figures, errs, err := c.forEach(others, c.recipes[i])
	if err != nil {
		return "", err
	}
	var worse []string
	for _, g := range others {
		arch := c.compiler.Arch(g)
		was, ok := c.originals[arch]
		if !ok {
			continue
		}
		before, _ := occupancy.Compute(g, c.demand(was, 0))
		if errs[arch] != nil {
			worse = append(worse, fmt.Sprintf("on %s it fails: %s", g, reasonOf(errs[arch])))
			continue
		}
		now := figures[arch]
		after, _ := occupancy.Compute(g, c.demand(now, c.words(c.recipes[i])))
		a := &c.report.Attempts[i]
		a.Elsewhere = append(a.Elsewhere, Elsewhere{GPU: g.String(), Figures: now, Occupancy: after, Before: before})
		switch more := now.Spills() - was.Spills(); {
		case after.Warps < before.Warps:
			worse = append(worse, fmt.Sprintf("on %s %s run instead of %d", g, blocks(after.Blocks), before.Blocks))
		case more > c.opt.Rules.MaxSpill:
			worse = append(worse, fmt.Sprintf("on %s %d bytes are spilled, %d allowed", g, more, c.opt.Rules.MaxSpill))
		}
	}
	return strings.Join(worse, "; "), nil
}

// forEach compiles the kernel as it stands and under a recipe for each architecture of some GPUs.
func (c *climber) forEach(gpus []*gpu.GPU, r variant.Recipe) (map[string]Figures, map[string]error, error) {
	figures, errs := map[string]Figures{c.arch: c.report.Attempts[c.known[r.String()]].Figures}, map[string]error{}
	var recipes []variant.Recipe
	var archs []string
	seen := map[string]bool{c.arch: true}
	for _, g := range gpus {
		arch := c.compiler.Arch(g)
		if seen[arch] {
			continue
		}
		seen[arch] = true
		if _, known := c.originals[arch]; !known && !c.unbuilt[arch] {
			recipes, archs = append(recipes, variant.Recipe{}), append(archs, arch)
		}
		recipes, archs = append(recipes, r), append(archs, arch)
	}
	made, failed := c.compile(c.report.Attempts[c.known[r.String()]].Rung, recipes, archs, c.opt.Listed)
	if err := c.ctx.Err(); err != nil {
		return nil, nil, err
	}
	for i, arch := range archs {
		made[i].Arch = arch
		switch asItStands := recipes[i].String() == ""; {
		case asItStands && failed[i] == nil:
			c.originals[arch] = made[i]
		case asItStands:
			c.unbuilt[arch] = true
		case failed[i] != nil:
			errs[arch] = failed[i]
		default:
			figures[arch] = made[i]
		}
	}
	return figures, errs, nil
}
