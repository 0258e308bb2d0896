package translate

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// hooks notifies the run-time of virtual thread blocks: which one a thread belongs to, and when it is in a region. It
// looks for smux's device runtime and for the turn loops that smux emits, by their shape.
func (t *text) hooks() {
	for _, c := range t.file.Classes {
		if c.Body == nil || !t.inNamespace(c.Node, "smux") {
			continue
		}
		switch withoutPrefix(c.Name) {
		case "vtb":
			t.hookConstructor(c)
			t.noteRuntime(c.Node)
		case "vtb_ring", "vtb_numbered", "vtb_lock", "vtb_named": // the last in what earlier versions wrote
			t.hookHandOver(c.Name)
		}
	}
	for n := range t.file.Root.All() {
		if n.Kind == parser.KindForStatement {
			t.hookTurns(n)
		}
	}
}

// inNamespace reports whether a node is directly in the namespace.
func (t *text) inNamespace(n *parser.Node, name string) bool {
	p := n.Ancestor(parser.KindNamespaceDefinition)
	return p != nil && t.file.Text(p.Child(parser.FieldName)) == name
}

// withoutPrefix is a name of smux's runtime, which has a prefix where a macro of the program has the name itself.
func withoutPrefix(name string) string { return strings.TrimPrefix(name, "smux_") }

// hookConstructor: smux::vtb's constructor has an empty body.
func (t *text) hookConstructor(c *parser.Class) {
	for _, f := range t.file.Functions {
		if f.Class == c.Name && f.Name == c.Name && f.Body != nil && c.Node.Start <= f.Node.Start && f.Node.End <= c.Node.End {
			member := func(name string) string {
				if strings.Contains(t.file.Text(c.Node), " smux_"+name+";") {
					return "smux_" + name
				}
				return name
			}
			t.insert(int(f.Body.End)-1, fmt.Sprintf(" ::smux_cpu_vtb(%s, %s); ", member("id"), member("count")))
		}
	}
}

// hookHandOver: a region lasts from the end of acquire to the beginning of
// release. finish takes back the last turn by acquire, and enters no region.
func (t *text) hookHandOver(class string) {
	for _, f := range t.file.Functions {
		if f.Class != class || f.Body == nil {
			continue
		}
		switch withoutPrefix(f.Name) {
		case "acquire":
			t.insert(int(f.Body.End)-1, "::smux_cpu_region_begin(); ")
		case "release":
			t.insert(int(f.Body.Start)+1, " ::smux_cpu_region_end();")
		case "finish":
			for n := range f.Body.All() {
				if n.Kind == parser.KindExpressionStatement && strings.HasPrefix(withoutPrefix(t.file.Text(n)), "acquire()") {
					t.insert(int(n.Start), "{ ")
					t.insert(int(n.End), " ::smux_cpu_region_end(); }")
				}
			}
		}
	}
}

// hookTurns: for (int turn = 0; turn < N; ++turn) { … vtb.id == turn … }, where vtb is a smux::vtb. In vtb-pipe,
// v-TBs work outside of the region in the step before their turn, and the region is what stands after the first one's
// exit: for (int step = 0; step < 3; ++step) { … if (step == 0) continue; … vtb.id + 1 == step … }.
func (t *text) hookTurns(n *parser.Node) {
	body := n.Child(parser.FieldBody)
	condition, update := t.file.Text(n.Child(parser.FieldCondition)), t.file.Text(n.Child(parser.FieldUpdate))
	turn, found := strings.CutPrefix(update, "++")
	if body == nil || body.Kind != parser.KindCompoundStatement || !found || !strings.HasPrefix(condition, turn+" < ") {
		return
	}
	if t.file.Text(n.Child(parser.FieldInitializer)) != "int "+turn+" = 0;" {
		return
	}
	from := int(body.Start) + 1
	for s := body.First; s != nil; s = s.Next {
		if s.Kind == parser.KindIfStatement && t.file.Text(s) == "if ("+turn+" == 0) continue;" {
			from = int(s.End)
		}
	}
	id := ""
	body.Walk(func(m *parser.Node) bool {
		if m.Kind == parser.KindBinaryExpression && int(m.Start) >= from && id == "" {
			left, right := t.file.Text(m.Child(parser.FieldLeft)), t.file.Text(m.Child(parser.FieldRight))
			if vtb, member, _ := strings.Cut(strings.TrimSuffix(left, " + 1"), "."); withoutPrefix(member) == "id" && right == turn && t.isVTB(vtb, int(n.Start)) {
				id = left
			}
		}
		return id == ""
	})
	if id != "" {
		t.insert(from, fmt.Sprintf(" const ::smux_cpu::turn_scope smux_turn_scope(%s, %s);", id, turn))
	}
}

// isVTB reports whether a name is declared as a smux::vtb before an offset.
func (t *text) isVTB(name string, offset int) bool {
	f := t.functionAt(offset)
	if f == nil {
		return false
	}
	head := t.file.Src[f.Start:offset]
	k := bytes.Index(head, []byte("smux::vtb"))
	for ; k >= 0; k = bytes.Index(head, []byte("smux::vtb")) {
		head = head[k:]
		word, rest, _ := bytes.Cut(head, []byte(">"))
		rest = bytes.TrimLeft(rest, " &")
		if len(word) < 40 && bytes.HasPrefix(rest, []byte(name)) && !isWordByte(rest, len(name)) {
			return true
		}
		head = head[1:]
	}
	return false
}

func isWordByte(b []byte, i int) bool {
	return i < len(b) && (b[i] == '_' || b[i] >= '0' && b[i] <= '9' || b[i]|0x20 >= 'a' && b[i]|0x20 <= 'z')
}

// noteRuntime notes the lines of the device runtime: its include guards and what is between, or else its namespace.
func (t *text) noteRuntime(n *parser.Node) {
	ns := n.Ancestor(parser.KindNamespaceDefinition)
	if t.runtime = runtimeLines(t.file); t.runtime[0] == 0 {
		t.runtime = [2]int{t.file.Position(int(ns.Start)).Line, t.file.Position(int(ns.End)).Line}
	}
}

// The guards of the device runtime's parts, which stand after each other.
var (
	guardOpens  = regexp.MustCompile(`(?m)^#ifndef SMUX_(LIMIT|RESHAPE|CUH|SLOTS|SLOT_BYTES)\r?$`)
	guardCloses = regexp.MustCompile(`(?m)^#endif  // SMUX_(LIMIT|RESHAPE|CUH|SLOTS|SLOT_BYTES)\r?$`)
)

// runtimeLines returns the first and the last line of the device runtime in a file, 0 0 where it has none.
func runtimeLines(f *parser.File) [2]int {
	open, closed := guardOpens.FindIndex(f.Src), guardCloses.FindAllIndex(f.Src, -1)
	if open == nil || len(closed) == 0 {
		return [2]int{}
	}
	return [2]int{f.Position(open[0]).Line, f.Position(closed[len(closed)-1][0]).Line}
}
