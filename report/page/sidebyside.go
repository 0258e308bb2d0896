package page

import (
	"crypto/sha256"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
)

// around is the number of equal lines shown on both sides of what changes, and
// longest the number of lines only added that are shown without being asked for.
const (
	around  = 3
	longest = 16
)

// sideBySide shows what changes where a kernel is rewritten.
type sideBySide struct {
	// Same is the kernel that is rewritten together with this one and has the same diff, "" for none.
	Same, SameName string
	Files          []fileDiff
}

// fileDiff is the changed lines of a file, in pieces.
type fileDiff struct {
	Name           string
	Added, Removed int
	Hunks          [][]diffRow
}

// diffRow is a line on both sides, or a note on the line above it.
type diffRow struct {
	Old, New    int // numbers of lines, 0 where the side has none
	Class       string
	Left, Right template.HTML
	Note        *diag.Message
	Folded      []diffRow // that this row stands for
	Runtime     bool      // these are smux's own device code
}

// diffIndex finds equal diffs.
type diffIndex map[[sha256.Size]byte]*kernelRef

type kernelRef struct{ id, name string }

// newDiff shows the kernel's fix. Notes stand after the lines that they are
// about; the rest are those on lines that are not shown.
func newDiff(id string, s report.Kernel, seen diffIndex) (*sideBySide, []diag.Message) {
	h := sha256.New()
	for _, f := range s.Fix {
		fmt.Fprintf(h, "%q %d %d\n", f.Name, len(f.Before), len(f.After))
		h.Write(f.After)
	}
	// The kernel's heading tells why it was chosen.
	notes := slices.DeleteFunc(slices.Clone(s.Result.Notes), func(m diag.Message) bool { return m.Code == selection.CodeChosen })
	key := [sha256.Size]byte(h.Sum(nil))
	if same := seen[key]; same != nil {
		return &sideBySide{Same: same.id, SameName: same.name}, notes
	}
	seen[key] = &kernelRef{id, s.Name}
	d, placed := &sideBySide{}, make([]bool, len(notes))
	for _, f := range s.Fix {
		d.Files = append(d.Files, newFileDiff(f.Name, lines(f.Before), lines(f.After), notes, placed))
	}
	var rest []diag.Message
	for i, m := range notes {
		if !placed[i] {
			rest = append(rest, m)
		}
	}
	return d, rest
}

func newFileDiff(name string, a, b []string, notes []diag.Message, placed []bool) fileDiff {
	f := fileDiff{Name: name}
	changes := diff.Changes(withEnds(a), withEnds(b))
	var rows []diffRow
	end := 0 // of the lines of a that are shown
	for i, c := range changes {
		f.Removed, f.Added = f.Removed+c.AHi-c.ALo, f.Added+c.BHi-c.BLo
		from := max(end, c.ALo-around)
		if i > 0 && from > end && len(rows) > 0 {
			f.Hunks, rows = append(f.Hunks, rows), nil
		}
		for j := from; j < c.ALo; j++ {
			rows = append(rows, same(a[j], j+1, c.BLo-c.ALo+j+1))
		}
		rows = append(rows, changed(a, b, c)...)
		end = min(len(a), c.AHi+around)
		if i+1 < len(changes) {
			end = min(end, changes[i+1].ALo)
		}
		for j := c.AHi; j < end; j++ {
			rows = append(rows, same(a[j], j+1, c.BHi-c.AHi+j+1))
		}
	}
	if len(rows) > 0 {
		f.Hunks = append(f.Hunks, rows)
	}
	for i, h := range f.Hunks {
		f.Hunks[i] = withNotes(name, h, notes, placed)
	}
	return f
}

// withEnds gives each line the newline that package diff counts on.
func withEnds(lines []string) []string {
	return lists.Map(lines, func(l string) string { return l + "\n" })
}

func same(text string, old, new int) diffRow {
	line := template.HTML(indented(text))
	return diffRow{Old: old, New: new, Class: "same", Left: line, Right: line}
}

// changed puts lines of a change beside each other; what is left over stands alone.
func changed(a, b []string, c diff.Change) []diffRow {
	var out []diffRow
	for _, p := range besideRuntime(a[c.ALo:c.AHi], b[c.BLo:c.BHi]) {
		row := diffRow{Class: "changed"}
		var left, right string
		if p.a >= 0 {
			row.Old, left = c.ALo+p.a+1, a[c.ALo+p.a]
		}
		if p.b >= 0 {
			row.New, right = c.BLo+p.b+1, b[c.BLo+p.b]
		}
		switch {
		case row.Old == 0:
			row.Class = "added"
		case row.New == 0:
			row.Class = "removed"
		}
		row.Left, row.Right = marked(left, right, "del"), marked(right, left, "ins")
		out = append(out, row)
	}
	return folded(out, b)
}

