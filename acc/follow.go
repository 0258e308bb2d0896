package acc

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/acc/texts"
	"github.com/smux-cuda/smux/parser"
)

// Follow is a C program that does on the host what its directives say of values, and nothing else of them. What a clause names
// has memory of its own, which takes the host's place while a compute construct runs; so has what is private.
// What comes back is noted, for a comparison with what a device returns. The text calls functions that smux links with programs
// that it runs; it is nil without directives. The error says of which directive it can't be done.
func Follow(prog *parser.Program, f *parser.File) ([]byte, error) {
	t, err := read(prog, f, nil, nil, Options{})
	if err == nil {
		err = t.readAPI()
	}
	if err != nil || len(t.pragmas) == 0 {
		return nil, err
	}
	t.table = true
	if t.apiNeeds(texts.CallsTable) {
		return nil, errors.New("it calls functions of openacc.h that move data")
	}
	for _, p := range t.pragmas {
		switch {
		case p.Compute() && t.inConstruct(p): // which no translation takes
		case p.Compute() || p.Name == "data":
			err = t.followRegion(p)
		case p.Name == "enter data" || p.Name == "exit data" || p.Name == "update":
			err = t.followMove(p)
		case p.Name == "declare" || p.Name == "host_data":
			err = t.notFollowed(p)
		}
		if err != nil {
			return nil, err
		}
	}
	text, err := t.edits.Apply(f.Src)
	return append([]byte(texts.Pieces["followed"]+fmt.Sprintf("#line 1 %q\n", f.Name)), text...), err
}

func (t *translation) notFollowed(p *pragma) error {
	return refusal(t.at(p.Pos), CodeUnsupported, "what "+p.Name+" says of values in the C program", "nothing needs to be done")
}

// followRegion lets a region begin and end with what its clauses say.
func (t *translation) followRegion(p *pragma) error {
	r, err := t.newRegion(p, p.stmt)
	if err != nil || t.leaves(p.stmt) || !t.isExact(p.stmt) {
		return cmp.Or(err, t.notFollowed(p))
	}
	condition := r.condition
	if p.Compute() {
		condition = strings.Replace(t.condition(p), "false", "0", 1)
	} else {
		t.regions = append(t.regions, r)
	}
	begin, end, known := "{ const int smux_on = "+cmp.Or(condition, "1")+"; ", "", 0
	enter := func(memory string, zero bool, out int) {
		begin += fmt.Sprintf("void *smux_%d = smux_on ? smux_acc_enter(%s, %d) : 0; ", known, memory, number(zero))
		end += fmt.Sprintf("smux_acc_leave(smux_%d, %d, 0); ", known, out)
		known++
	}
	reduced := func(v *variable) bool { // then its parts come back
		return p.Compute() && slices.ContainsFunc(t.directivesIn(p), func(q *pragma) bool { return slices.Contains(t.variablesOf(q, "reduction"), v) })
	}
	for _, i := range r.items {
		if i.pointer || i.row != "" {
			return t.notFollowed(p)
		}
		if i.always.in {
			begin += "if (smux_on) " + t.followedUpdate(i.part(), true)
		}
		if i.always.out {
			end += "if (smux_on) " + t.followedUpdate(i.part(), false)
		}
		if i.made() && reduced(i.v) {
			enter(i.known(), i.zero, number(i.out))
		} else if i.made() {
			enter(i.known(), i.zero, number(i.out)*i.v.noted())
		}
	}
	if p.Compute() {
		used, after, err := t.followConstruct(p, r, enter, reduced)
		if err != nil {
			return err
		}
		if len(used) > 0 {
			begin += fmt.Sprintf("smux_acc_turn((const void *[]){%s}, smux_on ? %d : 0); ", strings.Join(used, ", "), len(used))
			end = "smux_acc_turn(0, 0); " + end + after
		}
	}
	from, to := t.rangeOf(p.stmt)
	t.edits.Insert(from, begin)
	t.ahead(to, " "+end+"}")
	return nil
}

