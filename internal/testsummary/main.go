// Testsummary runs go test with its arguments and prints what a person needs of
// it: the output of what failed, a line per package, what was skipped and why,
// the ten slowest tests, and how many there were. Its exit status is go test's.
//
//	go run ./internal/testsummary [go test's flags] [packages]
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	c := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	s := newSummary(os.Stdout)
	readErr := s.read(out)
	err = c.Wait()
	s.close()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(max(1, exit.ExitCode()))
	case err != nil || readErr != nil:
		fmt.Fprintln(os.Stderr, "testsummary:", errors.Join(err, readErr))
		os.Exit(1)
	case s.failed > 0:
		os.Exit(1)
	}
}
