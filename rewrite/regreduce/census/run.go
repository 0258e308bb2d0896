// Package census climbs the ladder for every kernel of some programs that registers
// limit, and says how far it came:
//
//	go run ./internal/tables/main.go census -I common a.cu b.cu
//
// Each .cu file is a program of its own. What nvcc does not compile is left out,
// and so are kernels whose block size is not known. A line is written as soon as
// a kernel is done, the totals at the end; --json writes lines of JSON instead.
// --list only says which kernels registers limit.
package census

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
)

// census is what is asked for, and what was found so far.
type census struct {
	toolkit *nvcc.Toolkit
	gpus    []*gpu.GPU
	parse   parser.Options
	block   [3]int
	most    int // kernels to climb for, 0 for all
	json    bool
	listed  bool // kernels are only listed

	mutex  sync.Mutex
	out    io.Writer
	totals totals
}

// Main is the program: it reads the flags and writes to stdout.
func Main(args []string, stdout io.Writer) error {
	flags := pflag.NewFlagSet("census", pflag.ExitOnError)
	includes := flags.StringArrayP("include", "I", nil, "`folder` to search for headers; can be repeated")
	defines := flags.StringArrayP("define", "D", nil, "`macro` to define, NAME or NAME=VALUE; can be repeated")
	boards := flags.String("gpu", "a100,h100", "`names` of the GPUs; the first that registers limit is climbed for")
	block := flags.Int("block", 0, "`threads` of blocks whose size is not known; 0 leaves these kernels out")
	most := flags.Int("max", 0, "climb for so `many` kernels at most; 0 for all")
	jobs := flags.Int("jobs", 1, "how `many` programs are looked at side by side")
	listed := flags.Bool("list", false, "list the kernels that registers limit, and don't climb")
	asJSON := flags.Bool("json", false, "write lines of JSON")
	flags.Parse(args)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := &census{most: *most, json: *asJSON, listed: *listed, out: stdout, parse: parser.Options{IncludeDirs: *includes, Defines: *defines}}
	if *block > 0 {
		c.block = [3]int{*block, 1, 1}
	}
	return c.run(ctx, strings.Split(*boards, ","), flags.Args(), max(1, *jobs))
}

func (c *census) run(ctx context.Context, boards, files []string, jobs int) error {
	var err error
	if c.toolkit, err = nvcc.Find(); err != nil {
		return err
	}
	for _, board := range boards {
		g, err := gpu.Lookup(board)
		if err != nil {
			return err
		}
		c.gpus = append(c.gpus, g)
	}
	parallel.Each(ctx, len(files), jobs, func(i int) error {
		if !c.enough() {
			c.program(ctx, files[i])
		}
		return nil
	})
	return c.end()
}

// enough reports whether as many kernels were climbed for as were asked for.
func (c *census) enough() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.most > 0 && c.totals.Limited >= c.most
}

// tell writes what came of a kernel or a file, and counts it.
func (c *census) tell(e entry) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.totals.add(e)
	if e.Outcome == outcomeNoStep || e.Outcome == outcomeUnknownBlock {
		return
	}
	if c.json {
		c.encode(e)
		return
	}
	fmt.Fprintln(c.out, e)
}

// end writes the totals.
func (c *census) end() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.json {
		return c.encode(c.totals)
	}
	_, err := fmt.Fprint(c.out, c.totals)
	return err
}

func (c *census) encode(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
