package cmd

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/harness"
)

// runFlags say how programs are run on the CPU.
type runFlags struct {
	verify.Request        // but for Schedules, CheckedSchedules and Args
	orders, checkedOrders string
	argLists              []string
	seed                  uint64
	all, fast             bool // orders
	mostOrders            int
	sources, libraries    []string
	bench                 harness.Request
	board                 string
	block                 [3]int      // of --block
	timeout               *pflag.Flag // nil where there are no flags
}

const (
	defaultOrders = "ascending,descending,random,random,random"
	allOrders     = "all"
)

// register adds the flags; the program's libraries have no short form where -l means something else.
func (r *runFlags) register(f *pflag.FlagSet, shortLibrary bool) {
	f.StringArrayVar(&r.argLists, "args", nil, "run the program with these `ARGUMENTS`; repeated, once with each")
	f.StringArrayVar(&r.sources, "source", nil, "add this `FILE` to the program, CUDA or not; can be repeated")
	short := ""
	if shortLibrary {
		short = "l"
	}
	f.StringArrayVarP(&r.libraries, "library", short, nil, "link with this `LIBRARY`; can be repeated")
	f.StringVar(&r.orders, "order", defaultOrders, "run in the orders of this `LIST`: ascending, descending, random, random:SEED")
	f.BoolVar(&r.fast, "fast", false, "run in one order: the same as --order ascending")
	f.StringVar(&r.checkedOrders, "checked-orders", "", "look for races in the orders of this `LIST`, or all; the default is the first, and the first of each kind after it")
	f.BoolVar(&r.all, "all-schedules", false, "look for defects in every order that matters, of launches of up to 64 threads")
	f.IntVar(&r.mostOrders, "most-schedules", verify.DefaultAllSchedules, "run at most `N` orders of --all-schedules, with each list of arguments")
	f.Uint64Var(&r.seed, "seed", 1, "begin the random orders with this `SEED`")
	f.Float64Var(&r.Tolerance.Abs, "atol", 0, "let floating-point values differ by this `AMOUNT`")
	f.Float64Var(&r.Tolerance.Rel, "rtol", 0, "let floating-point values differ by this `FRACTION` of the original's")
	f.DurationVar(&r.Timeout, "timeout", time.Minute, "stop a run after this `TIME`, or ten times that where races are looked for; where smux chooses the launches, 5s are the default")
	r.timeout = f.Lookup("timeout")
	f.DurationVar(&r.Watchdog, "watchdog", 10*time.Second, "stop a kernel that makes no progress for this `TIME`")
	f.BoolVar(&r.Address, "asan", false, "also run a build with the compiler's address sanitizer")
	f.BoolVar(&r.Strict, "strict", false, "count races in which both threads write the same value")
	f.BoolVar(&r.RequireAll, "require-all", false, "exit with 3 where a kernel was not launched and nothing was found")
	f.StringVar(&r.Compiler, "cxx", "", "use this C++ `COMPILER`; the default is $CXX, g++ or clang++")
	f.StringVar(&r.Dir, "chdir", "", "run the program in this `DIR`")
	f.StringVar(&r.Keep, "keep", "", "keep the translated C++ in this `DIR`")
	f.IntVarP(&r.Jobs, "jobs", "j", 0, "build and run `N` programs at a time; the default is the number of processors")
	registerBench(f, &r.bench)
}

// launch adds the bytes of --smem to a launch that does not tell them, takes --block, and checks what is to be run.
func (r *runFlags) launch(in load.Options, kernels []string) error {
	var err error
	if in.Block != "" {
		r.block, err = load.ParseBlock(in.Block)
	}
	if n, err := prose.ParseBytes(in.Shared); err == nil && r.bench.Launch != "" && !strings.Contains(r.bench.Launch, "shared=") { // "" is none
		r.bench.Launch += fmt.Sprintf(",shared=%d", n)
	}
	return cmp.Or(err, r.bench.Of(kernels).Check())
}

// request checks the flags and returns what they say of the runs. after are the
// program's arguments after "--", nil if there is no "--".
func (r *runFlags) request(after []string) (verify.Request, error) {
	req := r.Request
	if r.timeout != nil && !r.timeout.Changed {
		req.Timeout = 0 // as it fits what is run
	} else if req.Timeout <= 0 {
		return req, diag.Usagef("write --timeout 60s or --timeout 5m", "--timeout must be more than nothing, got %s", req.Timeout)
	}
	if t := req.Tolerance; !(t.Abs >= 0 && t.Rel >= 0) {
		return req, diag.Usagef("", "--atol and --rtol cannot be negative")
	}
	if req.Jobs < 0 {
		return req, diag.Usagef("", "--jobs cannot be negative, got %d", req.Jobs)
	}
	if r.board != "" {
		g, err := gpu.Default().Lookup(r.board)
		if err != nil {
			return req, diag.Usagef("", "--gpu: %w", err)
		}
		req.Board = &verify.Board{Name: g.Name, Shared: g.Arch.SharedPerBlockOptin}
	}
	if r.mostOrders < 1 {
		return req, diag.Usagef("", "--most-schedules must be at least 1, got %d", r.mostOrders)
	}
	if r.all {
		req.AllSchedules = r.mostOrders
	}
	if r.fast {
		if r.orders != defaultOrders {
			return req, diag.Usagef("give one of them", "--fast and --order both say in which orders to run")
		}
		r.orders = "ascending"
	}
	var err error
	if req.Schedules, err = parseOrders("--order", r.orders, r.seed); err != nil {
		return req, err
	}
	switch r.checkedOrders {
	case "":
		req.CheckedSchedules = verify.DefaultCheckedSchedules(req.Schedules)
	case allOrders:
		req.CheckedSchedules = req.Schedules
	default:
		if req.CheckedSchedules, err = parseOrders("--checked-orders", r.checkedOrders, r.seed); err != nil {
			return req, err
		}
	}
	for _, text := range r.argLists {
		words, err := prose.Words(text)
		if err != nil {
			return req, diag.Usagef("quote as a shell does", "--args %q: %w", text, err)
		}
		req.Args = append(req.Args, words)
	}
	if after != nil {
		req.Args = append(req.Args, after)
	}
	return req, nil
}

// parseOrders reads a list of orders; each "random" without a seed gets the next one.
func parseOrders(flag, list string, seed uint64) ([]execute.Schedule, error) {
	var out []execute.Schedule
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if name == "random" {
			out = append(out, execute.Schedule{Kind: "random", Seed: seed})
			seed++
			continue
		}
		order, err := execute.ParseSchedule(name)
		if err != nil {
			known := []string{"ascending", "descending", "random", "random:SEED"}
			return nil, diag.Usagef(diag.DidYouMean(name, known, "the orders are"), "%s: %q is not an order", flag, name)
		}
		out = append(out, order)
	}
	return out, nil
}
