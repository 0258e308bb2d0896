package verify_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// stagedExamples are programs with arrays that thread blocks read again and again, with the
// ways in which these are staged and with extents: ones that no block and no tile divides,
// ones that both divide, the least ones.
var stagedExamples = map[string]struct {
	ways []string
	args [][]string
}{
	"product":     {[]string{"stage", "stage T=1", "stage T=5", "stage array=a", "stage array=b T=32", "stage async", "stage T=5 async"}, [][]string{{"37", "53", "41"}, {"32", "32", "16"}, {"1", "1", "1"}, {"3", "16", "17"}}},
	"matvec":      {[]string{"stage", "stage array=a", "stage array=a T=3", "stage array=a pad=0", "stage array=a T=3 pad=5"}, [][]string{{"300", "77"}, {"128", "64"}, {"1", "1"}}},
	"nbody":       {[]string{"stage", "stage T=7", "stage async"}, [][]string{{"333"}, {"128"}, {"1"}}},
	"convolution": {[]string{"stage"}, [][]string{{"67", "35"}, {"64", "16"}, {"1", "1"}, {"2", "9"}}},
	"jacobi1":     {[]string{"stage"}, [][]string{{"1000"}, {"256"}, {"1"}, {"2"}, {"3"}, {"129"}}},
	"jacobi2":     {[]string{"stage"}, [][]string{{"67", "35"}, {"64", "16"}, {"1", "1"}, {"2", "40"}, {"40", "2"}, {"33", "9"}}},
	"jacobi3":     {[]string{"stage", "stage T=1", "stage T=3", "stage T=3 async"}, [][]string{{"39", "21", "7"}, {"32", "8", "10"}, {"2", "9", "5"}, {"40", "5", "2"}}},
	"kmeans":      {[]string{"stage", "stage T=5", "stage T=5 async"}, [][]string{{"300", "33"}, {"128", "32"}, {"1", "1"}}},
	"smooth3":     {[]string{"stage scheme=planes", "stage scheme=planes T=3", "stage"}, [][]string{{"39", "21", "7"}, {"32", "8", "10"}, {"2", "9", "5"}, {"40", "5", "2"}, {"33", "10", "3"}, {"9", "9", "1"}}},
	"planes":      {[]string{"stage scheme=planes", "stage scheme=planes T=2", "stage scheme=planes T=4 pad=3"}, [][]string{{"37", "11", "7"}, {"32", "16", "3"}, {"1", "1", "1"}, {"2", "40", "2"}, {"9", "9", "1"}, {"18", "5", "6"}}},
	"forms":       {[]string{"stage"}, [][]string{{"37", "11"}, {"64", "16"}, {"1", "1"}, {"3", "2"}, {"2", "40"}}},
	"apart":       {[]string{"stage"}, [][]string{{"37", "11"}, {"64", "16"}, {"1", "1"}, {"130", "40"}}},
	"guards":      {[]string{"stage"}, [][]string{{"77", "3"}, {"64", "1"}, {"1", "1"}, {"3", "5"}, {"200", "2"}}},
	"own":         {[]string{"stage", "stage T=3"}, [][]string{{"37", "11"}, {"64", "16"}, {"1", "1"}, {"3", "2"}, {"2", "40"}, {"17", "9"}}},
	"loops":       {[]string{"stage", "stage T=7", "stage T=1"}, [][]string{{"77", "150"}, {"64", "128"}, {"1", "1"}, {"3", "65"}, {"65", "2"}}},
	"steps":       {[]string{"stage", "stage T=7", "stage T=1"}, [][]string{{"77", "150"}, {"64", "512"}, {"1", "1"}, {"3", "65"}, {"65", "2"}, {"5", "133"}}},
	"vectors":     {[]string{"stage vector=4", "stage vector=2", "stage T=8 vector=4", "stage"}, [][]string{{"77", "150"}, {"64", "512"}, {"1", "1"}, {"3", "65"}, {"65", "7"}, {"5", "131"}}},
	"functions":   {[]string{"stage", "stage T=3"}, [][]string{{"37", "11"}, {"64", "16"}, {"1", "1"}, {"3", "2"}, {"2", "40"}, {"5", "70"}}},
	"places":      {[]string{"stage", "stage T=3"}, [][]string{{"37", "11"}, {"64", "16"}, {"1", "1"}, {"3", "2"}, {"2", "40"}}},
	"rows":        {[]string{"stage", "stage T=3"}, [][]string{{"37", "40"}, {"16", "32"}, {"1", "1"}, {"3", "2"}, {"40", "33"}}},
	"rounds":      {[]string{"stage", "stage T=3"}, [][]string{{"37", "40"}, {"16", "32"}, {"1", "3"}, {"3", "2"}, {"40", "33"}}},
	"written":     {[]string{"stage", "stage T=3"}, [][]string{{"77", "40"}, {"64", "1"}, {"1", "3"}, {"2", "1"}, {"33", "5"}}},
	"calls":       {[]string{"stage", "stage T=3"}, [][]string{{"37", "11"}, {"5", "70"}, {"64", "16"}, {"1", "1"}, {"3", "2"}, {"2", "40"}}},
	"lookup":      {[]string{"stage", "stage array=table scheme=table", "stage array=substitution", "vtb named N=2 stage"}, [][]string{{"300", "40"}, {"128", "2"}, {"1", "1"}}},
	"transpose":   {[]string{"stage", "stage scheme=transpose", "stage scheme=transpose pad=0", "stage pad=3", "vtb lock N=2 stage"}, [][]string{{"75", "37"}, {"64", "32"}, {"1", "1"}, {"2", "40"}, {"33", "9"}}},
	"lu":          {[]string{"stage", "stage T=6 scheme=loop"}, [][]string{{"50", "21"}, {"32", "16"}, {"1", "1"}}},
	"needle":      {[]string{"stage"}, [][]string{{"3", "60"}, {"1", "127"}, {"1", "1"}}},
	"tables":      {[]string{"stage", "stage scheme=table"}, [][]string{{"37", "11"}, {"64", "16"}, {"1", "1"}}},
	"transposes":  {[]string{"stage scheme=transpose"}, [][]string{{"16", "64"}, {"37", "11"}, {"64", "16"}, {"1", "1"}, {"2", "40"}}},
	"strips":      {[]string{"stage scheme=resize", "stage scheme=resize T=3"}, [][]string{{"37", "29", "29"}, {"16", "16", "8"}, {"1", "1", "1"}, {"8", "40", "9"}}},
	"closest":     {[]string{"stage scheme=resize", "stage scheme=resize T=3"}, [][]string{{"70", "200"}, {"64", "192"}, {"1", "1"}, {"65", "63"}}},
	"layer":       {[]string{"stage", "stage T=11", "stage async"}, [][]string{{"70", "200"}, {"64", "128"}, {"1", "1"}}},
}

