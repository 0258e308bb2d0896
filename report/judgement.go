package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// Verdict says how far a rewrite is confirmed to be right.
type Verdict string

// The verdicts.
const (
	Proved   Verdict = "proved"    // for all inputs and grids
	Tested   Verdict = "tested"    // the outputs of runs are equal
	NotShown Verdict = "not shown" // neither; that does not mean that it is wrong
)

// Judgement says how far the rewrite of a kernel is confirmed to be right: by what package validate proves of the
// emitted text, or a certificate says of it that a person named; or else by runs.
type Judgement struct {
	Verdict Verdict `json:"verdict"`
	// Block is the shape of thread blocks that a proof is for, 0 0 0 for any.
	Block [3]int `json:"block"`
	// Doubt is the first thing that could not be proved, nil where everything was.
	Doubt *diag.Message `json:"doubt,omitempty"`
	// Tested says what was compared, "" for nothing.
	Tested  string   `json:"tested,omitempty"`
	Assumes []string `json:"assumes"` // what a proof takes for granted
	// Certificate is the file that says so, "" where the emitted text was judged.
	Certificate string `json:"certificate,omitempty"`
}

// Short is the verdict alone: "proved for all inputs", "proved for block 16x16", "tested" or "not proved".
func (j Judgement) Short() string {
	switch j.Verdict {
	case Proved:
	case NotShown:
		return "not proved"
	default:
		return string(j.Verdict)
	}
	if j.Block == [3]int{} {
		return "proved for all inputs"
	}
	shape := fmt.Sprintf("%dx%dx%d", j.Block[0], j.Block[1], j.Block[2])
	return "proved for block " + strings.TrimSuffix(strings.TrimSuffix(shape, "x1"), "x1")
}

// Text is the verdict with what was compared, the first doubt, what is assumed and who says so.
func (j Judgement) Text() string {
	out := j.Short()
	if j.Tested != "" {
		out += ": " + j.Tested
	}
	if j.Certificate != "" {
		out += ", says " + j.Certificate
	}
	if d := j.Doubt; d != nil {
		if j.Verdict == Tested {
			out += "; not proved for all inputs"
		}
		out += ": " + d.Text
		if d.Pos.Line > 0 { // of the text that is not there yet
			out += fmt.Sprintf(" (line %d of the result)", d.Pos.Line)
		}
	}
	if j.Verdict == Proved && len(j.Assumes) > 0 {
		out += "; assumed: " + strings.Join(j.Assumes, "; ")
	}
	return out
}

// Certify has the files that a rewrite changed judged by package validate, which knows nothing of how they were made.
func Certify(prog *parser.Program, files []rewrite.FileResult) (validate.Certified, error) {
	before, after := prog.Texts(), prog.Texts()
	for _, f := range files {
		before[f.Name], after[f.Name] = f.Before, f.After
	}
	old, err := prog.WithTexts(before)
	if err != nil {
		return validate.Certified{}, err
	}
	now, err := prog.WithTexts(after)
	if err != nil {
		return validate.Certified{}, err
	}
	return validate.Certify(old, now), nil
}

// Judged holds what could be proved of the files that a rewrite changed.
type Judged struct {
	Certified validate.Certified
	Err       error // why they could not be judged, nil where they were
}

// JudgeFiles has the files that a rewrite changed judged.
func JudgeFiles(prog *parser.Program, files []rewrite.FileResult) *Judged {
	out := &Judged{}
	out.Err = diag.Guard(func() (err error) {
		out.Certified, err = Certify(prog, files)
		return err
	})
	return out
}

// Of says how far the rewrite of a kernel is confirmed to be right. ran tells what was compared, "" for nothing.
func (d *Judged) Of(kernel, ran string) Judgement {
	j := judged(d.Certified, kernel)
	if d.Err != nil {
		j = Judgement{Verdict: NotShown, Assumes: []string{}, Doubt: &diag.Message{Code: validate.CodeUnproved, Text: d.Err.Error()}}
	}
	if j.Verdict != Proved && ran != "" {
		j.Verdict, j.Tested = Tested, ran
	}
	return j
}

