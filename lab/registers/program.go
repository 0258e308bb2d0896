package registers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/regreduce"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// names are the programs in the order of the table.
var names = []string{"gauss", "nlm", "box", "eri", "flux", "knn", "match"}

// program is an example with its kernel and what the ladder made of it.
type program struct {
	name     string
	subject  regreduce.Subject
	compiler *regreduce.Toolkit
	report   *regreduce.Report
	rows     []row
}

// row is an attempt as it stands in the table: the best of its rung.
type row struct {
	name    string // "as is", a rung, or "chosen"
	recipe  string
	on      []measured // by board
	rank    int        // in the predictor's order of the rows, from 1; 0 where it says nothing
	verdict string     // why it was not chosen
}

// measured is a kernel as compiled for a board.
type measured struct {
	regreduce.Figures
	occupancy.Result
}

// open loads an example.
func open(toolkit *nvcc.Toolkit, folder, name string) (*program, error) {
	file := filepath.Join(folder, name, name+".cu")
	prog, errs := parser.LoadProgram([]string{file}, parser.Options{})
	if len(errs) > 0 {
		return nil, errs[0]
	}
	kernels := passes.NewProgram(prog, [3]int{}).Kernels()
	if len(kernels) != 1 {
		return nil, fmt.Errorf("%s has %d kernels, not one", file, len(kernels))
	}
	return &program{
		name: name, subject: regreduce.SubjectOf(kernels[0]),
		compiler: &regreduce.Toolkit{Program: prog, NVCC: toolkit, Request: nvcc.Request{Texts: map[string][]byte{file: prog.Files[0].Src}}},
	}, nil
}

// measure compiles a recipe for some boards.
func (p *program) measure(ctx context.Context, recipe string, boards []string) ([]measured, error) {
	r, err := variant.ParseRecipe(recipe)
	if err != nil {
		return nil, err
	}
	var out []measured
	for _, board := range boards {
		g, err := gpu.Lookup(board)
		if err != nil {
			return nil, err
		}
		f, err := p.compiler.Compile(ctx, p.subject, r, p.compiler.Arch(g))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", p.name, recipe, err)
		}
		o, err := occupancy.Compute(g, occupancy.Demand{
			Threads: p.subject.Threads, Registers: f.Registers, Shared: f.Shared + p.subject.Dynamic, Barriers: f.Barriers,
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", p.name, recipe, err)
		}
		out = append(out, measured{f, o})
	}
	return out, nil
}

// climb lets the ladder find what helps, and picks the rows.
func (p *program) climb(ctx context.Context) error {
	g, err := gpu.Lookup(boards[0])
	if err != nil {
		return err
	}
	gpus := []*gpu.GPU{g}
	if p.report, err = regreduce.Reduce(ctx, p.subject, p.compiler, regreduce.Options{GPUs: gpus, Rules: regreduce.Usual}); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	attempts := slices.Clone(p.report.Attempts)
	for _, rung := range regreduce.Rungs {
		if slices.ContainsFunc(attempts, func(a regreduce.Attempt) bool { return a.Rung == rung }) {
			continue
		}
		// It lies above the one that was accepted: the table shows what it would have made.
		r, err := regreduce.Reduce(ctx, p.subject, p.compiler, regreduce.Options{GPUs: gpus, Rules: regreduce.Usual, Rungs: []string{rung}})
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		for _, a := range r.Attempts {
			if a.Rung == rung {
				attempts = append(attempts, a)
			}
		}
	}
	return p.pick(ctx, attempts)
}

// pick makes the rows of attempts.
func (p *program) pick(ctx context.Context, attempts []regreduce.Attempt) error {
	if err := p.add(ctx, "as is", regreduce.Attempt{}); err != nil {
		return err
	}
	for _, rung := range regreduce.Rungs {
		if a, ok := best(attempts, rung); ok {
			if err := p.add(ctx, rung, a); err != nil {
				return err
			}
		}
	}
	if p.report.Chosen >= 0 {
		chosen := p.report.Attempts[p.report.Chosen]
		chosen.Rejected = ""
		if err := p.add(ctx, "chosen", chosen); err != nil {
			return err
		}
	}
	p.rank(attempts)
	return nil
}

// best is the best attempt of a rung: one that keeps the rules before one that
// does not, then the one that spills least, then the one with the fewest
// instructions.
func best(attempts []regreduce.Attempt, rung string) (regreduce.Attempt, bool) {
	var of []regreduce.Attempt
	for _, a := range attempts {
		if a.Rung == rung && a.Failed == "" {
			of = append(of, a)
		}
	}
	if len(of) == 0 {
		return regreduce.Attempt{}, false
	}
	return slices.MinFunc(of, func(a, b regreduce.Attempt) int {
		key := func(x regreduce.Attempt) []int {
			blocks := -x.Occupancy.Blocks
			kept := 0
			if x.Rejected != "" {
				kept = 1
			}
			return []int{kept, blocks, x.Figures.Spills(), x.Figures.Instructions}
		}
		return slices.Compare(key(a), key(b))
	}), true
}

func (p *program) add(ctx context.Context, name string, a regreduce.Attempt) error {
	on, err := p.measure(ctx, a.Recipe, boards)
	if err != nil {
		return err
	}
	p.rows = append(p.rows, row{name: name, recipe: a.Recipe, on: on, verdict: a.Rejected})
	return nil
}

// rank puts the rows into the predictor's order. Rows of one recipe share a rank.
func (p *program) rank(attempts []regreduce.Attempt) {
	cost := map[string]float64{}
	for _, a := range attempts {
		if a.Predicted > 0 {
			cost[a.Recipe] = a.Predicted
		}
	}
	var all []float64
	for _, r := range p.rows {
		if c, ok := cost[r.recipe]; ok && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	slices.Sort(all)
	for i, r := range p.rows {
		if c, ok := cost[r.recipe]; ok {
			p.rows[i].rank = slices.Index(all, c) + 1
		}
	}
}

// climbAll climbs for each program in turn: each climb keeps all processors busy. It
// takes minutes, so it says how far it is.
func climbAll(ctx context.Context, toolkit *nvcc.Toolkit, folder string) ([]*program, error) {
	var out []*program
	for _, name := range names {
		p, err := open(toolkit, folder, name)
		if err != nil {
			return nil, err
		}
		if err := p.climb(ctx); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, p.report.Why)
		out = append(out, p)
	}
	return out, nil
}
