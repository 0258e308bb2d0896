package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// CodeNotCompiled is the code of a kernel that is left alone because nvcc compiles the program as
// it is and not as it would be rewritten, or smux reads only the first.
const CodeNotCompiled diag.Code = "not-compiled"

// compiling reads the program as it would be written, has nvcc compile it where that is at hand, and leaves
// alone the kernels whose rewrite either refuses. It returns what is left, and the options that make it.
func (j *Job) compiling(opt rewrite.Options, result *rewrite.Result) (rewrite.Options, *rewrite.Result, error) {
	groups := rewrittenGroups(j.groups(), result.Kernels)
	if len(groups) == 0 {
		return opt, result, nil
	}
	c := &compilation{Job: j}
	if j.asksNVCC() {
		if err := c.findNVCC(); err != nil {
			return opt, nil, err
		}
	}
	var err error
	var kept []group
	refused := map[string]error{} // by where a group's first kernel stands
	err = j.Interruptible("asking nvcc", func(ctx context.Context) (err error) {
		kept, err = c.passing(ctx, opt, groups, result, refused)
		return err
	})
	if err != nil || len(kept) == len(groups) {
		return opt, result, err
	}
	j.Note(diag.ExitDiffers)
	opt = only(opt, kept, groups)
	left := &rewrite.Result{}
	if len(kept) > 0 {
		if left, err = j.Apply(opt); err != nil {
			return opt, nil, err
		}
	}
	left.Kernels = withheld(result.Kernels, groups, kept, func(g group, at diag.Position) diag.Message {
		return diag.Message{Pos: at, Code: CodeNotCompiled, Text: refused[g.at[0].String()].Error(),
			Help: "report this, with the input, at https://github.com/smux-cuda/smux/issues"}
	})
	return opt, left, nil
}

// compilation is a compiler at work on rewrites of a program: smux's own parser, and nvcc.
type compilation struct {
	*Job
	reader *resources.Reader // nil where nvcc is not asked
	archs  []string
}

// findNVCC finds nvcc, and the architectures of the GPUs.
func (c *compilation) findNVCC() error {
	gpus, err := c.Ask.GPUs(true)
	if err != nil {
		return err
	}
	reader, err := resources.New(c.Console, c.FindNVCC, c.Ask.Resources, c.Program, c.Parse)
	if err != nil || reader.Toolkit == nil {
		return err
	}
	c.reader = reader
	for _, g := range gpus {
		if arch, _ := reader.Toolkit.NearestArch(g.CC()); arch != "" && !slices.Contains(c.archs, arch) {
			c.archs = append(c.archs, arch)
		}
	}
	return nil
}

// passing returns the groups whose rewrites nvcc compiles: all where it compiles all together, else those
// that it compiles with the ones before them. refused gets its words about each other one.
func (c *compilation) passing(ctx context.Context, opt rewrite.Options, groups []group, result *rewrite.Result, refused map[string]error) ([]group, error) {
	if opt.Runtime == runtime.Included {
		// smux.cuh need not be on this machine, and the device code is the same wherever it stands.
		var err error
		opt.Runtime = runtime.Inline
		if result, err = c.Apply(opt); err != nil {
			return nil, err
		}
	}
	why, err := c.refusal(ctx, result)
	if why == nil || err != nil {
		return groups, err
	}
	var kept []group
	for _, g := range groups {
		with := append(slices.Clone(kept), g)
		if len(groups) > 1 {
			if result, err = c.Apply(only(opt, with, groups)); err != nil {
				return nil, err
			}
			if why, err = c.refusal(ctx, result); err != nil {
				return nil, err
			}
		}
		if why == nil {
			kept = with
		} else {
			refused[g.at[0].String()] = why
		}
	}
	return kept, nil
}

// refusal returns the objection to a rewrite of the program: a text that can't be read, or that nvcc refuses though it
// compiles the program as it is. It is nil for none.
func (c *compilation) refusal(ctx context.Context, result *rewrite.Result) (refused, err error) {
	after, err := result.After(c.Program)
	if err != nil {
		return fmt.Errorf("smux does not read the rewritten text: %w", err), nil
	}
	for i, f := range after.Files {
		before := c.Program.Files[i]
		if n := len(before.Errors); len(f.Errors) > n {
			return fmt.Errorf("smux does not parse the rewritten text at %s", f.Position(int(f.Errors[n].Start))), nil
		}
		if n := len(before.Lost); len(f.Lost) > n {
			return fmt.Errorf("smux finds no kernel in the rewritten text at %s", f.Position(f.Lost[n].Mark.Start)), nil
		}
	}
	if c.reader == nil {
		return nil, nil
	}
	texts, written := map[string][]byte{}, result.Texts(c.Program)
	for _, f := range c.Program.Files {
		texts[resources.UnitName(f)] = written[f.Name]
	}
	for _, unit := range c.reader.Changed(result.Changed()) {
		for _, arch := range c.archs {
			key := resources.Unit{Name: unit, Arch: arch}
			var says *nvcc.CompileError
			_, _, err := c.reader.Compile(ctx, key, texts)
			if c.timedOut = c.timedOut || c.reader.TimedOut(); c.timedOut {
				return nil, c.reader.Failed(err)
			}
			if !errors.As(err, &says) {
				continue // compiled, or it can't be run
			}
			if _, _, before := c.reader.Compile(ctx, key, c.reader.Request.Texts); before == nil {
				return fmt.Errorf("nvcc does not compile the rewritten text: %w", says), nil
			}
		}
	}
	return nil, ctx.Err()
}