// folded puts smux's device code under one row, and of a change that only adds all that is long.
func folded(rows []diffRow, b []string) []diffRow {
	added := func(r diffRow) bool { return r.Class == "added" }
	from := slices.IndexFunc(rows, func(r diffRow) bool { return added(r) && b[r.New-1] == runtimeFirst })
	if from >= 0 {
		to := from + 1
		for to < len(rows) && added(rows[to]) && b[rows[to-1].New-1] != runtimeLast {
			to++
		}
		device := diffRow{New: rows[from].New, Folded: rows[from:to:to], Runtime: true}
		return slices.Concat(folded(rows[:from], b), []diffRow{device}, folded(rows[to:], b))
	}
	if len(rows) > longest && !slices.ContainsFunc(rows, func(r diffRow) bool { return !added(r) }) {
		return []diffRow{{New: rows[0].New, Folded: rows}}
	}
	return rows
}

// besideRuntime pairs lines as pairs does, but for those of smux's device code, which
// stand alone: they are like nothing in the original.
func besideRuntime(a, b []string) []pair {
	from := slices.Index(b, runtimeFirst)
	to := slices.Index(b, runtimeLast) + 1
	if from < 0 || to <= from {
		return pairs(a, b)
	}
	out := pairs(a, slices.Concat(b[:from], b[to:]))
	at := slices.IndexFunc(out, func(p pair) bool { return p.b >= from })
	if at < 0 {
		at = len(out)
	}
	for i := at; i < len(out); i++ {
		if out[i].b >= 0 {
			out[i].b += to - from
		}
	}
	var runtime []pair
	for i := from; i < to; i++ {
		runtime = append(runtime, pair{-1, i})
	}
	return slices.Insert(out, at, runtime...)
}

// The first and the last line of smux's device code.
const (
	runtimeFirst = "#ifndef SMUX_CUH"
	runtimeLast  = "#endif  // SMUX_CUH"
)

// indented returns a line whose indentation a narrow window can make smaller.
func indented(line string) string {
	text := strings.TrimLeft(line, " \t")
	if text == line {
		return template.HTMLEscapeString(line)
	}
	return `<span class="lead-in">` + line[:len(line)-len(text)] + "</span>" + template.HTMLEscapeString(text)
}

// marked marks the middle of a line in which it differs from the other, where the
// two have enough in common to be the same line.
func marked(text, other, mark string) template.HTML {
	if other == "" {
		return template.HTML(indented(text))
	}
	lead := strings.TrimLeft(text, " \t")
	prefix, suffix := 0, 0
	a, b := []rune(text), []rune(other)
	for prefix < min(len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < min(len(a), len(b))-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	indent := len([]rune(text)) - len([]rune(lead))
	escape := template.HTMLEscapeString
	if max(0, prefix-indent)+suffix < len(a)/3 || prefix+suffix == len(a) {
		return template.HTML(indented(text))
	}
	return template.HTML(indented(string(a[:prefix])) + "<" + mark + ">" + escape(string(a[prefix:len(a)-suffix])) + "</" + mark + ">" + escape(string(a[len(a)-suffix:])))
}

// withNotes puts notes after the lines that they are about.
func withNotes(file string, rows []diffRow, notes []diag.Message, placed []bool) []diffRow {
	var out []diffRow
	for _, r := range rows {
		out = append(out, r)
		for i := range notes {
			if m := &notes[i]; !placed[i] && r.Old > 0 && m.Pos.File == file && m.Pos.Line == r.Old {
				out, placed[i] = append(out, diffRow{Note: m}), true
			}
		}
	}
	return out
}

// pair is a line of the text before and the one of the text after that stands beside
// it, by their indices; -1 for none.
type pair struct{ a, b int }

// mostPairs bounds the table of pairs; larger changes are paired from the top.
const mostPairs = 40_000

// pairs puts the lines of two texts beside each other, in order: those that are most
// alike together, and between these from the top.
func pairs(a, b []string) []pair {
	var out []pair
	i, j := 0, 0
	upTo := func(toA, toB int) {
		for i < toA || j < toB {
			p := pair{-1, -1}
			if i < toA {
				p.a, i = i, i+1
			}
			if j < toB {
				p.b, j = j, j+1
			}
			out = append(out, p)
		}
	}
	for _, p := range alike(a, b) {
		upTo(p.a, p.b)
		out, i, j = append(out, p), p.a+1, p.b+1
	}
	upTo(len(a), len(b))
	return out
}

// alike returns the pairs of lines in order whose likenesses have the largest sum.
func alike(a, b []string) []pair {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > mostPairs {
		return nil
	}
	like := make([][]float64, len(a))
	best := make([][]float64, len(a)+1) // of the lines from i and j on
	best[len(a)] = make([]float64, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		like[i], best[i] = make([]float64, len(b)), make([]float64, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			like[i][j] = likeness(a[i], b[j])
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if like[i][j] > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+like[i][j])
			}
		}
	}
	var out []pair
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch best[i][j] {
		case best[i+1][j]:
			i++
		case best[i][j+1]:
			j++
		default:
			out = append(out, pair{i, j})
			i, j = i+1, j+1
		}
	}
	return out
}

// likeness returns how much of two lines is the same at their ends, of the longer one; 0 for
// lines that have less than half of the shorter one in common.
func likeness(a, b string) float64 {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	short, long := min(len(a), len(b)), max(len(a), len(b))
	if short < 3 { // a brace is like any other
		return 0
	}
	prefix, suffix := 0, 0
	for prefix < short && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < short-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	if 2*(prefix+suffix) < short {
		return 0
	}
	return float64(prefix+suffix) / float64(long)
}
