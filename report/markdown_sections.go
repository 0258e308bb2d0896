package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
)

// table is a table under way.
type table struct{ out strings.Builder }

func newTable(heads ...string) *table {
	t := &table{}
	t.row(heads...)
	t.row(slices.Repeat([]string{"---"}, len(heads))...)
	return t
}

// row adds a row; cells are Markdown on one line without a bar.
func (t *table) row(cells ...string) {
	t.out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

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
			t := newTable("GPU", "block", "limited by", e.way.Unit()+"s per SM", "registers", "predicted")
			for _, r := range rows {
				t.row(markdownCode(r.gpu), markdownCode(r.block), r.limit, r.blocks, r.registers, r.gain)
			}
			out.WriteString(t.out.String() + "\n")
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

// kernelTable is a folded table of kernels, of as many rows as there is room for.
func (p *markdownPage) kernelTable(summary string, entries []markdownEntry, why bool) {
	if len(entries) == 0 {
		return
	}
	heads := []string{"kernel", "thread blocks per SM, limited by", "registers"}
	if why {
		heads = append(heads, "why")
	}
	head := newTable(heads...)
	if !p.add("<details><summary>"+summary+"</summary>\n\n"+head.out.String(), 2*len(folded)) {
		return
	}
	for _, e := range entries {
		t := &table{}
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
		t.row(cells...)
		p.add(t.out.String(), 2*len(folded))
	}
	p.add("\n"+folded, 0)
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
	var codes []diag.Code
	for c := range byCode {
		codes = append(codes, c)
	}
	sort.Slice(codes, func(i, j int) bool {
		if a, b := len(byCode[codes[i]]), len(byCode[codes[j]]); a != b {
			return a > b
		}
		return codes[i] < codes[j]
	})
	head := newTable("code", "kernels", "what it says", "which")
	if !p.add("<details><summary>"+prose.Count(len(entries), "kernel")+" that cannot be rewritten, by what stands in the way</summary>\n\n"+head.out.String(), 2*len(folded)) {
		return
	}
	for _, c := range codes {
		t := &table{}
		t.row(markdownCode(string(c)), fmt.Sprint(len(byCode[c])), markdownText(title(c)), p.names(byCode[c]))
		p.add(t.out.String(), 2*len(folded))
	}
	p.add("\n"+folded, 0)
}

// refused are the kernels that cannot be rewritten, one by one.
func (p *markdownPage) refused() {
	e := p.of(refusal)
	p.kernelTable("what limits "+prose.Count(len(e), "kernel")+" that cannot be rewritten", e, true)
}

// title returns the title of a code.
func title(c diag.Code) string {
	d, _ := diag.Lookup(c)
	return d.Title
}

// names lists kernels, the first of many.
func (p *markdownPage) names(entries []markdownEntry) string {
	const most = 8
	var out []string
	for _, e := range entries[:min(most, len(entries))] {
		out = append(out, markdownCode(e.Name))
	}
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
	head := newTable("kernel", "place")
	if !p.add("<details><summary>"+prose.Count(len(p.lost), "kernel")+" that could not be parsed</summary>\n\n"+head.out.String(), 2*len(folded)) {
		return
	}
	for _, l := range p.lost {
		t := &table{}
		name := "(name not known)"
		if l.Name != "" {
			name = markdownCode(l.Name)
		}
		t.row(name, markdownCode(fmt.Sprintf("%s:%d", p.Path(l.Position.File), l.Position.Line)))
		p.add(t.out.String(), 2*len(folded))
	}
	p.add("\n"+folded, 0)
}