// equalStageMutants are mutants that do what the original does: an element is copied that
// the array has and nobody reads, or one is not.
var equalStageMutants = map[string]string{
	"jacobi1 jacobi:unguarded#1":   "n >= 3: of a line of one point that one would be copied",
	"jacobi2 jacobi:unguarded#1":   "h >= 3: of a picture of one row, elements of it",
	"jacobi2 jacobi:unguarded#2":   "w >= 3: the same of columns",
	"jacobi2 jacobi:short#1":       "the last element is a corner, which no thread reads",
	"product product:unguarded#2":  "a block with no thread inside would copy what others read",
	"product product:unguarded#4":  "the same of b",
	"nbody pull:unguarded#1":       "the same",
	"kmeans nearest:unguarded#1":   "the same",
	"layer layer:unguarded#1":      "the same",
	"lu update:unguarded#2":        "the same as in product",
	"lu update:unguarded#4":        "the same",
	"tables letters:unguarded#1":   "no letter is negative",
	"tables cube:barrier#1":        "the kernel's own barrier stands before the first read",
	"transposes inPlace:barrier#1": "the kernel's own barrier: the new one behind it does as much",
	"matvec matvec:unguarded#1":    "the same",
	"jacobi3 jacobi:unguarded#4":   "what it would copy lies in the planes above and below",
	"jacobi3 jacobi:unguarded#1":   "h >= 3, as in the plane",
	"jacobi3 jacobi:unguarded#2":   "w >= 3, as in the plane",
	"jacobi3 jacobi:short#1":       "the last element is a corner, which no thread reads",
	"places blur:unguarded#1":      "what is clamped lies in the picture",
	"places blur:unguarded#2":      "the same",
	"places blur:unguarded#3":      "the same",
	"places blur:unguarded#4":      "the same",
	"places mirrored:unguarded#1":  "the same",
	"places mirrored:unguarded#2":  "the same",
	"functions cross:short#1":      "the last element is a corner, which no thread reads",
	"functions cross:unguarded#1":  "the function reads the picture alone, whatever it is asked",
	"functions cross:unguarded#2":  "the same",
	"functions cross:unguarded#3":  "the same",
	"functions square:unguarded#1": "the same",
	"functions square:unguarded#2": "the same",
	"functions square:unguarded#3": "the same",
	"functions square:unguarded#4": "the same",
	"functions torus:unguarded#1":  "the same",
	"functions torus:unguarded#2":  "the same",
	"functions torus:unguarded#3":  "the same",
	"functions inner:unguarded#1":  "h >= 5: of a picture of fewer rows, elements of it",
	"functions inner:unguarded#2":  "w >= 4: the same of columns",
	"calls inner:short#1":          "the last element is a corner, which no thread reads",
	"calls inner:unguarded#1":      "h >= 3: of a picture of one row, elements of it",
	"calls inner:unguarded#2":      "w >= 3: the same of columns",
	"calls bordered:short#1":       "the last element is a corner, which no thread reads",
	"calls bordered:unguarded#1":   "the function reads the picture alone, whatever it is asked",
	"calls bordered:unguarded#2":   "the same",
	"calls bordered:unguarded#3":   "the same",
	"calls window:unguarded#1":     "the same",
	"calls window:unguarded#2":     "the same",
	"calls window:unguarded#3":     "the same",
	"calls window:unguarded#4":     "the same",
	"vectors inside:unguarded#1":   "the first elements, which the array has",
	"vectors inside:unguarded#2":   "a block with no thread inside would copy what others read",
	"vectors inside:unguarded#4":   "the first elements, which the array has",
	"vectors inside:unguarded#5":   "a block with no thread inside would copy what others read",
	"vectors product:unguarded#2":  "the same",
	"vectors product:unguarded#4":  "the same of b",
	"vectors column:unguarded#2":   "h >= 3: of a picture of one row, elements of it",
	"vectors planes:unguarded#1":   "d >= 3: the same of planes",
	"steps onlyEven:unguarded#1":   "the element that no iteration reads, which the array has",
	"steps fixed:short#2":          "an iteration begins at an even number",
	"steps ownAndNext:unguarded#1": "n >= 3: of a shorter line, its elements",
	"steps product:short#3":        "the same of multiples of four",
	"steps product:unguarded#2":    "a block with no thread inside would copy what others read",
	"steps product:unguarded#4":    "the same of b",
	"loops toTheLast:unguarded#1":  "a block with no thread inside would copy what others read",
	"own cross:short#1":            "the last element is a corner, which no thread reads",
	"own clamped:short#1":          "the same",
	"own planes:short#1":           "the same",
	"own cross:unguarded#5":        "the corners, which the array has",
	"own clamped:unguarded#5":      "the same",
	"own planes:unguarded#6":       "the same",
	"planes star:short#1":          "the last element is a corner, which no thread reads",
	"planes star:short#2":          "the last element is a corner, which no thread reads",
	"planes farStar:short#1":       "the last element is a corner, which no thread reads",
	"planes farStar:short#2":       "the last element is a corner, which no thread reads",
	"planes star:unguarded#1":      "h >= 3: of planes of one row, elements of them",
	"planes star:unguarded#5":      "h >= 3: of planes of one row, elements of them",
	"planes star:unguarded#2":      "w >= 3: the same of columns",
	"planes star:unguarded#6":      "w >= 3: the same of columns",
	"planes part:unguarded#2":      "behind the row, and the plane, lies the next one",
	"planes part:unguarded#4":      "behind the row, and the plane, lies the next one",
	"planes part:unguarded#6":      "before the row, and the plane, lies the one before",
	"planes part:unguarded#8":      "before the row, and the plane, lies the one before",
	"planes padded:unguarded#2":    "the planes in front of the loop are the first",
	"planes padded:unguarded#7":    "z < d says so",
	"planes padded:unguarded#8":    "no plane in the loop is negative",
	"planes padded:unguarded#10":   "before the row, and the plane, lies the one before",
	"planes padded:unguarded#12":   "before the row, and the plane, lies the one before",
	"planes goesOn:unguarded#1":    "of a plane that is too small, elements of it",
	"planes goesOn:unguarded#3":    "of a plane that is too small, elements of it",
	"planes goesOn:unguarded#6":    "of a plane that is too small, elements of it",
	"planes goesOn:unguarded#8":    "of a plane that is too small, elements of it",
	"planes goesOn:unguarded#2":    "behind the row, and the plane, lies the next one",
	"planes goesOn:unguarded#5":    "behind the row, and the plane, lies the next one",
	"planes goesOn:unguarded#4":    "of an array of one plane, elements of it",
	"planes rows:unguarded#1":      "h is positive",
	"planes rows:unguarded#4":      "h is positive",
	"planes rows:unguarded#2":      "behind the row lies the next one",
	"planes rows:unguarded#5":      "behind the row lies the next one",
	"rows cross:short#1":           "the last element is a corner, which no thread reads",
	"rows cross:unguarded#1":       "ROWS >= 3: of a picture of one row, elements of it",
	"rows cross:unguarded#2":       "the same of columns",
	"rows square:unguarded#1":      "the same of rows",
	"rows square:unguarded#2":      "the same of columns",
	"rows product:unguarded#2":     "a block with no thread inside would copy what others read",
	"rows product:unguarded#4":     "the same of b",
	"rows planes:unguarded#2":      "h >= 3: of fewer planes, elements of them",
	"rounds cross:short#1":         "the last element is a corner, which no thread reads",
	"rounds cross:unguarded#1":     "h >= 3: of a picture of one row, elements of it",
	"rounds cross:unguarded#2":     "the same of columns",
	"rounds product:unguarded#2":   "a block with no thread inside would copy what others read",
	"rounds product:unguarded#4":   "the round's first row says so",
	"rounds line:unguarded#1":      "n >= 3: of a shorter line, its elements",
	"rounds below:unguarded#1":     "the round's first element says so",
	"rounds box:short#1":           "the last element is a corner, which no thread reads",
	"rounds box:unguarded#1":       "d >= 2: of a box of one plane, elements of it",
	"rounds box:unguarded#2":       "the same of columns",
	"rounds edges:short#1":         "the last element is a corner, which no thread reads",
	"rounds edges:unguarded#4":     "the corners, which the array has",
	"written row:unguarded#1":      "a block with no thread inside would copy what others read",
	"written column:unguarded#1":   "the same",
	"written behind:unguarded#1":   "the same",
	"rounds sum:unguarded#1":       "the round's first row says so",
	"smooth3 smooth:unguarded#1":   "h >= 3: of planes of one row, elements of them",
	"smooth3 smooth:unguarded#8":   "h >= 3: of planes of one row, elements of them",
	"smooth3 smooth:unguarded#2":   "w >= 3: the same of columns",
	"smooth3 smooth:unguarded#9":   "w >= 3: the same of columns",
	"smooth3 smooth:unguarded#5":   "behind the row, and the plane, lies the next one",
	"smooth3 smooth:unguarded#7":   "behind the row, and the plane, lies the next one",
	"smooth3 smooth:unguarded#10":  "before the row, and the plane, lies the one before",
	"smooth3 smooth:unguarded#12":  "before the row, and the plane, lies the one before",
}

