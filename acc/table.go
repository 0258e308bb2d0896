package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// presentTable is what a program has of the device's memory where regions cross functions: it
// is looked up when the program runs.
const memoryText = `// acc_memory is memory of the host that has a copy on the device. Regions that make it
// present are counted.
struct acc_memory {
    const char *host;
    char *device;
    size_t bytes;
    int regions;
};
static struct acc_memory acc_table[256];

// acc_find is the entry that holds some memory of the host, or a null pointer.
static struct acc_memory *acc_find(const void *host, size_t bytes)
{
    const char *first = (const char *)host;
    for (struct acc_memory *m = acc_table; m < acc_table + 256; m++) {
        if (m->regions == 0 || first + bytes <= m->host || m->host + m->bytes <= first)
            continue;
        if (m->host <= first && first + bytes <= m->host + m->bytes)
            return m;
        fprintf(stderr, "only a part of an array is present on the device\n");
        exit(EXIT_FAILURE);
    }
    return NULL;
}
`

const presentText = `// acc_present is the address on the device of memory that must be there.
static inline void *acc_present(const void *host, size_t bytes, const char *name)
{
    struct acc_memory *m = acc_find(host, bytes);
    if (m == NULL) {
        fprintf(stderr, "%s is not present on the device\n", name);
        exit(EXIT_FAILURE);
    }
    return m->device + ((const char *)host - m->host);
}
`

const enterText = `// acc_enter makes memory present and copies it, where it is not present yet.
static inline void *acc_enter(const void *host, size_t bytes, bool copy)
{
    struct acc_memory *m = acc_find(host, bytes);
    if (m == NULL) {
        for (m = acc_table; m < acc_table + 256 && m->regions > 0; m++)
            ;
        if (m == acc_table + 256) {
            fprintf(stderr, "too many arrays are present on the device\n");
            exit(EXIT_FAILURE);
        }
        m->host = (const char *)host;
        m->bytes = bytes;
        ACC_CHECK(cudaMalloc(&m->device, bytes));
        if (copy)
            ACC_CHECK(cudaMemcpy(m->device, host, bytes, cudaMemcpyHostToDevice));
    }
    m->regions++;
    return m->device + ((const char *)host - m->host);
}
`

const leaveText = `// acc_leave ends one region of memory; with the last one it is copied back, where that is
// asked for, and freed.
static inline void acc_leave(const void *host, size_t bytes, bool copy, bool all)
{
    struct acc_memory *m = acc_find(host, bytes);
    if (m == NULL)
        return;
    m->regions = all ? 0 : m->regions - 1;
    if (m->regions > 0)
        return;
    if (copy)
        ACC_CHECK(cudaMemcpy((void *)host, m->device + ((const char *)host - m->host), bytes, cudaMemcpyDeviceToHost));
    ACC_CHECK(cudaFree(m->device));
}
`

// presentTable is the table with the functions of it that the translation calls.
func (t *translation) presentTable() string {
	text := memoryText
	for _, f := range []struct{ name, text string }{{"acc_present", presentText}, {"acc_enter", enterText}, {"acc_leave", leaveText}} {
		if slices.ContainsFunc(t.edits.Edits(), func(e edit.Edit) bool { return strings.Contains(e.New, f.name+"(") }) {
			text += "\n" + f.text
		}
	}
	return text
}

// crosses reports whether regions of the program may cross functions: what is present is then
// known when it runs.
func (t *translation) crosses() bool {
	for _, p := range t.pragmas {
		switch {
		case p.Name == "enter data" || p.Name == "exit data" || p.Name == "declare":
			return true
		case p.Name == "data" && t.callsConstructs(p.stmt, map[string]bool{}):
			return true
		case p.Has("present") || p.Has("no_create"):
			for _, name := range []string{"present", "no_create"} {
				for _, v := range t.variablesOf(p, name) {
					if !t.lexically(p, v) {
						return true
					}
				}
			}
		}
		if d, ok := p.Clause("default"); ok && d.Args[0].Text == "present" {
			return true
		}
	}
	return false
}

// lexically reports whether a data region of the same function around a directive names a
// variable.
func (t *translation) lexically(p *pragma, v *variable) bool {
	for _, q := range t.pragmas {
		if q.Name == "data" && q != p && p.stmt != nil && within(p.stmt, q.stmt) {
			for name := range dataClauses {
				if slices.Contains(t.variablesOf(q, name), v) {
					return true
				}
			}
		}
	}
	return false
}

// callsConstructs reports whether a statement calls a function of the file that has compute
// constructs or updates, directly or not.
func (t *translation) callsConstructs(n *parser.Node, seen map[string]bool) bool {
	found := false
	n.Walk(func(c *parser.Node) bool {
		if c.Kind == parser.KindCallExpression {
			if f := t.function(c); f != nil && !seen[f.Name] {
				seen[f.Name] = true
				found = found || slices.ContainsFunc(t.pragmas, func(p *pragma) bool { return p.fn == f && !standalone[p.Name] || p.fn == f && p.Name == "update" }) ||
					t.callsConstructs(f.Body, seen)
			}
		}
		return !found
	})
	return found
}

