package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mark(x float64) *float64 { return &x }

func steps() Series {
	return Series{Name: "a100", X: []float64{0, 10, 20, 30}, Y: []float64{8, 8, 4, 0}, Mark: mark(15)}
}

func TestASeriesKeepsItsValueUpToTheNextPoint(t *testing.T) {
	s := steps()
	for _, tt := range []struct {
		x, y float64
		ok   bool
	}{{-1, 0, false}, {0, 8, true}, {19.9, 8, true}, {20, 4, true}, {29, 4, true}, {30, 0, true}, {31, 0, false}} {
		y, ok := s.At(tt.x)
		assert.Equal(t, tt.ok, ok, "at %v", tt.x)
		assert.Equal(t, tt.y, y, "at %v", tt.x)
	}
	_, ok := Series{}.At(0)
	assert.False(t, ok)
}

func TestTicksAreRoundAndWithinTheAxis(t *testing.T) {
	assert.Equal(t, []float64{0, 256, 512, 768, 1024}, ticks(1024, 6))
	assert.Equal(t, []float64{0, 16, 32, 48}, ticks(48, 5))
	assert.Equal(t, []float64{0, 50, 100, 150, 200, 250}, ticks(255, 6))
	for limit := 1.0; limit < 300000; limit = limit*1.1 + 1 {
		got := ticks(limit, 6)
		require.NotEmpty(t, got)
		require.LessOrEqual(t, len(got), 14, "up to %v", limit)
		require.LessOrEqual(t, got[len(got)-1], limit)
	}
}

func TestStairsHaveACornerPerChange(t *testing.T) {
	xs, ys := stairs(steps())
	assert.Equal(t, []float64{0, 20, 20, 30, 30}, xs)
	assert.Equal(t, []float64{8, 8, 4, 4, 0}, ys)
}

// An SVG is well-formed whatever the names hold, has the same colour for a
// series in every chart, and a mark per series that stands on its curve.
func TestSVGIsWellFormedAndComplete(t *testing.T) {
	other := Series{Name: `<b> & "c"`, X: []float64{0, 40}, Y: []float64{2, 1}, Mark: mark(99)}
	c := Chart{Title: "registers <x>", XLabel: "x & y", YLabel: "warps", Series: []Series{steps(), other}}
	out := SVG(`a & "b" <c>`, []Row{{Title: "one", Charts: []Chart{c, c}}, {Title: "two", Charts: []Chart{c}}})
	d := xml.NewDecoder(bytes.NewReader(out))
	count := map[string]int{}
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			count[token.Name.Local]++
		case xml.CharData:
			text.Write(token)
		}
	}
	assert.Equal(t, 6, count["polyline"])
	assert.Equal(t, 3, count["circle"], "marks off their curve are left out")
	for _, want := range []string{`a & "b" <c>`, "registers <x>", "x & y", `<b> & "c"`, "one", "two"} {
		assert.Contains(t, text.String(), want)
	}
	assert.Equal(t, 4, strings.Count(string(out), `stroke="`+colours[0]+`"`), "three curves and the legend")
	assert.Equal(t, out, SVG(`a & "b" <c>`, []Row{{Title: "one", Charts: []Chart{c, c}}, {Title: "two", Charts: []Chart{c}}}))
}

func TestSVGHasNoRoomForNothing(t *testing.T) {
	assert.NotPanics(t, func() { SVG("", nil) })
	assert.NotPanics(t, func() { SVG("", []Row{{Charts: []Chart{{Series: []Series{{Name: "none"}}}}}}) })
}

func TestManySeriesStayApart(t *testing.T) {
	var all []Series
	for i := range 20 {
		s := steps()
		s.Name = fmt.Sprint("gpu", i)
		all = append(all, s)
	}
	l := newLegend([]Row{{Charts: []Chart{{Series: all}}}})
	seen := map[string]bool{}
	for _, s := range all {
		seen[strings.Join(l.stroke(s.Name), " ")] = true
	}
	assert.Len(t, seen, 20)
	_, lines := l.places(chartWidth)
	assert.Greater(t, lines, 1)
}

func TestTerminalFitsItsWidthAndIsPlainWithoutColour(t *testing.T) {
	b := steps()
	b.Name, b.Y = "k40", []float64{6, 6, 2, 1}
	c := Chart{Title: "registers", Series: []Series{steps(), b}}
	for _, width := range []int{40, 80, 120} {
		plain := Terminal(c, Look{Width: width, Height: 8})
		assert.NotContains(t, plain, "\x1b")
		longest := 0
		for line := range strings.Lines(plain) {
			longest = max(longest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		assert.LessOrEqual(t, longest, width)
		assert.Greater(t, longest, width-8)
		assert.Contains(t, plain, "* a100: 8 at 15")
		assert.Contains(t, plain, "o k40: 6 at 15")
		assert.Contains(t, plain, "ooo")
		assert.Contains(t, plain, "***")
	}
	coloured := Terminal(c, Look{Width: 80, Height: 8, Colour: true})
	assert.Contains(t, coloured, "\x1b[")
	assert.NotContains(t, coloured, "***")
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	assert.Contains(t, escapes.ReplaceAllString(coloured, ""), "─ a100: 8 at 15")
}

func TestTerminalTakesWhatIsEmpty(t *testing.T) {
	assert.Contains(t, Terminal(Chart{Title: "t"}, Look{}), "no values")
	assert.NotPanics(t, func() {
		Terminal(Chart{Series: []Series{{Name: "a", X: []float64{0}, Y: []float64{0}}}}, Look{Width: 1, Height: -1})
	})
}

// A curve that another one covers is not to be seen, so the legend says where it is.
func TestTheLegendSaysWhatIsHidden(t *testing.T) {
	other := Series{Name: "v100", X: []float64{0, 20, 30}, Y: []float64{8, 4, 0}}
	apart := Series{Name: "t4", X: []float64{0, 30}, Y: []float64{2, 0}}
	partly := Series{Name: "p100", X: []float64{0, 20, 30}, Y: []float64{8, 3, 0}}
	lines := func(series ...Series) string {
		return Terminal(Chart{Title: "registers", Series: series}, Look{Width: 60, Height: 8})
	}
	assert.Contains(t, lines(steps(), apart, other), "* a100: 8 at 15, under v100\n")
	assert.Contains(t, lines(steps(), partly), "* a100: 8 at 15, mostly under p100\n")
	assert.NotContains(t, lines(other, apart), "under")
}