// manyKernels are programs of several kernels, whose mutants are those of the others.
var manyKernels = []string{"forms", "guards", "apart"}

func stageExample(t *testing.T, name string) *parser.Program {
	if slices.Contains([]string{"forms", "guards", "apart", "planes", "own", "loops", "steps", "vectors", "functions", "places", "calls", "rows", "rounds", "written", "tables", "transposes", "strips"}, name) {
		return loadProgram(t, filepath.Join("testdata/stage", name+".cu"))
	}
	return loadProgram(t, filepath.Join("../examples/stage", name, name+".cu"))
}

// stagedText is a program with all kernels rewritten in a way.
func stagedText(t *testing.T, prog *parser.Program, way string) []byte {
	t.Helper()
	w, err := variant.Parse(way)
	require.NoError(t, err)
	res, err := rewrite.Run(prog, rewrite.Options{Variant: w})
	require.NoError(t, err)
	for _, k := range res.Kernels {
		if k.Name != "renew" && !strings.Contains(way, "array=") && !strings.HasPrefix(way, "vtb") {
			require.Empty(t, k.Refused, "%s: %s", way, k.Name)
		}
	}
	require.NotEmpty(t, res.Files, way)
	return res.Files[0].After
}

// TestStagedExamplesAreEqual: what is staged is what was read, in all orders of the threads and
// for extents that no tile divides, and nothing beyond it is read.
func TestStagedExamplesAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	for name, c := range stagedExamples {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 3)
			t.Parallel()
			equalWays(t, name, c.ways, c.args)
		})
	}
}

