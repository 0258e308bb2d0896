package stress

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
)

func TestAReportComparesLevelsWithTheOriginal(t *testing.T) {
	rows := rowsOf("k", "a100", 20, 10, 10)
	rows[1].Level = Level{Blocks: 2, Occupancy: 0.25} // the original
	rows[2].Milliseconds, rows[2].Failure = nil, failed(record.FailedRun, "exit status 1")
	rows[0], rows[1] = rows[1], rows[0]
	r := NewReport([]Series{{rows[0].Subject, rows}}, 0.02)
	require.Len(t, r.Series, 1)
	s := r.Series[0]
	assert.Equal(t, 1.0, *s.Rows[0].Ratio)
	assert.Equal(t, 2.0, *s.Rows[1].Ratio)
	assert.Nil(t, s.Rows[2].Median, "what failed has no time")
	assert.Equal(t, s.Flat.String(), s.Text)
	var out bytes.Buffer
	r.Text(&out)
	assert.Contains(t, out.String(), "kernel k, 128 threads, on a100, run with 9 a b\n")
	assert.Contains(t, out.String(), "+100.0 %")
	assert.Contains(t, out.String(), "not counted (run): exit status 1")
}
