package prose

import (
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
)

// Groups are texts in the order in which they came, each with what it holds for.
type Groups struct {
	texts []string
	of    map[string][]string
}

// Add notes that a text holds for something, once.
func (g *Groups) Add(text, of string) {
	if g.of == nil {
		g.of = map[string][]string{}
	}
	if g.of[text] == nil {
		g.texts = append(g.texts, text)
	}
	if !slices.Contains(g.of[text], of) {
		g.of[text] = append(g.of[text], of)
	}
}

// Lines returns a line for each text.
func (g *Groups) Lines(line func(text string, of []string) string) []string {
	return lists.Map(g.texts, func(t string) string { return line(t, g.of[t]) })
}
