package validate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// The codes of a certificate that does not hold.
const (
	CodeStale  diag.Code = "stale-certificate"
	CodeEdited diag.Code = "edited-certificate"
)

// Certificate says what was shown of a rewrite, and of which texts, so that whoever has the texts can have
// it shown again.
type Certificate struct {
	Schema   int         `json:"schema"`
	Programs []Certified `json:"programs"`
}

// Certified is a program of a certificate.
type Certified struct {
	Files   []CertifiedFile `json:"files"`
	Kernels []*Kernel       `json:"kernels"`
	Doubts  []Doubt         `json:"doubts"` // outside of kernels
}

// CertifiedFile is a file of a program with the SHA-256 of both texts, in hexadecimal digits.
type CertifiedFile struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Certify judges a new program against an old one, and keeps of which texts that is true.
func Certify(old, now *parser.Program) Certified {
	r := Programs(old, now)
	c := Certified{Kernels: r.Kernels, Doubts: r.Doubts, Files: []CertifiedFile{}}
	for i, f := range now.Files {
		file := CertifiedFile{Name: f.Name, New: Digest(f.Src)}
		if i < len(old.Files) {
			file.Old = Digest(old.Files[i].Src)
		}
		c.Files = append(c.Files, file)
	}
	return c
}

// Digest returns the hash of a text, as certificates have it.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Holds shows what a certificate says again: that it is about these two programs, and says of them no more
// and no less than can be shown. It returns what it says of them, and a message where that is not so.
func (c *Certificate) Holds(old, now *parser.Program) (*Certified, *diag.Message) {
	again := Certify(old, now)
	refuse := func(code diag.Code, at string, format string, args ...any) (*Certified, *diag.Message) {
		return nil, &diag.Message{Pos: diag.Position{File: at}, Code: code, Text: fmt.Sprintf(format, args...), Help: diag.Help(code)}
	}
	for i := range c.Programs {
		p := &c.Programs[i]
		if !sameTexts(p.Files, again.Files) {
			continue
		}
		if said, shown := p.essence(), again.essence(); said != shown {
			return refuse(CodeEdited, again.Files[0].Name, "the certificate says of these texts what can't be proved, or not all that can")
		}
		return p, nil
	}
	name := ""
	if len(again.Files) > 0 {
		name = again.Files[0].Name
	}
	return refuse(CodeStale, name, "the certificate is about other texts than these")
}

// sameTexts reports whether two programs are of the same texts, whatever the files are called.
func sameTexts(a, b []CertifiedFile) bool {
	return slices.EqualFunc(a, b, func(a, b CertifiedFile) bool { return a.Old == b.Old && a.New == b.New })
}

// essence returns the statements of a certificate on kernels, without the names of files: they may lie elsewhere. Whether the
// runtime was seen or is assumed depends on what can be read, so that is left out, too.
func (c *Certified) essence() string {
	var out []any
	for _, k := range c.Kernels {
		var shown []string
		for _, o := range k.Shown {
			if o.Condition != Runtime {
				shown = append(shown, fmt.Sprint(o.Condition, o.Method, o.Assumes))
			}
		}
		var doubts []string
		for _, d := range k.Doubts {
			doubts = append(doubts, fmt.Sprint(d.Condition, d.Pos.Line, d.Pos.Column, d.Text))
		}
		out = append(out, k.Name, k.Pos.Line, k.Variant, k.Merged, k.Block, shown, doubts)
	}
	for _, d := range c.Doubts {
		out = append(out, d.Condition, d.Pos.Line, d.Pos.Column, d.Text)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err.Error() // equal to nothing that is shown
	}
	return string(text)
}
