package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smux-cuda/smux/lab/fidelity"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

func middle(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// write makes all files.
func write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, board := range boards {
		var lines []record.Line
		for _, name := range names {
			all, err := kernels("examples", name, board)
			if err != nil {
				return err
			}
			for _, k := range all {
				one, err := simulate(k, recorded, seed)
				if err != nil {
					return err
				}
				lines = append(lines, one...)
			}
		}
		if err := save(filepath.Join(folder, fileOf(board)), lines); err != nil {
			return err
		}
	}
	lines, err := trials()
	if err != nil {
		return err
	}
	return save(filepath.Join(folder, "trials.jsonl"), lines)
}

// fileOf returns the file of a GPU.
func fileOf(board string) string { return strings.ReplaceAll(board, "@", "-") + ".jsonl" }

// save writes lines that stand for themselves.
func save(path string, lines []record.Line) error {
	var text []byte
	for _, l := range lines {
		one, err := record.Encode(l)
		if err != nil {
			return err
		}
		text = append(text, one...)
	}
	return os.WriteFile(path, text, 0o644)
}

// read reads the kernels of a file with their forms.
func read(path string) ([]record.Line, []kernel, error) {
	lines, torn, err := record.ReadTorn(path)
	if err == nil && torn > 0 {
		err = fmt.Errorf("%s: its end is missing", path)
	}
	if err != nil {
		return nil, nil, err
	}
	var out []kernel
	for _, l := range lines {
		v := l.Variant
		if v == nil {
			continue
		}
		if n := len(out); n == 0 || out[n-1].subject.Key() != v.Subject.Key() {
			out = append(out, kernel{subject: v.Subject})
		}
		k := &out[len(out)-1]
		k.forms = append(k.forms, *v)
	}
	return lines, out, nil
}

// trials returns the figures of the trials, next to what the model says of them. They
// are speed-ups: the time of the variant is taken for 1.
func trials() ([]record.Line, error) {
	cells, err := fidelity.Trials(fidelity.TrialBlocks, sim.Options{})
	if err != nil {
		return nil, err
	}
	var out []record.Line
	add := func(c fidelity.Cell, way rewrite.Variant) {
		v := record.MeasuredVariant{
			Subject: record.Subject{
				Source: "hand-written", Kernel: c.Kernel,
				Machine: record.Machine{On: "command", GPU: "gtx480@16", Device: "a cycle-level simulator of a GTX480, 16 kB"},
			},
			Candidate: record.TunedVariant{Variant: way}, Predicted: c.Simulated,
		}
		v.Name = v.Candidate.String()
		line := record.Line{Schema: record.Schema, Key: v.Key(), Time: time.Unix(0, 0).UTC()}
		pair := line
		line.Variant, pair.Pair = &v, &record.Pair{Phase: record.Search, Base: []float64{c.Measured}, Variant: []float64{1}}
		out = append(out, line, pair)
	}
	for i, c := range cells {
		if i == 0 || cells[i-1].Kernel != c.Kernel {
			add(fidelity.Cell{Kernel: c.Kernel, Measured: 1, Simulated: 1}, rewrite.Variant{})
		}
		add(c, wayOf(c.Variant))
	}
	return out, nil
}

// wayOf returns a rewrite by its name in the trials.
func wayOf(column string) rewrite.Variant {
	variant, rest, _ := strings.Cut(column, " ")
	switch {
	case variant == "vtb-pipe":
		return rewrite.Variant{Rewriter: variant, Sync: "block", Factor: 2}
	case variant == "dyn":
		return rewrite.Variant{Rewriter: variant, Sync: "lock", Factor: 4, SharedSets: 1}
	case variant == "co-vtb":
		return rewrite.Variant{Rewriter: variant, Sync: rest, Factor: 2, PrivateRows: 16}
	}
	return rewrite.Variant{Rewriter: variant, Sync: rest, Factor: 2}
}
