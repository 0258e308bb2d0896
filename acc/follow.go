package acc

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/acc/texts"
	"github.com/smux-cuda/smux/parser"
)

// Follow is a C program that does on the host what its directives say of values, and nothing else of them; nil without directives.
// Memory that begins as zeros is kept apart as on a device, and takes the host's place while a compute construct runs; what is
// private has its old value after it. What comes back is noted, for a comparison with what a device returns. The text calls
// functions that smux links with programs that it runs. The error says what can't be followed.
func Follow(prog *parser.Program, f *parser.File) ([]byte, error) {
	t, err := read(prog, f, nil, nil, Options{})
	if err == nil {
		err = stopped(t.follow)
	}
	if err != nil || len(t.pragmas) == 0 {
		return nil, err
	}
	text, err := t.edits.Apply(f.Src)
	return append([]byte(texts.Pieces["followed"]), layout.Indented(text)...), err
}

func (t *translation) follow() {
	t.readAPI()
	if len(t.pragmas) > 0 && t.apiNeeds(texts.CallsTable.MatchString) {
		panic(stop{errors.New("it calls functions of openacc.h that move data")})
	}
	t.table, t.follows = true, true
	by := map[string]func(*pragma){"data": t.data, "update": t.update, "enter data": t.enter, "exit data": t.enter, "declare": t.declare}
	for _, p := range t.pragmas {
		switch handle := by[p.Name]; {
		case p.Name == "host_data" || p.Compute() && (t.leaves(p.stmt) || !t.isExact(p.stmt) || t.inConstruct(p)):
			panic(refusal(t.at(p.Pos), CodeUnsupported, "what "+p.Name+" says of values in the C program", "nothing needs to be done"))
		case p.Compute():
			t.followConstruct(p)
		case handle != nil:
			handle(p)
		}
	}
}

// followConstruct has the device's memory stand in the host's place in a compute construct.
func (t *translation) followConstruct(p *pragma) {
	r := t.newRegion(p, p.stmt)
	before, after := &layout.Lines{}, &layout.Lines{}
	own, keeps, restores := map[*variable]bool{}, "", ""
	for _, q := range directivesIn(t.unit, p) {
		for clause, a := range q.ArgsOf("private", "firstprivate", "reduction") {
			v := t.named(q, a)
			if v == nil || own[v] {
				continue
			}
			own[v] = true
			i := r.of(v)
			if i != nil {
				i.kind = "1" // of a reduction, parts come back
			}
			if i != nil || clause.Name == "reduction" || t.localTo(v, p.stmt) {
				continue
			}
			memory, size := "&"+v.onHost(), "sizeof("+v.onHost()+")"
			if len(a.Sections) > 0 && !v.isArray() {
				i := t.newItem(q, directive.Clause{Name: "create"}, a)
				i.device = i.onHost()
				memory, size = i.host(), i.bytes()
			}
			n := len(own)
			keeps += fmt.Sprintf("char smux_%d[%s]; __builtin_memcpy(smux_%[1]d, %[3]s, %[2]s);\n", n, size, memory)
			restores += fmt.Sprintf("__builtin_memcpy(%s, smux_%d, %s);\n", memory, n, size)
		}
	}
	r.begin(t, before)
	r.end(after)
	var used []string
	for n, f := range reached(t, p.stmt) {
		v := t.variableOf(n)
		if v == nil || t.localTo(v, p.stmt) || f != nil && !v.global || v.path == "" && t.lookup(v.name, int(p.stmt.Start)) != v {
			continue
		}
		address := (&item{v: v}).onHost()
		if slices.Contains(used, address) || own[v] && r.of(v) == nil { // what is private has the host's value
			continue
		}
		used = append(used, address)
		if v.isArray() && r.of(v) == nil && t.outer(p.stmt, v) == nil && t.writesTo(p.stmt, v) {
			after.Add(fmt.Sprintf("smux_acc_note(%[1]s, sizeof(%[1]s), %s);", v.name, kindOf(t, v)))
		}
	}
	from, to := t.rangeOf(p.stmt)
	on := cmp.Or(strings.Replace(t.condition(p), "false", "0", 1), "1")
	before.Add(fmt.Sprintf("smux_acc_turn((const void *[]){%s}, %d);", strings.Join(append(used, "0"), ", "), len(used)))
	t.edits.Insert(from, fmt.Sprintf("{ const int smux_on = %s; %sif (smux_on) {\n%s} ", on, keeps, before.String()))
	t.ahead(to, fmt.Sprintf("\nif (smux_on) {\nsmux_acc_turn(0, 0);\n%s}\n%s}", after.String(), restores))
}

// kindOf is one more than the kind of an array's elements in a log of copies; 1 if they are not to be compared.
func kindOf(t *translation, v *variable) string {
	ordered := func(p *pragma) bool {
		return p.Name == "atomic" && (p.Has("capture") || p.Has("read") || p.Has("write"))
	}
	n, kind := numberNamed(v.resolved), 1
	switch {
	case v.isScalar() || v.leadsToRows() || n.Bytes == 0 || slices.ContainsFunc(t.pragmas, ordered):
	case n.Float:
		kind += n.Bytes / 4
	default:
		kind += 5 + 2*(bits.Len(uint(n.Bytes))-1)
		if n.Unsigned {
			kind++
		}
	}
	return fmt.Sprint(kind)
}
