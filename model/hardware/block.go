package hardware

import (
	"fmt"
	"strconv"
	"strings"
)

// BlockForm says how a block shape is written.
const BlockForm = "X, X,Y or X,Y,Z"

// ParseBlock reads X[,Y[,Z]] as a block shape that a GPU can run. The error begins
// with the text in quotes.
func ParseBlock(text string) (shape [3]int, err error) {
	fields := strings.Split(text, ",")
	if len(fields) > 3 {
		return shape, fmt.Errorf("%q has %d sizes, a block has at most 3", text, len(fields))
	}
	out := [3]int{1, 1, 1}
	threads := 1
	for i, field := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return shape, fmt.Errorf("%q: %q is not a positive number", text, field)
		}
		if n > MaxThreadsPerBlock || threads*n > MaxThreadsPerBlock {
			return shape, fmt.Errorf("%q has more than %d threads", text, MaxThreadsPerBlock)
		}
		threads *= n
		out[i] = n
	}
	if out[2] > MaxBlockDimZ {
		return shape, fmt.Errorf("%q has more than %d threads along z", text, MaxBlockDimZ)
	}
	return out, nil
}
