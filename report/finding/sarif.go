package finding

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smux-cuda/smux/diag"
)

// What GitHub's code scanning takes.
const (
	mostResults = 25_000
	mostRelated = 100 // of 1,000 locations that it takes, it shows as many
	mostBytes   = 10_000_000
)

const schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// WriteSARIF prints a report as SARIF 2.1.0, one document with one run: the form that code scanners take,
// GitHub's code scanning, Azure DevOps, editors.
//
// What it promises: the document is valid against the published schema, and the same for the same findings on every
// machine. Rules keep their ids. A result keeps its fingerprint when lines above it move. Columns are UTF-16 code
// units, as editors count; where the text of a line is not known, a place has its line alone. A fix holds the edits
// of all files that it changes, and is left out where they hold bytes that are not UTF-8, since JSON could not carry
// them unchanged.
//
// The types are its own, though there are libraries: those for Go have the whole of SARIF, of which this writes a
// tenth, and bring a validator into the program that uses them. The published schema is part of the tests.
//
// It keeps to the limits of GitHub's code scanning: what is too much is left out, the
// least important first, and a notification tells how much.
func WriteSARIF(w io.Writer, r Report) error {
	text, err := encodeSARIF(sarifDocument(r, true))
	if err != nil {
		return err
	}
	if zipped(text) > mostBytes { // the edits are most of it, and GitHub shows none
		if text, err = encodeSARIF(sarifDocument(r, false)); err != nil {
			return err
		}
	}
	_, err = w.Write(text)
	return err
}

func encodeSARIF(l sarifLog) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // <<<grid, block>>>
	e.SetIndent("", "  ")
	err := e.Encode(l)
	return out.Bytes(), err
}

// zipped returns how long a text is when it is uploaded.
func zipped(text []byte) int {
	if len(text) <= mostBytes {
		return 0 // fits as it is
	}
	var n counter
	z := gzip.NewWriter(&n)
	z.Write(text)
	z.Close()
	return int(n)
}

type counter int

func (n *counter) Write(p []byte) (int, error) {
	*n += counter(len(p))
	return len(p), nil
}

// sarifDocument returns the report as SARIF, with the edits or without.
func sarifDocument(r Report, edits bool) sarifLog {
	found, left := r.Findings, 0
	if len(found) > mostResults {
		left = len(found) - mostResults
		found = byImportance(found)[:mostResults]
	}
	b := sarifBuilder{report: r, sources: r.Sources(), rules: rulesOf(found), edits: edits, seen: map[string]int{}}
	out := sarifRun{
		Tool:        map[string]driver{"driver": {"smux", r.Version, home, b.rules}},
		Automation:  map[string]string{"id": "smux/" + r.Command + "/"},
		Invocations: []invocation{{ExecutionSuccessful: true}},
		ColumnKind:  "utf16CodeUnits",
		Results:     []result{},
	}
	in := &out.Invocations[0]
	for _, f := range found {
		out.Results = append(out.Results, b.result(f))
		if f.Unread {
			in.ExecutionSuccessful = false
			in.ToolExecutionNotifications = append(in.ToolExecutionNotifications, b.notification(f))
		}
	}
	if left > 0 {
		in.warn(fmt.Sprintf("%d more findings are left out: %d are as many as code scanning takes", left, mostResults))
	}
	if !edits {
		in.warn(fmt.Sprintf("the edits are left out: with them the document would be larger than the %d bytes that code scanning takes", mostBytes))
	}
	return sarifLog{Schema: schemaURI, Version: "2.1.0", Runs: []sarifRun{out}}
}

func (in *invocation) warn(text string) {
	in.ToolExecutionNotifications = append(in.ToolExecutionNotifications, notification{Level: "warning", Message: message{Text: text}})
}

// sarifBuilder turns findings into results.
type sarifBuilder struct {
	report  Report
	sources *Sources
	rules   []rule
	edits   bool
	seen    map[string]int // how many results have a fingerprint
}

func (b *sarifBuilder) index(code diag.Code) int {
	return slices.IndexFunc(b.rules, func(r rule) bool { return r.ID == string(code) })
}

func (b *sarifBuilder) result(f Finding) result {
	text := f.Message()
	if f.Help != "" {
		text += ". Help: " + f.Help
	}
	out := result{
		RuleID: string(f.Rule), RuleIndex: b.index(f.Rule), Level: string(f.Level), Message: message{Text: text},
		Locations:           []location{b.location(f)},
		PartialFingerprints: map[string]string{fingerprintName: b.fingerprint(f)},
	}
	for i, r := range f.Related[:min(len(f.Related), mostRelated)] {
		out.RelatedLocations = append(out.RelatedLocations, location{
			ID: i + 1, PhysicalLocation: b.physical(r.Pos, diag.Position{}), Message: &message{Text: r.Text},
		})
	}
	if x, ok := b.fix(f.Fix); ok && b.edits {
		out.Fixes = []fix{x}
	}
	if f.Suppressed != "" {
		kind := "inSource"
		if f.External {
			kind = "external"
		}
		out.Suppressions = []suppression{{kind, f.Suppressed}}
	}
	return out
}

func (b *sarifBuilder) notification(f Finding) notification {
	at := b.location(f)
	return notification{
		Level: string(f.Level), Message: message{Text: f.Message()}, Locations: []location{at},
		AssociatedRule: &ruleReference{string(f.Rule), b.index(f.Rule)},
	}
}

// fingerprintName is the name of smux's own fingerprint; its version grows when what it is made of changes. The line
// hash that GitHub goes by is added by its upload action, which knows how.
const fingerprintName = "smuxFinding/v1"

