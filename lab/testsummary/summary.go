// Package testsummary runs go test and prints what a person needs of it: the output
// of what failed, a line per package, what was skipped and why, the ten slowest
// tests, and how many there were.
package testsummary

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Run runs go test -json with the arguments and prints its summary to w. The
// status is go test's, or 1 where a test failed that go test overlooked.
func Run(args []string, w io.Writer) (status int, err error) {
	c := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := c.Start(); err != nil {
		return 1, err
	}
	s := newSummary(w)
	readErr := s.read(out)
	err = c.Wait()
	s.close()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return max(1, exit.ExitCode()), nil
	case err != nil || readErr != nil:
		return 1, errors.Join(err, readErr)
	case s.failed > 0:
		return 1, nil
	}
	return 0, nil
}

// event is one line that go test -json prints: see go doc test2json.
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
}

// summary holds the facts about the tests so far.
type summary struct {
	to                      io.Writer
	passed, failed, skipped int
	output                  map[[2]string][]string // of tests that run, by package and name
	reasons                 map[string][]string    // names of the skipped tests by why
	times                   []timed
}

type timed struct {
	name    string
	seconds float64
}

func newSummary(to io.Writer) *summary {
	return &summary{to: to, output: map[[2]string][]string{}, reasons: map[string][]string{}}
}

// read reads events to their end. A line that is none is passed on: it is of the
// compiler.
func (s *summary) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil {
				s.to.Write(line)
			} else {
				s.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take takes in one event.
func (s *summary) take(e event) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "output", "build-output":
		if e.Test != "" {
			s.output[key] = append(s.output[key], e.Output)
		} else if e.Output != "PASS\n" && !strings.Contains(e.Output, "[no test files]") {
			io.WriteString(s.to, e.Output)
		}
	case "pass", "fail", "skip":
		if e.Test == "" {
			return // the package's own line says it
		}
		s.end(e, s.output[key])
		delete(s.output, key)
	}
}

// end counts a test that has ended. A test with subtests counts beside them.
func (s *summary) end(e event, output []string) {
	name := strings.TrimPrefix(e.Package, module) + " " + e.Test
	s.times = append(s.times, timed{name, e.Elapsed})
	switch e.Action {
	case "pass":
		s.passed++
	case "fail":
		s.failed++
		io.WriteString(s.to, strings.Join(output, ""))
	case "skip":
		s.skipped++
		why := reason(output)
		s.reasons[why] = append(s.reasons[why], name)
	}
}

const module = "github.com/smux-cuda/smux/"

// scriptSkip is the command with which a script of testscript may skip its rest. It
// is shown whether its condition holds or not: the last one did.
var scriptSkip = regexp.MustCompile(`^\s*> (?:\[\S+\] )+skip '(.*)'$`)

// reason returns why a test was skipped: what it said after its place, or as a script.
func reason(output []string) string {
	why := "it does not say why"
	for _, line := range output {
		if _, said, ok := strings.Cut(line, "_test.go:"); ok {
			if _, said, ok = strings.Cut(said, ": "); ok {
				return strings.TrimSpace(said)
			}
		}
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "suite.go:"); ok {
			_, said, _ = strings.Cut(said, ": ")
			return strings.TrimSpace(said)
		}
		if m := scriptSkip.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			why = m[1]
		}
	}
	return why
}

const (
	namesShown = 3
	slowest    = 10
)

// close prints the summary at the end.
func (s *summary) close() {
	if len(s.reasons) > 0 {
		fmt.Fprintln(s.to, "\nskipped:")
	}
	for _, why := range slices.Sorted(maps.Keys(s.reasons)) {
		names := s.reasons[why]
		fmt.Fprintf(s.to, "%6d  %s: %s", len(names), why, strings.Join(names[:min(namesShown, len(names))], ", "))
		if more := len(names) - namesShown; more > 0 {
			fmt.Fprintf(s.to, " and %d more", more)
		}
		fmt.Fprintln(s.to)
	}
	slices.SortStableFunc(s.times, func(a, b timed) int {
		switch {
		case a.seconds > b.seconds:
			return -1
		case a.seconds < b.seconds:
			return 1
		}
		return 0
	})
	fmt.Fprintln(s.to, "\nslowest:")
	for _, t := range s.times[:min(slowest, len(s.times))] {
		fmt.Fprintf(s.to, "%9s  %s\n", time.Duration(t.seconds*float64(time.Second)).Round(time.Second/10), t.name)
	}
	fmt.Fprintf(s.to, "\n%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
}
