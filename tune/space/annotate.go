package space

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// evidenceMark begins each line of the comments that say what was measured.
const evidenceMark = "// smux tune: "

// evidenceWidth is the column in which the lines of a comment end if they can be broken at a blank.
const evidenceWidth = 110

// Annotate returns a result with a comment above each kernel of the input's group, in the place of an earlier run's. Code and
// line ends stay as they are. skipped are the places of kernels where a comment would change what the compiler reads.
func Annotate(in Input, r *rewrite.Result, text string) (out *rewrite.Result, skipped []diag.Position, err error) {
	chain := rewrite.NewChain(in.Analysed)
	if err := chain.Add(r); err != nil {
		return nil, nil, err
	}
	edits := map[*parser.File]*edit.Buffer{}
	for _, k := range in.Group.Kernels {
		now, err := chain.Kernel(k)
		if err != nil {
			return nil, nil, err
		}
		comment, ok := annotation(now.File, now.View, text, in.Parse)
		if !ok {
			skipped = append(skipped, summary.Position(k))
			continue
		}
		kit.BufferOf(edits, now.File).Append(comment.Edits())
	}
	if err := chain.Edit(edits); err != nil {
		return nil, nil, err
	}
	return &rewrite.Result{Kernels: r.Kernels, Files: chain.Result().Files}, skipped, nil
}

// annotation puts a comment above a kernel, instead of earlier ones; ok is false where the compiler would read another text.
func annotation(f *parser.File, fn *parser.Function, text string, opt parser.Options) (b edit.Buffer, ok bool) {
	head := min(fn.Start, int(fn.Outer.Start))
	line, above := lineStart(f, head), 0 // after the kernel before
	for _, fn := range f.Functions {
		if fn.IsKernel() && fn.Body != nil && int(fn.Body.End) <= head {
			above = max(above, int(fn.Body.End))
		}
	}
	for at := min(lineStart(f, above), line); at < line; {
		end := kit.NextLine(f, at)
		if bytes.HasPrefix(bytes.TrimSpace(f.Src[at:end]), []byte(strings.TrimSpace(evidenceMark))) {
			b.Replace(at, end, "")
		}
		at = end
	}
	if continues(f.Src, line) {
		return b, false
	}
	indent, comment := kit.IndentAt(f, head), ""
	for _, words := range wrapped(text, evidenceWidth-len(indent)-len(evidenceMark)) {
		comment += indent + evidenceMark + words + f.Newline()
	}
	b.Insert(line, comment)
	out, err := b.Apply(f.Src)
	if err != nil {
		return b, false
	}
	after, err := parser.Parse(f.Name, out, opt)
	return b, err == nil && units.Same(units.NewSource(f).Units, units.NewSource(after).Units)
}

// lineStart returns where the line of an offset begins, after a byte order mark.
func lineStart(f *parser.File, at int) int {
	start := kit.LineStart(f, at)
	if start == 0 && bytes.HasPrefix(f.Src, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return start
}

// continues reports whether a backslash or its trigraph joins the line that begins at an offset to the one before.
func continues(src []byte, line int) bool {
	before := bytes.TrimRight(src[:line], "\r\n")
	if line == 0 || bytes.Count(src[len(before):line], []byte("\n")) != 1 {
		return false
	}
	before = bytes.TrimRight(before, " \t\v\f")
	return bytes.HasSuffix(before, []byte(`\`)) || bytes.HasSuffix(before, []byte("??/"))
}

// wrapped breaks a text at blanks. No line ends in a backslash or its trigraph, which would join the next one to it.
func wrapped(text string, width int) (lines []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		if strings.HasSuffix(word, `\`) || strings.HasSuffix(word, "??/") {
			word += "."
		}
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
