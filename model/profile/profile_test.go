package profile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/profile"
)

// details is a table of the page "details" with these rows: launch, kernel, metric, unit, value and a rule's words.
func details(rows ...[6]string) string {
	out := `"ID","Process ID","Kernel Name","Block Size","Grid Size","CC","Metric Name","Metric Unit","Metric Value","Rule Description"` + "\n"
	for _, r := range rows {
		out += `"` + strings.Join([]string{r[0], "7", r[1], "(32, 4, 1)", "(10, 1, 1)", "9.0", r[2], r[3], r[4], r[5]}, `","`) + "\"\n"
	}
	return out
}

// raw is a table of the page "raw" with a metric in each column, of one launch.
func raw(metrics ...[3]string) string {
	rows := [3][]string{{"ID", "Kernel Name", "Block Size", "Grid Size", "CC"}, {"", "", "", "", ""}, {"0", "k", "64x1x1", "5x1x1", "8.0"}}
	for _, m := range metrics {
		for i := range rows {
			rows[i] = append(rows[i], m[i])
		}
	}
	out := ""
	for _, row := range rows {
		out += `"` + strings.Join(row, `","`) + "\"\n"
	}
	return out
}

func TestTablesAreRead(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"labels": {details([6]string{"0", "k(int *)", "DRAM Throughput", "%", "91.2"}, [6]string{"0", "k(int *)", "Compute (SM) Throughput", "%", "12"}),
			"measured on 9.0: DRAM 91 % of its peak"},
		"a rate is no share": {details([6]string{"0", "k", "DRAM Throughput", "Gbyte/second", "912"}), "measured on 9.0: neither waits nor the use of the GPU"},
		"the means of launches": {details([6]string{"0", "k", "DRAM Throughput", "%", "90"}, [6]string{"1", "k", "DRAM Throughput", "%", "30"}),
			"measured on 9.0: DRAM 60 % of its peak"},
		"a rule's words": {details([6]string{"0", "k", "", "", "", "stalled waiting for sibling warps at a CTA barrier. This represents about 44.0% of the total average of 9 cycles"}),
			"measured on 9.0: waits for barriers 44 %"},
		"of the cycles between instructions": {raw(
			[3]string{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "inst", "4"},
			[3]string{"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "inst", "10"},
			[3]string{"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", "inst", "1"},
			[3]string{"smsp__average_warp_latency_per_inst_issued.ratio", "cycle", "20"},
			[3]string{"device__attribute_display_name", "", "NVIDIA A100"}),
			"measured on NVIDIA A100 (8.0): waits for loads of global or local memory 50 %, barriers 20 %"},
		"what is no number": {raw([3]string{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "n/a"}), "measured on 8.0: neither waits nor the use of the GPU"},
		"lines of the program and of the profiler": {"==PROF== Connected\n\"done\"\nx\n" + details([6]string{"0", "k", "L2 Cache Throughput", "%", "83"}) + "==PROF== Disconnected\n",
			"measured on 9.0: L2 83 % of its peak"},
		"two tables, and Windows' line ends": {strings.ReplaceAll("\ufeff"+strings.Repeat(details([6]string{"0", "k", "L2 Cache Throughput", "%", "83"}), 2), "\n", "\r\n"),
			"measured on 9.0: L2 83 % of its peak"},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, profile.Is([]byte(c.text)))
			kernels, err := profile.Read("p.csv", []byte(c.text))
			require.NoError(t, err)
			require.Len(t, kernels, 1)
			assert.Equal(t, "k", kernels[0].Name)
			assert.Equal(t, c.want, kernels[0].String())
		})
	}
}

func TestNamesAndShapesAreRead(t *testing.T) {
	kernels, err := profile.Read("p.csv", []byte(details([6]string{"0", "void (anonymous namespace)::sum<(unsigned int)4, ns::f>(const float *)", "Duration", "usecond", "1,000.5"},
		[6]string{"1", "other", "Duration", "ms", "2"})))
	require.NoError(t, err)
	require.Len(t, kernels, 2)
	assert.Equal(t, "sum", kernels[0].Name)
	assert.Equal(t, [3]int{32, 4, 1}, kernels[0].Block)
	assert.Equal(t, [3]int{10, 1, 1}, kernels[0].Grid)
	assert.Equal(t, "other", kernels[1].Name)
}

func TestDocumentsReadAsTheTablesTheyAreMadeOf(t *testing.T) {
	of, err := profile.Read("p.csv", []byte(details([6]string{"0", "k", "DRAM Throughput", "%", "91.2"}, [6]string{"1", "g", "Duration", "ms", "2"})))
	require.NoError(t, err)
	text, err := profile.Document(of)
	require.NoError(t, err)
	again, err := profile.Read("p.json", text)
	require.NoError(t, err)
	assert.Equal(t, of, again)
	again[1].Show()
	assert.True(t, again[1].Shown())
	assert.False(t, again[0].Shown())
}

func TestWhatIsNoProfileIsRefusedWithItsPlace(t *testing.T) {
	head := details()
	for name, c := range map[string]struct {
		text, want string
		line       int
	}{
		"empty":             {"", "no row names the columns", 1},
		"another table":     {"\"a\",\"b\"\n", "no row names the columns", 1},
		"no launch":         {"x\n" + head, "no launch", 2},
		"a torn row":        {head + "\"0\",\"7\",\"k\"\n", "wrong number of fields", 2},
		"an open quote":     {"x\n" + head + "\"0\",\"7\",\"k\n", "quote", 3},
		"a newer document":  {`{"smuxProfile": 99}`, "version 99", 1},
		"a broken document": {`{"smuxProfile": `, "unexpected end", 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := profile.Read("p.csv", []byte(c.text))
			var m diag.Message
			require.True(t, errors.As(err, &m), "%v", err)
			assert.Equal(t, profile.CodeProfile, m.Code)
			assert.Equal(t, c.line, m.Pos.Line)
			assert.Contains(t, m.Text, c.want)
		})
	}
}

func TestOnlyWhatIsSaturatedLimits(t *testing.T) {
	for percent, limits := range map[string]bool{"79.9": false, "80": true} {
		kernels, err := profile.Read("p.csv", []byte(details([6]string{"0", "k", "DRAM Throughput", "%", percent})))
		require.NoError(t, err)
		limit, ok := kernels[0].Limit()
		assert.Equal(t, limits, ok)
		assert.Equal(t, limits, limit.Of == profile.DRAM)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(details([6]string{"0", "k", "DRAM Throughput", "%", "90"})))
	f.Add([]byte(raw([3]string{"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "", "3"})))
	f.Fuzz(func(t *testing.T, src []byte) {
		kernels, err := profile.Read("p.csv", src)
		if err != nil {
			var m diag.Message
			require.True(t, errors.As(err, &m))
			return
		}
		text, err := profile.Document(kernels)
		require.NoError(t, err)
		again, err := profile.Read("p.json", text)
		require.NoError(t, err)
		require.Len(t, again, len(kernels))
	})
}
