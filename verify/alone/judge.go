package alone

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/smux-cuda/smux/verify/harness/choose"
)

// Judged runs a program whose launches smux chose, as a request has it. What is found with one launch, and not with each of the others that the kernel's
// text allows as well, may come from the choice, and does not count.
func (k *Kernels) Judged(ctx context.Context, chosen []*choose.Chosen) (*verify.Verdict, error) {
	request := k.Request
	request.Timeout *= time.Duration(min(max(len(chosen), 1), mostTogether)) // each ended within it, and one process makes all
	v, err := k.Judge(request)
	if err != nil || len(v.Findings) == 0 || len(chosen) == 0 {
		return v, err
	}
	if slices.ContainsFunc(v.Findings, func(f verify.Finding) bool { return f.Ended }) {
		request.Args = byKernel(chosen) // what ended one hides what comes after it
		if v, err = k.Judge(request); err != nil {
			return nil, err
		}
	}
	var others []*choose.Chosen
	instead := map[*choose.Chosen][]*choose.Chosen{} // of a run
	found := make([]*choose.Chosen, len(v.Findings)) // with which run
	beyond := map[*choose.Chosen]string{}            // why the sizes of runs are too large
	for i, f := range v.Findings {
		found[i] = runOf(&f, chosen)
		if of := found[i]; of != nil {
			outside := f.Message.Code == verify.CodeIllegalAddress || strings.Contains(f.Message.Text, " past the end of an allocation ")
			switch {
			case of.IsCut() && outside:
				beyond[of] = "smux gives an array of %q no more elements"
			case f.Message.Code == verify.CodeIntegerOverflow && beyond[of] == "":
				beyond[of] = "smux chose the numbers of %q"
			}
		}
	}
	for i, f := range v.Findings {
		of := found[i]
		if beyond[of] != "" && f.Severity == verify.Counts && !strings.Contains(f.Message.Text, " of shared memory)") {
			v.Guess(i, guessed(f.Message, beyond[of], of))
		}
		if of == nil || v.Findings[i].Severity != verify.Counts || instead[of] != nil {
			continue
		}
		instead[of] = of.Others()
		others = append(others, instead[of]...)
	}
	k.guessDynamic(v, found)
	extents, err := k.measure(ctx, others, mostLate+1)
	if err != nil {
		return nil, err
	}
	var numbers [][]string
	ended := others[:0] // a run that does not end tells nothing
	for i, e := range extents {
		if !e.Late {
			ended = append(ended, others[i])
			numbers = append(numbers, []string{strconv.Itoa(len(ended))})
		}
	}
	others = ended
	for i, f := range v.Findings {
		if of := found[i]; of != nil && f.Severity == verify.Counts && len(instead[of]) > 0 && !slices.ContainsFunc(instead[of], func(o *choose.Chosen) bool { return slices.Contains(others, o) }) {
			v.Guess(i, guessed(f.Message, "so with %q, which smux guessed, and no other launch of it ended within %s", of, tryTime))
		}
	}
	if len(others) == 0 {
		return v, nil
	}
	specs, err := choose.Specs(others)
	if err != nil {
		return nil, err
	}
	run, err := harness.AttachChosen(k.Program, specs)
	if err != nil {
		return nil, err
	}
	request.Original, request.Keep, request.Args = k.With(run), "", numbers
	again, err := k.Judge(request)
	if err != nil {
		return nil, err
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; found[i] != nil && f.Severity == verify.Counts {
			if without := k.runWithout(f, again, instead[found[i]], others); without != nil {
				v.Guess(i, guessed(f.Message, "so with %q, which smux guessed, and not with %q", found[i], without))
			}
		}
	}
	guessUnordered(v, found)
	return v, nil
}

// mostTogether is the largest number of runs for which a process that makes several gets the time.
const mostTogether = 12

