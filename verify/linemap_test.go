package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/diag"
)

const mapOriginal = `a
if (x) {
  b
  c
}
d
e
`

const mapRewritten = `#include "smux"
a
if (x) {
    begin
      b
    one
    two
}
d
e
`

func TestLinesOfARewriteInTheOriginal(t *testing.T) {
	m := newLineMap("o.cu", []byte(mapOriginal), []byte(mapRewritten))
	for line, want := range map[int][2]int{
		1:  {1, 1}, // inserted before the first line
		2:  {1, 1}, // kept
		4:  {2, 3}, // inserted: between its neighbours
		5:  {3, 3}, // kept, moved to the right
		6:  {4, 4}, // c became two lines
		7:  {4, 4},
		8:  {5, 5},
		10: {7, 7},
		99: {7, 7}, // beyond the end
	} {
		assert.Equal(t, lineRange{"o.cu", want[0], want[1]}, m.lines(line), "line %d", line)
	}
}

func TestIdenticalTextsMapToThemselves(t *testing.T) {
	m := newLineMap("o.cu", []byte(mapOriginal), []byte(mapOriginal))
	for line := range strings.Count(mapOriginal, "\n") {
		assert.Equal(t, lineRange{"o.cu", line + 1, line + 1}, m.lines(line+1))
	}
}

func program(name, text string) Program {
	return Program{Files: []File{{Name: name, Text: []byte(text)}}}
}

func TestShownPlacesAreThoseOfTheOriginal(t *testing.T) {
	o := program("k.cu", mapOriginal)
	p := newPlaces(&o, &Variant{Program: program("k.cu", mapRewritten)})
	at := func(line, column int) diag.Position { return diag.Position{File: "k.cu", Line: line, Column: column} }
	assert.Equal(t, at(3, 3), p.show(at(5, 7)), "moved to the right: the column moves back")
	assert.Equal(t, at(4, 1), p.show(at(7, 5)), "a changed line has no column")
	assert.Equal(t, diag.Position{File: "k.h", Line: 5, Column: 7}, p.show(diag.Position{File: "k.h", Line: 5, Column: 7}), "an unchanged file")
	line, ok := p.rewritten(at(7, 5))
	assert.True(t, ok)
	assert.Equal(t, "two", line)
}

// Two programs on disk are named by their own places, but their lines are
// compared by the original's.
func TestSeparateProgramsKeepTheirPlaces(t *testing.T) {
	o := program("a.cu", mapOriginal)
	p := newPlaces(&o, &Variant{Program: program("b.cu", mapRewritten), Separate: true})
	at := diag.Position{File: "b.cu", Line: 5, Column: 7}
	assert.Equal(t, at, p.show(at))
	assert.Equal(t, lineRange{"a.cu", 3, 3}, p.lines("b.cu", 5))
	_, ok := p.rewritten(at)
	assert.False(t, ok)
}

func TestFilesOfOneNameInOtherFolders(t *testing.T) {
	o := Program{Files: []File{{Name: "old/k.cu", Text: []byte("a\nb\n")}, {Name: "old/main.cu", Text: []byte("m\n")}}}
	v := Program{Files: []File{{Name: "new/k.cu", Text: []byte("x\na\nb\n")}, {Name: "new/main.cu", Text: []byte("m\n")}}}
	p := newPlaces(&o, &Variant{Program: v, Separate: true})
	assert.Equal(t, lineRange{"old/k.cu", 2, 2}, p.lines("new/k.cu", 3))
	assert.Equal(t, lineRange{"old/main.cu", 1, 1}, p.lines("new/main.cu", 1), "equal texts under two names")
}