// function is the function of the file that a call calls, nil for others.
func (t *translation) function(call *parser.Node) *parser.Function {
	name := call.Child(parser.FieldFunction)
	if name == nil || name.Kind != parser.KindIdentifier {
		return nil
	}
	for _, f := range t.tree.Functions {
		if f.Body != nil && f.Name == t.text(name) {
			return f
		}
	}
	return nil
}

// address is the address of an item on the host as an argument of the table's functions.
func (i *item) address() string { return fmt.Sprintf("%s, %s", i.host(), i.bytes()) }

// pointerType is the type of the pointer to the copy.
func (i *item) pointerType() string {
	text := i.v.pointerTo("")
	return strings.TrimSpace(text)
}

// enter translates enter data and exit data.
func (t *translation) enter(p *pragma) error {
	out := &lines{}
	t.waits(p, out)
	for _, clause := range p.Clauses {
		if !slices.Contains([]string{"copyin", "create", "copyout", "delete"}, clause.Name) {
			continue
		}
		for _, a := range clause.Args {
			i, err := t.movedItem(p, clause, a)
			if err != nil {
				return err
			}
			switch {
			case p.Name == "enter data":
				out.add(fmt.Sprintf("acc_enter(%s, %v);", i.address(), clause.Name == "copyin"))
			default:
				out.add(fmt.Sprintf("acc_leave(%s, %v, %v);", i.address(), clause.Name == "copyout", p.Has("finalize")))
			}
		}
	}
	t.standIn(p, out)
	return nil
}

// movedItem is an item of a directive that stands for itself.
func (t *translation) movedItem(p *pragma, clause directive.Clause, a directive.Arg) (*item, error) {
	i, err := t.newItem(p, clause, a)
	if err != nil {
		return nil, err
	}
	if i.v.isScalar() {
		return nil, refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("the variable %s, which is no array, in %s", i.v.name, p.Name), "hand it to the kernels: each has the value of its launch")
	}
	i.device = i.v.name // what sizeof is asked of
	if len(i.v.derived) > 0 && i.length != "" {
		i.device = i.v.name
	}
	return i, nil
}

// standIn puts statements where a directive stands, under its condition.
func (t *translation) standIn(p *pragma, out *lines) {
	text := out.b.String()
	t.generated[p.fn] += text
	if c, ok := p.Clause("if"); ok && text != "" {
		text = fmt.Sprintf("if (%s) {\n%s}\n", c.Args[0].Text, shift(text, "    "))
	}
	t.edits.Insert(t.lineBefore(p.start), shift(text, t.indentOfNext(p.end)))
}

// declare makes arrays of the file present while the program runs.
func (t *translation) declare(p *pragma) error {
	var main *parser.Function
	for _, f := range t.tree.Functions {
		if f.Body != nil && f.Name == "main" {
			main = f
		}
	}
	at := t.at(p.Pos)
	if p.fn != nil || main == nil {
		return refusal(at, CodeUnsupported, "declare in a function, or in a file without main", "use data, or enter data where the program begins")
	}
	out := &lines{}
	for _, clause := range p.Clauses {
		for _, a := range clause.Args {
			i, err := t.movedItem(p, clause, a)
			if err != nil {
				return err
			}
			out.add(fmt.Sprintf("acc_enter(%s, %v);", i.address(), clause.Name == "copyin"))
		}
	}
	t.generated[main] += out.b.String()
	from, _ := t.original(int(main.Body.Start), int(main.Body.Start)+1)
	inner := t.indentInside(main.Body, "")
	t.edits.Insert(from+1, openLine(t.file.Src, from+1, shift(out.b.String(), inner), inner))
	return nil
}

// hostData gives the host the addresses of the device.
func (t *translation) hostData(p *pragma) error {
	out := &lines{}
	for _, clause := range p.Clauses {
		for _, a := range clause.Args {
			v := t.named(p, a)
			if v == nil || v.isScalar() {
				return refusal(t.at(a.Pos), CodeShape, fmt.Sprintf("%s is no array", a.Name), "name arrays in use_device")
			}
			i := &item{v: v, device: t.deviceName(v)}
			if outer := t.outer(p.stmt, v); outer != nil {
				i.device, i.lower = outer.device, outer.lower
			} else if t.table {
				out.add(fmt.Sprintf("%s = (%s)acc_present(%s, 1, \"%s\");", v.pointerTo(i.device), i.pointerType(), v.name, v.name))
			} else {
				return refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("no data region of this function has %s on the device", v.name), "put the data region around it")
			}
			given := i.device
			if i.lower != "" {
				given += " - " + enclosed(i.lower)
			}
			out.add(fmt.Sprintf("{ %s = %s; // of the device", v.pointerTo(v.name), given))
		}
	}
	t.generated[p.fn] += out.b.String()
	n := strings.Count(out.b.String(), "{ ")
	from, to := t.original(int(p.stmt.Start), int(p.stmt.End))
	indent := t.indentAt(from)
	t.edits.Insert(from, "{\n"+shift(out.b.String(), indent+"    ")+indent)
	t.edits.Insert(to, strings.Repeat(" }", n+1))
	return nil
}
