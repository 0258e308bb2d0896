package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

func lineColumn(f *parser.File, offset int) string {
	pos := f.Position(offset)
	return fmt.Sprintf("%d:%d", pos.Line, pos.Column)
}

func bufferOf(m map[*parser.File]*edit.Buffer, f *parser.File) *edit.Buffer {
	if m[f] == nil {
		m[f] = &edit.Buffer{}
	}
	return m[f]
}

func position(k *analysis.Kernel) diag.Position { return k.File.Position(nameOffset(k.View)) }

// nameOffset is where a kernel's name stands.
func nameOffset(k *parser.Function) int {
	if d := k.Declared; d != nil {
		return int(d.Start)
	}
	return k.Start
}
