package cmd

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/printable"
	"github.com/smux-cuda/smux/internal/procgroup"
)

// What nvidia-smi may take. It answers at once where a driver is loaded, and
// within seconds where it has to be; a line for each GPU is some hundred bytes.
const (
	smiPatience = 20 * time.Second
	smiBytes    = 1 << 20
)

// errNoNVIDIASMI says that this is no machine with an NVIDIA driver.
var errNoNVIDIASMI = errors.New("there is no nvidia-smi on this machine")

// runNVIDIASMI runs nvidia-smi and returns what it prints.
func runNVIDIASMI(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return "", errNoNVIDIASMI
	}
	ctx, cancel := context.WithTimeout(ctx, smiPatience)
	defer cancel()
	c := procgroup.Command(ctx, path, args...)
	out, err := limitedOutput(c)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", errors.New("nvidia-smi does not answer")
	case len(out) > smiBytes:
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

// limitedOutput runs a command that is not to print more than smiBytes; one that
// does is ended.
func limitedOutput(c *exec.Cmd) ([]byte, error) {
	r, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, smiBytes+1))
	if len(out) > smiBytes {
		_ = c.Cancel()
	}
	if e := c.Wait(); e != nil {
		err = e
	}
	return out, err
}
