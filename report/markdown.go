package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
)

// MarkdownOptions holds how a survey is shown.
type MarkdownOptions struct {
	// Path turns the name of a file into the path that others know it by.
	Path func(string) string
	// Rewrite is set if the survey is of a rewrite, and not only of what is there.
	Rewrite bool
	// Unread tells why files were not looked at. Their kernels are missing here, so the summary has it first.
	Unread []diag.Message
}

// MarkdownLimit is the number of characters that GitHub takes as a comment, with some room for what
// others put around it.
const MarkdownLimit = 65_000

// WriteMarkdown writes a survey of programs as a comment on a pull request: what would change and why, with what
// limits each kernel before and after, on each GPU; then, folded away, what is left alone.
//
// It is GitHub's Markdown. Names come out as they are, whatever is in them; what a comment has no room for is left
// out from the end, and the comment notes it. The error is that of the writer.
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
		line = "For " + strings.Join(lists.Map(gpus, markdownCode), ", ") + "."
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
	return lists.Filter(p.entries, func(e markdownEntry) bool { return e.kind == k })
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

// tableHead begins a table, and tableRow adds a row to one; cells are Markdown on one line without a bar.
func tableHead(heads []string) string {
	return tableRow(heads) + tableRow(slices.Repeat([]string{"---"}, len(heads)))
}

func tableRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// changes are the kernels that would be rewritten, each with a table.
func (p *markdownPage) changes() {
	for _, e := range p.of(changes) {
		verb := "`smux rewrite` would make it"
		if p.Rewrite {
			verb = "becomes"
		}
		var out strings.Builder
		fmt.Fprintf(&out, "#### %s\n\n%s: %s %s", markdownCode(e.Name), p.place(e), verb, markdownCode(e.way.String()))
		if e.Model != nil {
			for _, r := range e.Model.Ranking {
				if r.Variant == e.way && r.Gain > 0 {
					fmt.Fprintf(&out, ", predicted %.2fx as fast", r.Gain)
					if len(e.rows()) > 1 {
						out.WriteString(" on average")
					}
				}
			}
		}
		out.WriteString(".\n\n")
		if rows := e.rows(); len(rows) > 0 {
			out.WriteString(tableHead([]string{"GPU", "block", "limited by", e.way.Unit() + "s per SM", "registers", "predicted"}))
			for _, r := range rows {
				out.WriteString(tableRow([]string{markdownCode(r.gpu), markdownCode(r.block), r.limit, r.blocks, r.registers, r.gain}))
			}
			out.WriteString("\n")
		}
		out.WriteString(e.known())
		if why := e.why(); why != "" {
			out.WriteString(why + "\n\n")
		}
		p.add(out.String(), 0)
	}
}

// known returns the facts about a kernel's rewrite from proofs and measurements, "" for nothing.
func (e markdownEntry) known() string {
	var out strings.Builder
	if e.Judgement != nil {
		fmt.Fprintf(&out, "- %s\n", markdownText(e.Judgement.Text()))
	}
	for _, v := range e.Evidence {
		chosen := ", not found the best"
		if v.Chosen {
			chosen = ", found the best"
		}
		fmt.Fprintf(&out, "- %s: %s %s%s; %s\n", markdownText(v.Where()), markdownCode(v.Form), v.Gain(), chosen, markdownText(v.Correct))
	}
	if out.Len() > 0 {
		out.WriteByte('\n')
	}
	return out.String()
}

const folded = "</details>\n\n"

// fold writes a folded table of as many rows as there is room for, and reports whether there is any.
func (p *markdownPage) fold(summary string, heads []string, rows [][]string) bool {
	if !p.add("<details><summary>"+summary+"</summary>\n\n"+tableHead(heads), 2*len(folded)) {
		return false
	}
	for _, r := range rows {
		p.add(tableRow(r), 2*len(folded))
	}
	p.add("\n"+folded, 0)
	return true
}

