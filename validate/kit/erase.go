package kit

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/units"
)

// barrierUnit spells every barrier of a whole thread block in comparisons.
const barrierUnit = "⟨barrier⟩"

// GroupMembers are the members of a cooperative_groups::thread_block that the v-TB object has, too, and how both are
// spelled.
var GroupMembers = map[string]string{"size": "size", "thread_rank": "thread_rank", "group_index": "block", "thread_index": "thread", "group_dim": "dim", "dim_threads": "dim"}

// tileNumbers are the members of a tile that say which tile of its thread block it is, and how many there are, and what
// of the block they part by the tile's size.
var tileNumbers = map[string]string{"meta_group_rank": "thread_rank", "meta_group_size": "size"}

// tilesBlock reports whether a variable is a tile of the thread block itself, of which gs are names.
func tilesBlock(fn *ir.Func, name string, gs map[string]bool) bool {
	named := slices.DeleteFunc(slices.Concat(fn.Vars, fn.Params), func(v *ir.Var) bool { return v.Name != name })
	return len(named) > 0 && !slices.ContainsFunc(named, func(v *ir.Var) bool {
		if v.Init == nil || v.Init.Op != ir.OpCall || v.Init.Name != "tiled_partition" || len(v.Init.Args()) != 1 {
			return true
		}
		return !IsBlock(v.Init.Args()[0], gs)
	})
}

// Groups returns the variables of a function that are its thread block as a group.
func Groups(fn *ir.Func) map[string]bool {
	out := map[string]bool{}
	for _, v := range append(append([]*ir.Var(nil), fn.Vars...), fn.Params...) {
		base := v.Type.Base[strings.LastIndex(v.Type.Base, ":")+1:]
		if base == "thread_block" || v.Type.IsAuto() && v.Init != nil && v.Init.Op == ir.OpCall && v.Init.Name == "this_thread_block" {
			out[v.Name] = true
		}
	}
	return out
}

// IsBlock reports whether an expression is the thread block as a group, of which groups are names.
func IsBlock(e *ir.Expr, groups map[string]bool) bool {
	return e.Op == ir.OpIdent && groups[e.Name] || e.Op == ir.OpCall && e.Name == "this_thread_block"
}

// spell writes units in the one way in which both texts are compared: barriers of the block, and what
// a group of the whole block is asked, have one name each.
func (al *Alignment) spell(s *units.Source, fn *ir.Func, us []units.Unit) (out []units.Unit) {
	gs := al.groupsOf(fn)
	for i := 0; i < len(us); {
		n, spelled := spellBarrier(us[i:], gs)
		if b, _, ok := units.Match(us[i:], "$ . $ ( )"); n == 0 && ok && gs[b[0]] && GroupMembers[b[1]] != "" {
			n, spelled = 5, "⟨block⟩."+GroupMembers[b[1]]
		}
		if b, _, ok := units.Match(us[i:], "$ . $ ( )"); n == 0 && ok && fn == al.Old && tileNumbers[b[1]] != "" && tilesBlock(fn, b[0], gs) {
			for _, text := range []string{"(", "⟨block⟩." + tileNumbers[b[1]], "/", b[0], ".", "size", "(", ")", ")"} {
				out = append(out, units.Unit{Text: text, Start: us[i].Start, End: us[i+4].End})
			}
			i += 5
			continue
		}
		if n == 0 {
			out = append(out, us[i])
			i++
			continue
		}
		out = append(out, units.Unit{Text: spelled, Start: us[i].Start, End: us[i+n-1].End})
		i += n
	}
	return out
}

// spellBarrier recognises a barrier of the block at the head of units: how many units it takes.
func spellBarrier(us []units.Unit, gs map[string]bool) (int, string) {
	if _, _, ok := units.Match(us, "__syncthreads ( )"); ok {
		return 3, barrierUnit
	}
	if b, _, ok := units.Match(us, "$ . sync ( )"); ok && gs[b[0]] {
		return 5, barrierUnit
	}
	if b, _, ok := units.Match(us, "$ : : sync ( $ )"); ok && gs[b[1]] {
		return 7, barrierUnit
	}
	if b, _, ok := units.Match(us, "sync ( $ )"); ok && gs[b[0]] {
		return 4, barrierUnit
	}
	if _, _, ok := units.Match(us, "this_thread_block ( ) . sync ( )"); ok {
		return 7, barrierUnit
	}
	if b, _, ok := units.Match(us, "$ : : this_thread_block ( ) . sync ( )"); ok && units.IsWord(b[0]) {
		return 10, barrierUnit
	}
	return 0, ""
}