// guessDynamic takes what lies outside of dynamic shared memory for a guess, unless somebody says how many bytes the launch has: it may have more.
func (k *Kernels) guessDynamic(v *verify.Verdict, found []*choose.Chosen) {
	for i := range v.Findings {
		f := &v.Findings[i]
		if found[i] == nil || f.Severity != verify.Counts || f.Check != verify.Bounds || !strings.Contains(f.Message.Text, "dynamic shared memory") {
			continue
		}
		if name, _, _ := strings.Cut(found[i].Kernel, "<"); k.Program.Usual == nil || k.Program.Usual(name).Shared == 0 {
			v.Guess(i, guessed(f.Message, "smux chose how many bytes of it %q has", found[i]))
		}
	}
}

// byKernel returns the numbers of the runs of each kernel, as arguments.
func byKernel(chosen []*choose.Chosen) (out [][]string) {
	for i, c := range chosen {
		if i == 0 || c.Kernel != chosen[i-1].Kernel {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], strconv.Itoa(i+1))
	}
	return out
}

// runOf returns the run in which something was found first, nil where that is not known.
func runOf(f *verify.Finding, chosen []*choose.Chosen) *choose.Chosen {
	made := chosen
	if args := f.Runs[0].Args; len(args) > 0 {
		made = nil
		for i, c := range chosen {
			if slices.Contains(args, strconv.Itoa(i+1)) {
				made = append(made, c)
			}
		}
	}
	i := f.Launch - 1
	if f.Difference != nil && f.Difference.Copy > 0 {
		i = choose.RunOfCopy(made, f.Difference.Copy)
	}
	if i < 0 || i >= len(made) {
		return nil
	}
	return made[i]
}

// runWithout returns one of the runs that were made in place of another one in which something was not found; nil for none. Runs of one
// thread block tell nothing of two, those in which threads do the same nothing of races, those in which each
// has an element of its own nothing of races with atomic accesses, which are there because threads share some, and those that are out of bounds, or in which no two
// threads come to the place, nothing at all.
func (k *Kernels) runWithout(f *verify.Finding, again *verify.Verdict, instead, others []*choose.Chosen) *choose.Chosen {
	branch := branchAt(k.Program, f.Message.Pos)
	for _, o := range instead {
		if f.BetweenBlocks && (o.OneBlock() || o.SmallLayout()) || o.SmallLayout() && strings.Contains(f.Message.Text, " of shared memory)") || o.FewValues() && (f.Check == verify.Races || f.Check == verify.Output) || o.OwnValues() && (f.Atomic || f.Check == verify.Races && o.Repeats()) {
			continue
		}
		i := slices.Index(others, o)
		enough := int64(2)
		if o.OneWarp() && f.Check == verify.Races { // one lane of each warp
			enough = 1
		}
		if i < 0 || branch != 0 && i < len(again.Reached) && again.Reached[i][branch] < enough {
			continue
		}
		there := slices.ContainsFunc(again.Findings, func(g verify.Finding) bool {
			return (f.Like(&g) || g.Ended || g.Check == verify.Bounds) && slices.ContainsFunc(g.Runs, func(r verify.RunName) bool { return slices.Equal(r.Args, []string{strconv.Itoa(i + 1)}) })
		})
		if !there {
			return o
		}
	}
	return nil
}

// guessUnordered takes an output that depends on the order of threads for a guess where the kernel has no race: what the program that is
// missing makes of the output, nobody knows.
func guessUnordered(v *verify.Verdict, found []*choose.Chosen) {
	for i := range v.Findings {
		of := found[i]
		if of == nil || v.Findings[i].Severity != verify.Counts || v.Findings[i].Message.Code != verify.CodeOrderDependent {
			continue
		}
		races := false
		for k, g := range v.Findings {
			races = races || g.Severity == verify.Counts && g.Message.Code != verify.CodeOrderDependent && found[k] != nil && found[k].Kernel == of.Kernel
		}
		if !races {
			v.Guess(i, guessed(v.Findings[i].Message, "whether the program looks at the order, nothing says"))
		}
	}
}

// guessed returns the message of a finding that may come from the launch that smux chose.
func guessed(m diag.Message, why string, about ...any) diag.Message {
	m.Text = fmt.Sprintf("%s: %s; "+why, append([]any{m.Code, m.Text}, about...)...)
	m.Code, m.Help = verify.CodeGuessedLaunch, diag.Help(verify.CodeGuessedLaunch)
	return m
}