// kernelTable is a folded table of kernels, of as many rows as there is room for.
func (p *markdownPage) kernelTable(summary string, entries []markdownEntry, why bool) {
	if len(entries) == 0 {
		return
	}
	heads := []string{"kernel", "thread blocks per SM, limited by", "registers"}
	if why {
		heads = append(heads, "why")
	}
	var rows [][]string
	for _, e := range entries {
		var limits, registers []string
		for _, r := range e.rows() { // a cell for both: those of two columns would not stay side by side
			limits = append(limits, fmt.Sprintf("%s: %s, %s", markdownCode(r.gpu), r.blocks, r.limit))
			registers = append(registers, r.registers)
		}
		if e.Model != nil {
			for _, m := range e.Model.Profile {
				limits = append(limits, markdownText(m.String()))
			}
		}
		cells := []string{markdownCode(e.Name) + "<br>" + p.place(e), lines(limits), lines(registers)}
		if why {
			cells = append(cells, e.briefly())
		}
		rows = append(rows, cells)
	}
	if !p.fold(summary, heads, rows) {
		return
	}
	for _, e := range entries {
		if m := e.known(); m != "" {
			p.add(fmt.Sprintf("%s %s:\n\n%s", markdownCode(e.Name), p.place(e), m), 0)
		}
	}
}

// lines returns one line for each place, or a single one where all are equal.
func lines(cells []string) string {
	if len(slices.Compact(slices.Clone(cells))) == 1 {
		return cells[0]
	}
	return strings.Join(cells, "<br>")
}

// leftAs says that n kernels stay as they are.
func leftAs(n int) string {
	if n == 1 {
		return " left as it is"
	}
	return " left as they are"
}

// leftAlone are the kernels that are not expected to gain.
func (p *markdownPage) leftAlone() {
	e := p.of(noGain)
	p.kernelTable(prose.Count(len(e), "kernel")+leftAs(len(e))+": no rewrite is expected to gain enough", e, true)
}

// unread are the files that were not looked at, the first of many.
func (p *markdownPage) unread() {
	const most = 10
	if len(p.Unread) == 0 {
		return
	}
	p.add("**Not all files could be looked at:**\n\n", 0)
	for i, m := range p.Unread {
		if i == most {
			p.add(fmt.Sprintf("- %d more\n", len(p.Unread)-most), 0)
			break
		}
		place := p.Path(m.Pos.File)
		if m.Pos.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, m.Pos.Line)
		}
		p.add(fmt.Sprintf("- %s: %s: %s\n", markdownCode(place), markdownCode(string(m.Code)), markdownText(m.Text)), 0)
	}
	p.add("\n", 0)
}

// silent returns the kernels without anything to report.
func (p *markdownPage) silent() {
	e := p.of(silent)
	p.kernelTable(prose.Count(len(e), "kernel")+" without shared memory", e, false)
}

// refusals returns the kernels that cannot be rewritten, by what prevents it.
func (p *markdownPage) refusals() {
	entries := p.of(refusal)
	if len(entries) == 0 {
		return
	}
	byCode := map[diag.Code][]markdownEntry{}
	for _, e := range entries {
		for i, m := range e.reasons {
			if !slices.ContainsFunc(e.reasons[:i], func(o diag.Message) bool { return o.Code == m.Code }) {
				byCode[m.Code] = append(byCode[m.Code], e)
			}
		}
	}
	codes := slices.SortedFunc(maps.Keys(byCode), func(a, b diag.Code) int {
		return cmp.Or(cmp.Compare(len(byCode[b]), len(byCode[a])), cmp.Compare(a, b))
	})
	var rows [][]string
	for _, c := range codes {
		d, _ := diag.Lookup(c)
		rows = append(rows, []string{markdownCode(string(c)), fmt.Sprint(len(byCode[c])), markdownText(d.Title), p.names(byCode[c])})
	}
	p.fold(prose.Count(len(entries), "kernel")+" that cannot be rewritten, by what stands in the way", []string{"code", "kernels", "what it says", "which"}, rows)
}

// refused are the kernels that cannot be rewritten, one by one.
func (p *markdownPage) refused() {
	e := p.of(refusal)
	p.kernelTable("what limits "+prose.Count(len(e), "kernel")+" that cannot be rewritten", e, true)
}

// names lists kernels, the first of many.
func (p *markdownPage) names(entries []markdownEntry) string {
	const most = 8
	out := lists.Map(entries[:min(most, len(entries))], func(e markdownEntry) string { return markdownCode(e.Name) })
	if more := len(entries) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// notParsed are the kernels that nothing is known of.
func (p *markdownPage) notParsed() {
	if len(p.lost) == 0 {
		return
	}
	var rows [][]string
	for _, l := range p.lost {
		name := "(name not known)"
		if l.Name != "" {
			name = markdownCode(l.Name)
		}
		rows = append(rows, []string{name, markdownCode(fmt.Sprintf("%s:%d", p.Path(l.Position.File), l.Position.Line))})
	}
	p.fold(prose.Count(len(p.lost), "kernel")+" that could not be parsed", []string{"kernel", "place"}, rows)
}
