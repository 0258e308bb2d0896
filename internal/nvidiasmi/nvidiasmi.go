// Package nvidiasmi asks NVIDIA's driver for the GPUs of this machine, by its program
// nvidia-smi, for no longer than a person waits.
package nvidiasmi

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/printable"
	"github.com/smux-cuda/smux/internal/procgroup"
)

// What nvidia-smi may take. It answers at once where a driver is loaded, and
// within seconds where it has to be; a line for each GPU is some hundred bytes.
const (
	patience  = 20 * time.Second
	mostBytes = 1 << 20
)

// ErrMissing says that this machine has no NVIDIA driver.
var ErrMissing = errors.New("there is no nvidia-smi on this machine")

// Run runs nvidia-smi with these arguments and returns what it prints. The error is
// ErrMissing where there is none, else what a person can be told of a driver that does
// not answer, prints without end, or says that something is wrong.
func Run(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return "", ErrMissing
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := procgroup.Command(ctx, path, args...)
	out, err := procgroup.Output(c, mostBytes)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", errors.New("nvidia-smi does not answer")
	case len(out) > mostBytes:
		return "", errors.New("nvidia-smi prints without end")
	case err != nil:
		text, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if text == "" {
			text = err.Error()
		}
		return "", errors.New("nvidia-smi: " + printable.Text(text))
	}
	return string(out), nil
}
