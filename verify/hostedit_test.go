package verify_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

var (
	hostPrograms = flag.String("programs", "", "files and folders of more programs whose host values are changed, separated by commas, each with the arguments that it is run with; each file with a main by itself")
	hostIncludes = flag.String("programs-include", "", "folders of headers of these programs, separated by commas")
	hostEdits    = flag.Int("edits", 12, "how many changes are made of each program's run at the most; of what it is compiled with a sixth of that")
	hostOnly     = flag.String("programs-only", "", "a regular expression for the names of the programs whose host values are changed")
	hostNamed    = flag.String("host-ways", "", "the ways of rewriting that are held against other host values, as messages write them, separated by semicolons, in place of every rewriter's")
	hostWhole    = flag.Bool("host-whole", false, "change the host values of all programs, rewritten in all ways, not of a sample")
)

// hostWays are the ways of rewriting that are held against other host values: every
// rewriter and sync mode, each knob that is on or off by itself, every form of stage; the last two
// with -host-whole alone.
func hostWays(t *testing.T) (ways []rewrite.Variant) {
	if *hostNamed != "" {
		for _, name := range strings.Split(*hostNamed, ";") {
			way, err := variant.Parse(strings.TrimSpace(name))
			require.NoError(t, err)
			ways = append(ways, way)
		}
		return ways
	}
	add := func(of ...rewrite.Variant) {
		for _, w := range of {
			if !slices.Contains(ways, w) {
				ways = append(ways, w)
			}
		}
	}
	values := combine.Values{Factors: []int{2}, Slots: []int{2}, Private: []int{0, 1}, Stage: []int{0, variant.NoStage},
		Assume: []bool{false, true}, Before: combine.Usual.Before}
	if !*hostWhole {
		values.Private, values.Stage, values.Before = []int{0}, []int{0}, nil
	}
	add(values.Ways()...)
	if !*hostWhole {
		return ways
	}
	for _, knob := range combine.Usual.On {
		add(combine.Values{Factors: []int{2}, Slots: []int{2}, On: []string{knob}}.Ways()...)
	}
	for _, scheme := range variant.Schemes {
		w := rewrite.Variant{Rewriter: variant.Stage, Scheme: scheme}
		async, wide := w, w
		async.Async, wide.Vector = true, 4
		add(w, async, wide)
	}
	add(rewrite.Variant{Rewriter: variant.Stage, Vector: 2}, rewrite.Variant{Rewriter: variant.Stage, Tile: 7, Pad: 3})
	return ways
}

// hostForm is a text that a program is rewritten to.
type hostForm struct {
	name       string
	texts      map[string][]byte // of the files that changed
	alignments map[string]*mutate.Alignment
}

// hostProgram is a program with what it is rewritten to.
type hostProgram struct {
	name  string
	prog  *parser.Program
	opt   parser.Options
	args  []string
	forms []hostForm
}

// rewriteAll fills in the forms that the ways come to, each text once.
func (p *hostProgram) rewriteAll(ways []rewrite.Variant) error {
	trial, err := combine.Try(p.prog, ways, rewrite.Options{})
	if err != nil {
		return err
	}
	for _, f := range trial.Forms {
		form := hostForm{name: f.Ways[0].String(), texts: map[string][]byte{}, alignments: map[string]*mutate.Alignment{}}
		if n := len(f.Ways); n > 1 {
			form.name += fmt.Sprintf(" (and %d)", n-1)
		}
		for _, file := range f.Result.Files {
			form.texts[file.Name] = file.After
		}
		for _, file := range p.prog.All() {
			if after, ok := form.texts[file.Name]; ok {
				form.alignments[file.Name] = mutate.Align(file.Original(), after)
			}
		}
		p.forms = append(p.forms, form)
	}
	return nil
}

// The outcomes of a form with an edit, the worst first.
const (
	hostWrong     = "wrong"
	hostUnjudged  = "not judged"
	hostEqual     = "equal"
	hostStopped   = "stops with a message"
	hostAsserted  = "static_assert"
	hostUncompile = "does not compile"
	hostNoPlace   = "no such place"
)

var hostOutcomes = []string{hostWrong, hostUnjudged, hostEqual, hostStopped, hostAsserted, hostUncompile, hostNoPlace}

// hostResult says what became of one form with an edit.
type hostResult struct {
	form, outcome, why string
}

