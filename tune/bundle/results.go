package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// What the settings of the programs say.
var (
	release = regexp.MustCompile(`release (\d+\.\d+)`)
	target  = regexp.MustCompile(`(?m)^arch ([A-Za-z0-9_.,=-]+)$`)
)

// Products returns the products of GPUs that results are of, as their folders are
// called.
func Products(dir string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(dir, resultsName, "*", "machine", "nvcc"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, at := range found {
		out = append(out, filepath.Base(filepath.Dir(filepath.Dir(at))))
	}
	return out, nil
}

// readMachine returns the machine that the results of a product are of: what was known at
// the export, and what run.sh has found; and the architecture that was compiled for.
func readMachine(dir, results string, m record.Machine) (out record.Machine, arch string, err error) {
	at := filepath.Join(results, "machine")
	compiler, err := os.ReadFile(filepath.Join(at, "nvcc"))
	if errors.Is(err, fs.ErrNotExist) {
		return m, "", nothingMeasured(dir)
	}
	if err != nil {
		return m, "", err
	}
	version, target := release.FindStringSubmatch(string(compiler)), target.FindStringSubmatch(string(compiler))
	if version == nil || target == nil {
		return m, "", &Error{dir, fmt.Sprintf("%s/%s/machine/nvcc is damaged: it names no release of nvcc, or no architecture", resultsName, filepath.Base(results))}
	}
	m.Toolkit = "nvcc " + version[1]
	gpu, err := os.ReadFile(filepath.Join(at, "gpu"))
	if err != nil {
		return m, "", err
	}
	m.Device, m.Driver = "", ""
	if is := strings.TrimSpace(string(gpu)); strings.Contains(is, ", ") {
		n := strings.LastIndex(is, ", ")
		m.Device, m.Driver = is[:n], is[n+len(", "):]
	}
	return m, target[1], nil
}

func nothingMeasured(dir string) error {
	return &Error{dir, "nothing has been measured in this folder: call run.sh in it, where there is a GPU"}
}

// built returns the failure of a form that nvcc has refused, nil where it hasn't.
func (r *reader) built(folder string) *record.Failure {
	at := filepath.Join(r.bin, folder)
	if !exists(at + ".failed") {
		return nil
	}
	f := &record.Failure{Kind: record.FailedCompile, Text: "nvcc refused it"}
	log, err := os.ReadFile(at + ".log")
	if err != nil {
		return f
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "error") {
			f.Text = strings.ToValidUTF8(strings.TrimSpace(line), "?")
			break
		}
	}
	return f
}

// checked compares what a form's check run has left with what the original's has.
func (r *reader) checked(f Form) (*record.Failure, error) {
	r.compared = 0
	at := filepath.Join(r.results, "checks", f.Folder)
	if !exists(at) {
		return nil, nil
	}
	original := f.Variant.Candidate.IsOriginal()
	run, failure, err := r.run(at, filepath.Join(r.results, "checks", r.manifest.Forms[0].Folder), original, true)
	if err != nil || failure != nil {
		return failure, err
	}
	if original {
		steady, err := r.steady(at, run.Outputs)
		if err == nil && steady {
			r.checkedBy = run.Outputs
		} else {
			run.Outputs.Release()
		}
		return nil, err
	}
	defer run.Outputs.Release()
	if r.checkedBy == nil {
		return nil, nil
	}
	evidence, failure := r.checkedBy.Compare(run.Outputs)
	r.compared = evidence.Memory
	if failure != nil {
		failure.Text = "after one of its launches, started from the original's memory: " + failure.Text
		return failure, nil
	}
	return nil, nil
}

// steady reports whether a second check run of the original gave the same: else those of
// forms tell nothing.
func (r *reader) steady(first string, outputs machine.Outputs) (bool, error) {
	if !exists(first + ".again") {
		return true, nil // an older run.sh
	}
	again, failure, err := r.run(first+".again", first, true, true)
	if err != nil || failure != nil {
		return false, err
	}
	defer again.Outputs.Release()
	evidence, failure := outputs.Compare(again.Outputs)
	if failure == nil {
		r.compared = evidence.Memory
	}
	return failure == nil, nil
}

// pairName is the name of a pair's folder: its phase, against what, and its turn.
var pairName = regexp.MustCompile(`^(search|confirm)(?:-against-([A-Za-z0-9.-]+))?-([0-9]{1,9})$`)

// measured is a pair by its folder.
type measured struct {
	folder string
	pair   record.Pair
}

