// Package h100 holds what the model predicts against what an H100 measured of the forms of the
// examples (docs/evidence/h100-replays.txt), kernel by kernel. Half of the kernels, by a hash of
// their names, are held back for the end.
package h100

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/space"
)

// measured holds the forms of a kernel that ran.
type measured struct {
	name   string // of the example, and the kernel's after a dot where it has several
	kernel string
	grid   [3]int64
	ratios map[string]float64 // the original's time over the form's, by form
}

// held reports whether a kernel is held back.
func (m *measured) held() bool { return sha256.Sum256([]byte(m.name))[0]%2 == 1 }

// read returns the kernels of a file of times. The original is measured anew before every eight
// forms, which are compared with that.
func read(file string) ([]*measured, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*measured
	var now *measured
	form, original := "", 0.0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[0] == "time":
			at := slices.IndexFunc(out, func(m *measured) bool { return m.name == f[1] })
			if at < 0 {
				at, out = len(out), append(out, &measured{name: f[1], ratios: map[string]float64{}})
			}
			now = out[at]
			_, form, _ = strings.Cut(f[2], "-")
		case len(f) > 8 && f[0] == "launch" && now != nil && form != "":
			at := slices.Index(f, "us")
			var times []float64
			for _, word := range f[at+1:] {
				if t, err := strconv.ParseFloat(word, 64); err == nil {
					times = append(times, t)
				}
			}
			if at < 0 || len(times) == 0 {
				return nil, fmt.Errorf("%s: no times in %q", file, line)
			}
			slices.Sort(times)
			t := times[len(times)/2]
			if form == "original" {
				original, now.kernel = t, strings.TrimLeft(strings.TrimPrefix(f[1], "_Z"), "0123456789")
				for d, n := range strings.Split(f[slices.Index(f, "grid")+1], ",") {
					now.grid[d], _ = strconv.ParseInt(n, 10, 64)
				}
			}
			now.ratios[form] = original / t
			form = "" // the first launch of a form is the one that was measured
		}
	}
	return out, nil
}

// row holds a kernel's forms as predicted and measured.
type row struct {
	*measured
	forms               []string
	samples             []profile.Sample
	predicted, observed []float64
	rho                 float64
	ranked              bool
	pick, first, best   int
}

// of predicts the forms of a kernel.
func of(m *measured, g *gpu.GPU, known bool, resources string, corrections []profile.Correction) (*row, error) {
	example, _, _ := strings.Cut(m.name, ".")
	paths, err := filepath.Glob("examples/" + example + "/*.cu")
	if more, _ := filepath.Glob("examples/*/" + example + "/*.cu"); len(paths) == 0 {
		paths = more
	}
	if err != nil || len(paths) == 0 {
		return nil, cmp.Or(err, errors.New("there is no such example"))
	}
	prog, errs := parser.LoadProgram(paths, parser.Options{})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	job := &pipeline.Job{
		Console: console.New(strings.NewReader(""), io.Discard, io.Discard), Program: prog, Quiet: true, FindNVCC: nvcc.Find, Rewrite: rewrite.RunAnalysed,
		Options: rewrite.Options{Kernels: []string{}},
		Ask:     pipeline.Ask{GPUs: func(bool) ([]*gpu.GPU, error) { return []*gpu.GPU{g}, nil }, Named: true, Resources: resources, MinGain: 5, Corrections: corrections},
	}
	analysed := job.Analysed()
	for _, k := range analysed.Kernels() {
		if known && strings.HasPrefix(m.kernel, k.Name) {
			job.Options.Kernels = []string{k.Name}
			for _, i := range k.Instances {
				i.UsualGrid = m.grid
			}
		}
	}
	choice, err := job.Study(false)
	if err != nil {
		return nil, err
	}
	in := space.Input{Program: prog, Analysed: analysed, Options: job.Options, GPU: g}
	for i, group := range choice.Groups {
		if strings.HasPrefix(m.kernel, group.Kernels[0].Name) {
			in.Group, in.Report = group, choice.Reports[i]
		}
	}
	if in.Report == nil {
		return nil, fmt.Errorf("there is no kernel %q", m.kernel)
	}
	entries, _ := space.Enumerate(in)
	r := &row{measured: m, pick: -1}
	for _, e := range entries {
		name := strings.NewReplacer(" ", "-", "=", "").Replace(e.TunedVariant.String())
		ratio, ok := m.ratios[name]
		if !ok || e.Predicted <= 0 {
			continue
		}
		r.forms, r.predicted, r.observed = append(r.forms, name), append(r.predicted, e.Predicted), append(r.observed, ratio)
		if e.OneStep() {
			r.samples = append(r.samples, profile.Sample{GPU: g.String(), Rewriter: e.Rewriter, Kernel: m.name, Predicted: e.Predicted, Measured: ratio})
		}
		last := len(r.forms) - 1
		if e.Predicted > r.predicted[r.first] {
			r.first = last
		}
		if ratio > r.observed[r.best] {
			r.best = last
		}
	}
	if len(r.forms) < 2 {
		return nil, errors.New("no form was predicted and measured")
	}
	r.pick = 0
	if r.predicted[r.first] >= 1.05 {
		r.pick = r.first
	}
	r.rho, r.ranked = fidelity.Spearman(r.predicted, r.observed)
	return r, nil
}

