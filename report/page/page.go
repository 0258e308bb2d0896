// Package page writes a survey as one HTML file for people to review: every kernel with what limits it, where its
// regions are, what the model expects of its rewrites, what would change and why, or why it is left alone.
//
// The file needs nothing beside it: styles and script are in it, and a content security policy forbids it to ask a
// network for anything. It can be read without the script, which adds a filter, sorting and keys. All that comes from
// a code base is text to the page, whatever characters it has. Equal input gives equal bytes.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/report"
)

// Options holds what a page shows beside a survey.
type Options struct {
	Title   string // what was looked at: "./..." or the names of files
	Version string // of smux
	// Time says when the page was made; the zero value, for pages that are to be
	// the same when made again, leaves it out.
	Time time.Time
	// Unreadable are the files that could not be looked at, with the reason.
	Unreadable []diag.Message
}

//go:embed *.html page.css page.js
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"times": times, "percent": percent, "short": short, "count": prose.Count, "add": func(a, b int) int { return a + b },
}).ParseFS(files, "*.html"))

// Write returns the page of some programs, in their order.
func Write(programs []report.Program, opt Options) ([]byte, error) {
	style, script := asset("page.css"), asset("page.js")
	v := newView(programs, opt)
	style += gpuStyle(len(v.GPUs))
	v.Style, v.Script = template.CSS(style), template.JS(script)
	v.Policy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", hash(style), hash(script))
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "page.html", v); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return visible(out.Bytes()), nil
}

// asset returns a file of this package; the tests read each.
func asset(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// hash returns how a content security policy names a text that may be used.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// gpuStyle shows what is said of one GPU where that is picked, and else what is said of all: without the script, too.
func gpuStyle(gpus int) string {
	style := ""
	for i := range gpus {
		style += fmt.Sprintf(":root:has(#gpu-%[1]d:checked) :is(.v0,.curve:not(.g%[1]d)){display:none}\n:root:has(#gpu-%[1]d:checked) .v%[1]d{display:inline}\n", i+1)
	}
	return style
}

// view holds what the templates show.
type view struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Title, Version, Time string
	GPUs                 []string
	Figures              []figure
	Limits               []limitRow
	Kernels              []*kernel
	Codes                []*codeGroup
	Lost                 []report.Lost
	Unreadable           []diag.Message
}

// figure is a number of the summary.
type figure struct {
	Number int
	Text   string
}

// limitRow counts the kernels of a GPU by what limits them.
type limitRow struct {
	GPU    string
	Full   int // with full occupancy
	Counts []int
	Known  int
}

// limitNames are the columns of limitRow.Counts.
var limitNames = []string{"shared memory", "registers", "threads", "thread blocks", "barriers"}

func newView(programs []report.Program, opt Options) *view {
	v := &view{Title: opt.Title, Version: opt.Version, GPUs: report.GPUs(programs), Unreadable: opt.Unreadable}
	if !opt.Time.IsZero() {
		v.Time = opt.Time.UTC().Format(time.DateOnly + " 15:04 MST")
	}
	diffs := diffIndex{}
	for _, p := range programs {
		texts := newTexts(p)
		for _, k := range p.Kernels {
			id := fmt.Sprintf("k%d", len(v.Kernels)+1)
			v.Kernels = append(v.Kernels, newKernel(id, k, texts, v.GPUs, diffs))
		}
		v.Lost = append(v.Lost, p.Lost...)
	}
	v.Codes = groupByCode(v.Kernels)
	v.Figures = figures(v, programs)
	for i, name := range v.GPUs {
		v.Limits = append(v.Limits, newLimitRow(name, i, v.Kernels))
	}
	return v
}

// LimitNames returns the heads of the table of limits.
func (v *view) LimitNames() []string { return limitNames }

// CodesTitle heads the codes: kernels may be against some rewrites alone.
func (v *view) CodesTitle() string {
	if slices.ContainsFunc(v.Codes, func(c *codeGroup) bool { return len(c.Decided) > 0 }) {
		return "Why kernels are left alone"
	}
	return "What is against other rewrites"
}

func figures(v *view, programs []report.Program) []figure {
	names := map[string]bool{}
	for _, p := range programs {
		for _, f := range p.Files {
			names[f.Name] = true
		}
	}
	shared, can, rewritten := 0, 0, 0
	for _, k := range v.Kernels {
		if len(k.Shared) > 0 {
			shared++
		}
		if k.can {
			can++
		}
		if k.Rewritten {
			rewritten++
		}
	}
	out := []figure{
		{len(names), prose.Noun(len(names), "file")}, {len(v.Kernels), prose.Noun(len(v.Kernels), "kernel")}, {shared, "with shared memory"},
		{can, "could be merged"}, {rewritten, "rewritten"}, {len(v.Kernels) - rewritten, "left alone"},
	}
	if n := len(v.Lost); n > 0 {
		out = append(out, figure{n, "not parsed"})
	}
	if n := len(v.Unreadable); n > 0 {
		out = append(out, figure{n, prose.Noun(n, "file") + " not read"})
	}
	return out
}

func newLimitRow(name string, gpu int, kernels []*kernel) limitRow {
	row := limitRow{GPU: name, Counts: make([]int, len(limitNames))}
	for _, k := range kernels {
		s := k.standing[gpu]
		if s == nil {
			continue
		}
		row.Known++
		if s.Occupancy >= 1 {
			row.Full++
			continue
		}
		for i, name := range limitNames {
			if slices.ContainsFunc(s.Limiters.List(), func(l limit) bool { return l.String() == name }) {
				row.Counts[i]++
			}
		}
	}
	return row
}

// texts are the lines of a program's files.
type texts map[string][]string

func newTexts(p report.Program) texts {
	t := texts{}
	for _, f := range p.Files {
		t[f.Name] = lines(f.Src)
	}
	return t
}

// line returns the text of a place's line, "" where the file is not at hand.
func (t texts) line(at diag.Position) string {
	if l := t[at.File]; at.Line >= 1 && at.Line <= len(l) {
		return strings.TrimSpace(l[at.Line-1])
	}
	return ""
}

// visible puts marks in place of what a reader cannot see and what may make other text look different from what it
// is: bytes that are not UTF-8, control characters, and those that turn the direction of text around.
func visible(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '\u2400' + r // the pictures of control characters
		case r == 0x7f:
			return '\u2421'
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// lines returns the lines of a text without their ends.
func lines(text []byte) []string {
	all := strings.Split(string(text), "\n")
	if n := len(all); all[n-1] == "" {
		all = all[:n-1]
	}
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\r")
	}
	return all
}

// times writes a ratio of times as "1.25×".
func times(x float64) string { return fmt.Sprintf("%.2f×", x) }

// percent writes a part of one as "25 %".
func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// span is "8", or "8–16" where the least and the most are not the same.
func span(least, most string) string {
	if least == most {
		return least
	}
	return least + "–" + most
}

// short returns a place without its column, and with the last two parts of its path, for
// lists; each kernel's section has all of it.
func short(p diag.Position) string {
	parts := strings.Split(p.File, "/")
	if n := len(parts); n > 2 {
		parts = []string{"…", parts[n-2], parts[n-1]}
	}
	return fmt.Sprintf("%s:%d", strings.Join(parts, "/"), p.Line)
}
