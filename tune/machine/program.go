package machine

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/harness"
)

// Program holds what all forms of a program have in common, and how they are run.
type Program struct {
	// Parse says how the original's texts were read. A form's own texts stand for files of the same name.
	Parse parser.Options
	// Original are the original's texts by name, so that a compiler's messages on a form can name a line of them.
	Original map[string][]byte
	Kernels  []string // the names of those whose launches are timed
	Block    [3]int   // as analysis.NewProgram takes it
	Further  []string // more files to compile or link
	// Libraries to link with, without -l.
	Libraries []string

	Args    []string
	Dir     string        // in which the program runs, "" for the current one
	Timeout time.Duration // of one run

	// Repeats is the number of a kernel alone's samples in a run, after WarmUp that don't count; 0 for a program with its main.
	Repeats, WarmUp int
	// FlushL2 is the number of bytes that are written before each launch, to empty the L2 cache; 0 for none.
	FlushL2   int64
	Tolerance verify.Tolerance
}

// patience is the time that a run has where none is asked for.
const patience = time.Minute

// isBench reports whether the program is a kernel with a main that smux made.
func (p *Program) isBench() bool { return p.Repeats > 0 }

func (p *Program) rules() Rules { return Rules{Tolerance: p.Tolerance, Checksums: p.isBench()} }

// checkPatience is the factor by which a check run may take longer: for each launch all memory goes over the bus.
const checkPatience = 10

// checkRepeats is the number of a kernel alone's runs in a check: what skips work does so from the second on.
const checkRepeats = 2

// The kinds of runs, as instrument.EnvCheck takes those that check.
type runKind int

const (
	timedRun  runKind = iota
	checkRun          // launches begin with the memory of the first one
	strictRun         // and every second one finds the first one's results misplaced
)

// environment returns what a run's program is told, whose files are in dir.
func (p *Program) environment(dir string, kind runKind) []string {
	env := []string{instrument.EnvOut + "=" + filepath.Join(dir, LaunchesFile), instrument.EnvCopies + "=" + filepath.Join(dir, CopiesFile)}
	repeats := p.WarmUp + p.Repeats
	if kind != timedRun {
		env = append(env, fmt.Sprintf("%s=%d", instrument.EnvCheck, kind))
		repeats = checkRepeats
	} else if p.FlushL2 > 0 {
		env = append(env, fmt.Sprintf("%s=%d", instrument.EnvFlush, p.FlushL2))
	}
	if p.isBench() {
		env = append(env, fmt.Sprintf("%s=%d", harness.EnvRepeat, repeats))
	}
	return env
}

// Timed returns a form's texts with timed launches, and the names of its units. The error may be a *record.Failure of the form.
func (p *Program) Timed(texts map[string][]byte) (map[string][]byte, []string, error) {
	prog, err := p.parse(texts)
	var input *parser.InputError
	if errors.As(err, &input) {
		return nil, nil, &record.Failure{Kind: record.FailedRewrite, Text: input.Error()}
	}
	if err != nil {
		return nil, nil, err
	}
	kernels := instrument.Named(passes.NewProgram(prog, p.Block), p.Kernels...)
	if len(kernels) == 0 {
		return nil, nil, notTimed(errors.New("no kernel is called " + strings.Join(p.Kernels, " or ")))
	}
	changed, err := instrument.Launches(kernels...)
	if err != nil {
		return nil, nil, notTimed(err)
	}
	out := maps.Clone(texts)
	maps.Copy(out, changed)
	return out, instrument.Units(prog), nil
}

// reading returns how a form's texts are read: they win over files of their names.
func (p *Program) reading(texts map[string][]byte) parser.Options {
	opt := p.Parse
	read := opt.ReadFile
	if read == nil {
		read = os.ReadFile
	}
	opt.ReadFile = func(name string) ([]byte, error) {
		if text, ok := texts[name]; ok {
			return text, nil
		}
		return read(name)
	}
	return opt
}

func (p *Program) parse(texts map[string][]byte) (*parser.Program, error) {
	opt := p.reading(texts)
	var files []*parser.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f, err := parser.Parse(name, texts[name], opt)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return parser.NewProgram(files, opt), nil
}
