package datasets

import (
	"context"
	"math"
	"time"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/model"
	"github.com/smux-cuda/smux/tune/record"
)

const (
	pairs = 6 // of each form, as many as a search measures at least
	seed  = 1 // of the records
)

// errors of the model that are tried, the one of the files in the middle.
var (
	modelErrors = []float64{0.05, 0.10, 0.20}
	recorded    = modelErrors[1]
)

// simulate measures all forms of a kernel on the model of its GPU, off by so much.
func simulate(k kernel, off float64, seed uint64) ([]record.Line, error) {
	m := model.New(model.Options{
		GPU: k.subject.Machine.GPU, Name: k.subject.Files[0] + " " + k.subject.Kernel, Seed: seed,
		Error: off, Unpredicted: 0.05,
		Noise: 0.005, Jitter: 0.005, Outliers: 0.01, Drift: 0.02, Repetitions: 5,
	})
	subject := k.subject
	subject.Machine = m.About()
	var out []record.Line
	original, err := m.Build(context.Background(), machine.Source{Predicted: 1})
	if err != nil {
		return nil, err
	}
	for n, form := range k.forms {
		form.Subject = subject
		line := record.Line{Schema: record.Schema, Key: form.Key(), Time: time.Unix(0, 0).UTC()}
		line.Variant = &form
		out = append(out, line)
		b, err := m.Build(context.Background(), machine.Source{Candidate: form.Candidate, Predicted: form.Predicted})
		if err != nil {
			return nil, err
		}
		for i := range pairs {
			at := 2 * (n*pairs + i)
			base, err := run(original, at)
			if err != nil {
				return nil, err
			}
			variant, err := run(b, at+1)
			if err != nil {
				return nil, err
			}
			line.Variant, line.Pair = nil, &record.Pair{Phase: record.Search, Turn: i, Base: base, Variant: variant}
			out = append(out, line)
		}
	}
	return out, nil
}

// run returns the median of a run's times, rounded: the records are for reading.
func run(b machine.Built, turn int) ([]float64, error) {
	r, err := b.Run(context.Background(), 0, turn)
	if err != nil {
		return nil, err
	}
	const digits = 1e5
	return []float64{math.Round(middle(r.Milliseconds)*digits) / digits}, nil
}
