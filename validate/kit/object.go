package kit

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/units"
)

// Object holds the facts about a kernel's v-TB object: the statements at the top of a rewritten kernel.
type Object struct {
	Name      string // of the variable
	Kind      string // the type in namespace smux: "vtb_named"
	Type      string // the whole type, as units with blanks between
	Merged    int    // N
	slots     int    // M of vtb_lock, 1 elsewhere
	Block     [3]int // 0 0 0 where the type says none
	Exact     [3]int // blockDim as the compiler is told to assume it
	Axis      string // "x", "y" or "z"
	GridParam string // the parameter that holds the length of the original grid
	Whole     bool   // it holds all three lengths
	At        int    // offset of the declaration
	Lanes     bool   // lanes of a warp do something together
	Inside    bool   // all barriers are inside turns: they share a number
	Plain     bool   // of kind vtb, without turns: what is left of a barrier is one of all merged blocks
	Stays     bool   // a block runs one group of v-TBs after the other
	Meets     bool   // and the threads of a v-TB wait for each other between two
	Turn      string // the variable of loops over turns, "" where there are none
	Step      string // and that of loops over steps
	OfThreads bool   // threads of a block do the work of several, and GridParam holds the length of the original block
	Mine      string // in a device function, the parameter that says whether it is the v-TB's turn
}

// TurnKinds says of each type of the runtime how v-TBs take turns.
//
//	own     how many barriers beside those of the turns: N of a v-TB's own, or 1 for all
//	ring    turns go round, so that all v-TBs must take equally many
//	locks   a region takes any free slot
//	apart   there are no turns
var TurnKinds = map[string]struct {
	ring, locks, apart, shareOne, Block bool
}{
	"vtb_named":     {ring: true, shareOne: true},
	"vtb_named_own": {ring: true},
	"vtb_numbered":  {ring: true}, // shareOne by its first argument
	"vtb_lock":      {locks: true},
	"vtb_apart":     {apart: true},
	"vtb":           {Block: true},
}

// Ring reports whether v-TBs take turns in a ring.
func (o *Object) Ring() bool { return TurnKinds[o.Kind].ring }

// Apart reports whether v-TBs have nothing in common, but for barriers of all of them where they have none
// of their own.
func (o *Object) Apart() bool { return TurnKinds[o.Kind].apart || o.Plain }

// InBlockMode reports whether turns are pieces between barriers of all threads.
func (o *Object) InBlockMode() bool { return TurnKinds[o.Kind].Block && !o.Plain }

// Unmerged stands for the object of a kernel whose blocks stay what they are.
func Unmerged() *Object {
	return &Object{Name: "⟨none⟩", Kind: "unmerged", Merged: 1, slots: 1, At: -1}
}

// Coarsened is the kind of object of a kernel whose thread blocks, or threads, do the work of several, statement by statement.
// Only Merged, Axis, GridParam, Whole and OfThreads are set.
const Coarsened = "coarsened"

// Renumbered is that of a kernel whose blocks have other numbers, or of one whose threads are put into other blocks (OfThreads).
const Renumbered = "renumbered"

// Threads of a v-TB, 0 where the type does not say.
func (o *Object) Threads() int { return o.Block[0] * o.Block[1] * o.Block[2] }

// Variant returns the name that readers know.
func (o *Object) Variant() string {
	switch {
	case o.Kind == "vtb_lock" && o.slots > 1:
		return "dyn"
	case o.Kind == "vtb_lock":
		return "vtb lock"
	case o.Apart():
		return "merge"
	case o.InBlockMode():
		return "vtb block"
	}
	return "vtb named"
}

