package verify

import (
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/translate"
)

// Rewritten is a kernel of a variant that is not the original's.
type Rewritten struct {
	Name string // without namespaces and template arguments
	Pos  diag.Position
	// Merged is set if one block of it runs several of the original's.
	Merged bool
}

// failIdle notes that a program launches no kernel with any of its arguments: its
// output shows nothing of any. It reports whether that is so.
func (s *session) failIdle() bool {
	for args := range s.Args {
		r := s.original.find(build.Plain, args, s.Schedules[0])
		if r == nil || r.result == nil || launched(r.result) {
			return false
		}
		if len(s.Variants) == 0 && slices.ContainsFunc(r.result.Report, func(f execute.Finding) bool { return f.Code == CodeLaunchError }) {
			return false // that is the finding
		}
	}
	first := s.original.find(build.Plain, 0, s.Schedules[0])
	s.original.fail(diag.Message{Pos: diag.Position{File: s.original.program.name()}, Code: CodeNotExercised,
		Text: "the program has launched no kernel"}, words(first.result))
	return true
}

// findNotExercised looks for rewritten kernels of which the runs show nothing.
func (s *session) findNotExercised() {
	silent := s.showsNothing()
	for i, sub := range s.subjects[1:] {
		s.failNotExercised(sub, s.Variants[i].Rewritten)
		if silent && len(sub.failures) == 0 && !s.differsAnywhere(sub) {
			sub.fail(diag.Message{Pos: diag.Position{File: sub.program.name()}, Code: CodeNotExercised,
				Text: "the program copies nothing from the device and prints nothing: there was nothing to compare"}, nil)
		}
	}
}

// showsNothing reports whether the original's runs copy nothing from the device and print nothing.
func (s *session) showsNothing() bool {
	for args := range s.Args {
		r := s.original.find(build.Plain, args, s.Schedules[0])
		if r == nil || r.result == nil || r.result.StdoutBytes > 0 {
			return false
		}
		if log, err := os.Stat(r.log); err == nil && log.Size() > 0 {
			return false
		}
	}
	return true
}

// KernelRuns says how often the runs in the first order launch a kernel of the program.
type KernelRuns struct {
	Name     string        `json:"name"`
	Pos      diag.Position `json:"pos"`
	Launches int64         `json:"launches"`
}

// countKernels lists the kernels of the program that is judged, and says which of them no run has launched: nothing is known of
// those. Kernels of one name count as one.
func (v *Verdict) countKernels(s *session) {
	sub := s.original
	if s.Original.isHost() {
		sub = s.subjects[len(s.subjects)-1]
	}
	var ran counts
	began := false
	for args := range s.Args {
		r := sub.find(build.Plain, args, s.Schedules[0])
		if r == nil || r.result == nil || r.result.End == nil {
			return // how far it came is not known
		}
		ran.add(r.result.End)
		began = began || launched(r.result)
	}
	if !began {
		return // failIdle tells it, or what was wrong with the launches
	}
	seen := map[string]bool{}
	for _, f := range sub.parsed.All() {
		for _, k := range f.Functions {
			runs, known := ran[k.Name]
			asked := len(s.Kernels) == 0 || slices.Contains(s.Kernels, k.Name)
			if asked && k.IsKernel() && k.Body != nil && !seen[k.Name] && (known || !translate.IsConditional(f, k)) {
				v.Kernels = append(v.Kernels, KernelRuns{k.Name, f.Position(int(k.Declared.Start)), runs.Launches})
				seen[k.Name] = true
			}
		}
	}
	text, missing := v.notLaunched()
	if text == "" {
		return
	}
	if !ran.namedIn(sub) {
		text += " by name" // but by a pointer, it may be
	}
	names := lists.Map(missing, func(k KernelRuns) string { return k.Name })
	m := diag.Message{Pos: missing[0].Pos, Code: CodeNotExercised, Text: text + ": " + listed(names, 5, ""), Help: diag.Help(CodeNotExercised)}
	if s.RequireAll {
		sub.fail(m, nil)
	} else {
		s.remarks = append(s.remarks, m)
	}
}

// notLaunched counts and returns the kernels that no run has launched.
func (v *Verdict) notLaunched() (text string, missing []KernelRuns) {
	missing = lists.Filter(v.Kernels, func(k KernelRuns) bool { return k.Launches == 0 })
	if len(missing) == 0 {
		return "", nil
	}
	verb := map[bool]string{true: "was", false: "were"}[len(missing) == 1]
	return fmt.Sprintf("%d of %s %s not launched", len(missing), prose.Count(len(v.Kernels), "kernel"), verb), missing
}

// failNotExercised notes the rewritten kernels that no run has launched: what was equal proves nothing of them.
// Merged ones of which no two blocks met are remarked on.
func (s *session) failNotExercised(sub *subject, kernels []Rewritten) {
	var ran, original counts
	for args := range s.Args {
		for _, order := range s.allOrders() {
			mode := build.Plain
			if sub.checked {
				mode = build.Checked
			}
			r, o := sub.find(mode, args, order), s.original.find(build.Plain, args, s.Schedules[0])
			if r == nil || o == nil || r.result == nil || o.result == nil {
				continue
			}
			if r.result.End == nil || o.result.End == nil {
				return // how far it came is not known
			}
			ran.add(r.result.End)
			original.add(o.result.End)
		}
	}
	if ran == nil || !ran.namedIn(sub) {
		return
	}
	for _, k := range kernels {
		switch now, then := ran[k.Name], original[k.Name]; {
		case now.Launches == 0:
			sub.fail(diag.Message{Pos: k.Pos, Code: CodeNotExercised, Text: fmt.Sprintf("kernel %q was rewritten, and no run has launched it", k.Name)}, nil)
		case k.Merged && now.Blocks == then.Blocks:
			why := "its launches were left as they are"
			if now.Launches == now.Blocks {
				why = "each grid has one block"
			}
			s.remarks = append(s.remarks, diag.Message{Pos: k.Pos, Code: CodeNeverMerged, Help: diag.Help(CodeNeverMerged),
				Text: fmt.Sprintf("kernel %q: no run has merged any blocks: %s", k.Name, why) + " (" + sub.name + ")"})
		}
	}
}

// counts holds what ran of each kernel, by its plain name.
type counts map[string]execute.Kernel

func (c *counts) add(end *execute.End) {
	if *c == nil {
		*c = counts{}
	}
	for _, k := range end.Kernels {
		name := plainName(k.Name)
		sum := (*c)[name]
		sum.Launches += k.Launches
		sum.Blocks += k.Blocks
		(*c)[name] = sum
	}
}

// namedIn reports whether all kernels that ran are ones that the program defines by these names: a launch inside a
// macro or through a variable may name what stands for a kernel instead.
func (c counts) namedIn(sub *subject) bool {
	defined := map[string]bool{}
	for _, f := range sub.parsed.All() {
		for _, fn := range f.Functions {
			defined[fn.Name] = true
		}
	}
	for name := range c {
		if !defined[name] {
			return false
		}
	}
	return true
}

var launchedName = regexp.MustCompile(`^\s*(?:::\s*)?(?:\w+\s*::\s*)*(\w+)\s*(?:[<(].*)?$`)

// plainName returns the name of a kernel without namespaces and template arguments, ""
// where a launch names no kernel.
func plainName(launched string) string {
	if m := launchedName.FindStringSubmatch(launched); m != nil {
		return m[1]
	}
	return ""
}
