package kit

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// LineColumn writes an offset of a file as line and column, as proofs are printed.
func LineColumn(f *parser.File, offset int) string {
	pos := f.Position(offset)
	return fmt.Sprintf("%d:%d", pos.Line, pos.Column)
}

// BufferOf returns the edits of a file, empty ones at first.
func BufferOf(m map[*parser.File]*edit.Buffer, f *parser.File) *edit.Buffer {
	if m[f] == nil {
		m[f] = &edit.Buffer{}
	}
	return m[f]
}

// Position returns the place of a kernel's name.
func Position(k *analysis.Kernel) diag.Position { return k.File.Position(NameOffset(k.View)) }

// NameOffset returns the offset of a kernel's name.
func NameOffset(k *parser.Function) int {
	if d := k.Declared; d != nil {
		return int(d.Start)
	}
	return k.Start
}
