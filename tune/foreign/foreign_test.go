package foreign_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/datasets"
	"github.com/smux-cuda/smux/tune/foreign"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

const cacheHead = `{
"device_name": "NVIDIA A100-PCIE-40GB", "kernel_name": "k", "problem_size": [4096, 64],
"tune_params_keys": ["n", "mode", "on"],
"tune_params": {"n": [1, 2]}, "objective": "time",
"cache": {
"1,a b,x": {"n": 1, "mode": "a b", "on": true, "time": "CompilationFailedConfig", "compile_time": 500, "GFLOP/s": NaN},
"2,c,x": {"n": 2, "mode": "c", "on": false, "time": 2.5, "times": [2, 3, 2.5], "benchmark_time": 100, "timestamp": "2023-12-22 09:54:05.5+00:00"}`

const kttText = `{"Results": [
 {"Status": "Ok", "KernelName": "k", "TotalDuration": 1500, "Configuration": [{"Name": "N", "Value": 8, "ValueType": "UnsignedInt"}],
  "ComputationResults": [{"Duration": 1500, "GlobalSize": {"X": 64, "Y": 2, "Z": 1}, "LocalSize": {"X": 32, "Y": 1, "Z": 1},
   "CompilationData": {"RegistersCount": 28, "LocalMemorySize": 2944, "PrivateMemorySize": 16},
   "ProfilingData": {"Counters": [{"Name": "smsp__inst_executed.sum", "Type": "Double", "Value": 77.0}]}}]},
 {"Status": "DeviceLimitsExceeded", "KernelName": "k", "TotalDuration": 0, "Configuration": [{"Name": "N", "Value": 16}], "ComputationResults": []}],
 "Metadata": {"Device": "NVIDIA GeForce RTX 3090", "TimeUnit": "Microseconds", "KttVersion": "2.1.0", "GlobalSizeType": "OpenCL", "Timestamp": "2024-04-25 23:17:57 UTC"}}`

const t4Text = `{"schema_version": "1.0.0", "results": [
 {"timestamp": "2024-01-01T00:00:00Z", "configuration": {"z": 1, "a": 2}, "times": {"compilation_time": 200, "runtimes": [4, 5]}, "invalidity": "correct",
  "measurements": [{"name": "registers", "value": 40, "unit": ""}]},
 {"configuration": {"z": 1, "a": 4}, "times": {"runtimes": []}, "invalidity": "timeout", "measurements": []}]}`

func read(t *testing.T, text string) *foreign.Results {
	t.Helper()
	r, err := foreign.Read("f.json", []byte(text), "")
	require.NoError(t, err)
	return r
}

func TestACacheOfKernelTunerIsRead(t *testing.T) {
	r := read(t, cacheHead+"}}")
	assert.Equal(t, foreign.KernelTunerCache, r.Format)
	assert.Equal(t, []int{4096, 64}, r.Problem)
	assert.False(t, r.Open)
	require.Len(t, r.Runs, 2)
	assert.Equal(t, record.Configuration(`n=1 mode="a b" on=1`), r.Runs[0].Configuration)
	assert.Equal(t, record.FailedCompile, r.Runs[0].Failure.Kind)
	assert.Equal(t, []float64{2, 3, 2.5}, r.Runs[1].Times)
	assert.Equal(t, 2023, r.Runs[1].At.Year())
	assert.InDelta(t, 0.1, r.Runs[1].Seconds, 1e-12)
}

func TestAnOpenCacheIsReadAsFarAsItGoes(t *testing.T) {
	for _, end := range []string{"", ",", ",\n", "\n"} {
		r := read(t, cacheHead+end)
		assert.True(t, r.Open)
		assert.Len(t, r.Runs, 2)
	}
}

func TestResultsOfKTTAreRead(t *testing.T) {
	r := read(t, kttText)
	assert.Equal(t, foreign.KTT, r.Format)
	assert.Equal(t, "KTT 2.1.0", r.Tuner)
	assert.Equal(t, []float64{1.5}, r.Runs[0].Times)
	assert.Equal(t, []int{28, 2944, 16}, []int{r.Runs[0].Registers, r.Runs[0].Shared, r.Runs[0].Local})
	assert.Equal(t, &record.Grid{Block: [3]int{32, 1, 1}, Grid: [3]int{2, 2, 1}}, r.Runs[0].Launch, "sizes that count threads become thread blocks")
	assert.Equal(t, map[string]float64{"smsp__inst_executed.sum": 77}, r.Runs[0].Counters)
	assert.Equal(t, record.FailedResources, r.Runs[1].Failure.Kind)
}

func TestResultsInT4KeepTheOrderOfTheParameters(t *testing.T) {
	r := read(t, t4Text)
	assert.Equal(t, foreign.T4, r.Format)
	assert.Equal(t, record.Configuration("z=1 a=2"), r.Runs[0].Configuration)
	assert.Equal(t, []float64{4, 5}, r.Runs[0].Times)
	assert.Equal(t, 40, r.Runs[0].Registers)
	assert.Equal(t, record.FailedTimeout, r.Runs[1].Failure.Kind)
}

func TestCompressedFilesAreReadAndTheirEndIsMissed(t *testing.T) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write([]byte(kttText))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	r, err := foreign.Read("f.json.gz", out.Bytes(), foreign.KTT)
	require.NoError(t, err)
	assert.Len(t, r.Runs, 2)
	_, err = foreign.Read("f.json.gz", out.Bytes()[:out.Len()-9], "")
	assert.ErrorContains(t, err, "f.json.gz:1:1: results-broken: it is compressed, and")
}