// Judge says of each kernel that rewriting would change how far that is confirmed to be right. ran tells what
// was compared of all of them, "" for nothing. It returns what was proved, nil if nothing changes.
func (p *Program) Judge(prog *parser.Program, ran string) *validate.Certified {
	if len(p.Changed) == 0 {
		return nil
	}
	found := JudgeFiles(prog, p.Changed)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.Result == nil || k.Result.Rewriter == "" {
			continue
		}
		j := found.Of(k.Name, cmp.Or(ran, k.compared()))
		k.Judgement = &j
	}
	if found.Err != nil {
		return nil
	}
	return &found.Certified
}

// CodeEvidence is the code of the message that says how far a rewrite is confirmed to be right.
const CodeEvidence diag.Code = "evidence"

// AddEvidence adds, to the notes of rewritten kernels, how far each rewrite is confirmed to be right: after
// the first note, which says why it was chosen. ran tells what was compared, "" for nothing.
func (d *Judged) AddEvidence(kernels []rewrite.KernelResult, ran string) {
	for i := range kernels {
		if k := &kernels[i]; k.Rewriter != "" {
			m := diag.Message{Pos: k.Pos, Code: CodeEvidence, Text: d.Of(k.Name, ran).Text()}
			k.Notes = slices.Insert(slices.Clone(k.Notes), min(1, len(k.Notes)), m)
		}
	}
}

// compared says what runs of the rewrite were compared, as kept measurements say; "" for none.
func (k Kernel) compared() string {
	for _, e := range k.Evidence {
		if e.Form == k.Result.Variant.String() && e.Correct == OutputsEqual {
			return OutputsEqual + ", " + e.Where()
		}
	}
	return ""
}

// judged returns what a certified program says of a kernel of a name: of several what is true of all.
func judged(c validate.Certified, kernel string) Judgement {
	j := Judgement{Verdict: Proved, Assumes: []string{}}
	refuse := func(text string, pos diag.Position) {
		if j.Verdict == Proved {
			j.Verdict = NotShown
			j.Doubt = &diag.Message{Pos: pos, Code: validate.CodeUnproved, Text: text, Help: diag.Help(validate.CodeUnproved)}
		}
	}
	for _, d := range c.Doubts {
		refuse(string(d.Condition)+": "+d.Text, d.Pos)
	}
	changed := false
	for _, v := range c.Kernels {
		if v.Name != kernel || v.Variant == validate.Same {
			continue
		}
		changed = true
		j.Block = v.Block
		for _, o := range v.Shown {
			if o.Assumes != "" && !slices.Contains(j.Assumes, o.Assumes) {
				j.Assumes = append(j.Assumes, o.Assumes)
			}
		}
		for _, d := range v.Doubts {
			refuse(string(d.Condition)+": "+d.Text, d.Pos)
		}
	}
	if !changed {
		refuse("no kernel of this name is another one after the rewrite", diag.Position{})
	}
	if j.Verdict != Proved {
		j.Block, j.Assumes = [3]int{}, []string{}
	}
	return j
}

// Claim takes over what a certificate in a file says of kernels that were rewritten before: of exactly these texts.
// It reports whether there are any.
func (p *Program) Claim(prog *parser.Program, file string, c *validate.Certificate) bool {
	texts := lists.Map(prog.Files, func(f *parser.File) string { return validate.Digest(f.Src) })
	used := false
	for _, of := range c.Programs {
		if !slices.ContainsFunc(of.Files, func(f validate.CertifiedFile) bool { return f.Old != f.New }) ||
			slices.ContainsFunc(of.Files, func(f validate.CertifiedFile) bool { return !slices.Contains(texts, f.New) }) {
			continue
		}
		for i := range p.Kernels {
			k := &p.Kernels[i]
			if !slices.ContainsFunc(of.Kernels, func(v *validate.Kernel) bool { return v.Name == k.Name && v.Variant != validate.Same }) {
				continue
			}
			j := judged(of, k.Name)
			j.Certificate = filepath.ToSlash(file)
			k.Judgement, used = &j, true
		}
	}
	return used
}
