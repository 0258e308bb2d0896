package validate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// object is what a kernel's v-TB object says: the statements at the top of a rewritten kernel.
type object struct {
	name   string // of the variable
	kind   string // the type in namespace smux: "vtb_named"
	type_  string // the whole type, as units with blanks between
	merged int    // N
	slots  int    // M of vtb_lock, 1 elsewhere
	block  [3]int // 0 0 0 where the type says none
	exact  [3]int // what the compiler is told of blockDim
	axis   string // "x", "y" or "z"
	grid   string // the parameter that holds the length of the original grid
	whole  bool   // it holds all three lengths
	at     int    // offset of the declaration
	inside bool   // all barriers are inside turns: they share a number
	plain  bool   // of kind vtb, without turns: what is left of a barrier is one of all merged blocks
	stays  bool   // a block runs one group of v-TBs after the other
	meets  bool   // and the threads of a v-TB wait for each other between two
	turn   string // the variable of loops over turns, "" where there are none
	step   string // and that of loops over steps
	mine   string // in a device function, the parameter that says whether it is the v-TB's turn
}

// turnKinds says of each type of the runtime how v-TBs take turns.
//
//	own     how many barriers beside those of the turns: N of a v-TB's own, or 1 for all
//	ring    turns go round, so that all v-TBs must take equally many
//	locks   a region takes any free slot
//	apart   there are no turns
var turnKinds = map[string]struct {
	ring, locks, apart, shareOne, block bool
}{
	"vtb_named":     {ring: true, shareOne: true},
	"vtb_named_own": {ring: true},
	"vtb_numbered":  {ring: true}, // shareOne by its first argument
	"vtb_lock":      {locks: true},
	"vtb_apart":     {apart: true},
	"vtb":           {block: true},
}

// ring reports whether v-TBs take turns in a ring.
func (o *object) ring() bool { return turnKinds[o.kind].ring }

// apart reports whether v-TBs have nothing in common, but for barriers of all of them where they have none
// of their own.
func (o *object) apart() bool { return turnKinds[o.kind].apart || o.plain }

// inBlockMode reports whether turns are pieces between barriers of all threads.
func (o *object) inBlockMode() bool { return turnKinds[o.kind].block && !o.plain }

// unmerged is what stands for the object of a kernel whose blocks stay what they are.
func unmerged() *object {
	return &object{name: "⟨none⟩", kind: "unmerged", merged: 1, slots: 1, at: -1}
}

// threads of a v-TB, 0 where the type does not say.
func (o *object) threads() int { return o.block[0] * o.block[1] * o.block[2] }

// variant is what a reader calls it.
func (o *object) variant() string {
	switch {
	case o.kind == "vtb_lock" && o.slots > 1:
		return "dyn"
	case o.kind == "vtb_lock":
		return "vtb lock"
	case o.apart():
		return "merge"
	case o.inBlockMode():
		return "vtb block"
	}
	return "vtb named"
}