// ParseObject reads "const smux::T<…> name(grid);", and "smux::persistent<smux::T<…>, N> name(grid);".
func ParseObject(us []units.Unit) *Object {
	if _, rest, ok := units.Match(us, "smux : : persistent <"); ok {
		end := units.IndexOf(rest, ">")
		if end < 0 {
			return nil
		}
		close := end + units.IndexOf(rest[end+1:], ">") + 1
		o := ParseObject(slices.Concat([]units.Unit{{Text: "const", Start: us[0].Start}}, rest[:end+1], rest[close+1:]))
		if o == nil || close == end {
			return nil
		}
		axis := ""
		if o.Axis != "x" {
			axis = " , '" + o.Axis + "'"
		}
		o.Stays = units.Is(rest[end+1:close], ", "+units.Itoa(o.Merged)+axis)
		if !o.Stays {
			return nil
		}
		return o
	}
	_, rest, ok := units.Match(us, "const smux : :")
	if !ok || len(rest) < 2 || rest[1].Text != "<" {
		return nil
	}
	end := units.IndexOf(rest, ">")
	if end < 0 {
		return nil
	}
	o := &Object{Kind: rest[0].Text, Merged: 0, slots: 1, Axis: "x", At: us[0].Start, Type: units.Text(us[1 : len(us)-len(rest)+end+1])}
	bound, after, ok := units.Match(rest[end+1:], "$ ( $ ) ;")
	if whole, behind, all := units.Match(rest[end+1:], "$ ( $ . $ ) ;"); all {
		bound, after, ok, o.Whole = whole, behind, true, true
	}
	known, exists := TurnKinds[o.Kind]
	if !ok || len(after) > 0 || !exists {
		return nil
	}
	o.Name, o.GridParam, o.Inside = bound[0], bound[1], known.shareOne
	var numbers []int
	for _, arg := range units.Split(rest[2:end]) {
		if len(arg) != 1 {
			return nil
		}
		if strings.HasPrefix(arg[0].Text, "'") {
			o.Axis = strings.Trim(arg[0].Text, "'")
			continue
		}
		n, err := strconv.Atoi(strings.TrimRight(arg[0].Text, "uU"))
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	if o.Kind == "vtb_numbered" && len(numbers) > 1 {
		o.Inside = numbers[0] == 1
		if !o.Inside && numbers[0] != numbers[1] {
			return nil
		}
		numbers = numbers[1:]
	}
	if len(numbers) == 0 || o.Whole && bound[2] != o.Axis {
		return nil
	}
	o.Merged, numbers = numbers[0], numbers[1:]
	if known.locks && len(numbers) > 0 {
		o.slots, numbers = numbers[0], numbers[1:]
	}
	if len(numbers) > 0 {
		o.Block = [3]int{1, 1, 1}
		copy(o.Block[:], numbers)
	}
	return o
}

// Fits checks what a block has only so many of. A v-TB that is not whole warps can't wait alone:
// named barriers count warps.
func (o *Object) Fits(k *Kernel, c *Comparison) {
	if n := o.Threads(); n > 0 {
		if n*o.Merged > 1024 || o.Block[2]*o.Merged > 64 {
			k.Doubt(Numbers, c.New.File, o.At, "%d blocks of %d threads are more than a block may have", o.Merged, n)
		}
		if !TurnKinds[o.Kind].Block && n%32 != 0 {
			k.Doubt(Uniform, c.New.File, o.At, "blocks of %d threads are not whole warps, which their own barriers need", n)
		}
	}
	barriers := 1 // __syncthreads
	switch {
	case o.Ring() && o.Inside:
		barriers += 1 + o.Merged
	case o.Ring():
		barriers += 2 * o.Merged
	case !TurnKinds[o.Kind].Block:
		barriers += o.Merged
	}
	if barriers > 16 {
		k.Doubt(Numbers, c.New.File, o.At, "%d barriers are more than the 16 of a block", barriers)
	}
	if o.slots > o.Merged {
		k.Doubt(Copies, c.New.File, o.At, "%d slots for %d v-TBs", o.slots, o.Merged)
	}
	k.Show(Numbers, "counted", c.New.File.Position(o.At))
}

// role is the purpose of a statement of the new text.
type role uint8

const (
	RolePlain     role = iota // the original has it, too
	RoleErased                // a declaration of smux's
	RoleActive                // if (!vtb.active) return;
	RoleStart                 // vtb.start();
	RoleAcquire               // vtb.acquire();
	RoleRelease               // vtb.release();
	RoleFinish                // vtb.finish();
	RoleBarrier               // a barrier of the original
	roleTemp                  // a value that was computed ahead
	RoleTurns                 // for (int turn = 0; …): each v-TB has its turn
	RoleTurnBegin             // the barrier at the beginning of each
	RoleTurnEnd               // or that at its end
	RoleLead                  // if (vtb.id == step): ahead of the turn of this v-TB
	RoleSkip                  // if (step == 0) continue;
	RoleNotMine               // if (!mine) return {};
	RoleAdded                 // a barrier that the original doesn't have
	RoleMine                  // if (vtb.id == turn): in the turn of this v-TB
	RoleGroups                // for (; vtb.active; vtb.next()): one group of v-TBs after the other
)

// roleOf recognises the statements of an object.
func (o *Object) roleOf(us []units.Unit) role {
	call := func(name string) bool { return units.Is(us, o.Name+" . "+name+" ( ) ;") }
	switch {
	case call("start") && o.Ring():
		return RoleStart
	case call("finish") && o.Ring():
		return RoleFinish
	case call("acquire") && !o.Apart() && !o.InBlockMode():
		return RoleAcquire
	case call("release") && !o.Apart() && !o.InBlockMode():
		return RoleRelease
	case units.Is(us, "if ( ! "+o.Name+" . active ) return ;"):
		return RoleActive
	case o.Mine != "" && (units.Is(us, "if ( ! "+o.Mine+" ) return { } ;") || units.Is(us, "if ( ! "+o.Mine+" ) return ;")):
		return RoleNotMine
	case units.Is(us, "const uint3 blockIdx = "+o.Name+" . block ;"), units.Is(us, "const uint3 threadIdx = "+o.Name+" . thread ;"),
		units.Is(us, "const dim3 blockDim = "+o.Name+" . dim ;"), units.Is(us, "const dim3 gridDim = "+o.Name+" . grid ;"):
		return RoleErased
	case o.assumes(us), IsCheck(us), isPin(us):
		return RoleErased
	}
	return RolePlain
}

// isTurns recognises the loop over turns between barriers of the whole block.
func (o *Object) isTurns(c *Comparison, s *ir.Stmt) bool {
	return o.isTurnLoop(c, s, o.Turn, o.Merged) || o.isSteps(c, s)
}

// isSteps recognises a loop in which a v-TB works ahead of its turn in the step before that.
func (o *Object) isSteps(c *Comparison, s *ir.Stmt) bool {
	return o.isTurnLoop(c, s, o.Step, o.Merged+1)
}

// Counter finds the variable of loops over turns or steps in a body: a word, and a number where that was taken.
func Counter(us []units.Unit, word string, n int) string {
	for i := range us {
		if b, _, ok := units.Match(us[i:], "for ( int $ = 0 ; $ < "+units.Itoa(n)+" ; + + $ )"); ok && b[0] == b[1] && b[0] == b[2] && strings.Trim(strings.TrimPrefix(b[0], word), "0123456789") == "" {
			return b[0]
		}
	}
	return ""
}

func (o *Object) isTurnLoop(c *Comparison, s *ir.Stmt, name string, n int) bool {
	return name != "" && o.InBlockMode() && s.Op == ir.StmtFor && s.Body != nil &&
		units.Is(c.New.Between(s.Range.Start, s.Body.Range.Start), "for ( int "+name+" = 0 ; "+name+" < "+units.Itoa(n)+" ; + + "+name+" )")
}

// isMine recognises what a v-TB does in its own turn, and isLead what it does ahead of it.
func (o *Object) isMine(c *Comparison, s *ir.Stmt) bool {
	return o.InBlockMode() && (o.guards(c, s, o.Name+" . id = = "+o.Turn) || o.guards(c, s, o.Name+" . id + 1 = = "+o.Step) || o.Mine != "" && o.guards(c, s, o.Mine))
}

func (o *Object) isLead(c *Comparison, s *ir.Stmt) bool {
	return o.InBlockMode() && o.guards(c, s, o.Name+" . id = = "+o.Step)
}

// guards reports whether a statement is "if (cond) …".
func (o *Object) guards(c *Comparison, s *ir.Stmt, cond string) bool {
	return s.Op == ir.StmtIf && s.Else == nil && units.Is(c.New.Between(s.Range.Start, s.Body.Range.Start), "if ( "+cond+" )")
}

// isGroups recognises the loop of a block that stays.
func (o *Object) isGroups(c *Comparison, s *ir.Stmt) bool {
	head := c.New.Between(s.Range.Start, s.Range.Start)
	if o.Stays && s.Op == ir.StmtFor && s.Body.Op == ir.StmtCompound {
		head = c.New.Between(s.Range.Start, s.Body.Range.Start)
	}
	o.Meets = units.Is(head, "for ( ; "+o.Name+" . active ; "+o.Name+" . sync ( ) , "+o.Name+" . next ( ) )")
	return o.Meets || units.Is(head, "for ( ; "+o.Name+" . active ; "+o.Name+" . next ( ) )")
}

// isPin recognises "smux::pin(x, y);" of variables, which reads them and does nothing else.
func isPin(us []units.Unit) bool {
	_, rest, ok := units.Match(us, "smux : : pin (")
	for i, u := range rest {
		ok = ok && (i >= len(rest)-2 || i%2 == 0 && units.IsWord(u.Text) || i%2 == 1 && u.Text == ",")
	}
	return ok && len(rest)%2 == 1 && units.Is(rest[len(rest)-2:], ") ;")
}

// IsCheck recognises what smux has a kernel check: a static_assert or #error, which holds or keeps the program from
// being compiled, or a comparison of the block's shape, which has no effect or ends the program with a message.
func IsCheck(us []units.Unit) bool {
	if _, _, ok := units.Match(us, "static_assert ("); ok {
		return strings.HasPrefix(us[len(us)-3].Text, `"smux `)
	}
	if len(us) == 3 && strings.HasPrefix(us[0].Text, "# if ") && strings.HasPrefix(us[1].Text, "# error smux ") && us[2].Text == "# endif" {
		return true
	}
	m := shapeCheck.FindStringSubmatch(strings.ReplaceAll(units.Text(us), " ", ""))
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

// Prologue reads the statements at the top of a kernel up to the v-TB object.
func (c *Comparison) Prologue(body *ir.Stmt) *Object {
	for _, s := range body.List {
		if o := ParseObject(c.UnitsOf(s)); o != nil {
			return o
		}
	}
	return nil
}

// IsResult reports whether a name is one of those that smux gives to what a function returns that is called in each
// turn.
func IsResult(name string) bool { return isNumbered(name, "smux_r") }

// isNumbered reports whether a name is a word of smux's with a number.
func isNumbered(name, word string) bool {
	number, ok := strings.CutPrefix(name, word)
	return ok && number != "" && number[0] >= '0' && number[0] <= '9'
}

// ToldShape notes what the units of a body tell the compiler, and reports whether that is anything.
func (o *Object) ToldShape(us []units.Unit) (found bool) {
	for i := range us {
		axis, n, exact := assumption(us[i:])
		if axis < 0 {
			continue
		}
		found = true
		if o.Block[axis] == 0 || n < o.Block[axis] {
			o.Block[axis] = n
		}
		if exact {
			o.Exact[axis] = n
		}
	}
	return found
}

// assumes recognises a statement that tells the compiler the shape of a block, as it is: merged blocks are stacked
// along z, so that of them blockDim has another z: builtinsFit sees to it that a variable of that name has the original's.
func (o *Object) assumes(us []units.Unit) bool {
	axis, n, exact := assumption(us)
	switch {
	case axis < 0 || us[len(us)-1].Text != ";" || units.IndexOf(us, ";") != len(us)-1 || o.Block[axis] == 0:
		return false
	case !exact:
		return n >= o.Block[axis]
	case o.Merged > 1 || o.Kind != "unmerged":
		return n == o.Block[axis]
	}
	return n == o.Exact[axis]
}

// assumption reads what the compiler is told of the shape of blocks: "__builtin_assume(threadIdx.x < 64);",
// "__builtin_assume(threadIdx.y == 0);" or "__builtin_assume(blockDim.x == 64);". It returns the axis, -1 for anything else.
func assumption(us []units.Unit) (axis, n int, exact bool) {
	if b, _, ok := units.Match(us, "__builtin_assume ( threadIdx . $ = = 0 ) ;"); ok && len(b[0]) == 1 {
		return strings.Index("xyz", b[0]), 1, false
	}
	b, _, ok := units.Match(us, "__builtin_assume ( threadIdx . $ < $ ) ;")
	if !ok {
		if b, _, exact = units.Match(us, "__builtin_assume ( blockDim . $ = = $ ) ;"); !exact {
			return -1, 0, false
		}
	}
	if len(b[0]) != 1 || units.Number(b[1]) <= 0 {
		return -1, 0, false
	}
	return strings.Index("xyz", b[0]), units.Number(b[1]), exact
}
