package space

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// evidenceMark begins each line of the comments that say what was measured.
const evidenceMark = "// smux tune: "

// evidenceWidth is the column in which the lines of a comment end, indentation included, if they
// have a blank to be broken at.
const evidenceWidth = 110

// Annotate puts a comment above each kernel of the input's group in a result for its
// program (rewrite.Result or an empty one), such as what was measured where. It replaces the comment of an
// earlier run. Lines of code stay as they are, and so do the file's line ends.
//
// The result is a new one. Where a comment would change what the compiler reads,
// as after a line that ends in a backslash, none is put: skipped are the places
// of these kernels in the original.
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
			skipped = append(skipped, k.Position())
			continue
		}
		if edits[now.File] == nil {
			edits[now.File] = &edit.Buffer{}
		}
		edits[now.File].Append(comment.Edits())
	}
	if err := chain.Edit(edits); err != nil {
		return nil, nil, err
	}
	return &rewrite.Result{Kernels: r.Kernels, Files: chain.Result().Files}, skipped, nil
}

// annotation puts a comment above a kernel of a file, instead of those that stand
// between it and the kernel before. ok is false where the compiler would read another
// text.
func annotation(f *parser.File, fn *parser.Function, text string, opt parser.Options) (b edit.Buffer, ok bool) {
	head := min(fn.Start, int(fn.Outer.Start))
	line := lineStart(f.Src, head)
	for at := min(lineStart(f.Src, kernelBefore(f, head)), line); at < line; {
		end := lineEnd(f.Src, at)
		if bytes.HasPrefix(bytes.TrimSpace(f.Src[at:end]), []byte(strings.TrimSpace(evidenceMark))) {
			b.Replace(at, end, "")
		}
		at = end
	}
	if continues(f.Src, line) {
		return b, false
	}
	b.Insert(line, evidence(text, indentation(f.Src[line:head]), f.Newline()))
	out, err := b.Apply(f.Src)
	return b, err == nil && sameCode(f.Name, f.Src, out, opt)
}

// lineStart returns where the line of an offset begins, after a byte order mark.
func lineStart(src []byte, at int) int {
	if start := bytes.LastIndexByte(src[:at], '\n') + 1; start > 0 {
		return start
	}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return 0
}

// continues reports whether the line that begins at an offset is joined to the one
// before, by a backslash or its trigraph.
func continues(src []byte, line int) bool {
	before := bytes.TrimRight(src[:line], "\r\n")
	if line == 0 || bytes.Count(src[len(before):line], []byte("\n")) != 1 {
		return false
	}
	before = bytes.TrimRight(before, " \t\v\f")
	return bytes.HasSuffix(before, []byte(`\`)) || bytes.HasSuffix(before, []byte("??/"))
}

// lineEnd returns the offset after the line of an offset.
func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(src)
}

// kernelBefore returns where the last kernel above an offset ends.
func kernelBefore(f *parser.File, at int) int {
	end := 0
	for _, fn := range f.Functions {
		if fn.IsKernel() && fn.Body != nil && int(fn.Body.End) <= at {
			end = max(end, int(fn.Body.End))
		}
	}
	return end
}

// indentation returns the blanks that a line begins with.
func indentation(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// evidence returns the lines of a comment.
func evidence(text, indent, newline string) (out string) {
	for _, line := range wrapped(text, evidenceWidth-len(indent)-len(evidenceMark)) {
		out += indent + evidenceMark + line + newline
	}
	return out
}

// wrapped breaks a text at blanks. No line ends in what would join the next one to
// it: a backslash, or the trigraph of one.
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

// sameCode reports whether a compiler reads the same in two texts but for comments.
func sameCode(name string, a, b []byte, opt parser.Options) bool {
	before, err := parser.Parse(name, a, opt)
	if err != nil {
		return false
	}
	after, err := parser.Parse(name, b, opt)
	if err != nil {
		return false
	}
	x, y := before.Tokens(), after.Tokens()
	if !slices.EqualFunc(x, y, func(s, t parser.Token) bool {
		return s.Kind == t.Kind && bytes.Equal(a[s.Start:s.End], b[t.Start:t.End])
	}) {
		return false
	}
	return slices.EqualFunc(before.Definitions(), after.Definitions(), func(s, t parser.Definition) bool {
		return s.Name == t.Name && bytes.Equal(a[s.BodyStart:s.BodyEnd], b[t.BodyStart:t.BodyEnd])
	}) && slices.EqualFunc(before.Includes, after.Includes, func(s, t parser.Include) bool { return s.Path == t.Path })
}
