package verify_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// slicedExamples are programs whose exchanges can be made in rounds, with the ways in
// which that is tried.
var slicedExamples = map[string][]string{
	"../examples/fft/fft.cu":             {"slice by=component"},
	"../examples/mc/mc.cu":               {"slice by=array"},
	"testdata/arrays.cu":                 {"slice by=array"},
	"testdata/rows.cu":                   {"slice by=array"},
	"testdata/inside.cu":                 {"slice by=component", "slice by=window R=2"},
	"../examples/footprint/sort/sort.cu": {"slice by=component", "slice by=window R=2", "slice by=window R=3"},
	"../examples/footprint/turn/turn.cu": {"slice by=component", "slice by=window R=4"},
}

// sameSlices are the mutants of sliced examples that do the same.
var sameSlices = []string{
	// The last exchange of FFT stays within each thread.
	"fft1024:barrier#12", "fft1024:barrier#13", "fft1024:barrier#14", "fft1024:barrier#15",
	// Of MC each thread reads what it wrote. What the first round stores as normals the last one replaces.
	"generateTriangles:barrier#1", "generateTriangles:barrier#2", "generateTriangles:both#3",
}

func loadProgram(t *testing.T, path string) *parser.Program {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	return prog
}

// inRounds is a program of one file and one kernel, rewritten in some ways one after
// the other.
func inRounds(t *testing.T, prog *parser.Program, ways ...string) []byte {
	t.Helper()
	p := passes.NewProgram(prog, [3]int{})
	k := p.Kernels()[0]
	at := k.File.Position(int(k.View.Declared.Start))
	opt := rewrite.Options{Decisions: map[diag.Position]rewrite.Decision{}, Then: map[diag.Position]rewrite.Decision{}}
	for i, way := range ways {
		w, err := variant.Parse(way)
		require.NoError(t, err)
		[]map[diag.Position]rewrite.Decision{opt.Decisions, opt.Then}[i][at] = rewrite.Decision{Variant: w}
	}
	res, err := rewrite.RunAnalysed(p, opt)
	require.NoError(t, err)
	require.Len(t, res.Kernels, 1)
	require.Empty(t, res.Kernels[0].Refused, ways)
	last, err := variant.Parse(ways[len(ways)-1])
	require.NoError(t, err)
	assert.True(t, len(ways) == 1 || res.Kernels[0].Merges() || !last.Merges(), "%s: %v", ways, res.Kernels[0].Notes)
	return res.Files[0].After
}

// TestSlicedExamplesAreEqual: an exchange in rounds does what it did, also where blocks
// are merged after that, in several orders of the threads.
func TestSlicedExamplesAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	for path, ways := range slicedExamples {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 3)
			t.Parallel()
			prog := loadProgram(t, path)
			request := verify.Request{
				Original: oneFile(name, prog.Files[0].Src), Timeout: 5 * time.Minute, Jobs: 1,
				Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
				CheckedSchedules: []execute.Schedule{{Kind: "descending"}},
			}
			add := func(ways ...string) {
				text := inRounds(t, prog, ways...)
				request.Variants = append(request.Variants, verify.Variant{Name: strings.Join(ways, ", then "), Program: oneFile(name, text), Checked: true})
			}
			for _, way := range ways {
				add(way)
			}
			add(ways[0], "vtb named N=2")
			if name != "arrays" && name != "inside" { // sets of a union are none, nor of what a function declares
				add(ways[0], "dyn lock N=3 M=2")
			}
			verdict, err := verify.Run(context.Background(), request)
			require.NoError(t, err)
			for _, f := range verdict.Failures {
				assert.Fail(t, "could not be run", "%s: %s\n%s", f.Variant, f.Message, f.Output)
			}
			for _, f := range verdict.Findings {
				assert.NotEqual(t, verify.Counts, f.Severity, "%s: %s", f.Variant, f.Message)
			}
			assert.Equal(t, verify.Equal, verdict.Outcome)
		})
	}
}

// TestSliceMutantsAreKilled: verify tells an exchange in rounds from one without a
// barrier, with another bound of a window, another component or another round, and one whose
// statements and loops are parted otherwise.
func TestSliceMutantsAreKilled(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	for path, ways := range slicedExamples {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		for i, way := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				if name != "sort" || i > 0 {
					suite.OnlyFull(t)
				}
				t.Parallel()
				prog := loadProgram(t, path)
				args := []string{"1"}
				if name == "turn" {
					args = []string{"1", "1"}
				}
				mutants, deaths := deathsOf(t, prog, name, inRounds(t, prog, way), args...)
				killed := 0
				for i, m := range mutants {
					killed += min(1, len(deaths[i+1]))
					if *showMutants {
						t.Logf("%-40s %-60s %v", m.ID, m.Text, deaths[i+1])
					}
					same := slices.Contains(sameSlices, m.ID)
					assert.Equal(t, same, len(deaths[i+1]) == 0, "%s: %s: %s: %v", m.ID, m.Pos, m.Text, deaths[i+1])
				}
				t.Logf("%d of %d mutants killed", killed, len(mutants))
			})
		}
	}
}

// deathsOf runs the mutants of a rewritten program of one file with the same arguments, and
// says of each what it died of; of the rewritten program itself, which comes first, nothing.
func deathsOf(t *testing.T, prog *parser.Program, name string, text []byte, args ...string) ([]mutate.Mutant, [][]string) {
	t.Helper()
	original, err := mutate.Switched(prog.Files[0], nil)
	require.NoError(t, err)
	f, err := parser.Parse(name+".cu", text, parser.Options{})
	require.NoError(t, err)
	mutants := mutate.Mutants(f)
	require.Greater(t, len(mutants), 3)
	switched, err := mutate.Switched(f, mutants)
	require.NoError(t, err)
	request := verify.Request{
		Original:         oneFile(name, original),
		Variants:         []verify.Variant{{Name: "mutants", Program: oneFile(name, switched), Separate: true}},
		Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
		CheckedSchedules: []execute.Schedule{{Kind: "random", Seed: 1}},
		Timeout:          time.Minute, Watchdog: spinning, Jobs: 1,
	}
	for i := range len(mutants) + 1 {
		request.Args = append(request.Args, append(slices.Clone(args), strconv.Itoa(i)))
	}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	deaths := causes(t, verdict, request)
	require.Empty(t, deaths[0], "the variant itself")
	return mutants, deaths
}
