// Package footprint counts over the kernels of any programs what the rewriters that make
// shared arrays smaller come to: kernels looked at, bytes saved, thread blocks gained, and
// refusals by code, as Markdown:
//
//	go run ./internal/tables/main.go footprint --variant overlay examples rodinia
//
// Each folder is parted into programs, as smux rewrite does, and is a column of the tables.
// Registers are estimates of the original and of the rewritten kernel, so that nothing is
// compiled. Kernels whose launches tell no block size or no shared bytes are counted, and
// have no thread blocks.
package footprint

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Main is the program: it reads the flags and writes to stdout.
func Main(args []string, stdout io.Writer) error {
	flags := pflag.NewFlagSet("footprint", pflag.ExitOnError)
	text := flags.String("variant", variant.Overlay, "the `rewrites` to count, by their names and knobs, with commas between")
	includes := flags.StringArrayP("include", "I", nil, "`folder` to search for headers; can be repeated")
	boards := flags.String("gpu", "t4,rtx4090,a100,h100", "`names` of the GPUs")
	flags.Parse(args)

	var gpus []*gpu.GPU
	for _, name := range strings.Split(*boards, ",") {
		g, err := gpu.Lookup(name)
		if err != nil {
			return err
		}
		gpus = append(gpus, g)
	}
	var counts []*count
	for _, folder := range flags.Args() {
		for _, one := range strings.Split(*text, ",") {
			w, err := variant.Parse(one)
			if err != nil {
				return err
			}
			counts = append(counts, &count{folder: filepath.Base(folder), way: w, gpus: gpus, refused: map[string]int{}})
		}
		if err := countFolder(folder, *includes, counts[len(counts)-len(strings.Split(*text, ",")):]); err != nil {
			return err
		}
	}
	return write(stdout, gpus, counts)
}

// countFolder adds the kernels of a folder's programs to counts.
func countFolder(folder string, includes []string, counts []*count) error {
	c := console.New(os.Stdin, io.Discard, io.Discard)
	programs, err := load.Find(context.Background(), c, []string{folder}, load.Options{Includes: includes, Settings: &load.SettingsSource{}}, load.Tree{Jobs: runtime.GOMAXPROCS(0)}, c.NewProgress())
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	for _, p := range programs {
		prog, _, err := p.Parse(c, nil)
		if err != nil || prog == nil {
			for _, n := range counts {
				n.unread++
			}
			continue
		}
		for _, n := range counts {
			n.program(prog)
		}
	}
	return nil
}
