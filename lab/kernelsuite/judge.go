package kernelsuite

import (
	"context"
	_ "embed"
	"path/filepath"
	"strings"
	"time"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/alone"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/smux-cuda/smux/verify/harness/choose"
)

//go:embed annotations.h
var annotationsText []byte

// outcome is a verdict against what was expected.
type outcome string

const (
	right      outcome = "right"
	missed     outcome = "missed"
	falseAlarm outcome = "false alarm"
	cantSay    outcome = "can't say"
	noVerdict  outcome = "no verdict to meet"
)

var outcomes = []outcome{right, missed, falseAlarm, cantSay, noVerdict}

// judged is one kernel's outcome.
type judged struct {
	*kernelCase
	outcome
	found         []string // codes with places
	uninitialised bool
	why           string // it can't be said
	took          time.Duration
}

// judge runs a kernel and compares the verdict.
func judge(ctx context.Context, c *kernelCase, base verify.Request) *judged {
	start := time.Now()
	j := &judged{kernelCase: c}
	defer func() { j.took = time.Since(start) }()
	verdict, why := check(ctx, c, base)
	var counted bool
	if verdict != nil {
		for _, f := range verdict.Findings {
			if f.Severity != verify.Counts {
				continue
			}
			if f.Message.Code == verify.CodeUninitialised {
				j.uninitialised = true
				continue
			}
			// An order in which output differs is what a race or an atomic does to it.
			counted = counted || f.Message.Code != verify.CodeOrderDependent
			j.found = append(j.found, f.Message.Pos.String()+" "+string(f.Message.Code))
		}
		for _, f := range verdict.Failures {
			why = append(why, f.Message.String())
		}
	}
	j.why = strings.Join(why, "; ")
	refused := strings.Contains(j.why, string(verify.CodeDoesNotCompile))
	switch {
	case c.want == none:
		j.outcome = noVerdict
	case c.want == compiler && refused, c.want == defect && counted, c.want == pass && !counted && j.why == "":
		j.outcome = right
	case c.want == pass && counted:
		j.outcome = falseAlarm
	case j.why != "":
		j.outcome = cantSay
	default:
		j.outcome = missed
	}
	return j
}

// check runs a kernel as `smux check` does; why is what keeps it from being run.
func check(ctx context.Context, c *kernelCase, base verify.Request) (v *verify.Verdict, why []string) {
	header := filepath.Join(filepath.Dir(c.path), annotationsName)
	program := verify.Program{Defines: c.defines, Files: []verify.File{
		{Name: c.path, Text: c.text}, {Name: header, Text: annotationsText, Included: true}}}
	prog, opt, err := program.Parsed()
	if err != nil {
		return nil, []string{err.Error()}
	}
	chosen, skipped := choose.Choose(prog, nil, choose.Choice{Grid: c.grid, Block: c.block})
	for _, m := range skipped {
		why = append(why, m.String())
	}
	if len(chosen) == 0 {
		if len(why) == 0 {
			why = []string{"the file holds no kernel"}
		}
		return nil, why
	}
	request := base
	with := func(run *parser.Program) verify.Program {
		p := verify.NewProgram(run, opt)
		p.Files = append(p.Files, program.Files[1])
		return p
	}
	kernels := &alone.Kernels{Program: prog, Request: request, With: with}
	if chosen, _, err = kernels.Reach(ctx, chosen); err != nil {
		return nil, append(why, err.Error())
	}
	specs, err := choose.Specs(chosen)
	if err != nil {
		return nil, append(why, err.Error())
	}
	run, err := harness.AttachChosen(prog, specs)
	if err != nil {
		return nil, append(why, err.Error())
	}
	request.Original = with(run)
	if v, err = verify.Run(ctx, request); err != nil {
		return nil, append(why, err.Error())
	}
	return v, why
}

// request returns the request with which all kernels are run.
func request() verify.Request {
	orders := []execute.Schedule{{Kind: "ascending"}, {Kind: "descending"}, {Kind: "random", Seed: 1}}
	return verify.Request{Schedules: orders, CheckedSchedules: []execute.Schedule{orders[0], orders[2]}, Jobs: 1,
		Timeout: 20 * time.Second, Watchdog: 5 * time.Second}
}
