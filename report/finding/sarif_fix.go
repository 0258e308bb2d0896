package finding

import (
	"unicode/utf8"

	"github.com/smux-cuda/smux/diag"
)

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

// deleted returns the range of an edit. A line behind the last has only its first column.
func deleted(e Edit, texts *Sources) region {
	column := func(p Point) int {
		if c, ok := texts.utf16(diag.Position{Line: p.Line, Column: p.Column}); ok {
			return c
		}
		return 1
	}
	return region{e.Start.Line, column(e.Start), e.End.Line, column(e.End)}
}
