package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// launches compares the launches of a file.
type launches struct{ *comparison }

// host compares a host function: outside of launches it is the original's. A launch may have a statement
// before it that computes its parts, and both may stand in braces of their own.
func host(of *comparison, r *Result, a, b definition) {
	c := launches{of}
	la, lb := launchesIn(c.a, a), launchesIn(c.b, b)
	atA, atB := a.start, b.start
	braces := false
	equal := func(endA, endB int, p *parts) bool {
		ua, ub := c.a.between(atA, endA), slices.Clone(c.b.between(atB, endB))
		if end := indexOf(ub, ";"); braces && end >= 0 { // of the launch before
			if braces = end+1 >= len(ub) || ub[end+1].text != "}"; !braces {
				ub = slices.Delete(ub, end+1, end+2)
			} else {
				ub = nil // more than the launch stands in them
			}
		}
		if p != nil && ub != nil {
			first := p.first - (len(c.b.between(atB, endB)) - len(ub))
			ub = slices.Delete(ub, first, first+p.units)
			if !same(ua, ub) && first > 0 && ub[first-1].text == "{" && !mentions(ub[first:], "=") {
				ub, braces = slices.Delete(ub, first-1, first), true
			}
		}
		at := differ(ua, ub, endB-1)
		if at >= 0 || braces && p == nil {
			r.doubt(Erasure, c.b.file, max(at, atB), "this is not what the original has here")
		}
		return at < 0
	}
	if len(la) != len(lb) {
		r.doubt(Launches, c.b.file, b.start, "%s has %d launches and not %d", b.fn.Name, len(lb), len(la))
		return
	}
	for i := range la {
		p := c.launchParts(c.b.between(atB, int(lb[i].Node.Start)))
		if p != nil {
			p.host = b.fn
		}
		if !equal(int(la[i].Node.Start), int(lb[i].Node.Start), p) {
			return
		}
		c.launch(r, la[i], lb[i], p)
		atA, atB = int(la[i].Node.End), int(lb[i].Node.End)
	}
	equal(a.end, b.end, nil)
}

// launch compares one launch.
func (c launches) launch(r *Result, a, b *parser.Launch, p *parts) {
	k := c.changed[b.Kernel]
	ua, ub := c.a.between(int(a.Node.Start), int(a.Node.End)), c.b.between(int(b.Node.Start), int(b.Node.End))
	if k != nil && k.state.main != nil && k.state.main.obj.kind == "unmerged" {
		k.launches++
		k = nil
	}
	if k == nil {
		if at := differ(ua, ub, int(b.Node.Start)); at >= 0 || p != nil {
			r.doubt(Launches, c.b.file, max(at, int(b.Node.Start)), "this launch changed, and its kernel was not merged")
		}
		return
	}
	fail := func(format string, args ...any) { k.doubt(Launches, c.b.file, int(b.Node.Start), format, args...) }
	from, to := c.launchText(c.a, a), c.launchText(c.b, b)
	switch {
	case from == nil || to == nil || len(from.config) < 2 || k.state.main == nil:
		fail("this launch can't be read")
		return
	case from.head != to.head:
		fail("another kernel is launched than by the original, or in another way")
		return
	}
	obj := k.state.main.obj
	if p == nil || text(p.grid) != text(from.config[0]) || text(p.block) != text(from.config[1]) || !p.fits(c.comparison, obj, k.Name, from.kernel) {
		fail("the grid or the block is not the original's for %d merged blocks", obj.merged)
		return
	}
	if !p.stays(obj, from.kernel, from.config) {
		fail("as many blocks as stay are not asked for as the kernel says")
	}
	added := []string{p.name + " . blocks"}
	if obj.whole {
		added = []string{p.name + " . whole"}
	}
	sets := dynamicSets(k.state)
	none := len(from.config) < 3 && p.bytes == nil // bytes of dynamic shared memory
	switch {
	case sets && none:
		added = append(added, "0")
	case sets:
		added = append(added, p.name+" . set")
		if len(from.config) < 3 || text(p.bytes) != text(from.config[2]) || !strings.HasPrefix(p.sets+" ", itoa(obj.sets(nil))+" ") {
			fail("the bytes of dynamic shared memory are not those that the kernel takes")
			return
		}
	}
	if a.Settings != nil && !sets && p.bytes != nil {
		fail("the kernel has no sets of dynamic shared memory, and the launch asks for some")
	}
	config := []string{p.name + " . grid", p.name + " . block"}
	for i := 2; i < len(from.config); i++ {
		if config = append(config, text(from.config[i])); i == 2 && sets {
			config[2] = p.name + " . bytes"
		}
	}
	wanted := from.lists(a, k.state, config, added, p.name)
	for i, part := range wanted {
		if i >= len(to.all) || text(to.all[i]) != part {
			at := int(b.Node.End) - 1
			if i < len(to.all) && len(to.all[i]) > 0 {
				at = to.all[i][0].start
			}
			k.doubt(Launches, c.b.file, at, "this part of the launch is not the original's")
			return
		}
	}
	if len(to.all) != len(wanted) {
		fail("this launch has other parts than the original")
	}
	k.launches++
}