func (al *Alignment) groupsOf(fn *ir.Func) map[string]bool {
	if g, ok := al.Texts.Groups[fn]; ok {
		return g
	}
	al.Texts.Groups[fn] = Groups(fn)
	return al.Texts.Groups[fn]
}

// IsBarrier reports whether a statement is a barrier of the block and nothing else. In the new text
// it may be the v-TB's.
func (al *Alignment) IsBarrier(s *units.Source, st *ir.Stmt) bool {
	if st.Op != ir.StmtExpr {
		return false
	}
	if e := st.Expr; e.Op == ir.OpCall && e.Qual == "" && (e.Name == "__syncthreads" && len(e.Args()) == 0 || e.Name == "__barrier_sync" && len(e.Args()) == 1 && e.Args()[0].Op == ir.OpInt) {
		return true // by whatever macro; and one with a number waits for the whole block, too
	}
	us, fn := s.Between(st.Range.Start, st.Range.End), al.Old
	if s == al.Texts.New {
		us, fn = al.erase(us), al.New
	}
	return units.Is(al.spell(s, fn, us), barrierUnit+" ;")
}

// erase takes smux's words out of units of the new text: barriers of a v-TB are barriers of a block
// again, calls lose the object, values that were computed ahead become what they were computed from.
func (al *Alignment) erase(us []units.Unit) (out []units.Unit) {
	v := al.Obj.Name
	put := func(text string, from, to int) {
		out = append(out, units.Unit{Text: text, Start: us[from].Start, End: us[to].End})
	}
	for i := 0; i < len(us); {
		rest := us[i:]
		if _, _, ok := units.Match(rest, v+" . sync ( )"); ok && !al.Obj.InBlockMode() {
			put(barrierUnit, i, i+4)
			i += 5
			continue
		}
		if b, _, ok := units.Match(rest, v+" . $ ("); ok && !al.Obj.InBlockMode() {
			switch b[0] {
			case "sync_count", "sync_and", "sync_or":
				put("__syncthreads_"+strings.TrimPrefix(b[0], "sync_"), i, i+2)
				i += 3
				continue
			}
		}
		if b, _, ok := units.Match(rest, v+" . $ ( )"); ok && (b[0] == "size" || b[0] == "thread_rank") {
			put("⟨block⟩."+b[0], i, i+4)
			i += 5
			continue
		}
		if b, _, ok := units.Match(rest, v+" . $"); ok && (b[0] == "block" || b[0] == "thread" || b[0] == "dim") {
			put("⟨block⟩."+b[0], i, i+2)
			i += 3
			continue
		}
		if i > 0 && us[i-1].Text == "(" {
			if _, _, ok := units.Match(rest, v+" ,"); ok {
				i += 2
				continue
			}
			if _, _, ok := units.Match(rest, v+" )"); ok {
				i++
				continue
			}
		}
		if n, value := al.scalarUse(us, i); n > 0 {
			out = append(out, value)
			i += n
			continue
		}
		if n, value := al.useOfCopy(us, i); n > 0 {
			out = append(out, value...)
			i += n
			continue
		}
		out = append(out, us[i])
		i++
	}
	return out
}

// IsTile reports whether an object is known to be no group of the threads of a whole block: it is a tile, or the
// v-TB object.
func IsTile(obj *ir.Expr) bool {
	if obj.Op != ir.OpIdent || obj.Var == nil {
		return false
	}
	v := obj.Var
	return strings.Contains(v.Type.Base, "tile") || strings.HasPrefix(v.Type.Base, "smux") ||
		v.Type.IsAuto() && v.Init != nil && v.Init.Op == ir.OpCall && v.Init.Name == "tiled_partition"
}

// IsOfBlock reports whether a call is of a group of the thread block, or of a part of it: it tells nothing of other blocks.
func IsOfBlock(fn *ir.Func, e *ir.Expr) bool {
	groups := Groups(fn)
	var inside func(g *ir.Expr) bool
	inside = func(g *ir.Expr) bool {
		return IsTile(g) || IsBlock(g, groups) || g.Op == ir.OpCall && g.Name == "tiled_partition" && len(g.Args()) > 0 && inside(g.Args()[0])
	}
	if obj, member := e.IsMemberCall(); member {
		return inside(obj)
	}
	args := e.Args()
	return (e.Qual == "cg" || e.Qual == "cooperative_groups") && (e.Name == "this_thread_block" || len(args) > 0 && inside(args[0]))
}
