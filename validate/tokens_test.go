package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// Each token of a rewritten text counts: without any one of them, or with it twice, the text is not shown to be
// right. Those that may go are named.
func TestEachTokenCounts(t *testing.T) {
	old := program(t, twoTurns)
	for _, v := range []rewrite.Variant{named, locks, slots, block, apart} {
		text := rewritten(t, v)
		f := program(t, text).Files[0]
		var shown []string
		for _, tok := range f.Tokens() {
			word := text[tok.Start:tok.End]
			for _, changed := range []string{
				text[:tok.Start] + text[tok.End:],
				text[:tok.End] + " " + word + text[tok.End:],
			} {
				if strings.HasPrefix(strings.TrimSpace(text[strings.LastIndexByte(text[:tok.Start], '\n')+1:]), "static_assert(") {
					continue // it proves nothing: it keeps a text from being compiled
				}
				if now := tryProgram(changed); now != nil && validate.Programs(old, now).Proved() {
					line := strings.TrimSpace(text[strings.LastIndexByte(text[:tok.Start], '\n')+1 : tok.End])
					shown = append(shown, fmt.Sprintf("%s: %s", v, line))
				}
			}
		}
		slices.Sort(shown)
		assert.Empty(t, slices.Compact(shown))
	}
}

// Nothing that is given to the validator makes it panic.
func FuzzPrograms(f *testing.F) {
	f.Add(twoTurns, 0, 0)
	f.Add(twoTurns, 7, 300)
	f.Fuzz(func(t *testing.T, text string, cut, more int) {
		if len(text) == 0 || len(text) > 1<<14 {
			return
		}
		from, to := abs(cut)%len(text), abs(more)%len(text)
		from, to = min(from, to), max(from, to)
		if other := tryProgram(text[:from] + text[to:]); other != nil {
			for _, r := range []*validate.Result{validate.Programs(program(t, twoTurns), other), validate.Programs(other, program(t, twoTurns))} {
				assert.NotContains(t, doubts(r), ".go:", "a defect was caught")
			}
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// tryProgram parses a text, and returns nil for one that is no source at all.
func tryProgram(text string) *parser.Program {
	f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
	if err != nil {
		return nil
	}
	return parser.NewProgram([]*parser.File{f}, parser.Options{})
}
