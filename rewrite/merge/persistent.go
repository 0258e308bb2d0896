package merge

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Where blocks are persistent, a launch starts as many as are resident at once, and each
// runs one group of v-TBs after the other. What the kernel does stands in a loop:
//
//	const smux::vtb_named<2, 64> vtb(g);        smux::persistent<smux::vtb_named<2, 64>, 2> vtb(g);
//	if (!vtb.active) return;                    vtb.start();
//	const uint3 blockIdx = vtb.block;           for (; vtb.active; vtb.next()) {
//	vtb.start();                                const uint3 blockIdx = vtb.block;
//	...                                -->      ...
//	vtb.finish();                               }  // the next group
//	                                            vtb.finish();
//
// Turns go on from group to group as they do from region to region. Nothing is live in shared memory between v-TBs
// that take turns, which regions are found by; all other variables of a v-TB are declared in the loop.

// persistent reports whether blocks loop over groups of v-TBs.
func (p *mergeProof) persistent() bool {
	return p.Persistent && p.perVTBBarriers() && !p.independent()
}

// between is a barrier between two groups, "" where none is needed: what v-TBs take turns with is not in use there,
// but rows that a v-TB owns are read until its last thread is through, and written again by its first one.
func (p *merger) between() string {
	if !p.meetsBetween() {
		return ""
	}
	return p.vtb + ".sync(), "
}

func (p *mergeProof) meetsBetween() bool { return p.persistent() && len(p.privatized) > 0 }

// checkPersistent proves that a thread can run the kernel's body once for each group.
func (p *mergeProof) checkPersistent() {
	if !p.persistent() {
		return
	}
	k := p.Kernel
	refuse := func(at int, format string, args ...any) { p.Refuse(k.File, at, CodePersistent, format, args...) }
	if !p.fixed() {
		refuse(k.View.Start, "the blocks of its launches are not of one shape: which of them are merged, the length of the grid would no longer tell")
	}
	if p.Sync == variant.SyncNamed && !p.startsAtOnce() {
		refuse(k.View.Start, "threads may leave before the first turn, which the last v-TB of a group gives only once")
	}
	changes := k.EffectOf(k.Func, k.Func.Body)
	for _, v := range k.Func.Params {
		if len(v.Writes) > 0 || v.AddrTaken || v.Type.Ref || !v.Type.Const && v.Type.Ptr == 0 && changes.MayWrite(v) {
			refuse(v.Range.Start, "parameter %s changes: the next v-TB would begin with another value", v.Name)
		}
	}
	for _, fn := range k.Functions {
		for _, v := range fn.Vars {
			if v.Static && v.Kind != ir.VarShared && !v.Type.Const {
				p.Refuse(fn.File, v.Range.Start, CodePersistent, "%s keeps its value from one v-TB to the next", v.Name)
			}
		}
	}
	for _, e := range k.Exits {
		s := e.Stmt
		if s.Macro || !strings.HasPrefix(kit.Text(k.File, s.Range), "return") {
			p.Refuse(k.File, s.Range.Start, kit.CodeMacro, "a macro spells this return")
			continue
		}
		for q := s.Parent; q != nil; q = q.Parent {
			if q.IsLoop() || q.Op == ir.StmtSwitch {
				refuse(s.Range.Start, "this return would have to go on with the next v-TB from inside of a loop or switch")
				break
			}
		}
	}
}

// hidesThreads reports whether the kernel can get its thread numbers from the v-TB, which
// hides from the compiler that they stay: else it keeps in registers, from group to group,
// what it computes of them. Lambdas and local classes would not see the local name.
func (p *mergeProof) hidesThreads() bool {
	k := p.Kernel
	body := string(k.File.Src[k.View.Body.Start:k.View.Body.End])
	return len(kit.WordOffsets(body, "threadIdx")) > 0 && len(kit.WordOffsets(body, "struct")) == 0 && len(kit.WordOffsets(body, "class")) == 0 &&
		!k.Func.Body.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpLambda })
}

// persistentType is the type of the v-TB object.
func (p *mergeProof) persistentType() string {
	args := []string{p.vtbType(), fmt.Sprint(p.Factor)}
	if p.GridAxis != "" {
		args = append(args, along(p.Variant))
	}
	return "smux::persistent" + templateArguments(nil, args...)
}

// emitGroups closes the loop over the groups that the prologue opens, and has returns go on with the next group.
func (p *merger) emitGroups() {
	if !p.persistent() {
		return
	}
	k := p.Kernel
	b := p.Buffer(k.File)
	for _, e := range k.Exits {
		at := e.Stmt.Range.Start
		b.Replace(at, at+len("return"), "continue")
	}
	lines := []string{"    }  // the next blocks"}
	if p.Sync == variant.SyncNamed {
		lines = append(lines, "    "+p.vtb+".finish();")
	}
	end := int(k.View.Body.End) - 1
	if !kit.FirstOnLine(k.File, end) {
		nl := k.File.Newline()
		b.Insert(end, nl+strings.Join(lines, nl)+nl)
		return
	}
	p.InsertBefore(k.File, end, lines...)
}

// checkResident proves that a launch can ask how many of its blocks are resident at once.
func (l *LaunchProof) checkResident(c *launchChange) {
	name, ok := l.kernelName(c.Launch)
	if !ok {
		l.Refuse(c.File, c.View.Open, CodePersistent, "this launch's arguments decide which kernel it starts, so it can't ask how many blocks are resident")
	}
	if bytes := c.config(2); c.View.Settings == nil && bytes != "" && strings.Trim(bytes, "0123456789") != "" {
		l.Refuse(c.File, c.View.Open, CodePersistent, "the bytes of shared memory of this launch are not a number, and decide how many blocks are resident at once")
	}
	c.most = name
}

// resident is the call that shortens the grid of a merged launch, with the bytes of its
// shared memory that the launch does not know, to the blocks that are resident at once.
func (c launchChange) resident(merged, bytes string) string {
	p := c.kernel
	threads := p.Factor * p.shape[0] * max(1, p.shape[1]) * max(1, p.shape[2])
	args := []string{fmt.Sprint(threads)}
	if p.GridAxis != "" {
		args = append(args, along(p.Variant))
	}
	text := "smux::resident" + templateArguments(nil, args...) + "(" + c.most + ", " + merged
	if bytes != "" && bytes != "0" {
		text += ", " + bytes
	}
	return text + ")"
}