// fingerprint identifies a result for as long as what it is about stays: its rule, its file, its kernel and the words
// of its line, but not their place. Of several alike, the second gets a 2 after it.
func (b *sarifBuilder) fingerprint(f Finding) string {
	line, _ := b.sources.Line(f.Pos.File, f.Pos.Line)
	h := sha256.New()
	for _, part := range []string{string(f.Rule), b.artifact(f.Pos.File).URI, f.Kernel, strings.Join(strings.Fields(line), " ")} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	sum := hex.EncodeToString(h.Sum(nil)[:8])
	b.seen[sum]++
	return fmt.Sprintf("%s:%d", sum, b.seen[sum])
}

// rulesOf returns the rules of some findings, by name. A rule's level is the highest that it is found with.
func rulesOf(found []Finding) []rule {
	out := []rule{}
	for _, f := range byImportance(found) {
		if !slices.ContainsFunc(out, func(r rule) bool { return r.ID == string(f.Rule) }) {
			out = append(out, ruleOf(f.Rule, f.Level))
		}
	}
	slices.SortFunc(out, func(a, b rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// ruleOf describes a code as package diag documents it.
func ruleOf(code diag.Code, level Level) rule {
	r := rule{ID: string(code), Name: camel(string(code)), HelpURI: URL(code), DefaultConfiguration: map[string]string{"level": string(level)}}
	d, ok := diag.Lookup(code)
	if !ok {
		return r
	}
	text := strings.TrimSpace(d.Text)
	r.ShortDescription = &message{Text: d.Title}
	r.FullDescription = &message{Text: clipped(unfolded(text))}
	help := text
	if d.Help != "" {
		help += "\n\nHelp: " + d.Help + "."
	}
	r.Help = &message{
		Text:     help + section("Example", d.Example) + section("Fix", d.Fix),
		Markdown: help + fenced("Example", d.Example) + fenced("Fix", d.Fix),
	}
	return r
}

func section(title, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "\n\n" + title + ":\n\n" + text
}

// fenced returns a section of code, whose own back quotes do not end it.
func fenced(title, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n\n**" + title + "**\n\n" + fence + "cuda\n" + text + "\n" + fence
}

// unfolded joins the lines of each paragraph.
func unfolded(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	return strings.Join(paragraphs, "\n\n")
}

// mostDescribed is the number of bytes of a description that GitHub takes.
const mostDescribed = 1000

// clipped returns as many whole sentences of a text as a description may have.
func clipped(text string) string {
	if len(text) <= mostDescribed {
		return text
	}
	text = text[:mostDescribed]
	return text[:strings.LastIndex(text, ". ")+1]
}

// camel returns a code as a name: NoGain for no-gain.
func camel(code string) string {
	var out strings.Builder
	for _, word := range strings.Split(code, "-") {
		if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

// location returns where a finding stands, with the kernel that it is about.
func (b *sarifBuilder) location(f Finding) location {
	out := location{PhysicalLocation: b.physical(f.Pos, f.End)}
	if f.Kernel != "" {
		out.LogicalLocations = []logicalLocation{{f.Kernel, f.Kernel, "function"}}
	}
	return out
}

// physical returns a range of a file; one whose end is not known ends with its line, as the standard has it.
func (b *sarifBuilder) physical(pos, end diag.Position) physicalLocation {
	out := physicalLocation{ArtifactLocation: b.artifact(pos.File)}
	if !pos.IsValid() {
		return out
	}
	r := &region{StartLine: pos.Line}
	out.Region = r
	column, ok := b.sources.UTF16(pos)
	if !ok {
		return out
	}
	r.StartColumn = column
	if end.IsValid() {
		if column, ok := b.sources.UTF16(end); ok {
			r.EndLine, r.EndColumn = end.Line, column
		}
	}
	return out
}

// artifact names a file relative to the root of the repository, which whoever reads the document knows and this
// machine's path to it would only hide. A file outside of it has an absolute address.
func (b *sarifBuilder) artifact(name string) artifactLocation {
	p := b.report.Name(name)
	if path.IsAbs(p) {
		return artifactLocation{URI: (&url.URL{Scheme: "file", Path: p}).String()}
	}
	return artifactLocation{URI: escaped(p), URIBaseID: "%SRCROOT%"}
}

// escaped returns a path as the relative part of an address. A first part with a colon would be taken for a scheme.
func escaped(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(parts[i]), ":", "%3A")
	}
	return strings.Join(parts, "/")
}

// fix returns the edits of a finding; ok is false where there are none, or none that can be written.
func (b *sarifBuilder) fix(f *Fix) (out fix, ok bool) {
	for _, c := range f.changes() {
		change := artifactChange{ArtifactLocation: b.artifact(c.Name)}
		texts := (&Report{Source: func(string) []byte { return c.Before }}).Sources()
		for _, e := range c.Edits() {
			if !utf8.Valid(e.Text) {
				return fix{}, false
			}
			r := replacement{DeletedRegion: deleted(e, texts)}
			if len(e.Text) > 0 {
				r.InsertedContent = &message{Text: string(e.Text)}
			}
			change.Replacements = append(change.Replacements, r)
		}
		out.ArtifactChanges = append(out.ArtifactChanges, change)
	}
	if len(out.ArtifactChanges) == 0 {
		return fix{}, false
	}
	out.Description = message{Text: f.Text}
	return out, true
}

// deleted returns the range of an edit. A line after the last has only its first column.
func deleted(e Edit, texts *Sources) region {
	column := func(p Point) int {
		if c, ok := texts.UTF16(diag.Position{Line: p.Line, Column: p.Column}); ok {
			return c
		}
		return 1
	}
	return region{e.Start.Line, column(e.Start), e.End.Line, column(e.End)}
}
