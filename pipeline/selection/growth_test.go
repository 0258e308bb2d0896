package selection_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/lab/hardtext"
)

// effort is the cost of looking at a text.
type effort struct {
	bytes, steps, text float64
	time               time.Duration
}

func costOf(t testing.TB, src string) effort {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	steps := lookAt(t, src)
	spent := time.Since(begin)
	runtime.ReadMemStats(&after)
	return effort{float64(after.TotalAlloc - before.TotalAlloc), float64(steps), float64(len(src)), spent}
}

// growing are shapes at sizes that take little time, and at which a second half as
// large as the first one must not take more than that.
var growing = []struct {
	shape string
	n     int
}{
	{"mixed", 32}, {"indexed", 32}, {"powers", 32}, {"joined", 40}, {"unrolled", 60}, {"unrolled-shared", 32}, {"network-shared", 16},
	{"copies", 60}, {"pointers", 60}, {"arrays", 12}, {"cases", 60}, {"calls", 16}, {"templates", 16}, {"constants", 8}, {"local-constants", 8},
	{"enumerators", 8}, {"counted-constants", 8}, {"host-constants", 8}, {"host-calls", 30}, {"pointer-choices", 30}, {"pointer-sums", 30},
	{"deduced", 30}, {"groups", 12}, {"helpers", 30}, {"instances", 12}, {"macro-uses", 16}, {"parameters", 60},
}

// TestTwiceTheTextTakesTwiceTheWork: what doubles with every line, or grows with the
// square of their number, takes far more.
func TestTwiceTheTextTakesTwiceTheWork(t *testing.T) {
	shapes := map[string]hardtext.Shape{}
	for _, s := range hardtext.Shapes {
		shapes[s.Name] = s
	}
	for _, c := range growing {
		t.Run(c.shape, func(t *testing.T) {
			text := shapes[c.shape].Text
			one, two := costOf(t, text(c.n)), costOf(t, text(2*c.n))
			grown := two.text / one.text
			assert.Less(t, two.bytes/one.bytes/grown, 1.5, "bytes of memory")
			assert.Less(t, (two.steps+1000)/(one.steps+1000)/grown, 1.5, "steps of evaluation")
		})
	}
}

// BenchmarkHardTexts looks at each shape at half its size and at its size, and reports
// by how much more time and memory grow than the text. A shape that is given up
// somewhere between grows by less than one.
func BenchmarkHardTexts(b *testing.B) {
	for _, s := range hardtext.Shapes {
		b.Run(s.Name, func(b *testing.B) {
			for b.Loop() {
				one, two := costOf(b, s.Text(s.Size/2)), costOf(b, s.Text(s.Size))
				grown := two.text / one.text
				b.ReportMetric(two.time.Seconds(), "s")
				b.ReportMetric(two.time.Seconds()/one.time.Seconds()/grown, "x-time")
				b.ReportMetric(two.bytes/one.bytes/grown, "x-bytes")
			}
		})
	}
}