// pairs returns the lines of a form's pairs, up to the first run that failed.
func (r *reader) pairs(f Form, key string) ([]record.Line, *record.Failure, error) {
	at := filepath.Join(r.results, "pairs", f.Folder)
	entries, err := os.ReadDir(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var all []measured
	for _, e := range entries {
		m := pairName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		turn, _ := strconv.Atoi(m[3])
		against, ok := r.nameOf(m[2])
		if !ok {
			continue
		}
		all = append(all, measured{filepath.Join(at, e.Name()), record.Pair{Phase: m[1], Against: against, Turn: turn}})
	}
	slices.SortFunc(all, func(a, b measured) int {
		return cmpPairs(a.pair, b.pair)
	})
	var out []record.Line
	for _, p := range all {
		if l := (record.Line{Key: key, Pair: &p.pair}); r.known[r.known.text(l)] {
			out = append(out, l) // which was read when it was taken
			continue
		}
		when, failure, err := r.pair(&p, f.Variant.Candidate.IsOriginal())
		if err != nil || failure != nil {
			return out, failure, err
		}
		if when.IsZero() {
			continue
		}
		out = append(out, record.Line{Schema: record.Schema, Key: key, Time: when, Pair: &p.pair})
	}
	return out, nil, nil
}

// cmpPairs orders pairs as they are measured.
func cmpPairs(a, b record.Pair) int {
	rank := func(p record.Pair) int {
		switch {
		case p.Phase == record.Search:
			return 0
		case p.Against == "":
			return 1
		}
		return 2
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	if d := strings.Compare(a.Against, b.Against); d != 0 {
		return d
	}
	return a.Turn - b.Turn
}

// nameOf returns the name of a form by its folder, "" for "".
func (r *reader) nameOf(folder string) (name string, ok bool) {
	if folder == "" {
		return "", true
	}
	for _, f := range r.manifest.Forms {
		if f.Folder == folder {
			return f.Variant.Name, true
		}
	}
	return "", false
}

// pair reads a pair. A zero time stands for one that is not whole.
func (r *reader) pair(p *measured, original bool) (time.Time, *record.Failure, error) {
	none := time.Time{}
	text, err := os.ReadFile(filepath.Join(p.folder, "whole"))
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil, nil
	}
	if err != nil {
		return none, nil, err
	}
	words := fields(string(text))
	when, err := time.Parse(time.RFC3339, words["time"])
	if err != nil {
		return none, nil, nil
	}
	p.pair.Device, _ = strconv.Atoi(words["device"])
	p.pair.VariantFirst = strings.HasPrefix(words["order"], "variant")
	if state, err := os.ReadFile(filepath.Join(p.folder, "state")); err == nil {
		p.pair.State = machine.ParseState(string(state))
	}
	like := filepath.Join(r.results, "reference")
	if err := r.refer(like); err != nil {
		return none, nil, err
	}
	base, failure, err := r.run(filepath.Join(p.folder, "base"), like, p.pair.Against == "", false)
	if err != nil {
		return none, nil, err
	}
	if failure != nil {
		return none, nil, nil // run.sh keeps no such pair
	}
	defer base.Outputs.Release()
	variant, failure, err := r.run(filepath.Join(p.folder, "variant"), like, original, false)
	if err != nil || failure != nil {
		return none, failure, err
	}
	defer variant.Outputs.Release()
	if _, failure := r.reference.Compare(base.Outputs); failure != nil && p.pair.Against == "" {
		return none, nil, &UnsteadyError{failure}
	} else if failure != nil {
		return none, nil, nil
	}
	evidence, failure := r.reference.Compare(variant.Outputs)
	if failure != nil && original {
		return none, nil, &UnsteadyError{failure}
	}
	if failure != nil {
		return none, failure, nil
	}
	p.pair.Checked = evidence
	p.pair.Checked.Memory = r.compared
	p.pair.Base, p.pair.Variant = base.Milliseconds, variant.Milliseconds
	p.pair.Seconds = base.Seconds + variant.Seconds
	return when, nil, nil
}

// refer reads the run of the original with which all others are compared.
func (r *reader) refer(dir string) error {
	if r.reference != nil {
		return nil
	}
	run, failure, err := r.run(dir, dir, true, false)
	if err != nil {
		return err
	}
	if failure != nil {
		return &UnsteadyError{failure}
	}
	r.reference = run.Outputs
	return nil
}

// run reads a run. What it has not kept, since it was the same as in another one, is
// that one's.
func (r *reader) run(dir, like string, original, check bool) (*machine.Run, *record.Failure, error) {
	text, err := os.ReadFile(filepath.Join(dir, "ended"))
	if err != nil {
		return nil, nil, fmt.Errorf("a result is damaged: %w", err)
	}
	words := fields(string(text))
	f := machine.Finished{Original: original, Check: check, TimedOut: words["late"] == "1"}
	if f.Status, err = strconv.Atoi(words["exit"]); err != nil {
		return nil, nil, &Error{dir, "the result is damaged: it has no exit status"}
	}
	f.Seconds, _ = strconv.ParseFloat(words["seconds"], 64)
	r.folders++
	links := filepath.Join(r.temporary, strconv.Itoa(r.folders))
	if err := os.Mkdir(links, 0o700); err != nil {
		return nil, nil, err
	}
	for _, name := range []string{machine.CopiesFile, machine.StdoutFile, machine.StderrFile, machine.LaunchesFile} {
		from := filepath.Join(dir, name)
		if exists(from + ".same") {
			from = filepath.Join(like, name)
		}
		if !exists(from) {
			continue
		}
		if from, err = filepath.Abs(from); err != nil {
			return nil, nil, err
		}
		if err := os.Symlink(from, filepath.Join(links, name)); err != nil {
			return nil, nil, err
		}
	}
	program := r.program
	if check {
		program.Timeout *= machine.CheckPatience
	}
	run, failure := program.Read(links, f)
	return run, failure, nil
}

// fields reads "name value name value …"; the last value may be of several words.
func fields(line string) map[string]string {
	out := map[string]string{}
	words := strings.Fields(line)
	for i := 0; i+1 < len(words); i += 2 {
		out[words[i]] = words[i+1]
	}
	return out
}