// program returns the program with other texts for some files.
func (p *hostProgram) program(texts map[string][]byte, defines ...string) verify.Program {
	out := verify.NewProgram(p.prog, p.opt)
	for i, f := range p.prog.Files {
		out.Files[i].Text = f.Original()
	}
	out.Defines = slices.Concat(out.Defines, defines)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		i := slices.IndexFunc(out.Files, func(f verify.File) bool { return f.Name == name })
		if i < 0 {
			out.Files = append(out.Files, verify.File{Name: name, Included: true})
			i = len(out.Files) - 1
		}
		out.Files[i].Text = texts[name]
	}
	return out
}

// edited returns the texts of a program, or of a form, with edits; ok is false where the form has no such place.
func (p *hostProgram) edited(form *hostForm, edits []mutate.HostEdit) (_ map[string][]byte, defines []string, ok bool) {
	texts := map[string][]byte{}
	if form != nil {
		texts = maps.Clone(form.texts)
	}
	byFile := map[string][]mutate.HostEdit{}
	for _, e := range edits {
		if e.Define != "" {
			defines = append(defines, e.Define)
		} else {
			byFile[e.File] = append(byFile[e.File], e)
		}
	}
	for _, f := range p.prog.All() {
		edits, text := byFile[f.Name], f.Original()
		if len(edits) == 0 {
			continue
		}
		var a *mutate.Alignment
		if form != nil && form.alignments[f.Name] != nil {
			a, text = form.alignments[f.Name], form.texts[f.Name]
		}
		if texts[f.Name], ok = mutate.Edit(text, a, edits); !ok {
			return nil, nil, false
		}
	}
	return texts, defines, true
}

// request runs the original and its variants in two orders.
func (p *hostProgram) request(original verify.Program, variants []verify.Variant) verify.Request {
	return verify.Request{Original: original, Variants: variants,
		Schedules:        []execute.Schedule{{Kind: "ascending"}},
		CheckedSchedules: []execute.Schedule{{Kind: "random", Seed: 1}},
		Args:             [][]string{p.args},
		Timeout:          10 * time.Second, Watchdog: time.Second, Jobs: 1,
	}
}

// judge makes edits in the original and in all forms alike, and compares these. Where the original is
// wrong with them, leftOut says why.
func (p *hostProgram) judge(edits ...mutate.HostEdit) (results []hostResult, leftOut string, err error) {
	texts, defines, _ := p.edited(nil, edits)
	request := p.request(p.program(texts, defines...), nil)
	for i := range p.forms {
		form := &p.forms[i]
		texts, defines, ok := p.edited(form, edits)
		if !ok {
			results = append(results, hostResult{form.name, hostNoPlace, ""})
			continue
		}
		request.Variants = append(request.Variants, verify.Variant{Name: form.name, Program: p.program(texts, defines...), Separate: true, Checked: true})
	}
	original, variants, err := verify.EachRun(context.Background(), request)
	if err != nil || original[0] != "" {
		return nil, strings.Join(original, " "), err
	}
	for i, v := range request.Variants {
		results = append(results, hostResult{v.Name, hostOutcome(variants[i][0]), variants[i][0]})
	}
	return results, "", nil
}

// judgeSwitched makes each of some edits by itself, all in one program, and compares as judge does: the
// first results are those without an edit.
func (p *hostProgram) judgeSwitched(edits []mutate.HostEdit) (results [][]hostResult, leftOut []string, err error) {
	file := p.prog.Files[0]
	text, _, err := mutate.SwitchedHost(file, nil, edits)
	if err != nil {
		return nil, []string{err.Error()}, nil
	}
	request := p.request(p.program(map[string][]byte{file.Name: text}), nil)
	request.Args = nil
	for i := range len(edits) + 1 {
		request.Args = append(request.Args, append(slices.Clone(p.args), fmt.Sprint(i)))
	}
	var missing []map[int]bool
	for i := range p.forms {
		form := &p.forms[i]
		after, a := form.texts[file.Name], form.alignments[file.Name]
		if a == nil {
			after = file.Original()
		}
		parsed, err := parser.Parse(file.Name, after, p.opt)
		if err != nil {
			return nil, nil, err
		}
		text, without, err := mutate.SwitchedHost(parsed, a, edits)
		if err != nil {
			return nil, nil, err
		}
		texts := maps.Clone(form.texts)
		texts[file.Name] = text
		missing = append(missing, without)
		request.Variants = append(request.Variants, verify.Variant{Name: form.name, Program: p.program(texts), Separate: true, Checked: true})
	}
	original, variants, err := verify.EachRun(context.Background(), request)
	if err != nil || len(original) < len(request.Args) {
		return nil, original, err
	}
	results = make([][]hostResult, len(request.Args))
	for i := range request.Args {
		if original[i] != "" {
			continue
		}
		for j, v := range request.Variants {
			r := hostResult{form: v.Name, outcome: hostNoPlace}
			if !missing[j][i] {
				r.why = variants[j][min(i, len(variants[j])-1)]
				r.outcome = hostOutcome(r.why)
			}
			results[i] = append(results[i], r)
		}
	}
	return results, original, nil
}

