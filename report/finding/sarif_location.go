package finding

import (
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/smux-cuda/smux/diag"
)

// location returns where a finding stands, with the kernel that it is about.
func (b *sarifBuilder) location(f Finding) location {
	out := location{PhysicalLocation: b.physical(f.Pos, f.End)}
	if f.Kernel != "" {
		out.LogicalLocations = []logicalLocation{{f.Kernel, f.Kernel, "function"}}
	}
	return out
}

// physical returns a range of a file; one whose end is not known ends with its line, as
// the standard has it.
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

// artifact names a file relative to the root of the repository, which whoever reads
// the document knows and this machine's path to it would only hide. A file outside of
// it has an absolute address.
func (b *sarifBuilder) artifact(name string) artifactLocation {
	p := b.report.Name(name)
	if path.IsAbs(p) {
		return artifactLocation{URI: (&url.URL{Scheme: "file", Path: p}).String()}
	}
	return artifactLocation{URI: escaped(p), URIBaseID: "%SRCROOT%"}
}

// escaped returns a path as the relative part of an address. A first part with a colon
// would be taken for a scheme.
func escaped(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(parts[i]), ":", "%3A")
	}
	return strings.Join(parts, "/")
}

// fix returns the edits of a finding; ok is false where there are none, or none that can
// be written.
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
				r.InsertedContent = &content{string(e.Text)}
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
