package registers

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/lab/fidelity"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/rewrite/regreduce"
)

// regdemBoard is the machine of RegDem's measurements (§5), a GTX Titan X.
const regdemBoard = "titanx"

// RegDem is the program that compares smux's stall predictor with that of RegDem on the
// machine of its authors:
//
//	go run ./lab/main.go regdem
//
// It climbs for each program of examples/registers, which takes minutes, and orders all
// attempts that fit by three predictors.
func RegDem(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("regdem", flag.ExitOnError)
	examples := flags.String("examples", "examples/registers", "`folder` of the programs")
	flags.Parse(args)
	toolkit, err := nvcc.Find()
	if err != nil {
		return err
	}
	g, err := gpu.Lookup(regdemBoard)
	if err != nil {
		return err
	}
	var out strings.Builder
	out.WriteString("| | attempts | the best by smux | by equation 2 | by the published tool | Spearman, smux and equation 2 | smux and the tool | bank conflicts, as is | at most |\n" +
		"|---|---:|---|---|---|---:|---:|---:|---:|\n")
	for _, name := range names {
		p, err := open(toolkit, *examples, name)
		if err != nil {
			return err
		}
		report, err := regreduce.Reduce(context.Background(), p.subject, p.compiler, regreduce.Options{GPUs: []*gpu.GPU{g}, Rules: regreduce.Usual})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, report.Why)
		out.WriteString(compared(name, report.Attempts))
	}
	_, err = io.WriteString(stdout, out.String())
	return err
}

// compared is the row of a program whose attempts three predictors order.
func compared(name string, attempts []regreduce.Attempt) string {
	attempts = slices.DeleteFunc(slices.Clone(attempts), func(a regreduce.Attempt) bool { return a.Predicted == 0 })
	if len(attempts) == 0 {
		return fmt.Sprintf("| %s | 0 | - | - | - | - | - | - | - |\n", name)
	}
	most, conflicts := 0.0, 0.0
	for _, a := range attempts {
		most = max(most, a.Occupancy.Occupancy)
		conflicts = max(conflicts, a.Figures.Conflicts/a.Figures.Stall)
	}
	var smux, equation, tool []float64
	var byEquation, byTool []fidelity.Cell
	for _, a := range attempts {
		scaled := regDemTime(a.RegDem, a.Occupancy.Occupancy, most)
		smux, equation, tool = append(smux, a.Predicted), append(equation, a.RegDem), append(tool, scaled)
		byEquation = append(byEquation, fidelity.Cell{Measured: a.Predicted, Simulated: a.RegDem})
		byTool = append(byTool, fidelity.Cell{Measured: a.Predicted, Simulated: scaled})
	}
	best := func(cost []float64) string {
		a := attempts[slices.Index(cost, slices.Min(cost))]
		if a.Recipe == "" {
			return "as is"
		}
		return "`" + a.Recipe + "`"
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %.2f | %.2f | %.1f %% | %.1f %% |\n", name, len(attempts), best(smux), best(equation), best(tool),
		fidelity.Correlate(byEquation).Spearman, fidelity.Correlate(byTool).Spearman, 100*attempts[0].Figures.Conflicts/attempts[0].Figures.Stall, 100*conflicts)
}

// regDemTime puts stall counts at different occupancies into RegDem's order as the
// program does that its authors have published, which the paper's text does not
// show: stalls x f(occupancy) / f(best), where best is the highest occupancy among the
// variants and f was fitted to measurements, f(x) = 0.14088 x^-0.86281.
func regDemTime(stalls, occupancy, best float64) float64 {
	return stalls * math.Pow(occupancy/best, -0.86281)
}
