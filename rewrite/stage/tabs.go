package stage

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Done returns what was made, indented by tabs where the kernel is.
func (w *copyEmitter) Done() *kit.Edits {
	w.openBraces()
	for f, b := range w.Edits {
		first := w.Of.Func.Body.Range.Start
		if f != w.Of.File || !bytes.HasPrefix(f.Src[min(kit.NextLine(f, first), len(f.Src)):], []byte("\t")) {
			continue
		}
		edits := b.Edits()
		for i, e := range edits {
			edits[i].New = byTabs(f, e)
		}
	}
	return w.Emitter.Done()
}

// byTabs is the text of an edit with tabs for each four spaces that a line of it begins with.
func byTabs(f *parser.File, e edit.Edit) string {
	lines := strings.SplitAfter(e.New, "\n")
	for i, line := range lines {
		if i == 0 && kit.LineStart(f, e.Start) != e.Start {
			continue
		}
		rest := strings.TrimLeft(line, " \t")
		lines[i] = strings.ReplaceAll(line[:len(line)-len(rest)], "    ", "\t") + rest
	}
	return strings.Join(lines, "")
}
