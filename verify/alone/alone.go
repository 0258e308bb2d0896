// Package alone checks kernels that have no program: it sizes the arrays of launches that package harness chose, looks for more that reach
// what these leave out, and tells what is found with each launch that the text allows from what a guess makes.
package alone

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/smux-cuda/smux/verify/harness/choose"
)

// Kernels are those of one program.
type Kernels struct {
	Program *parser.Program
	Request verify.Request                                // of the judgement, without a program
	With    func(run *parser.Program) verify.Program      // a program with a main as a request has it
	Judge   func(verify.Request) (*verify.Verdict, error) // for Judged alone
}

// measure sets how many elements the arrays of runs have, and returns the last extents of each. One that meets the timeout is made once,
// and where so many of a kernel do in a row, those after them are taken to do so as well.
func (k *Kernels) measure(ctx context.Context, chosen []*choose.Chosen, mostLate int) ([]verify.Extent, error) {
	last := make([]verify.Extent, len(chosen))
	err := choose.Measure(k.Program, chosen, func(program *parser.Program, use func(choose.Runner) error) error {
		return k.extents(ctx, program, func(run func(args []string, env string) (verify.Extent, error)) error {
			return use(func(number int, env string) (_ map[int]int64, err error) {
				if at := number - 1; last[at].Late || at >= mostLate && chosen[at-mostLate].Kernel == chosen[at].Kernel &&
					!slices.ContainsFunc(last[at-mostLate:at], func(e verify.Extent) bool { return !e.Late }) {
					last[at].Late = true
					return nil, nil
				}
				last[number-1], err = run([]string{strconv.Itoa(number)}, env)
				return last[number-1].Bytes, err
			})
		})
	})
	return last, err
}

func (k *Kernels) extents(ctx context.Context, program *parser.Program, use func(run func(args []string, env string) (verify.Extent, error)) error) error {
	r := k.Request
	r.Original, r.Args = k.With(program), nil
	if err := verify.Extents(ctx, r, use); err != nil {
		return diag.Failed("sizing arrays", err)
	}
	return nil
}

const (
	mostTried = 24              // runs by chance of a kernel
	mostAdded = 3               // of them
	mostLate  = 2               // that may take longer than
	tryTime   = 2 * time.Second // of one
)

// AbsentError reports that the program can't be built without some headers.
type AbsentError struct{ Headers []string }

func (e *AbsentError) Error() string { return "there is no header " + strings.Join(e.Headers, ", ") }

