//go:build !unix

package execute

import "os"

func bounded(path string, opt Options) (name string, args []string) { return path, opt.Args }

func ending(state *os.ProcessState) (exit int, signal, words string) {
	if state == nil {
		return -1, "", ""
	}
	return state.ExitCode(), "", ""
}
