// Package evidence shows what smux tune has measured of kernels beside what is known of
// them: of exactly these texts, from files that a person names and from those that smux
// keeps where it is told nothing.
package evidence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/printable"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/store"
)

// Evidence is what was measured and kept. It is safe for concurrent use.
type Evidence struct {
	named []*namedStore
	// cached lists the files of the user's cache folder by the hash in their names.
	cached map[string][]string
}

// namedStore is a file that was named.
type namedStore struct {
	file     string
	verdicts []judge.Verdict

	mu   sync.Mutex
	used bool // it has measurements of texts that are looked at
}

// Open reads the named files, and lists those that smux tune keeps where
// it is told nothing. It is not an error where there are none.
func Open(c *console.Console, files []string) (*Evidence, error) {
	e := &Evidence{cached: map[string][]string{}}
	for _, file := range files {
		lines, err := store.ReadNamed(c, file)
		if err != nil {
			return nil, err
		}
		e.named = append(e.named, &namedStore{file: file, verdicts: judge.Of(lines, judge.DefaultRules())})
	}
	dir, err := store.Folder()
	if err != nil {
		return e, nil
	}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), ".jsonl")
		if i := strings.LastIndexByte(name, '-'); ok && i >= 0 {
			e.cached[name[i+1:]] = append(e.cached[name[i+1:]], filepath.Join(dir, entry.Name()))
		}
	}
	return e, nil
}

// of returns the verdicts on exactly these texts: of others nothing is ever shown.
func (e *Evidence) of(prog *parser.Program, parse parser.Options) []judge.Verdict {
	hash := record.HashProgram(prog)
	flags := record.CompilerFlags(parse)
	about := func(v judge.Verdict) bool { return v.Subject.Source == hash && slices.Equal(v.Subject.Flags, flags) }
	var out []judge.Verdict
	for _, n := range e.named {
		for _, v := range n.verdicts {
			if about(v) {
				out = append(out, v)
				n.mu.Lock()
				n.used = true
				n.mu.Unlock()
			}
		}
	}
	for _, file := range e.cached[hash[:store.HashInName]] {
		if slices.ContainsFunc(e.named, func(n *namedStore) bool { return project.Resolved(n.file) == project.Resolved(file) }) {
			continue
		}
		lines, err := store.Read(file)
		if err != nil {
			continue // smux tune says what is wrong with it
		}
		for _, v := range judge.Of(lines, judge.DefaultRules()) {
			// What was made up to try the tuner is shown to those alone who name it.
			if about(v) && v.Subject.Machine.Runs() {
				out = append(out, v)
			}
		}
	}
	return out
}

// Add puts what was measured of a program's kernels beside what is known of them.
func (e *Evidence) Add(prog *parser.Program, parse parser.Options, p *report.Program) {
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

// RemarkOnUnused prints of which named files nothing was shown.
func (e *Evidence) RemarkOnUnused(c *console.Console) {
	if e == nil {
		return
	}
	for _, n := range e.named {
		if !n.used {
			c.Remark("nothing of %s is shown: what was measured there are other texts, or other -D", printable.Text(n.file))
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
	var out []report.Evidence
	for _, i := range shown {
		out = append(out, evidenceRow(v, i))
	}
	return out
}

func evidenceRow(v judge.Verdict, i int) report.Evidence {
	r, m := v.Rows[i], v.Subject.Machine
	e := report.Evidence{Device: m.Device, Form: r.Name, Chosen: i == v.Chosen, On: m.On, Correct: "outputs not compared"}
	if e.Device == "" {
		e.Device = m.GPU
	}
	gain := r.Gain()
	e.Ratio, e.Low, e.High, e.Pairs = gain.Median, gain.Low, gain.High, gain.Pairs
	switch r.Correct() {
	case "yes":
		e.Correct = "outputs equal the original's"
	case "no":
		e.Correct = "outputs differ from the original's"
	}
	return e
}
