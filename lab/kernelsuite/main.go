package kernelsuite

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/internal/parallel"
)

// Main judges the folders of the arguments and prints a table of expected and found:
//
//	go run ./lab/main.go kernelsuite [-v] [-only TEXT] [-j N] gpuverify/testsuite/CUDA
//
// -v lists each kernel that was not judged right, with what was found or why it could not be run.
func Main(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("kernelsuite", flag.ContinueOnError)
	verbose := flags.Bool("v", false, "list what was not right")
	only := flags.String("only", "", "only files with this in their path")
	jobs := flags.Int("j", 2, "kernels at a time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("name a folder of kernels")
	}
	var cases []*kernelCase
	for _, root := range flags.Args() {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".cu" || !strings.Contains(path, *only) {
				return err
			}
			c, err := readCase(path)
			if err == nil {
				cases = append(cases, c)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	all := make([]*judged, len(cases))
	var writing sync.Mutex
	_ = parallel.Each(context.Background(), len(cases), *jobs, func(i int) error {
		all[i] = judge(context.Background(), cases[i], request())
		if j := all[i]; *verbose && j.outcome != right {
			writing.Lock()
			defer writing.Unlock()
			fmt.Fprintf(stdout, "%s: %s (wants %s) %s %s\n", j.path, j.outcome, j.want, strings.Join(j.found, ", "), j.why)
		}
		return nil
	})
	print(stdout, all)
	return nil
}

// print writes the table: a row for each verdict expected, a column for each outcome.
func print(w io.Writer, all []*judged) {
	count := map[expected]map[outcome]int{}
	uninitialised := 0
	for _, j := range all {
		if count[j.want] == nil {
			count[j.want] = map[outcome]int{}
		}
		count[j.want][j.outcome]++
		if j.uninitialised {
			uninitialised++
		}
	}
	fmt.Fprintf(w, "| expected | kernels |")
	for _, o := range outcomes {
		fmt.Fprintf(w, " %s |", o)
	}
	fmt.Fprintf(w, "\n|---|---|%s\n", strings.Repeat("---|", len(outcomes)))
	total := map[outcome]int{}
	for _, want := range []expected{pass, defect, compiler, none} {
		sum := 0
		for _, o := range outcomes {
			sum += count[want][o]
			total[o] += count[want][o]
		}
		fmt.Fprintf(w, "| %s | %d |", want, sum)
		for _, o := range outcomes {
			fmt.Fprintf(w, " %d |", count[want][o])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "| all | %d |", len(all))
	for _, o := range outcomes {
		fmt.Fprintf(w, " %d |", total[o])
	}
	fmt.Fprintf(w, "\n\nreads of shared memory that nobody wrote, which their verdicts say nothing of: in %d\n", uninitialised)
}