// Main prints the judgement.
func Main(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("h100", flag.ContinueOnError)
	held := flags.Bool("held", false, "judge by the half that is held back")
	known := flags.Bool("grid", true, "let the model know the grid that ran")
	source := flags.String("resources", "estimate", "estimate or nvcc")
	only := flags.String("only", "", "print the forms of this kernel")
	errorsOf := flags.Bool("errors", false, "print by rewriter how far the predicted gains of 5 % and more were off, of all kernels")
	learned := flags.Bool("learned", false, "correct the predictions by the other half of the kernels")
	gains := flags.Bool("gains", false, "print what the forms of each rewriter gained, and ask no model")
	file := flags.String("times", filepath.Join("docs", "evidence", "h100-replays.txt"), "the measured times")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := read(*file)
	if err != nil {
		return err
	}
	if *gains {
		return printGains(all, stdout)
	}
	g, err := gpu.Lookup("h100")
	if err != nil {
		return err
	}
	var corrections []profile.Correction
	if *learned {
		var samples []profile.Sample
		for _, m := range all {
			if m.held() == *held {
				continue
			}
			if r, err := of(m, g, *known, *source, nil); err == nil { // others are named when they are judged
				samples = append(samples, r.samples...)
			}
		}
		corrections = profile.Corrections(samples)
		fmt.Fprintln(stdout, corrections)
	}
	table := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "kernel\tforms\trho\tmodel's first\tmeasured best")
	var rhos, picks, bests []float64
	slower, within := 0, 0
	loss := 0.0
	off := map[string][]float64{}
	for _, m := range all {
		if *only != "" && m.name != *only || *only == "" && !*errorsOf && m.held() != *held {
			continue
		}
		r, err := of(m, g, *known, *source, corrections)
		if err != nil {
			fmt.Fprintf(stdout, "%s: %v\n", m.name, err)
			continue
		}
		if *only != "" {
			for i, f := range r.forms {
				fmt.Fprintf(stdout, "%-60s %6.3f predicted %6.3f measured\n", f, r.predicted[i], r.observed[i])
			}
		}
		for i, form := range r.forms {
			if name := rewriterOf(form); r.predicted[i] >= 1.05 {
				off[name] = append(off[name], r.observed[i]/r.predicted[i])
			}
		}
		if r.ranked {
			rhos = append(rhos, r.rho)
		}
		pick, best := r.observed[r.pick], r.observed[r.best]
		picks, bests = append(picks, math.Log(pick)), append(bests, math.Log(best))
		loss += 1 - r.observed[r.first]/best
		if pick < 0.98 {
			slower++
		}
		if q := r.predicted[r.first] / r.observed[r.first]; q < 1.5 && q > 1/1.5 {
			within++
		}
		fmt.Fprintf(table, "%s\t%d\t%.2f\t%s (%.3f, measured %.3f)\t%s (%.3f, predicted %.3f)\n", m.name, len(r.forms), r.rho,
			r.forms[r.first], r.predicted[r.first], r.observed[r.first], r.forms[r.best], best, r.predicted[r.best])
	}
	if *errorsOf {
		return printErrors(off, stdout)
	}
	if err := table.Flush(); err != nil || len(picks) == 0 {
		return err
	}
	n := float64(len(picks))
	_, err = fmt.Fprintf(stdout, "rho %.2f over %d; the first choice loses %.1f %%; picks of 1.05 or more gain %.3f of %.3f, %d slower by 2 %%; %d of %d first choices predicted within 1.5\n",
		mean(rhos), len(rhos), 100*loss/n, math.Exp(mean(picks)), math.Exp(mean(bests)), slower, within, len(picks))
	return err
}

func mean(of []float64) float64 {
	sum := 0.0
	for _, x := range of {
		sum += x
	}
	return sum / float64(len(of))
}
