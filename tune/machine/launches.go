package machine

import (
	"errors"

	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
)

// NotLaunched says that no launch of a kernel was timed.
const NotLaunched = "it did not launch the kernel, or asked for it with a CUDA error pending"

// readLaunches reads what a run says of its launches. The failure is that no launch was
// timed, or that of the first one that wasn't.
func readLaunches(file string) (instrument.Run, *record.Failure) {
	launches, err := instrument.ReadLaunches(file)
	var untimed *instrument.UntimedError
	switch {
	case err == nil:
		return launches, nil
	case errors.As(err, &untimed) && untimed.CUDA != "":
		return launches, launchFailure(untimed.CUDA)
	case untimed != nil && untimed.None:
		return launches, &record.Failure{Kind: record.FailedUntimed, Text: NotLaunched}
	}
	return launches, notTimed(err)
}

// samples returns the times of a run that count, in milliseconds: one for each
// repetition of a kernel alone, one for a run of a program.
func (p *Program) samples(launches instrument.Run) ([]float64, *record.Failure) {
	if !p.isBench() {
		return []float64{launches.Milliseconds()}, nil
	}
	all, err := launches.Repetitions(p.WarmUp + p.Repeats)
	if err != nil {
		return nil, notTimed(err)
	}
	return all[p.WarmUp:], nil
}

func notTimed(err error) *record.Failure {
	return &record.Failure{Kind: record.FailedUntimed, Text: err.Error()}
}
