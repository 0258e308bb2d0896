package validate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// temp is a value that the new text computes ahead of a turn: a constant, or an array with one
// element for each iteration of a loop.
//
//	const float v = E;                                      … x = v;
//	float v[32]; for (int r = 0; r < 32; ++r) v[r] = E;     … for (int r = 0; r < 32; ++r) x[r] = v[r];
type temp struct {
	name   string
	decl   *ir.Stmt
	loop   *ir.Stmt // that fills the array; nil for a single value
	header []unit   // of the loop
	index  []unit   // the element that an iteration sets
	value  []unit   // E
	expr   *ir.Expr
	uses   []int // offsets in the new text
}

// temp recognises a value computed ahead, by its name, and returns how many statements it takes.
func (al *alignment) temp(bs []*ir.Stmt, j int) int {
	d := bs[j]
	if d.Op != ir.StmtDecl || len(d.Vars) != 1 || !isTempName(d.Vars[0].Name) {
		return 0
	}
	v := d.Vars[0]
	t := &temp{name: v.Name, decl: d}
	us := al.c.unitsOf(d)
	if len(v.Dims) == 0 {
		i := indexOf(us, "=")
		if i < 2 || us[0].text != "const" || v.Init == nil || us[i-1].text != v.Name || text(us[1:i-1]) != v.Type.Base {
			return 0
		}
		t.value, t.expr = al.erase(us[i+1:len(us)-1]), v.Init
		al.temps[t.name] = t
		al.roles[d] = roleTemp
		return 1
	}
	if len(v.Dims) != 1 || v.Init != nil || !strings.HasPrefix(text(us), v.Type.Base+" "+v.Name+" [ ") || j+1 >= len(bs) || bs[j+1].Op != ir.StmtFor {
		return 0
	}
	loop := bs[j+1]
	body := statements(loop.Body)
	if len(body) != 1 || body[0].Op != ir.StmtExpr || body[0].Expr == nil || body[0].Expr.Op != ir.OpAssign || body[0].Expr.Tok != "=" {
		return 0
	}
	set := al.c.unitsOf(body[0])
	close := -1
	if len(set) > 1 && set[0].text == v.Name && set[1].text == "[" {
		close = closing(set, 1)
	}
	if close < 0 || set[close+1].text != "=" {
		return 0
	}
	t.loop, t.index, t.value, t.expr = loop, set[2:close], al.erase(set[close+2:len(set)-1]), body[0].Expr.Kids[1]
	t.header = al.loopHeader(loop)
	al.temps[t.name] = t
	al.roles[d], al.roles[loop] = roleTemp, roleTemp
	return 2
}

// loopHeader returns the units of a for statement's head.
func (al *alignment) loopHeader(loop *ir.Stmt) []unit {
	return al.c.b.between(loop.Range.Start, loop.Body.Range.Start)
}

// isTempName reports whether a name is one of those that smux gives to what it computes ahead.
func isTempName(name string) bool {
	return len(name) > 6 && name[:6] == "smux_v" && name[6] >= '0' && name[6] <= '9'
}

func indexOf(us []unit, word string) int {
	for i, u := range us {
		if u.text == word {
			return i
		}
	}
	return -1
}

// useOfTemp recognises a use at index i, and returns how many units it takes and what it stands for.
// Text stands for a value only where it can't be torn apart by the operators around it.
func (al *alignment) useOfTemp(us []unit, i int) (int, []unit) {
	t := al.temps[us[i].text]
	if t == nil {
		return 0, nil
	}
	n := 1
	if t.loop != nil {
		close := -1
		if i+1 < len(us) && us[i+1].text == "[" {
			close = closing(us, i+1)
		}
		if close < 0 {
			return 0, nil
		}
		if _, equal := same(us[i+2:close], t.index); !equal {
			return 0, nil
		}
		n = close + 1 - i
	}
	if !postfix(t.value) && !wholeOperand(us, i, n) {
		return 0, nil
	}
	t.uses = append(t.uses, us[i].start)
	return n, t.value
}

// postfix reports whether units are a chain of names, members, subscripts and calls, which binds
// tighter than all around it.
func postfix(us []unit) bool {
	for i := 0; i < len(us); i++ {
		switch w := us[i].text; {
		case w == "(" && i == 0:
			return false
		case w == "(", w == "[":
			if i = closing(us, i); i < 0 {
				return false
			}
		case w == "." || w == ":":
		case w[0] >= 'a' && w[0] <= 'z', w[0] >= 'A' && w[0] <= 'Z', w[0] == '_', w[0] >= '0' && w[0] <= '9':
		default:
			return false
		}
	}
	return len(us) > 0
}

// wholeOperand reports whether the units [i, i+n) are all of what is assigned, passed or initialised.
func wholeOperand(us []unit, i, n int) bool {
	if i == 0 || i+n >= len(us) {
		return false
	}
	before, behind := us[i-1].text, us[i+n].text
	if before == "=" && i > 1 {
		switch us[i-2].text {
		case "=", "!", "<", ">":
			return false
		}
	}
	opens := before == "=" || before == "(" || before == "," || before == "[" || before == "{"
	closes := behind == ";" || behind == ")" || behind == "," || behind == "]" || behind == "}"
	return opens && closes
}
