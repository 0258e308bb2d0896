package merge

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// delay proves that leading definitions of public rows can wait in registers, and be stored after the last of them:
// where a v-TB's turn then begins (PACT'12, Figure 6b).
//
//	#pragma unroll                               float s_waits[8];
//	for (int i = 0; i < 24; ++i)                 #pragma unroll
//	    s[i][t] = f(i);                          for (int i = 0; i < 24; ++i) {
//	                                                 const float s_value = f(i);
//	                                   -->           if (i < 16) s_private[i][t] = s_value;
//	                                                 else s_waits[i - 16] = s_value;
//	                                             }
//	                                             #pragma unroll
//	                                             for (int i = 16; i < 24; ++i) {
//	                                                 s_public[i - 16][t] = s_waits[i - 16];
//	                                             }
func (c *partition) delay(all []motion.Delay) {
	if len(all) == 0 || !c.canWait(all) {
		return
	}
	c.delays = append(c.delays, all)
	for i := range all {
		c.accessOf(all[i].Store.Kids[0]).waits = true
	}
}

// delay writes stores that wait.
func (w *partitionWriter) delay(all []motion.Delay) {
	f := w.Kernel.File
	var stores []string
	unrolled := map[*ir.Stmt]bool{}
	for i := range all {
		d := &all[i]
		a := w.proof.accessOf(d.Store.Kids[0])
		name := w.Fresh(w.proof.array.Name + "_waits")
		if d.Loop == nil {
			stores = append(stores, w.waitAlone(d, a, name)...)
			continue
		}
		lines := []string{fmt.Sprintf("%s %s[%d];", d.Type, name, d.To-d.From)}
		if !d.Unrolled && !unrolled[d.Loop] {
			unrolled[d.Loop] = true
			lines = append(lines, "#pragma unroll")
		}
		if len(lines) == 2 && i > 0 && all[i-1].Loop == d.Loop {
			lines[0], lines[1] = lines[1], lines[0]
		}
		w.InsertBefore(f, d.Loop.Outer.Start, lines...)
		stores = append(stores, w.waitInLoop(d, a, name)...)
	}
	last := all[len(all)-1].Top
	w.InsertAfter(f, kit.StmtEnd(f, last), last.Outer.Start, stores...)
}

// canWait reports whether the text of all delays can be taken apart.
func (c *partition) canWait(all []motion.Delay) bool {
	f := c.Kernel.File
	for i := range all {
		d := &all[i]
		a := c.accessOf(d.Store.Kids[0])
		if a == nil || a.use.End > 0 || c.equals(d) < 0 || !kit.FirstOnLine(f, d.Top.Outer.Start) || !kit.OneLine(a.text[a.nameAt:a.tail]) {
			return false
		}
		if d.Loop == nil {
			if d.Stmt.Parent == nil || d.Stmt.Parent.Op != ir.StmtCompound {
				return false
			}
			continue
		}
		if c.headTail(d) == "" || !kit.OneLine(kit.Text(f, d.Loop.Init.Range)) || d.Loop.Init.Macro {
			return false
		}
	}
	return true
}

func (c *partition) accessOf(e *ir.Expr) *access {
	return lists.Find(c.accesses, func(a *access) bool { return a.element == e })
}

// equals is the offset of the assignment's equals sign, -1 if it can't be found.
func (c *partition) equals(d *motion.Delay) int {
	from := d.Store.Kids[0].Range.End
	if eq := kit.TopLevelEquals(kit.Text(c.Kernel.File, ir.Range{Start: from, End: d.Store.Range.End})); eq >= 0 {
		return from + eq
	}
	return -1
}

// headTail is the head of a loop from its condition on, "; i < n; ++i)", "" if it can't be repeated.
func (c *partition) headTail(d *motion.Delay) string {
	f := c.Kernel.File
	head := strings.TrimSpace(string(f.Src[d.Loop.Range.Start:d.Loop.Body.Outer.Start]))
	first := strings.IndexByte(head, ';')
	if first < 0 || !kit.OneLine(head) || !strings.HasSuffix(head, ")") || !strings.HasPrefix(head, "for") {
		return ""
	}
	if d.To == d.Count {
		return head[first:]
	}
	second := strings.IndexByte(head[first+1:], ';')
	if second < 0 {
		return ""
	}
	return fmt.Sprintf("; %s < %d", d.Counter.Name, d.To*d.Step) + head[first+1+second:]
}

// waitAlone takes a store apart that stands in no loop.
func (w *partitionWriter) waitAlone(d *motion.Delay, a *access, name string) []string {
	f := w.Kernel.File
	w.Buffer(f).Replace(d.Stmt.Range.Start, w.proof.equals(d), fmt.Sprintf("const %s %s ", d.Type, name))
	if !d.Mixed {
		return []string{w.side(a, 1) + " = " + name + ";"}
	}
	row := w.rowText(a)
	v := kit.Values{"row": row, "p": w.proof.private, "own": w.side(a, -1), "public": w.side(a, 1), "name": name}
	w.InsertAfter(f, kit.StmtEnd(f, d.Stmt), d.Stmt.Range.Start, kit.Cuda("if ($row < $p) $own = $name;", v)...)
	return kit.Cuda("if ($row >= $p) $public = $name;", v)
}

// waitInLoop takes a store apart that stands in a counted loop, and returns the loop that stores what waits.
func (w *partitionWriter) waitInLoop(d *motion.Delay, a *access, name string) []string {
	f := w.Kernel.File
	b := w.Buffer(f)
	row := w.rowText(a)
	counter := d.Counter.Name
	index := counter
	if d.Step > 1 {
		index += fmt.Sprintf(" / %d", d.Step)
	}
	if d.From > 0 {
		index += fmt.Sprintf(" - %d", d.From)
	}
	register := name + "[" + index + "]"
	if d.From == 0 && d.To == d.Count && !d.Mixed {
		b.Replace(d.Store.Kids[0].Range.Start, d.Store.Kids[0].Range.End, register)
	} else {
		value := w.Fresh(w.proof.array.Name + "_value")
		low := fmt.Sprintf("%s < %d", row, w.proof.private)
		if !d.Mixed && uniformity.Of(w.Kernel, w.Kernel.Func, a.row()) > analysis.GridUniform {
			// All threads store on one side: a condition that is known when the loop is unrolled.
			switch {
			case d.To == d.Count:
				low = fmt.Sprintf("%s < %d", counter, d.From*d.Step)
			case d.From == 0:
				low = fmt.Sprintf("%s >= %d", counter, d.To*d.Step)
			}
		}
		open, closing := "", ""
		if d.Stmt.Parent == d.Loop {
			open, closing = "{ ", " }"
		}
		b.Replace(d.Stmt.Range.Start, w.proof.equals(d), fmt.Sprintf("%sconst %s %s ", open, d.Type, value))
		w.InsertAfter(f, kit.StmtEnd(f, d.Stmt), d.Stmt.Range.Start,
			kit.Cuda(`
if ($low) $own = $value;
else $register = $value;$closing
`, kit.Values{"low": low, "own": w.side(a, -1), "value": value, "register": register, "closing": closing})...)
	}
	store := w.side(a, 1) + " = " + register + ";"
	if d.Mixed {
		store = fmt.Sprintf("if (%s >= %d) ", row, w.proof.private) + store
	}
	return kit.Cuda(`
#pragma unroll
for ($type $i = $from$tail {
    $store
}
`, kit.Values{"type": d.Counter.Type, "i": counter, "from": d.From * d.Step, "tail": w.proof.headTail(d), "store": store})
}
