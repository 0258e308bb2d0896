package baseline_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/report/finding"
)

func at(file string, line int) diag.Position { return diag.Position{File: file, Line: line, Column: 5} }

// kernel is a kernel of five lines with a shared array of some bytes.
type kernel struct {
	file, name       string
	array, registers int
	blocks           int
	block            string
	limits           []string
	body             []string
}

func usual() kernel {
	return kernel{file: "src/k.cu", name: "k", array: 4096, registers: 20, blocks: 8, block: "64", limits: []string{"shared memory"},
		body: []string{"__global__ void k() {", "__shared__ float s[1024];", "s[0] = 1;", "__syncthreads();", "use(s[0]);"}}
}

func (k kernel) see() baseline.Sight {
	var lines []baseline.Line
	for i, text := range k.body {
		lines = append(lines, baseline.Line{Pos: at(k.file, 1+i), Text: text, Live: i})
	}
	share := 0.5
	warps := k.blocks * 2
	if k.block == "128" {
		warps *= 2
	}
	return baseline.See(k.file, summary.KernelReport{
		Name: k.name, Position: at(k.file, 1), Shared: []summary.SharedReport{{Name: "s", Position: at(k.file, 2), Bytes: &k.array}},
		Regions: []summary.RegionReport{{First: at(k.file, 3), Last: at(k.file, 5), Arrays: []string{"s"}}}, RegionShareEstimate: &share,
	}, lines, []baseline.Launched{{At: at("main.cu", 9), Stand: baseline.Stand{
		GPU: "t4", Block: k.block, Blocks: k.blocks, Warps: warps, Limits: k.limits, Registers: k.registers, From: "estimate", Static: k.array,
	}}})
}

// recorded returns what is read back of kernels that were written.
func recorded(t *testing.T, kernels ...kernel) *baseline.File {
	var out []baseline.Kernel
	for _, s := range see(kernels...) {
		out = append(out, s.Kernel)
	}
	f, err := baseline.Parse("b.json", baseline.Encode(out))
	require.NoError(t, err)
	return f
}

func see(kernels ...kernel) []baseline.Sight {
	var out []baseline.Sight
	for _, k := range kernels {
		out = append(out, k.see())
	}
	return baseline.Sort(out)
}

func told(found []finding.Finding) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s %s", f.Level, f.Rule, f.Pos))
	}
	return out
}

func TestWhatGotWorseIsToldWithTheLineThatDidIt(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*kernel)
		opt    baseline.Options
		want   []string
	}{
		{name: "nothing", change: func(*kernel) {}},
		{name: "a larger array", change: func(k *kernel) { k.array, k.blocks = 8192, 4 },
			want: []string{"error baseline-shared src/k.cu:2:5", "error baseline-occupancy src/k.cu:2:5"}},
		{name: "registers that limit nothing", change: func(k *kernel) { k.registers, k.body[2], k.body[4] = 24, "s[0] = 2;", "use(s[1]);" },
			want: []string{"error baseline-registers src/k.cu:5:5"}},
		{name: "registers that limit", change: func(k *kernel) { k.registers, k.blocks, k.limits, k.body[3] = 90, 5, []string{"registers"}, "more();" },
			want: []string{"error baseline-registers src/k.cu:4:5", "error baseline-occupancy src/k.cu:4:5"}},
		{name: "registers from elsewhere", change: func(k *kernel) { k.registers = 24 }, want: []string{"error baseline-registers src/k.cu:1:5"}},
		{name: "within the threshold", change: func(k *kernel) { k.registers, k.body[2] = 24, "s[0] = 2;" }, opt: baseline.Options{Threshold: 20}},
		{name: "at the threshold's other side", change: func(k *kernel) { k.registers, k.body[2] = 25, "s[0] = 2;" }, opt: baseline.Options{Threshold: 20},
			want: []string{"error baseline-registers src/k.cu:3:5"}},
		{name: "fewer blocks that are larger", change: func(k *kernel) { k.blocks, k.block = 4, "128" }},
		{name: "too few of them", change: func(k *kernel) { k.blocks, k.block = 3, "128" }, want: []string{"error baseline-occupancy main.cu:9:5"}},
		{name: "none can run", change: func(k *kernel) { k.blocks = 0 }, want: []string{"error baseline-occupancy src/k.cu:1:5"}},
		{name: "better", change: func(k *kernel) { k.array, k.blocks = 2048, 16 }, want: []string{"note baseline-better src/k.cu:1:5"}},
		{name: "better and worse", change: func(k *kernel) { k.array, k.registers, k.blocks = 2048, 30, 16 }, want: []string{"error baseline-registers src/k.cu:1:5"}},
		{name: "not known any more", change: func(k *kernel) { k.limits, k.blocks, k.block = nil, 0, "unknown" }, want: []string{"note baseline-gone src/k.cu:1:5"}},
		{name: "another file", change: func(k *kernel) { k.file, k.array, k.blocks = "lib/k.cu", 8192, 4 },
			want: []string{"error baseline-shared lib/k.cu:2:5", "error baseline-occupancy lib/k.cu:2:5", "note baseline-new lib/k.cu:1:5"}},
		{name: "another name", change: func(k *kernel) { k.name, k.body[0] = "renamed", "__global__ void renamed() {" }, want: []string{"note baseline-new src/k.cu:1:5"}},
		{name: "another kernel", change: func(k *kernel) { k.name, k.file = "other", "lib/k.cu" },
			want: []string{"note baseline-new lib/k.cu:1:5", "note baseline-gone b.json"}},
		{name: "not looked for", change: func(k *kernel) { k.name, k.file = "other", "lib/k.cu" }, opt: baseline.Options{Covers: func(baseline.Kernel) bool { return false }},
			want: []string{"note baseline-new lib/k.cu:1:5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := usual()
			c.change(&now)
			c.opt.Name = "b.json"
			found := baseline.Compare(recorded(t, usual()), see(now), c.opt)
			assert.Equal(t, append([]string{}, c.want...), told(found))
			for _, f := range found {
				assert.NotEmpty(t, f.Text)
				assert.NotContains(t, f.Text, "\n")
			}
		})
	}
}

