package cmd

import (
	"cmp"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// measurements holds what smux tune has measured of kernels, to be shown beside what is known of them: of exactly
// these texts, and from files that a person names. What a pull request shows must be there for whoever reads it: what
// smux keeps in a person's cache where it is told nothing is not. Times that the model made up, or those of the CPU
// engine, are evidence of nothing and shown nowhere. They are safe for concurrent use.
type measurements struct{ named []*measuredFile }

// measuredFile is a file that was named.
type measuredFile struct {
	file     string
	verdicts []judge.Verdict

	mu     sync.Mutex
	used   bool // it has measurements of texts that are looked at
	unreal bool // it has times of these that are not measured on a GPU
}

// openMeasurements reads the named files.
func openMeasurements(c *console.Console, files []string) (*measurements, error) {
	e := &measurements{}
	for _, file := range files {
		lines, err := record.ReadNamed(c, file)
		if err != nil {
			return nil, err
		}
		e.named = append(e.named, &measuredFile{file: file, verdicts: judge.Of(lines, judge.DefaultRules())})
	}
	return e, nil
}

// of returns the verdicts on exactly these texts: of others nothing is ever shown.
func (e *measurements) of(prog *parser.Program, parse parser.Options) (out []judge.Verdict) {
	hash := record.HashProgram(prog)
	flags := record.CompilerFlags(parse)
	for _, n := range e.named {
		for _, v := range n.verdicts {
			if v.Subject.Source != hash || !slices.Equal(v.Subject.Flags, flags) {
				continue
			}
			n.mu.Lock()
			if v.Subject.Machine.Measures() {
				out = append(out, v)
				n.used = true
			} else {
				n.unreal = true
			}
			n.mu.Unlock()
		}
	}
	return out
}

// add puts what was measured of a program's kernels beside the facts about them.
func (e *measurements) add(prog *parser.Program, parse parser.Options, p *report.Program) {
	if e == nil || len(p.Kernels) == 0 {
		return
	}
	verdicts := e.of(prog, parse)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		for _, v := range verdicts {
			if v.Subject.Kernel == k.Name {
				k.Evidence = append(k.Evidence, evidenceOf(v, variantOf(*k))...)
			}
		}
	}
}

// remarkOnUnused prints of which named files nothing was shown.
func (e *measurements) remarkOnUnused(c *console.Console) {
	if e == nil {
		return
	}
	for _, n := range e.named {
		switch {
		case n.used:
		case n.unreal:
			c.Remark("%s is not shown: its times were not measured on a GPU", prose.Printable(n.file))
		default:
			c.Remark("%s is not shown: it measured other texts, or other -D", prose.Printable(n.file))
		}
	}
}

// variantOf returns how a kernel is, or would be, rewritten; the zero value for not at all.
func variantOf(k report.Kernel) rewrite.Variant {
	switch {
	case k.Result != nil:
		return k.Result.Variant
	case k.Model != nil && k.Model.Choice != nil:
		return *k.Model.Choice
	}
	return rewrite.Variant{}
}

// evidenceOf returns what a verdict says of the form that was found the best, and of the one
// that the kernel is rewritten to; of the fastest where it says nothing of either.
func evidenceOf(v judge.Verdict, way rewrite.Variant) []report.Evidence {
	fastest, shown := -1, []int{}
	for i, r := range v.Rows {
		if r.Gain().Pairs == 0 || r.Candidate.IsOriginal() || r.Failure != nil {
			continue
		}
		if fastest < 0 || r.Gain().Median > v.Rows[fastest].Gain().Median {
			fastest = i
		}
		if i == v.Chosen || r.Candidate == (record.TunedVariant{Variant: way}) {
			shown = append(shown, i)
		}
	}
	if len(shown) == 0 && fastest >= 0 {
		shown = append(shown, fastest)
	}
	return lists.Map(shown, func(i int) report.Evidence { return evidenceRow(v, i) })
}

func evidenceRow(v judge.Verdict, i int) report.Evidence {
	r, m := v.Rows[i], v.Subject.Machine
	e := report.Evidence{Device: m.Device, Form: r.Name, Chosen: i == v.Chosen, On: m.On, Correct: "outputs not compared"}
	e.Device = cmp.Or(e.Device, m.GPU)
	gain := r.Gain()
	e.Ratio, e.Low, e.High, e.Pairs = gain.Median, gain.Low, gain.High, gain.Pairs
	switch r.Correct() {
	case "yes":
		e.Correct = report.OutputsEqual
	case "no":
		e.Correct = "outputs differ from the original's"
	}
	return e
}