// Without returns a program whose files ask for none of some headers, the program itself where they don't.
func Without(prog *parser.Program, headers []string) (*parser.Program, error) {
	texts := map[string][]byte{}
	for _, header := range headers {
		include := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"` + regexp.QuoteMeta(header) + `"`)
		for _, f := range prog.Files {
			before := cmp.Or(string(texts[f.Name]), string(f.Original()))
			if after := include.ReplaceAllStringFunc(before, func(s string) string { return strings.Repeat(" ", len(s)) }); after != before {
				texts[f.Name] = []byte(after)
			}
		}
	}
	if len(texts) == 0 {
		return prog, nil
	}
	return prog.WithTexts(texts)
}

// Absent says of which headers Without makes a program do without.
func Absent(prog *parser.Program, headers []string) (out []diag.Message) {
	for _, f := range prog.Files {
		for _, inc := range f.Includes {
			if slices.Contains(headers, inc.Path) {
				out = append(out, diag.Message{Pos: f.Position(inc.Pos), Code: build.CodeNeedsLibrary,
					Text: "there is no header " + inc.Path + ": it is taken for empty", Help: "name its folder with -I"})
			}
		}
	}
	return out
}

// Reach sizes the arrays of runs, and adds runs of kernels of which these leave branches out, or do not end: with numbers and arrays by chance, those
// that reach most of them. It leaves out runs that do not end; skipped has the kernels of which none does. The error is an *AbsentError where headers are missing.
func (k *Kernels) Reach(ctx context.Context, chosen []*choose.Chosen) (out []*choose.Chosen, skipped []diag.Message, err error) {
	measured, err := k.measure(ctx, chosen, mostLate)
	if err != nil {
		return nil, nil, err
	}
	if len(measured) > 0 && len(measured[0].Absent) > 0 {
		return nil, nil, &AbsentError{measured[0].Absent}
	}
	reached, ends := map[uint32]int64{}, map[string]bool{} // kernels of which a run ends
	for i, e := range measured {
		ends[chosen[i].Kernel] = ends[chosen[i].Kernel] || !e.Late
		for id, n := range e.Reached {
			reached[id] += n
		}
	}
	var tried []*choose.Chosen
	var kernels []string
	open := map[string]map[uint32]bool{} // the branches that are left, by kernel
	of := map[string]bool{}
	most := mostLate
	for _, c := range chosen {
		if name := harness.PlainNames([]string{c.Kernel})[0]; !of[name] { // one instance of a template is enough
			of[name] = true
			open[c.Kernel] = notReached(k.Program, reached, c.Runs)
			switch {
			case !ends[c.Kernel]: // what leads from element to element may end where each leads to itself
				kernels, tried, most = append(kernels, c.Kernel), append(tried, c.ByChance(mostTried, "iota")...), most+2*mostLate
			case len(open[c.Kernel]) > 0:
				kernels, tried = append(kernels, c.Kernel), append(tried, c.ByChance(mostTried, "distinct")...)
			}
		}
	}
	extents, err := k.try(ctx, tried, most)
	if err != nil {
		return nil, nil, err
	}
	var added []*choose.Chosen
	for _, kernel := range kernels {
		left := open[kernel]
		for range mostAdded {
			best, most := -1, 0
			for i, e := range extents {
				n := 0
				if !ends[kernel] && e.Bytes != nil && !e.Late && !slices.Contains(added, tried[i]) {
					n++
				}
				for id := range left {
					if e.Reached[id] > 0 {
						n++
					}
				}
				if n *= 100; n > 0 { // of runs that come to as many, one in which what threads write differs
					n -= min(len(slices.DeleteFunc(slices.Clone(tried[i].Arrays), func(a choose.Array) bool { return a.Fill != "zero" })), 99)
				}
				if tried[i].Kernel == kernel && n > most {
					best, most = i, n
				}
			}
			if best < 0 {
				break
			}
			for id := range extents[best].Reached {
				delete(left, id)
			}
			added = append(added, tried[best])
		}
	}
	if _, err := k.measure(ctx, added, mostLate); err != nil {
		return nil, nil, err
	}
	for i, c := range chosen {
		more := slices.DeleteFunc(slices.Clone(added), func(a *choose.Chosen) bool { return a.Kernel != c.Kernel })
		if !measured[i].Late {
			out = append(out, c)
		}
		if i+1 == len(chosen) || chosen[i+1].Kernel != c.Kernel {
			if out = append(out, more...); !ends[c.Kernel] && len(more) == 0 {
				skipped = append(skipped, k.endless(c))
			}
		}
	}
	return out, skipped, nil
}

// endless returns the message that no run of a kernel ends.
func (k *Kernels) endless(c *choose.Chosen) diag.Message {
	m := diag.Message{Code: harness.CodeKernel, Text: c.Kernel + ": none of the runs that smux tried ends", Help: "say how it is run in a smux:bench comment, or give it a program"}
	for _, f := range k.Program.All() {
		for _, fn := range f.Functions {
			if fn.Body != nil && fn.Name == harness.PlainNames([]string{c.Kernel})[0] {
				m.Pos = f.Position(fn.Start)
			}
		}
	}
	return m
}

// try makes runs for a short time each, until so many took longer, not all of one kernel, and returns what each accesses and comes to.
func (k *Kernels) try(ctx context.Context, runs []*choose.Chosen, most int) ([]verify.Extent, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	specs, err := choose.Specs(runs)
	if err != nil {
		return nil, err
	}
	program, err := harness.AttachChosen(k.Program, specs)
	if err != nil {
		return nil, err
	}
	quick, out, late, of := *k, make([]verify.Extent, len(runs)), 0, map[string]int{}
	quick.Request.Timeout = tryTime
	err = quick.extents(ctx, program, func(run func(args []string, env string) (verify.Extent, error)) (err error) {
		for i := 0; i < len(runs) && err == nil && late < most; i++ {
			if of[runs[i].Kernel] == 2*mostLate {
				continue
			}
			if out[i], err = run([]string{strconv.Itoa(i + 1)}, ""); out[i].Late {
				late++
				of[runs[i].Kernel]++
			}
		}
		return err
	})
	return out, err
}
