//go:build unix

package store

import (
	"os"
	"os/signal"
	"syscall"
)

// signals sees to it that a write beyond the limit of a file's size is an error
// and doesn't end the process, and returns what undoes that. The signal is taken and
// not ignored: what is ignored stays so in the programs that are measured.
func signals() func() {
	beyond := make(chan os.Signal, 1)
	signal.Notify(beyond, syscall.SIGXFSZ)
	return func() { signal.Stop(beyond) }
}
