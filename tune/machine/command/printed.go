package command

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

var numbers = regexp.MustCompile(`[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`)

// masked returns an output with the numbers taken out of the lines in which the metric
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
type printed struct {
	text  []byte
	lines int // whose numbers are compared: a command that prints its metric alone has none
	rules machine.Rules
}

func (m *Machine) printed(stdout []byte) machine.Outputs {
	p := printed{m.o.Metric.masked(stdout), 0, machine.Rules{Tolerance: m.o.Tolerance}}
	was := bytes.Split(stdout, []byte{'\n'})
	for i, line := range bytes.Split(p.text, []byte{'\n'}) {
		if i < len(was) && bytes.Equal(line, was[i]) && !machine.IsOfTime(line) && !m.o.Tolerance.Excepts(line) {
			p.lines++
		}
	}
	return p
}

// Compare returns where the other run, of a machine like this, printed something else.
func (p printed) Compare(other machine.Outputs) (record.Evidence, *record.Failure) {
	got, ok := other.(printed)
	if !ok {
		return record.Evidence{}, &record.Failure{Kind: record.FailedUnsteady, Text: "the outputs are of different kinds of runs"}
	}
	_, why, err := p.rules.CompareLines(bytes.NewReader(got.text), bytes.NewReader(p.text))
	if err == nil && why != "" {
		return record.Evidence{}, &record.Failure{Kind: record.FailedOutput, Text: why}
	}
	return record.Evidence{Lines: p.lines}, nil // memory can be read
}

// Release does nothing: what was printed is in memory.
func (printed) Release() {}
