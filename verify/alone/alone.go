// Package alone checks kernels that have no program: it sizes the arrays of launches that package harness chose, looks for more that reach
// what these leave out, and tells what is found with each launch that the text allows from what a guess makes.
package alone

import (
	"context"
	"strconv"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/harness"
)

// Kernels are those of one program.
type Kernels struct {
	Program *parser.Program
	Request verify.Request                                // of the judgement, without a program
	With    func(run *parser.Program) verify.Program      // a program with a main as a request has it
	Judge   func(verify.Request) (*verify.Verdict, error) // for Judged alone
}

// Measure sets how many elements the arrays of runs have, and returns how often branches were reached, by their number.
func (k *Kernels) Measure(ctx context.Context, chosen []*harness.Chosen) (map[uint32]int64, error) {
	last := make([]verify.Extent, len(chosen))
	err := harness.Measure(k.Program, chosen, func(program *parser.Program, use func(harness.Runner) error) error {
		return k.extents(ctx, program, func(run func(args []string, env string) (verify.Extent, error)) error {
			return use(func(number int, env string) (_ map[int]int64, err error) {
				last[number-1], err = run([]string{strconv.Itoa(number)}, env)
				return last[number-1].Bytes, err
			})
		})
	})
	reached := map[uint32]int64{}
	for _, e := range last {
		for id, n := range e.Reached {
			reached[id] += n
		}
	}
	return reached, err
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

// Reach sizes the arrays of runs, and adds runs of kernels of which these leave branches out: with numbers and arrays by chance, those that
// reach most of them.
func (k *Kernels) Reach(ctx context.Context, chosen []*harness.Chosen) ([]*harness.Chosen, error) {
	reached, err := k.Measure(ctx, chosen)
	if err != nil {
		return nil, err
	}
	var tried []*harness.Chosen
	var kernels []string
	open := map[string]map[uint32]bool{} // the branches that are left, by kernel
	of := map[string]bool{}
	for _, c := range chosen {
		if name := harness.PlainNames([]string{c.Kernel})[0]; !of[name] { // one instance of a template is enough
			of[name] = true
			if open[c.Kernel] = notReached(k.Program, reached, c.Runs); len(open[c.Kernel]) > 0 {
				kernels, tried = append(kernels, c.Kernel), append(tried, c.ByChance(mostTried)...)
			}
		}
	}
	if len(tried) == 0 {
		return chosen, nil
	}
	specs, err := harness.Specs(tried)
	if err != nil {
		return nil, err
	}
	run, err := harness.AttachChosen(k.Program, specs)
	if err != nil {
		return nil, err
	}
	quick, extents, late := *k, make([]verify.Extent, len(tried)), 0
	quick.Request.Timeout = tryTime
	err = quick.extents(ctx, run, func(run func(args []string, env string) (verify.Extent, error)) (err error) {
		for i := 0; i < len(tried) && err == nil && late < mostLate; i++ {
			if extents[i], err = run([]string{strconv.Itoa(i + 1)}, ""); extents[i].Late {
				late++
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var added []*harness.Chosen
	for _, kernel := range kernels {
		left := open[kernel]
		for range mostAdded {
			best, most := -1, 0
			for i, e := range extents {
				n := 0
				for id := range left {
					if e.Reached[id] > 0 {
						n++
					}
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
	if len(added) == 0 {
		return chosen, nil
	}
	if _, err := k.Measure(ctx, added); err != nil {
		return nil, err
	}
	var out []*harness.Chosen
	for i, c := range chosen {
		if out = append(out, c); i+1 == len(chosen) || chosen[i+1].Kernel != c.Kernel {
			for _, a := range added {
				if a.Kernel == c.Kernel {
					out = append(out, a)
				}
			}
		}
	}
	return out, nil
}