// launchText is the text of a launch in parts.
type launchText struct {
	head   string   // all up to its lists, with their lengths
	kernel []unit   // how the kernel is named
	config [][]unit // grid, block, bytes, stream
	args   [][]unit // those of the kernel, or of the call that launches it
	all    [][]unit // in their order in the text
}

func (c launches) launchText(s *source, l *parser.Launch) *launchText {
	start, end := int(l.Node.Start), int(l.Node.End)
	if l.Error != nil || l.Call == "" && (l.Args == nil || len(l.Config) < 2) {
		return nil
	}
	if l.Call == "" {
		t := &launchText{head: text(s.between(start, l.Open)), kernel: s.between(start, l.Open), config: c.config(s, l), args: split(s.between(int(l.Args.Start)+1, int(l.Args.End)-1))}
		t.all = append(append(slices.Clone(t.config), nil), t.args...)
		return t
	}
	us := s.between(start, end)
	open := indexOf(us, "(")
	t := &launchText{head: text(us[:open]), kernel: s.between(l.Open, l.Close), args: split(us[open+1 : len(us)-1])}
	named := 0
	if l.Settings != nil {
		named = 1
	}
	t.args = wholeKernel(t.args, named)
	t.all = t.args
	for i, n := range l.Config {
		if l.Settings != nil && l.SettingsName == nil {
			break
		}
		t.config = append(t.config, s.between(int(n.Start), int(n.End)))
		if l.Settings != nil {
			t.config[i] = append(slices.Clone(s.between(int(l.SettingsName.Start), int(l.SettingsName.End))), unit{text: "."}, unit{text: l.SettingOf(i)})
		}
	}
	return t
}

// lists are the parts that the launch of the merged kernel has: with another configuration, and what the kernel is
// passed more where it takes it.
func (t *launchText) lists(l *parser.Launch, st *kernelState, config, added []string, name string) (out []string) {
	packed := func(us []unit) string {
		list := text(us)
		for i, more := range added {
			list = fmt.Sprintf("smux : : arguments < %d , %d > ( %s , %s )", st.extra+i, st.params+i, list, more)
		}
		return list
	}
	insert := func(args [][]unit) {
		for i := range len(args) + 1 {
			if i == min(st.extra, len(args)) {
				out = append(out, added...)
			}
			if i < len(args) {
				out = append(out, text(args[i]))
			}
		}
	}
	switch {
	case l.Call == "":
		out = append(config, "")
		insert(t.args)
	case l.Settings == nil:
		out = slices.Concat([]string{text(t.args[0])}, config[:2], []string{packed(t.args[3])}, config[2:])
	default:
		setting := text(t.config[0][:len(t.config[0])-2])
		if out = []string{"smux : : configured ( " + setting + " , " + name + " )", text(t.args[1])}; l.Packed != nil {
			return append(out, packed(t.args[2]))
		}
		insert(t.args[2:])
	}
	return out
}

func (c launches) config(s *source, l *parser.Launch) (out [][]unit) {
	us := s.between(l.Open, l.Close)
	for n := 0; n < 3 && len(us) > 0; us = us[1:] {
		n += len(us[0].text) // "<<<", and "<< <"
	}
	for n := 0; n < 3 && len(us) > 0; us = us[:len(us)-1] {
		n += len(us[len(us)-1].text)
	}
	return split(us)
}