// mergedWays are ways in which thread blocks are merged of what staging leaves.
var mergedWays = map[string][]string{
	"product":     {"vtb named N=2 stage", "vtb lock N=3 stage T=5", "dyn lock N=3 M=2 stage", "merge named N=2 stage array=a", "merge block N=2 merge=y stage"},
	"matvec":      {"vtb named N=2 stage array=a T=3", "vtb block N=2 stage array=a", "dyn lock N=3 M=2 stage array=a", "merge named N=2 stage"},
	"nbody":       {"vtb lock N=2 stage T=7", "vtb-pipe block N=2 stage", "dyn lock N=4 M=2 stage", "merge block N=4 stage"},
	"convolution": {"vtb block N=2 stage", "merge named N=2 stage", "merge block N=2 merge=y stage"},
}

// TestWhatIsStagedAndThenMergedIsEqual: v-TBs take turns with tiles, or have some each.
func TestWhatIsStagedAndThenMergedIsEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	for name, ways := range mergedWays {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 2)
			t.Parallel()
			equalWays(t, name, ways, stagedExamples[name].args)
		})
	}
}

// equalWays runs an example as it is and rewritten in some ways, with races and bounds looked for.
func equalWays(t *testing.T, name string, ways []string, args [][]string) {
	t.Helper()
	prog := stageExample(t, name)
	request := verify.Request{
		Original: oneFile(name, prog.Files[0].Src), Args: args, Timeout: 5 * time.Minute, Jobs: 1,
		Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
		CheckedSchedules: []execute.Schedule{{Kind: "descending"}, {Kind: "random", Seed: 1}},
	}
	for _, way := range ways {
		request.Variants = append(request.Variants, verify.Variant{Name: way, Program: oneFile(name, stagedText(t, prog, way)), Checked: true})
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
}

// TestStageMutantsAreKilled: verify tells a staged array from one without a barrier, with
// another bound, another offset or a guard less.
func TestStageMutantsAreKilled(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	killed, all := 0, 0
	for number, name := range slices.Sorted(maps.Keys(stagedExamples)) {
		c := stagedExamples[name]
		for i, way := range c.ways {
			ahead := strings.Contains(way, variant.KnobAsync)
			if i > 0 && !ahead {
				continue
			}
			label := name
			if ahead {
				label += " async"
			}
			t.Run(label, func(t *testing.T) {
				if name != "jacobi1" {
					suite.OnlyFull(t)
				}
				if slices.Contains(manyKernels, name) {
					t.Skip("several kernels: their guards are those of the others")
				}
				if number%2 != 0 && name != "jacobi1" && !*full {
					t.Skip(leftToFlag)
				}
				mutants, dead := stageMutants(t, name, way, c.args)
				require.False(t, dead(0), "the variant itself")
				for i, m := range mutants {
					all++
					reason := equalStageMutants[name+" "+m.ID]
					if dead(i + 1) {
						killed++
						assert.Empty(t, reason, "%s is killed", m.ID)
					} else if reason == "" {
						t.Errorf("survives: %s %s: %s", m.ID, m.Pos, m.Text)
					}
				}
			})
		}
	}
	t.Logf("%d of %d mutants killed", killed, all)
}

// stageMutants runs the mutants of a program that is staged in a way; dead reports whether
// one of them, from 1 on, is told from the original, and 0 whether the rewrite itself is.
func stageMutants(t *testing.T, name, way string, args [][]string) (mutants []mutate.Mutant, dead func(int) bool) {
	t.Helper()
	prog := stageExample(t, name)
	original, err := mutate.Switched(prog.Files[0], nil)
	require.NoError(t, err)
	f, err := parser.Parse(name+".cu", stagedText(t, prog, way), parser.Options{})
	require.NoError(t, err)
	mutants = mutate.Mutants(f)
	require.NotEmpty(t, mutants)
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
		for _, one := range args {
			request.Args = append(request.Args, append(slices.Clone(one), strconv.Itoa(i)))
		}
	}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	deaths := slices.Collect(slices.Chunk(causes(t, verdict, request), len(args)))
	return mutants, func(i int) bool {
		return slices.ContainsFunc(deaths[i], func(why []string) bool { return len(why) > 0 })
	}
}
