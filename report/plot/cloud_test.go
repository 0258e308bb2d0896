package plot_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/report/plot"
)

func TestACloudHasADotForEachPlaceOnOneScale(t *testing.T) {
	out := string(plot.Clouds("t", []plot.Cloud{{Title: "a & b", XLabel: "x", YLabel: "y", Dots: []plot.Dots{
		{Name: "one", X: []float64{1, 1.0001, 10, 0, -1}, Y: []float64{1, 1.0001, 1000, 5, 5}},
		{Name: "two", X: []float64{100}, Y: []float64{100}},
	}}}))
	assert.Equal(t, 3+2, strings.Count(out, "<circle"), "equal places once, what has no logarithm not at all, and the legend")
	assert.Contains(t, out, "a &amp; b")
	for _, label := range []string{">1<", ">10<", ">100<", ">1000<"} {
		assert.Equal(t, 2, strings.Count(out, label), "both axes have %s", label)
	}
	// Equal values are on the diagonal.
	assert.Contains(t, out, `<circle cx="48" cy="388" r="1"`)
	assert.Contains(t, out, `<circle cx="248" cy="188" r="1"`)
	assert.Contains(t, string(plot.Clouds("t", nil)), "</svg>")
}
