// Package doctor says what this smux was made from and with, as far as the Go toolchain recorded it, and what of this
// machine it can use: whether smux itself rewrites a kernel, the compilers, the GPU, the cache folder, git, the
// terminal, and the settings in force. It changes nothing and waits for nothing longer than a few seconds.
package doctor

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/rewrite"
)

// Schema is the version of what `smux doctor --json` prints.
const Schema = 1

// How a thing was found.
const (
	OK      = "ok"
	Missing = "missing" // and smux does without
	Broken  = "broken"  // it is there, and does not work
)

// Check is the finding about one thing that smux uses.
type Check struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Text  string `json:"text"`            // what was found
	Means string `json:"means,omitempty"` // what works with it, or what does not without
	Help  string `json:"help,omitempty"`  // how to get or mend it
}

// Diagnosis is the output of `smux doctor`.
type Diagnosis struct {
	Schema int     `json:"schema"`
	Smux   Build   `json:"smux"`
	Checks []Check `json:"checks"`
}

// Patience bounds the time of all checks together. A driver that has to be loaded
// takes seconds; nothing else takes a tenth of one.
const Patience = 5 * time.Second

// Machine gives access to what smux uses of a machine, made up in tests.
type Machine struct {
	Rewrite   func(*analysis.Program, rewrite.Options) (*rewrite.Result, error)
	FindNVCC  func() (*nvcc.Toolkit, error)
	NVIDIASMI func(ctx context.Context, args ...string) (string, error) // see process.NVIDIASMI
	Getenv    func(string) string
	ReadFile  func(name string) ([]byte, error) // of a file that settings name
	Terminal  bool                              // messages go to a terminal
	Patience  time.Duration
}

// Examine does all checks side by side. One that has a defect or does not end in time
// is broken, and holds up no other.
func (m Machine) Examine(ctx context.Context) []Check {
	checks := []struct {
		name string
		look func(context.Context) Check
	}{
		{"smux", m.core},
		{"c++", compiler},
		{"nvcc", m.nvcc},
		{"gpu", m.gpu},
		{"cache", cache},
		{"git", git},
		{"terminal", m.terminal},
		{"config", m.config},
	}
	ctx, cancel := context.WithTimeout(ctx, m.Patience)
	defer cancel()
	out := make([]Check, len(checks))
	// The time may end before a check does, which is then left behind: it ends with the process.
	found := make([]chan Check, len(checks))
	for i, c := range checks {
		found[i] = make(chan Check, 1)
		go func() {
			got := Check{State: Broken}
			if err := diag.Guard(func() error { got = c.look(ctx); return nil }); err != nil {
				got.Text = err.Error()
			}
			found[i] <- got
		}()
	}
	for i, c := range checks {
		select {
		case out[i] = <-found[i]:
		case <-ctx.Done():
			select { // what is known already counts
			case out[i] = <-found[i]:
			case <-time.After(m.Patience / 10):
				out[i] = Check{State: Broken, Text: fmt.Sprintf("gives no answer within %s", m.Patience)}
			}
		}
		out[i].Name = c.name
		for _, text := range []*string{&out[i].Text, &out[i].Means, &out[i].Help} {
			*text = prose.Printable(*text)
		}
	}
	return out
}

// Text writes a line for each check, and below those that are not well what does not work and what to do.
func (d Diagnosis) Text(out *bytes.Buffer) {
	fmt.Fprintln(out, d.Smux)
	for _, c := range d.Checks {
		fmt.Fprintf(out, "  %-8s %-9s %s\n", c.State, c.Name, c.Text)
		for _, line := range []string{c.Means, c.Help} {
			if line != "" {
				fmt.Fprintf(out, "  %-8s %-9s %s\n", "", "", line)
			}
		}
	}
	switch missing, broken := d.Count(Missing), d.Count(Broken); {
	case broken > 0:
		fmt.Fprintf(out, "%d of %d found broken\n", broken, len(d.Checks))
	case missing > 0:
		fmt.Fprintf(out, "smux works; %d of %d missing\n", missing, len(d.Checks))
	default:
		fmt.Fprintln(out, "smux works, and nothing is missing")
	}
}

// Count returns the number of checks that found this state.
func (d Diagnosis) Count(state string) int {
	n := 0
	for _, c := range d.Checks {
		if c.State == state {
			n++
		}
	}
	return n
}
