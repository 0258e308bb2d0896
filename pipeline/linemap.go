package pipeline

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/pipeline/resources"
)

// lineMap holds the line of a text that each line of its rewrite stands for, both
// counted from 1; 0 for lines of the runtime.
type lineMap []int

// newLineMap compares a text with its rewrite. A line that was changed stands for one in
// the same place, one that was added for the line after it.
func newLineMap(before, after []byte) lineMap {
	a, b := slices.Collect(strings.Lines(string(before))), slices.Collect(strings.Lines(string(after)))
	m := make(lineMap, len(b)+1)
	shift, next := 0, 0
	for _, c := range append(diff.Changes(a, b), diff.Change{ALo: len(a), AHi: len(a), BLo: len(b), BHi: len(b)}) {
		for ; next < c.BLo; next++ {
			m[next+1] = next + 1 + shift
		}
		runtime := c.ALo == c.AHi && slices.ContainsFunc(b[c.BLo:c.BHi], func(line string) bool { return strings.HasPrefix(line, "namespace smux") })
		for ; next < c.BHi; next++ {
			if !runtime {
				m[next+1] = min(c.ALo+1+next-c.BLo, max(c.ALo+1, c.AHi))
			}
		}
		shift = c.AHi - c.BHi
	}
	return m
}

// of is the line that a line stands for.
func (m lineMap) of(line int) int {
	if line < 0 || line >= len(m) {
		return 0
	}
	return m[line]
}

// linesBefore are a rewrite's machine instructions by the lines of the program as it
// was. Those of the runtime are left out: what taking turns costs is the model's to say.
func linesBefore(lines []cost.Line, maps map[string]lineMap) []cost.Line {
	out := make([]cost.Line, 0, len(lines))
	for _, l := range lines {
		if m, changed := maps[l.File]; changed {
			l.Line = m.of(l.Line)
			l.In = m.of(l.In)
		}
		if l.Line > 0 && l.In > 0 {
			out = append(out, l)
		}
	}
	return out
}

// maps are the line maps of the texts that a rewrite changed.
func (c *source) maps(texts map[string][]byte) map[string]lineMap {
	out := map[string]lineMap{}
	for _, f := range c.prog.Parsed.Files {
		if after := texts[resources.UnitName(f)]; string(after) != string(f.Src) {
			out[f.Name] = newLineMap(f.Src, after)
		}
	}
	return out
}