// hostOutcome says in a word what is wrong with a run.
func hostOutcome(why string) string {
	compiled := !strings.HasPrefix(why, string(verify.CodeDoesNotCompile)+":")
	switch {
	case why == "":
		return hostEqual
	case !compiled && strings.Contains(why, "static assertion failed"):
		return hostAsserted
	case !compiled:
		return hostUncompile
	case strings.Contains(why, "smux: ") || strings.Contains(why, string(verify.CodeTrap)+": ") && !strings.Contains(why, "__builtin_assume"):
		return hostStopped
	case strings.HasPrefix(why, "not-") || strings.HasPrefix(why, "needs-"):
		return hostUnjudged
	}
	return hostWrong
}

// loadHost parses a program of one file.
func loadHost(name, path string, opt parser.Options, args ...string) (*hostProgram, error) {
	prog, errs := parser.LoadProgram([]string{path}, opt)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &hostProgram{name: name, prog: prog, opt: opt, args: args}, nil
}

// assumeDir holds programs whose main passes values from which something follows that doesn't
// follow from the kernel. The first line of each is the edit after which a rewritten text must still
// do the same, or say that it can't: "// edit: OLD -> NEW ;; OLD -> NEW", "// add: STATEMENT -> STATEMENT
// that comes after it", or "// define: N=3".
const assumeDir = "../testdata/assume"

// assumeEdits reads the first line of a program; lines "// way: VARIANT" say which ways beside hostWays are tried.
func assumeEdits(f *parser.File) (edits []mutate.HostEdit, ways []rewrite.Variant, err error) {
	for line := range strings.Lines(string(f.Original())) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "// edit", "// add":
			for _, one := range strings.Split(value, " ;; ") {
				from, to, _ := strings.Cut(one, " -> ")
				make := mutate.Replacement
				if key == "// add" {
					make = mutate.Addition
				}
				e, err := make(f, from, to)
				if err != nil {
					return nil, nil, err
				}
				edits = append(edits, e)
			}
		case "// define":
			edits = append(edits, mutate.HostEdit{Define: value})
		case "// way":
			w, err := variant.Parse(value)
			if err != nil {
				return nil, nil, err
			}
			ways = append(ways, w)
		}
	}
	if len(edits) == 0 {
		err = fmt.Errorf("%s names no edit", f.Name)
	}
	return edits, ways, err
}

// TestNoRewriteAssumesWhatMainPasses: of the programs in testdata/assume, whatever is accepted
// does the same with the edit that the program names, or says loudly that it can't.
func TestNoRewriteAssumesWhatMainPasses(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	paths, err := filepath.Glob(filepath.Join(assumeDir, "*.cu"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 12)
			t.Parallel()
			p, err := loadHost(name, path, parser.Options{})
			require.NoError(t, err)
			edits, ways, err := assumeEdits(p.prog.Files[0])
			require.NoError(t, err)
			require.NoError(t, p.rewriteAll(append(hostWays(t), ways...)))
			results, leftOut, err := p.judge(edits...)
			require.NoError(t, err)
			require.Empty(t, leftOut, "the original with the edit")
			for _, r := range results {
				switch {
				case r.outcome == hostNoPlace && edits[0].Kind == mutate.OfLaunch: // its launches have other arguments: it would not compile
				case r.outcome == hostWrong || r.outcome == hostUnjudged || r.outcome == hostNoPlace:
					t.Errorf("FAILED %s | %s | %s: %.300s", name, r.form, r.outcome, r.why)
				}
			}
		})
	}
}