func TestRegistersOfAnotherSourceAreNotCompared(t *testing.T) {
	f := recorded(t, usual())
	f.Kernels[0].Stands[0].From = "ptxas sm_75"
	worse := usual()
	worse.registers, worse.blocks = 200, 1
	assert.Equal(t, []string{"error baseline-source src/k.cu:1:5"}, told(baseline.Compare(f, see(worse), baseline.Options{})))
	assert.True(t, f.Compiled())
	assert.False(t, recorded(t, usual()).Compiled())
}

func TestWhiteSpaceCommentsAndTheOrderOfLinesChangeNothing(t *testing.T) {
	now := usual()
	now.registers = 24
	now.body = []string{"", "// new", "__global__  void k()  {  // as before", "{", "s[0]  = 1;", "__shared__ float s[1024];", "__syncthreads();", `use(s[0]);`}
	found := baseline.Compare(recorded(t, usual()), see(now), baseline.Options{})
	require.Len(t, found, 1)
	assert.Contains(t, found[0].Text, "none of its lines changed")
}

// Kernels in any order, with any names, are read back as they were written, and a
// check against them is clean.
func TestWhatWasWrittenIsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"k", "a b", "ünï", `q"uote`, "<<<<<<< x", "=======\n", "operator<", "line\nbreak", "\x01"}
	for range 200 {
		var kernels []kernel
		for range r.IntN(12) {
			k := usual()
			k.file, k.name = names[r.IntN(len(names))]+".cu", names[r.IntN(len(names))]
			k.array, k.registers, k.blocks = r.IntN(50000), r.IntN(256), r.IntN(33)
			k.body = k.body[:1+r.IntN(5)]
			kernels = append(kernels, k)
		}
		now := see(kernels...)
		var want []baseline.Kernel
		for _, s := range now {
			want = append(want, s.Kernel)
		}
		text := baseline.Encode(want)
		require.True(t, json.Valid(text))
		f, err := baseline.Parse("b.json", text)
		require.NoError(t, err, "%s", text)
		assert.Equal(t, len(want), len(f.Kernels))
		assert.Empty(t, baseline.Compare(f, now, baseline.Options{}))
		shuffled := slices.Clone(want)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		assert.Equal(t, string(text), string(baseline.Encode(shuffled)))
	}
}

func TestAKernelThatIsAddedChangesNoOtherLine(t *testing.T) {
	a, b, c := usual(), usual(), usual()
	a.name, b.name, c.name = "a", "b", "c"
	lines := func(kernels ...kernel) []string {
		var out []baseline.Kernel
		for _, s := range see(kernels...) {
			out = append(out, s.Kernel)
		}
		return strings.Split(string(baseline.Encode(out)), "\n")
	}
	for _, two := range [][]kernel{{a, b}, {a, c}, {b, c}} {
		left := lines(a, b, c)
		for _, l := range lines(two...) {
			i := slices.Index(left, l)
			require.GreaterOrEqual(t, i, 0, "%q stands in both, in order", l)
			left = left[i+1:]
		}
	}
}

func TestFilesThatAreNoBaselineAreRefusedWithAPlace(t *testing.T) {
	good := string(baseline.Encode([]baseline.Kernel{usual().see().Kernel}))
	twice := strings.Replace(good, "]}\n]}", "]}\n,\n"+good[strings.Index(good, "\n")+1:len(good)-3]+"]}", 1)
	for _, c := range []struct{ src, want string }{
		{"", "b.json:1:1: baseline-file: this is not JSON"},
		{"{}", "b.json:1:1: baseline-file: this is not a baseline of smux"},
		{"[1]", "this is not a baseline of smux"},
		{`{"smux-baseline": 0}`, "this is not a baseline of smux"},
		{`{"smux-baseline": 2}`, "newer smux"},
		{"{\"smux-baseline\": 1,\n<<<<<<< HEAD\n", "b.json:2:1: baseline-file: this is the mark of a merge"},
		{good[:len(good)/2], "this is not JSON"},
		{`{"smux-baseline": 1, "kernels": [{"file": 3}]}`, "this is no kernels.file of a baseline: number"},
		{`{"smux-baseline": 1, "kernels": [{"file": "a"}]}`, "has no name or no file"},
		{twice, "is in it twice"},
	} {
		_, err := baseline.Parse("b.json", []byte(c.src))
		var format *baseline.FormatError
		require.ErrorAs(t, err, &format, c.src)
		assert.Contains(t, err.Error(), c.want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(baseline.Encode([]baseline.Kernel{usual().see().Kernel}))
	f.Add([]byte("{\"smux-baseline\": 1,\n=======\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		read, err := baseline.Parse("b.json", src)
		if err != nil {
			return
		}
		again, err := baseline.Parse("b.json", baseline.Encode(read.Kernels))
		require.NoError(t, err)
		require.Equal(t, len(read.Kernels), len(again.Kernels))
		baseline.Compare(read, see(usual()), baseline.Options{})
	})
}
