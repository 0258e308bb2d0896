// Command smux rewrites CUDA kernels so that on-chip memory stops limiting how many threads run. See `smux help`.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/smux-cuda/smux/cmd"
)

func main() {
	// A reader that leaves early (`smux rewrite -d … | head`) shows up as a
	// write error, which cmd.Main turns into a quiet exit.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