// followConstruct returns the addresses of what a compute construct uses, and notes of what it writes and no clause names; what
// is private it enters.
func (t *translation) followConstruct(p *pragma, r *region, enter func(string, bool, int), reduced func(*variable) bool) (used []string, after string, err error) {
	own := map[*variable]bool{}
	for _, q := range t.directivesIn(p) {
		for _, a := range q.ArgsOf("private", "firstprivate") {
			v := t.named(q, a)
			if v == nil || own[v] || t.localTo(v, p.stmt) || r.of(v) != nil {
				continue
			}
			own[v] = true
			memory := fmt.Sprintf("&%[1]s, sizeof(%[1]s)", v.onHost())
			if len(a.Sections) > 0 && !v.isArray() {
				i, err := t.newItem(q, directive.Clause{Name: "copyin"}, a)
				if err != nil {
					return nil, "", err
				}
				memory = i.known()
			}
			enter(memory, false, 0)
		}
	}
	for n, f := range t.reached(p.stmt) {
		v := t.variableOf(n)
		if v == nil || t.localTo(v, p.stmt) || f != nil && !v.global || v.path == "" && t.lookup(v.name, int(p.stmt.Start)) != v {
			continue
		}
		address := (&item{v: v}).onHost()
		if slices.Contains(used, address) {
			continue
		}
		used = append(used, address)
		if v.isArray() && !own[v] && !reduced(v) && r.of(v) == nil && t.outer(p.stmt, v) == nil && t.writesTo(p.stmt, v) {
			after += fmt.Sprintf("smux_acc_note(%[1]s, sizeof(%[1]s), %d); ", v.name, v.noted())
		}
	}
	return used, after, nil
}

// followMove moves what enter data, exit data or update says.
func (t *translation) followMove(p *pragma) error {
	text := ""
	for clause, a := range p.ArgsOf("copyin", "create", "copyout", "delete", "host", "device") {
		i, err := t.newItem(p, clause, a)
		if err == nil {
			err = t.modify(i, clause)
		}
		if err != nil || i.row != "" {
			return cmp.Or(err, t.notFollowed(p))
		}
		if outer := t.outerAt(p, i.v); outer != nil && i.length == "" && !i.v.isScalar() {
			i.lower, i.length = outer.lower, outer.length
		}
		switch {
		case p.Name == "update":
			text += t.followedUpdate(i, clause.Name == "device")
		case p.Name == "enter data":
			text += fmt.Sprintf("smux_acc_enter(%s, %d); ", i.known(), number(i.zero))
		default:
			text += fmt.Sprintf("smux_acc_leave(smux_acc_find(%s), %d, %d); ", i.host(), number(clause.Name == "copyout")*i.v.noted(), number(p.Has("finalize")))
		}
	}
	if c, ok := p.Clause("if"); ok {
		text = fmt.Sprintf("if (%s) { %s}", c.Args[0].Text, text)
	}
	t.edits.Replace(p.start, p.end, text+strings.Repeat("\n", strings.Count(string(t.file.Src[p.start:p.end]), "\n")))
	return nil
}

// followedUpdate copies between the two memories.
func (t *translation) followedUpdate(i *item, toDevice bool) string {
	return fmt.Sprintf("smux_acc_update(%s, %d, %d); ", i.known(), number(toDevice), i.v.noted())
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// noted is 1 and the kind of an array's elements as a log of copies has it; 1 for what is not to be compared, since it has gaps
// or no copy of its own comes back of it.
func (v *variable) noted() int {
	n := numberNamed(v.resolved)
	switch {
	case v.isScalar() || v.leadsToRows() || n.Bytes == 0:
		return 1
	case n.Float:
		return 1 + n.Bytes/4
	}
	return 6 + 2*(bits.Len(uint(n.Bytes))-1) + number(n.Unsigned)
}
