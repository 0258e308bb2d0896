package verify_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

const schedulesDir = "../testdata/schedules"

// checkEvery checks a program in the usual orders, and in every one that matters.
func checkEvery(t *testing.T, file string, checked ...execute.Schedule) *verify.Verdict {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	r := verify.Request{Original: verify.Program{Files: []verify.File{verify.NewFile(file, text)}}, AllSchedules: verify.DefaultAllSchedules}
	if len(checked) > 0 {
		r.CheckedSchedules, r.AllSchedules = checked, 0
	}
	v, err := verify.Run(context.Background(), r)
	require.NoError(t, err)
	return v
}

func codesOf(v *verify.Verdict) (out []diag.Code) {
	for _, f := range v.Findings {
		if f.Severity == verify.Counts {
			out = append(out, f.Message.Code)
		}
	}
	return out
}

// TestEveryOrderIsSeen: what is wrong in few orders alone is found, which the usual orders miss; of what is right in each
// nothing is said.
func TestEveryOrderIsSeen(t *testing.T) {
	needCompiler(t)
	files, err := filepath.Glob(filepath.Join(schedulesDir, "*.cu"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 16)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			suite.Sample(t, filepath.Base(file), 5)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(text), "\n")
			want, complete, _ := strings.Cut(strings.TrimPrefix(first, "// want: "), ", ")
			v := checkEvery(t, file)
			require.Empty(t, v.Failures)
			require.Len(t, v.Explored, 1)
			assert.True(t, v.Explored[0].Complete, v.Explored[0].Why)
			assert.Contains(t, v.Explored[0].String(), complete)
			if want == "nothing" {
				assert.Empty(t, v.Findings)
				return
			}
			assert.Contains(t, codesOf(v), diag.Code(want))
			for _, f := range v.Findings {
				require.Len(t, f.Runs, 1, "the usual orders miss it: %v", f.Message)
				assert.Positive(t, f.Runs[0].Orders)
				assert.Less(t, f.Runs[0].Orders, v.Explored[0].Orders)
			}
		})
	}
}

// TestAnOrderThatIsToldShowsItAgain: what a finding names is a value of --checked-orders.
func TestAnOrderThatIsToldShowsItAgain(t *testing.T) {
	needCompiler(t)
	file := filepath.Join(schedulesDir, "wrong_pop_of_nothing.cu")
	f := checkEvery(t, file).Findings[0]
	order, err := execute.ParseSchedule(f.Runs[0].Steps)
	require.NoError(t, err)
	again := checkEvery(t, file, order)
	require.Len(t, again.Findings, 1)
	assert.Equal(t, f.Message, again.Findings[0].Message)
}
