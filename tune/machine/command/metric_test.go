package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
)

func TestWhatAMetricFinds(t *testing.T) {
	for _, c := range []struct {
		name, expression, stdout, stderr string
		maximize                         bool
		want                             []float64
		failure                          string
	}{
		{name: "one", expression: `time: ([0-9.]+) ms`, stdout: "x\ntime: 1.5 ms\n", want: []float64{1.5}},
		{name: "several", expression: `^t=(\S+)`, stdout: "t=1\nat=9\nt=2e-3\r\n", want: []float64{1, 2e-3}},
		{name: "on standard error", expression: `t=(.*)$`, stdout: "x", stderr: "t= 4 \n", want: []float64{4}},
		{name: "standard output counts first", expression: `t=(.*)`, stdout: "t=1", stderr: "t=4", want: []float64{1}},
		{name: "larger is better", expression: `([0-9.]+) GFLOP`, maximize: true, stdout: "250 GFLOP/s", want: []float64{0.004}},
		{name: "none", expression: `t=(.*)`, stdout: "start\nall done\n\n", failure: `it printed nothing that the metric 't=(.*)' matches; its last line is "all done"`},
		{name: "nothing", expression: `t=(.*)`, failure: `it printed nothing that the metric 't=(.*)' matches; it printed nothing at all`},
		{name: "no number", expression: `t=(.*)`, stdout: "t=fast", failure: `the metric 't=(.*)' found "fast", which is not a number`},
		{name: "infinite", expression: `t=(.*)`, stdout: "t=inf", failure: `the metric 't=(.*)' found "inf", which is not a number`},
		{name: "not a number by name", expression: `t=(.*)`, stdout: "t=1\nt=nan", failure: `the metric 't=(.*)' found "nan", which is not a number`},
		{name: "zero", expression: `t=(.*)`, stdout: "t=0.0", failure: `the metric 't=(.*)' found 0.0, and a time or a speed is above 0`},
		{name: "negative", expression: `t=(.*)`, stdout: "t=-3", failure: `the metric 't=(.*)' found -3, and a time or a speed is above 0`},
	} {
		m, err := NewMetric(c.expression, c.maximize)
		require.NoError(t, err, c.name)
		got, failure := m.Times([]byte(c.stdout), []byte(c.stderr))
		assert.Equal(t, c.want, got, c.name)
		if c.failure == "" {
			assert.Nil(t, failure, c.name)
		} else {
			assert.Equal(t, &record.Failure{Kind: record.FailedUntimed, Text: c.failure}, failure, c.name)
		}
	}
}

func TestExpressionsThatAreNoMetric(t *testing.T) {
	for expression, want := range map[string]string{
		`time`:         "must have one group",
		`(a)(b)`:       "has 2",
		`t=([0-9.]+`:   "missing closing ): `t=([0-9.]+`",
		`t=([0-9]+)**`: "invalid nested repetition operator",
	} {
		_, err := NewMetric(expression, false)
		assert.ErrorContains(t, err, want, expression)
	}
	m, err := NewMetric(`t=(\d+)(?: ms)?`, false)
	require.NoError(t, err)
	assert.Equal(t, `t=(\d+)(?: ms)?`, m.String())
}

func TestNumbersOfTheMetricAreNotCompared(t *testing.T) {
	m, err := NewMetric(`ran ([0-9.]+)`, false)
	require.NoError(t, err)
	text := func(time, sum string) string {
		return string(m.masked([]byte("sum " + sum + "\nit ran  " + time + " and ran " + time + "\nran " + time)))
	}
	assert.NotEqual(t, text("1", "3"), text("1", "4"))
	m, err = NewMetric(`ran +([0-9.]+)`, false)
	require.NoError(t, err)
	assert.Equal(t, text("1", "3"), text(" 12.5", "3"))
	assert.NotEqual(t, text("1", "3"), text("1", "4"), "the other lines are")
}

func FuzzMetric(f *testing.F) {
	f.Add(`t=(.*)`, "t=1\nt=2", false)
	f.Add(`(?s)a(.)b`, "a\nb", true)
	f.Add(`()`, "\n", true)
	f.Fuzz(func(t *testing.T, expression, text string, maximize bool) {
		m, err := NewMetric(expression, maximize)
		if err != nil {
			return
		}
		times, failure := m.Times([]byte(text), nil)
		if (failure == nil) != (len(times) > 0) {
			t.Fatal("times or a failure, and not both")
		}
		for _, v := range times {
			if !(v > 0) {
				t.Fatal("a time is above 0")
			}
		}
		m.masked([]byte(text))
	})
}
