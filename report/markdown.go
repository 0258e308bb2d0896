package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
)

// MarkdownOptions holds how a survey is shown.
type MarkdownOptions struct {
	// Path turns the name of a file into the path that others know it by.
	Path func(string) string
	// Rewrite is set if the survey is of a rewrite, and not only of what is there.
	Rewrite bool
	// Unread tells why files were not looked at. Their kernels are missing here, so
	// the summary has it first.
	Unread []diag.Message
}

// MarkdownLimit is the number of characters that GitHub takes as a comment, with some room for what
// others put around it.
const MarkdownLimit = 65_000

// WriteMarkdown writes a survey of programs as a comment on a pull request: what would change
// and why, with what limits each kernel before and after, on each GPU; then, folded
// away, what is left alone.
//
// It is GitHub's Markdown. Names come out as they are, whatever is in them; what a
// comment has no room for is left out from the end, and the comment notes it. The error is
// that of the writer.
func WriteMarkdown(w io.Writer, programs []Program, opt MarkdownOptions) error {
	if opt.Path == nil {
		opt.Path = func(name string) string { return name }
	}
	p := &markdownPage{MarkdownOptions: opt, gpus: GPUs(programs), room: MarkdownLimit}
	for _, program := range programs {
		for _, k := range program.Kernels {
			p.entries = append(p.entries, newMarkdownEntry(k))
		}
		p.lost = append(p.lost, program.Lost...)
	}
	p.head()
	p.unread()
	p.changes()
	p.refusals()
	p.leftAlone()
	p.refused()
	p.silent()
	p.notParsed()
	p.end()
	_, err := io.WriteString(w, p.out.String())
	return err
}

// markdownPage is a comment under way.
type markdownPage struct {
	MarkdownOptions
	gpus    []string // that kernels were looked at for
	entries []markdownEntry
	lost    []Lost
	out     strings.Builder
	room    int // bytes, which are at least as many as characters
	left    int // rows, and kernels that would change, that there was no room for
}

// lastNote bounds the note on pieces that were left out, in bytes.
const lastNote = 300

// add writes a piece whole, if there is room for it and for what must follow it.
func (p *markdownPage) add(piece string, follows int) bool {
	if len(piece)+follows+lastNote > p.room {
		p.left++
		return false
	}
	p.out.WriteString(piece)
	p.room -= len(piece)
	return true
}

// head is the summary.
func (p *markdownPage) head() {
	change := p.of(changes)
	refused, alone := len(p.of(refusal)), len(p.of(noGain))+len(p.of(silent))
	all := len(p.entries)
	title := "No kernel would change"
	if len(change) > 0 {
		title = fmt.Sprintf("%d of %s would change", len(change), prose.Count(all, "kernel"))
	}
	p.add("### smux: "+title+"\n\n", 0)
	sums := []string{}
	for _, s := range []struct {
		n    int
		what string
	}{{alone, leftAs(alone)[1:]}, {refused, "that cannot be rewritten"}, {len(p.lost), "that could not be parsed"}} {
		if s.n > 0 {
			sums = append(sums, prose.Count(s.n, "kernel")+" "+s.what)
		}
	}
	line := ""
	if gpus := p.gpus; len(gpus) > 0 {
		names := []string{}
		for _, g := range gpus {
			names = append(names, markdownCode(g))
		}
		line = "For " + strings.Join(names, ", ") + "."
	}
	if len(sums) > 0 {
		line += " Besides: " + strings.Join(sums, ", ") + "."
	}
	if p.estimated() {
		line += " Registers are estimated, no compiler counted them. Gains are predicted by a model."
	}
	if line = strings.TrimSpace(line); line != "" {
		p.add(line+"\n\n", 0)
	}
}

// estimated reports whether any register count is an estimate.
func (p *markdownPage) estimated() bool {
	return slices.ContainsFunc(p.entries, func(e markdownEntry) bool {
		return slices.ContainsFunc(e.rows(), func(r markdownRow) bool { return r.estimated })
	})
}

// of returns the entries of a kind.
func (p *markdownPage) of(k kind) []markdownEntry {
	var out []markdownEntry
	for _, e := range p.entries {
		if e.kind == k {
			out = append(out, e)
		}
	}
	return out
}

// place returns a kernel's file and line.
func (p *markdownPage) place(e markdownEntry) string {
	return markdownCode(fmt.Sprintf("%s:%d", p.Path(e.Position.File), e.Position.Line))
}

// end reports where there is more, and what was left out.
func (p *markdownPage) end() {
	if len(p.of(changes)) > 0 {
		p.add("`smux rewrite -d` shows the edits, `-w` makes them; the gains are to be measured: `smux tune`.\n", 0)
	}
	if p.left > 0 {
		how := "smux analyze"
		if p.Rewrite {
			how = "smux rewrite -d"
		}
		fmt.Fprintf(&p.out, "_Left out, since a comment holds 65,536 characters: %s. Run `%s` to see all._\n", prose.Count(p.left, "row"), how)
	}
}
