package stage

import (
	"fmt"
	"strings"
)

// share tells how the threads of a block share the elements of a tile: the head of a loop or a condition around the
// copy, "" for none, what is declared in it, and the condition under which a thread has an element, "" for always.
type share struct{ head, declared, guard string }

// positions returns those of the element that a thread copies, along each axis of the tile, and how threads share
// them: where the tile is as large as the block a thread copies its own element, a short row is copied by the first
// threads of the block, and anything else by number. name names variables.
func (p *copyProof) positions(a *stagedArray, tile loopTile, name func(string) string) (position []string, by share) {
	if a.moves() {
		return p.planePositions(a, p.copiedPlanes(a, tile), name)
	}
	shape := p.forms.shape
	n := 1
	for _, extent := range p.copyExtents(a) {
		n *= extent
	}
	if position = p.byThread(a); position != nil {
		return a.firsts(position), by
	}
	if n <= shape[0] {
		condition := ""
		for d, axis := range "yz" {
			if shape[d+1] > 1 {
				condition += fmt.Sprintf("threadIdx.%c == 0 && ", axis)
			}
		}
		if n < shape[0] {
			condition += fmt.Sprintf("threadIdx.x < %d", n)
		} else if condition = strings.TrimSuffix(condition, " && "); condition == "" {
			return a.firsts(subscriptsOf(p.copyExtents(a), "threadIdx.x")), by // each thread one
		}
		return a.firsts(subscriptsOf(p.copyExtents(a), "threadIdx.x")), share{head: "if (" + condition + ") {"}
	}
	i, by := byNumber(shape, n, name)
	return a.firsts(subscriptsOf(p.copyExtents(a), i)), by
}

// placeNames are the names for the numbers of an element along the axes of a tile of two or three.
var placeNames = []string{"tile_plane", "tile_row", "tile_col"}

// named declares those positions that are computed from a number, and has their names stand for them.
func named(position []string, name func(string) string) (declared []string) {
	if len(position) < 2 || len(position) > len(placeNames) {
		return nil
	}
	var all []string
	for n, at := range position {
		if strings.ContainsAny(at, "/%") {
			position[n] = name(placeNames[len(placeNames)-len(position)+n])
			all = append(all, position[n]+" = "+at)
		}
	}
	if len(all) > 0 {
		declared = []string{"const unsigned " + strings.Join(all, ", ") + ";"}
	}
	return declared
}

// byNumber has the threads of a block of a shape share n elements by their number, which i names. The head of the loop
// has constants alone, so that a compiler can lay the passes out and have the loads of all under way together: of a
// loop that begins at the thread's own number, nvcc leaves the passes over from four to load one after the other.
func byNumber(shape [3]int, n int, name func(string) string) (i string, by share) {
	threads := shape[0] * shape[1] * shape[2]
	i = name("i")
	number := threadNumber(shape)
	if n > threads {
		first := name("first")
		by.head = fmt.Sprintf("for (unsigned %s = 0; %s < %d; %s += %d) {", first, first, n, first, threads)
		number = first + " + " + number
	}
	by.declared = fmt.Sprintf("const unsigned %s = %s;", i, number)
	if n%threads != 0 {
		by.guard = fmt.Sprintf("%s < %d", i, n)
	}
	return i, by
}

// threadNumber is the text of a thread's number in a block of a shape.
func threadNumber(shape [3]int) string {
	switch {
	case shape[2] > 1:
		return fmt.Sprintf("(threadIdx.z * %d + threadIdx.y) * %d + threadIdx.x", shape[1], shape[0])
	case shape[1] > 1:
		return fmt.Sprintf("threadIdx.y * %d + threadIdx.x", shape[0])
	}
	return "threadIdx.x"
}

// byThread are the positions of an element along the axes where each thread copies one, nil where
// they don't: the tile is as large as the block.
func (p *copyProof) byThread(a *stagedArray) (position []string) {
	shape := p.forms.shape
	for d := 2; d >= len(a.axes); d-- {
		if shape[d] > 1 {
			return nil
		}
	}
	if len(a.axes) > 3 {
		return nil
	}
	for i, extent := range p.copyExtents(a) {
		d := len(a.axes) - 1 - i
		if extent != shape[d] {
			return nil
		}
		position = append(position, "threadIdx."+"xyz"[d:d+1])
	}
	return position
}

// firsts are the positions of the first elements of vectors, by those of the vectors.
func (a *stagedArray) firsts(position []string) []string {
	if last := len(position) - 1; a.vector > 0 && position[last] != "0" {
		position[last] = times(position[last], a.vector)
	}
	return position
}

// subscriptsOf are those of the element of a number in an array of such extents.
func subscriptsOf(extents []int, i string) (position []string) {
	behind := 1
	for _, extent := range extents {
		behind *= extent
	}
	for n, extent := range extents {
		behind /= extent
		at := i
		if behind > 1 {
			at = fmt.Sprintf("%s / %d", i, behind)
		}
		if n > 0 && extent > 1 {
			at += fmt.Sprintf(" %% %d", extent)
		}
		if extent == 1 {
			at = "0"
		}
		position = append(position, at)
	}
	return position
}
