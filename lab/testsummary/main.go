//go:build ignore

// The program that package testsummary is. It is left out of builds of the whole
// module, so that "go install ./..." installs smux alone.
package main

import (
	"fmt"
	"os"

	"github.com/smux-cuda/smux/lab/testsummary"
)

func main() {
	status, err := testsummary.Run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
	}
	os.Exit(status)
}
