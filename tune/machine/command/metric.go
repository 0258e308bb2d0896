package command

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

type Metric struct {
	expression *regexp.Regexp
	maximize   bool
}

// NewMetric reads a regular expression with one group, the number; ^ and $ are the ends of a line. maximize is for GFLOP/s and such.
func NewMetric(expression string, maximize bool) (Metric, error) {
	e, err := regexp.Compile("(?m)" + expression)
	if err != nil {
		// The message quotes what stands in front, too, which no one has written.
		return Metric{}, errors.New(strings.Replace(err.Error(), "(?m)"+expression, expression, 1))
	}
	if n := e.NumSubexp(); n != 1 {
		return Metric{}, fmt.Errorf("the expression must have one group in parentheses, around the number, and has %d (write (?:...) for a group that isn't meant)", n)
	}
	return Metric{e, maximize}, nil
}

func (m Metric) String() string { return strings.TrimPrefix(m.expression.String(), "(?m)") }

// Times returns the numbers that a run printed on standard output, or else on standard error, one for each repetition, in their
// unit. Of a speed it gives 1 over it, so that ratios are those of times. A failure says that there is none, or no time.
func (m Metric) Times(stdout, stderr []byte) ([]float64, *record.Failure) {
	found := m.expression.FindAllSubmatch(stdout, -1)
	if len(found) == 0 {
		found = m.expression.FindAllSubmatch(stderr, -1)
	}
	if len(found) == 0 {
		last := "it printed nothing at all"
		if lines := append(lastLines(stderr, 1), lastLines(stdout, 1)...); len(lines) > 0 {
			last = fmt.Sprintf("its last line is %q", shortened(lines[len(lines)-1]))
		}
		return nil, untimed("it printed nothing that the metric '%s' matches; %s", m, last)
	}
	var out []float64
	for _, f := range found {
		text := strings.TrimSpace(string(f[1]))
		v, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
			return nil, untimed("the metric '%s' found %q, which is not a number", m, shortened(text))
		case v <= 0:
			return nil, untimed("the metric '%s' found %s, and a time or a speed is above 0", m, text)
		}
		if m.maximize {
			v = 1 / v
		}
		out = append(out, v)
	}
	return out, nil
}

func untimed(format string, args ...any) *record.Failure {
	return &record.Failure{Kind: record.FailedUntimed, Text: fmt.Sprintf(format, args...)}
}

func shortened(text string) string {
	const most = 120
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// lastLines returns the last lines of an output that hold something.
func lastLines(text []byte, n int) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-n):]
}

var numbers = regexp.MustCompile(`[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`)

// masked returns an output without the numbers in the lines in which the metric matches, since a measurement changes them.
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

type printed struct {
	text  []byte
	lines int // whose numbers are compared: a command that prints its metric alone has none
	rules machine.Rules
}

func (m *Machine) printed(stdout []byte) machine.Outputs {
	p := printed{m.metric.masked(stdout), 0, machine.Rules{Tolerance: m.o.Tolerance}}
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

func (printed) Release() {}
