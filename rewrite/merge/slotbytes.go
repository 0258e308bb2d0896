package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Words that move to dynamic shared memory lie after the kernel's own, and each launch asks for so much more. That a
// thread block can have that is proved: a launch without it has no other form.
//
//	k<<<g, b>>>(a);        -->  k<<<g, b, smux::slot_bytes<3>(b)>>>(a);
//	k<<<g, b, n, s>>>(a);  -->  k<<<g, b, smux::slot_bytes<3>(b, n), s>>>(a);

// slotBytes proves that a launch can ask for more dynamic shared memory.
func (l *LaunchProof) slotBytes(p *kit.Findings, launch *analysis.Launch, e *ir.Expr, host *ir.Func) {
	f, v := launch.File, launch.View
	if !l.Editable[f] {
		l.Refuse(f, v.Open, kit.CodeFile, "the launch must change, in a file that was not named for rewriting")
		return
	}
	if !l.repeatableBlock(host, e.Kids[1]) {
		l.Refuse(f, e.Kids[1].Range.Start, CodeLaunch, "the block expression may have side effects or change, and would be evaluated twice")
		return
	}
	static := 0
	for _, q := range l.Proofs {
		static = max(static, q.Found().PaddedStatic())
	}
	l.slotsFit(p, launch, static)
	l.launches = append(l.launches, launchChange{Launch: launch, static: static, words: p.SlotWords})
}

// growBytes lets a launch ask for its words.
func (c launchChange) growBytes(b *edit.Buffer) {
	v := c.View
	call := fmt.Sprintf("smux::slot_bytes<%d>(", c.words)
	if c.static > 0 {
		call = fmt.Sprintf("smux::slot_bytes<%d, %d>(", c.words, c.static)
	}
	call += c.config(1)
	if len(v.Config) < 3 {
		last := v.Config[1]
		if v.Packed != nil {
			last = v.Packed
		}
		b.Insert(int(last.End), ", "+call+")")
		return
	}
	b.Insert(int(v.Config[2].Start), call+", ")
	b.Insert(int(v.Config[2].End), ")")
}

// slotsFit proves that a thread block of a launch can have the bytes that the launch asks for, beside static ones: as
// many as smux::slot_bytes makes of the most threads that its blocks may have.
func (l *LaunchProof) slotsFit(p *kit.Findings, launch *analysis.Launch, static int) {
	own, threads := 0, 0
	text := strings.TrimSpace(configText(launch, 2))
	for _, in := range launches.InstancesOf(p.Kernel, launch) {
		if in.DynamicBytes == 0 && text != "" && text != "0" {
			l.Refuse(launch.File, launch.View.Open, kit.CodeSharedSize, "the dynamic shared memory that this launch asks for is unknown: words may not fit beside it")
			return
		}
		own = max(own, in.DynamicBytes)
		if d, known := in.BlockShape(); known && !in.Told {
			threads = max(threads, d[0]*d[1]*d[2])
		} else {
			threads = hardware.MaxThreadsPerBlock
		}
	}
	all := threads*p.SlotWords*4 + static
	if own > 0 {
		all += (own+3)/4*4 + kit.SlotGap
	}
	if all > hardware.SharedPerBlock {
		l.Refuse(launch.File, launch.View.Open, kit.CodeSharedSize, "%d words for each of up to %d threads take the shared memory of a block to %d bytes: more than the %d that it can have", p.SlotWords, threads, all, hardware.SharedPerBlock)
	}
}

// repeatableBlock reports whether a block expression can be evaluated twice: one that an earlier rewrite made, too.
func (l *LaunchProof) repeatableBlock(host *ir.Func, e *ir.Expr) bool {
	if e.Op == ir.OpMember && e.Kids[0].Op == ir.OpCall && e.Kids[0].Qual == "smux" {
		e = e.Kids[0]
	}
	if e.Op != ir.OpCall || e.Qual != "smux" {
		return l.Prog.Effect(host, e).Repeatable()
	}
	return !slices.ContainsFunc(e.Args(), func(a *ir.Expr) bool { return !l.repeatableBlock(host, a) })
}

// slotAttribute refuses a call that allows the kernel an amount of dynamic shared
// memory: its launches ask for more than that now.
func (l *LaunchProof) slotAttribute(f *parser.File, call *parser.Node) {
	if l.first().SlotWords > 0 && allowsBytes(f, call) {
		l.Refuse(f, int(call.Start), kit.CodeSharedSize, "the kernel is allowed an amount of shared memory here, which may be too little with the words that move there")
	}
}
