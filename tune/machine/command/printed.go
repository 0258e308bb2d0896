package command

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/internal/lazyregexp"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

var numbers = lazyregexp.New(`[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`)

// masked is an output with the numbers taken out of the lines in which the metric
// matches: that they change is what the measurement is about.
func (m Metric) masked(stdout []byte) []byte {
	var out bytes.Buffer
	at := 0
	for _, match := range m.expression.FindAllIndex(stdout, -1) {
		if match[0] < at {
			continue // a second number in a line
		}
		begin := bytes.LastIndexByte(stdout[:match[0]], '\n') + 1
		end := len(stdout)
		if i := bytes.IndexByte(stdout[match[1]:], '\n'); i >= 0 {
			end = match[1] + i
		}
		begin = max(begin, at)
		out.Write(stdout[at:begin])
		for i, line := range strings.Split(string(stdout[begin:end]), "\n") {
			if i > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(strings.Join(strings.Fields(numbers.ReplaceAllString(line, "#")), " "))
		}
		at = end
	}
	out.Write(stdout[at:])
	return out.Bytes()
}

// printed is the standard output of a run.
type printed struct{ text []byte }

func (m *Machine) printed(stdout []byte) machine.Outputs { return printed{m.o.Metric.masked(stdout)} }

// Compare says where the other run printed something else.
func (p printed) Compare(got machine.Outputs) (record.Evidence, *record.Failure) {
	want, have := bytes.Split(p.text, []byte("\n")), bytes.Split(got.(printed).text, []byte("\n"))
	if len(want) != len(have) {
		return record.Evidence{}, &record.Failure{Kind: record.FailedOutput, Text: "lines"}
	}
	for i := range want {
		if !bytes.Equal(want[i], have[i]) {
			return record.Evidence{}, &record.Failure{Kind: record.FailedOutput, Text: "line"}
		}
	}
	return record.Evidence{Lines: len(want)}, nil
}

// Release does nothing: what was printed is in memory.
func (printed) Release() {}