// TestRewritesHoldForOtherHostValues: with other sizes, arguments, shapes, template arguments,
// macros, pointers and launches than those that the rewriters saw, whatever they
// accepted does what the original does, or says loudly that it can't. Edits with which the original is wrong
// are left out.
func TestRewritesHoldForOtherHostValues(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	count := newHostCount()
	only := regexp.MustCompile(*hostOnly)
	t.Run("programs", func(t *testing.T) {
		for i, source := range hostSources(t) {
			if !only.MatchString(source.name) {
				continue
			}
			t.Run(source.name, func(t *testing.T) {
				if !*hostWhole && *hostOnly == "" && (!suite.Full() || i%8 > 0) && i != sampledHost {
					t.Skip("left to -host-whole")
				}
				t.Parallel()
				p, err := loadHost(source.name, source.path, source.opt, source.args...)
				if err != nil {
					t.Skip(err)
				}
				changeHost(t, p, count)
			})
		}
	})
	t.Logf("\n%s", count.table())
}

// changeHost holds a program's forms against edits of its host.
func changeHost(t *testing.T, p *hostProgram, count *hostCount) {
	require.NoError(t, p.rewriteAll(hostWays(t)))
	if len(p.forms) == 0 {
		t.Skip("nothing is rewritten")
	}
	most, alone := *hostEdits, *hostEdits/6 // edits that are made in one program, and by themselves
	var together, single []mutate.HostEdit
	for _, e := range mutate.HostEdits(p.prog) {
		switch atRunTime := e.Kind != mutate.OfConstant && e.Kind != mutate.OfTemplate && e.Kind != mutate.OfLaunch; {
		case atRunTime && e.File == p.prog.Files[0].Name:
			together = append(together, e)
		case !atRunTime:
			single = append(single, e)
		}
	}
	own := newHostCount()
	defer func() { t.Logf("%s: %s", p.name, own.line()) }()
	tell := func(e mutate.HostEdit, results []hostResult, leftOut string) {
		count.add(results, leftOut)
		own.add(results, leftOut)
		forms, whys := map[string][]string{}, map[string]string{}
		for _, r := range results {
			if r.outcome == hostWrong || r.outcome == hostUnjudged {
				code, _, _ := strings.Cut(r.why, ":")
				forms[code] = append(forms[code], r.form)
				whys[code] = r.why
			}
		}
		for _, code := range slices.Sorted(maps.Keys(forms)) {
			t.Errorf("FAILED %s | %s %s: %s | %s | %.400s", p.name, e.Kind, e.Pos, e.Text, strings.Join(forms[code], ", "), whys[code])
		}
	}
	// Values of which something at compile time follows can't be chosen at run time.
	var leftOut []string
	for _, without := range [][]string{nil, {mutate.OfValue}, {mutate.OfValue, mutate.OfPointer}, {mutate.OfValue, mutate.OfGrid, mutate.OfBlock}} {
		edits := slices.DeleteFunc(slices.Clone(together), func(e mutate.HostEdit) bool { return slices.Contains(without, e.Kind) })
		edits = edits[:min(most, len(edits))]
		var results [][]hostResult
		var err error
		results, leftOut, err = p.judgeSwitched(edits)
		require.NoError(t, err)
		if results == nil {
			continue
		}
		if leftOut[0] != "" {
			t.Skipf("the program as it is: %.300s", leftOut[0])
		}
		for i, e := range edits {
			tell(e, results[i+1], leftOut[i+1])
		}
		// What is wrong without an edit is left to other tests.
		for _, r := range results[0] {
			if r.outcome != hostEqual {
				t.Logf("UNEDITED %s | %s | %s: %.300s", p.name, r.form, r.outcome, r.why)
			}
		}
		for _, e := range together {
			if slices.Contains(without, e.Kind) {
				single = append(single, e)
			}
		}
		leftOut = nil
		break
	}
	if leftOut != nil {
		t.Skipf("the program as it is: %.300s", leftOut)
	}
	count.mu.Lock()
	count.programs++
	count.mu.Unlock()
	for _, e := range single[:min(alone, len(single))] {
		results, leftOut, err := p.judge(e)
		require.NoError(t, err)
		tell(e, results, leftOut)
	}
}
