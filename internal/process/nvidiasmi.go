package process

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/prose"
)

// What nvidia-smi may take. It answers at once where a driver is loaded, and
// within seconds where it has to be; a line for each GPU is some hundred bytes.
const (
	patience  = 20 * time.Second
	mostBytes = 1 << 20
)

// ErrNoDriver says that this machine has no NVIDIA driver.
var ErrNoDriver = errors.New("there is no nvidia-smi on this machine")

// NVIDIASMI runs nvidia-smi with these arguments and returns what it prints. The error is
// ErrNoDriver where there is none, else what a person can be told of a driver that does
// not answer, prints without end, or says that something is wrong.
func NVIDIASMI(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return "", ErrNoDriver
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := Command(ctx, path, args...)
	out, err := Output(c, mostBytes)
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
		return "", errors.New("nvidia-smi: " + prose.Printable(text))
	}
	return string(out), nil
}