func TestWhatIsWrongIsSaidWithItsPlace(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"empty", "", "f.json:1:1: results-broken: the file ends here"},
		{"other text", "hello", "f.json:1:1: results-broken: this is not JSON"},
		{"a list", "[1]", "f.json:1:1: results-unknown: a document must begin here"},
		{"foreign", `{"a": 1}`, "f.json:1:1: results-unknown: it is neither"},
		{"cut off", strings.TrimSuffix(cacheHead, "+00:00\"}"), "f.json:7:138: results-broken: the file ends here"},
		{"a comma too many", cacheHead + ",,", ""},
		{"behind the end", cacheHead + "}}\n x", "f.json:8:2: results-broken: something stands after the end"},
		{"no parameter", strings.Replace(cacheHead, `"n": 2, `, "", 1) + "}}", "f.json:7:10: results-unknown: the configuration has no value of n"},
		{"no time", strings.NewReplacer(`"time": 2.5, "times": [2, 3, 2.5],`, "").Replace(cacheHead) + "}}", "f.json:7:10: results-unknown: the configuration has neither"},
		{"another type", strings.Replace(cacheHead, `"k"`, "[]", 1) + "}}", "results-unknown: a array stands here"},
		{"broken inside", strings.Replace(cacheHead, `"n": 2,`, `"n": 2;`, 1) + "}}", "f.json:7:17: results-broken: this is not JSON"},
		{"unit", strings.Replace(kttText, "Microseconds", "Fortnights", 1), `results-unknown: the unit of times is "Fortnights"`},
		{"status", strings.Replace(kttText, `"Ok"`, `"Fine"`, 1), `f.json:2:2: results-unknown: its status is "Fine"`},
		{"two kernels", strings.Replace(kttText, `"KernelName": "k"`, `"KernelName": "l"`, 1), "f.json:6:2: results-unknown: it is about kernel k"},
		{"nothing", `{"Metadata": {"TimeUnit": "Microseconds"}, "Results": []}`, "f.json:1:1: results-unknown: it holds no configuration"},
	}
	for _, c := range cases {
		r, err := foreign.Read("f.json", []byte(c.text), "")
		if c.want == "" {
			assert.NoError(t, err, c.name)
			continue
		}
		if assert.Error(t, err, c.name) {
			assert.Contains(t, err.Error(), c.want, c.name)
			assert.Nil(t, r)
		}
	}
}

// What is imported is a record: it is written and read again, judged, and searched.
func TestImportedLinesAreARecordThatEverythingReads(t *testing.T) {
	for _, text := range []string{cacheHead + `, "4": {"n": 4, "mode": "c", "on": 1, "time": 1.25}}}`, kttText, t4Text} {
		r := read(t, text)
		if r.Kernel == "" {
			r.Kernel = "k"
		}
		lines, err := r.Lines("a100")
		require.NoError(t, err)
		written, err := record.Encode(lines...)
		require.NoError(t, err)
		text, err := record.Parse("r.jsonl", written)
		require.NoError(t, err)
		again := text.Lines
		assert.Equal(t, lines, again)
		v := judge.Of(again, judge.DefaultRules())
		require.Len(t, v, 1)
		assert.Nil(t, v[0].Waits)
		assert.Equal(t, -1, v[0].Chosen)
		assert.Contains(t, v[0].Why, "Nothing is decided")
		assert.Len(t, v[0].Rows, len(r.Runs))
		sets := datasets.Sets(again, func(record.TunedVariant) []string { return nil })
		require.Len(t, sets, 1)
		assert.Len(t, sets[0].Items, len(r.Runs))
		assert.Len(t, foreign.ExportT4(again), 1)
		assert.Empty(t, foreign.New(lines, again), "what is there is not taken twice")
	}
}

func TestNothingThatRanIsNoRecord(t *testing.T) {
	_, err := read(t, strings.Split(cacheHead, ",\n\"2,c")[0]).Lines("")
	assert.ErrorIs(t, err, foreign.ErrNothingRan)
}

// TestMeasuredTimesOfRealGPUsAreRead reads published records, which are not part of this project, in the folder
// $SMUX_REAL_TIMES.
func TestMeasuredTimesOfRealGPUsAreRead(t *testing.T) {
	folder := os.Getenv("SMUX_REAL_TIMES")
	if folder == "" {
		t.Skip("SMUX_REAL_TIMES names no folder")
	}
	for name, want := range map[string]foreign.Counts{
		"convolution-A100": {4362, 4201, 161}, "convolution-MI250X": {4362, 4362, 0},
		"ktt-convolution-2080Ti": {6768, 5280, 1488}, "ktt-pnpoly-2080Ti": {4092, 3815, 277},
	} {
		src, err := os.ReadFile(filepath.Join(folder, name+".json.gz"))
		require.NoError(t, err)
		r, err := foreign.Read(name, src, "")
		require.NoError(t, err)
		assert.Equal(t, want, r.Count(), name)
		assert.False(t, r.Open)
		if testing.Short() {
			return
		}
	}
}

// FuzzRead: whatever the text, it is read or refused with a place in it, and what is read
// can be a record.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{cacheHead, cacheHead + "}}", kttText, t4Text, `{"cache": {}}`, `{"Results": [NaN, -Infinity]}`, "{", `{"tune_params_keys": 1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := foreign.Read("f", src, "")
		if err != nil {
			var m diag.Message
			require.ErrorAs(t, err, &m)
			require.Positive(t, m.Pos.Line)
			require.Positive(t, m.Pos.Column)
			require.NotEmpty(t, m.Help)
			require.LessOrEqual(t, m.Pos.Line, 1+bytes.Count(src, []byte{'\n'}), fmt.Sprint(m))
			return
		}
		if r.Kernel == "" {
			r.Kernel = "k"
		}
		lines, err := r.Lines("")
		if err != nil {
			return
		}
		_, err = record.Encode(lines...)
		require.NoError(t, err)
	})
}