// parseObject reads "const smux::T<…> name(grid);", and "smux::persistent<smux::T<…>, N> name(grid);".
func parseObject(us []unit) *object {
	if _, rest, ok := match(us, "smux : : persistent <"); ok {
		end := indexOf(rest, ">")
		if end < 0 {
			return nil
		}
		close := end + indexOf(rest[end+1:], ">") + 1
		o := parseObject(slices.Concat([]unit{{text: "const", start: us[0].start}}, rest[:end+1], rest[close+1:]))
		if o == nil || close == end {
			return nil
		}
		axis := ""
		if o.axis != "x" {
			axis = " , '" + o.axis + "'"
		}
		o.stays = is(rest[end+1:close], ", "+itoa(o.merged)+axis)
		if !o.stays {
			return nil
		}
		return o
	}
	_, rest, ok := match(us, "const smux : :")
	if !ok || len(rest) < 2 || rest[1].text != "<" {
		return nil
	}
	end := indexOf(rest, ">")
	if end < 0 {
		return nil
	}
	o := &object{kind: rest[0].text, merged: 0, slots: 1, axis: "x", at: us[0].start, type_: text(us[1 : len(us)-len(rest)+end+1])}
	bound, after, ok := match(rest[end+1:], "$ ( $ ) ;")
	if whole, behind, all := match(rest[end+1:], "$ ( $ . $ ) ;"); all {
		bound, after, ok, o.whole = whole, behind, true, true
	}
	known, exists := turnKinds[o.kind]
	if !ok || len(after) > 0 || !exists {
		return nil
	}
	o.name, o.grid, o.inside = bound[0], bound[1], known.shareOne
	var numbers []int
	for _, arg := range split(rest[2:end]) {
		if len(arg) != 1 {
			return nil
		}
		if strings.HasPrefix(arg[0].text, "'") {
			o.axis = strings.Trim(arg[0].text, "'")
			continue
		}
		n, err := strconv.Atoi(strings.TrimRight(arg[0].text, "uU"))
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	if o.kind == "vtb_numbered" && len(numbers) > 1 {
		o.inside = numbers[0] == 1
		if !o.inside && numbers[0] != numbers[1] {
			return nil
		}
		numbers = numbers[1:]
	}
	if len(numbers) == 0 || o.whole && bound[2] != o.axis {
		return nil
	}
	o.merged, numbers = numbers[0], numbers[1:]
	if known.locks && len(numbers) > 0 {
		o.slots, numbers = numbers[0], numbers[1:]
	}
	if len(numbers) > 0 {
		o.block = [3]int{1, 1, 1}
		copy(o.block[:], numbers)
	}
	return o
}

// fits checks what a block has only so many of. A v-TB that is not whole warps can't wait alone:
// named barriers count warps.
func (o *object) fits(k *Kernel, c *comparison) {
	if n := o.threads(); n > 0 {
		if n*o.merged > 1024 || o.block[2]*o.merged > 64 {
			k.doubt(Numbers, c.b.file, o.at, "%d blocks of %d threads are more than a block may have", o.merged, n)
		}
		if !turnKinds[o.kind].block && n%32 != 0 {
			k.doubt(Uniform, c.b.file, o.at, "blocks of %d threads are not whole warps, which their own barriers need", n)
		}
	}
	barriers := 1 // __syncthreads
	switch {
	case o.ring() && o.inside:
		barriers += 1 + o.merged
	case o.ring():
		barriers += 2 * o.merged
	case !turnKinds[o.kind].block:
		barriers += o.merged
	}
	if barriers > 16 {
		k.doubt(Numbers, c.b.file, o.at, "%d barriers are more than the 16 of a block", barriers)
	}
	if o.slots > o.merged {
		k.doubt(Copies, c.b.file, o.at, "%d slots for %d v-TBs", o.slots, o.merged)
	}
	k.shown(Numbers, "counted", c.b.file.Position(o.at))
}

// role is what a statement of the new text is for.
type role uint8

const (
	rolePlain     role = iota // the original has it, too
	roleErased                // a declaration of smux's
	roleActive                // if (!vtb.active) return;
	roleStart                 // vtb.start();
	roleAcquire               // vtb.acquire();
	roleRelease               // vtb.release();
	roleFinish                // vtb.finish();
	roleBarrier               // a barrier of the original
	roleTemp                  // a value that was computed ahead
	roleTurns                 // for (int turn = 0; …): each v-TB has its turn
	roleTurnBegin             // the barrier at the beginning of each
	roleTurnEnd               // or that at its end
	roleLead                  // if (vtb.id == step): ahead of the turn of this v-TB
	roleSkip                  // if (step == 0) continue;
	roleNotMine               // if (!mine) return {};
	roleAdded                 // a barrier that the original doesn't have
	roleMine                  // if (vtb.id == turn): in the turn of this v-TB
	roleGroups                // for (; vtb.active; vtb.next()): one group of v-TBs after the other
)

// roleOf recognises the statements of an object.
func (o *object) roleOf(us []unit) role {
	call := func(name string) bool { return is(us, o.name+" . "+name+" ( ) ;") }
	switch {
	case call("start") && o.ring():
		return roleStart
	case call("finish") && o.ring():
		return roleFinish
	case call("acquire") && !o.apart() && !o.inBlockMode():
		return roleAcquire
	case call("release") && !o.apart() && !o.inBlockMode():
		return roleRelease
	case is(us, "if ( ! "+o.name+" . active ) return ;"):
		return roleActive
	case o.mine != "" && (is(us, "if ( ! "+o.mine+" ) return { } ;") || is(us, "if ( ! "+o.mine+" ) return ;")):
		return roleNotMine
	case is(us, "const uint3 blockIdx = "+o.name+" . block ;"), is(us, "const uint3 threadIdx = "+o.name+" . thread ;"),
		is(us, "const dim3 blockDim = "+o.name+" . dim ;"), is(us, "const dim3 gridDim = "+o.name+" . grid ;"):
		return roleErased
	case o.assumes(us), isCheck(us), isPin(us):
		return roleErased
	}
	return rolePlain
}

// isTurns recognises the loop over turns between barriers of the whole block.
func (o *object) isTurns(c *comparison, s *ir.Stmt) bool {
	return o.isTurnLoop(c, s, o.turn, o.merged) || o.isSteps(c, s)
}

// isSteps recognises a loop in which a v-TB works ahead of its turn in the step before that.
func (o *object) isSteps(c *comparison, s *ir.Stmt) bool {
	return o.isTurnLoop(c, s, o.step, o.merged+1)
}

// counter finds the variable of loops over turns or steps in a body: a word, and a number where that was taken.
func counter(us []unit, word string, n int) string {
	for i := range us {
		if b, _, ok := match(us[i:], "for ( int $ = 0 ; $ < "+itoa(n)+" ; + + $ )"); ok && b[0] == b[1] && b[0] == b[2] && strings.Trim(strings.TrimPrefix(b[0], word), "0123456789") == "" {
			return b[0]
		}
	}
	return ""
}

func (o *object) isTurnLoop(c *comparison, s *ir.Stmt, name string, n int) bool {
	return name != "" && o.inBlockMode() && s.Op == ir.StmtFor && s.Body != nil &&
		is(c.b.between(s.Range.Start, s.Body.Range.Start), "for ( int "+name+" = 0 ; "+name+" < "+itoa(n)+" ; + + "+name+" )")
}

// isMine recognises what a v-TB does in its own turn, and isLead what it does ahead of it.
func (o *object) isMine(c *comparison, s *ir.Stmt) bool {
	return o.inBlockMode() && (o.guards(c, s, o.name+" . id = = "+o.turn) || o.guards(c, s, o.name+" . id + 1 = = "+o.step) || o.mine != "" && o.guards(c, s, o.mine))
}

func (o *object) isLead(c *comparison, s *ir.Stmt) bool {
	return o.inBlockMode() && o.guards(c, s, o.name+" . id = = "+o.step)
}

// guards reports whether a statement is "if (cond) …".
func (o *object) guards(c *comparison, s *ir.Stmt, cond string) bool {
	return s.Op == ir.StmtIf && s.Else == nil && is(c.b.between(s.Range.Start, s.Body.Range.Start), "if ( "+cond+" )")
}

// isGroups recognises the loop of a block that stays.
func (o *object) isGroups(c *comparison, s *ir.Stmt) bool {
	head := c.b.between(s.Range.Start, s.Range.Start)
	if o.stays && s.Op == ir.StmtFor && s.Body.Op == ir.StmtCompound {
		head = c.b.between(s.Range.Start, s.Body.Range.Start)
	}
	o.meets = is(head, "for ( ; "+o.name+" . active ; "+o.name+" . sync ( ) , "+o.name+" . next ( ) )")
	return o.meets || is(head, "for ( ; "+o.name+" . active ; "+o.name+" . next ( ) )")
}

// isPin recognises "smux::pin(x, y);" of variables, which reads them and does nothing else.
func isPin(us []unit) bool {
	_, rest, ok := match(us, "smux : : pin (")
	for i, u := range rest {
		ok = ok && (i >= len(rest)-2 || i%2 == 0 && isWord(u.text) || i%2 == 1 && u.text == ",")
	}
	return ok && len(rest)%2 == 1 && is(rest[len(rest)-2:], ") ;")
}

// isCheck recognises what smux has a kernel check: a static_assert or #error, which holds or keeps the program from
// being compiled, or a comparison of the block's shape, which has no effect or ends the program with a message.
func isCheck(us []unit) bool {
	if _, _, ok := match(us, "static_assert ("); ok {
		return strings.HasPrefix(us[len(us)-3].text, `"smux `)
	}
	if len(us) == 3 && strings.HasPrefix(us[0].text, "# if ") && strings.HasPrefix(us[1].text, "# error smux ") && us[2].text == "# endif" {
		return true
	}
	m := shapeCheck.FindStringSubmatch(strings.ReplaceAll(text(us), " ", ""))
	if m == nil {
		return false
	}
	compared := strings.NewReplacer("==", "", "!=", "").Replace(m[1])
	return !strings.Contains(compared, "=") && !callIn.MatchString(m[1])
}

var (
	shapeCheck = regexp.MustCompile(`^if\(([\w.=!&|*()]+)\)\{printf\("smux:[^"]*"\);__trap\(\);\}$`)
	callIn     = regexp.MustCompile(`\w\(`)
)

// prologue reads the statements at the top of a kernel up to the v-TB object.
func (c *comparison) prologue(body *ir.Stmt) *object {
	for _, s := range body.List {
		if o := parseObject(c.unitsOf(s)); o != nil {
			return o
		}
	}
	return nil
}

// isResult reports whether a name is one of those that smux gives to what a function returns that is called in each
// turn.
func isResult(name string) bool {
	return len(name) > 6 && name[:6] == "smux_r" && name[6] >= '0' && name[6] <= '9'
}
