package modelcheck

import (
	"fmt"
	"math"
	"strconv"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/harness"
)

// Shapes are expressions for x, y and z over constants and problem_x, problem_y and problem_z, where the record has no launch.
type Shapes struct {
	// Block is the threads of a block; nil for block_size_x, _y and _z in small or capital letters, as tuners have them.
	Block []*harness.Expr
	// Grid is the thread blocks; without it the problem's size is divided by Divide (or the block's), and rounded up.
	Grid, Divide []*harness.Expr
	// Problem is the problem's size, where the record does not say it.
	Problem []int
}

// launch returns how a variant is launched; noGrid says why its grid is not known.
func (s Shapes) launch(v *record.MeasuredVariant, constants []record.Constant) (out record.Grid, noGrid, err error) {
	if v.Launch != nil {
		return *v.Launch, nil, nil
	}
	problem := s.Problem
	if len(v.Subject.Problem) > 0 {
		problem = v.Subject.Problem
	}
	value := func(name string) (int64, error) { // what the names of expressions mean
		for d, p := range []string{"problem_x", "problem_y", "problem_z"} {
			if name == p && d < len(problem) {
				return int64(problem[d]), nil
			}
		}
		for _, c := range constants {
			if c.Name == name {
				n, err := strconv.ParseInt(c.Value, 0, 32)
				if err != nil {
					return 0, fmt.Errorf("%s is %q, which is not a whole number", name, c.Value)
				}
				return n, nil
			}
		}
		return 0, fmt.Errorf("the configuration has no %s", name)
	}
	one := [3]int{1, 1, 1}
	out = record.Grid{Block: one, Grid: one}
	switch {
	case s.Block != nil:
		err = values(s.Block, &out.Block, value)
	case !conventional(&out.Block, value):
		err = fmt.Errorf("no constant is named block_size_x: --block says how large a thread block is")
	}
	switch by := out.Block; {
	case err != nil:
	case s.Grid != nil:
		noGrid = values(s.Grid, &out.Grid, value)
	case len(problem) == 0:
		noGrid = fmt.Errorf("neither the record nor --problem says how large the problem is, and --grid not how many thread blocks there are")
	default:
		if s.Divide != nil {
			by = one
			noGrid = values(s.Divide, &by, value)
		}
		for d := 0; d < min(len(problem), 3) && noGrid == nil; d++ {
			out.Grid[d] = (problem[d] + by[d] - 1) / by[d]
		}
	}
	return out, noGrid, err
}

func values(of []*harness.Expr, into *[3]int, value func(string) (int64, error)) error {
	for d, x := range of {
		n, err := x.Value(value)
		if err != nil {
			return err
		}
		if n < 1 || n > math.MaxInt32 {
			return fmt.Errorf("%q is %d", x.String(), n)
		}
		into[d] = int(n)
	}
	return nil
}

// conventional fills in the block by the names that tuners give its dimensions.
func conventional(block *[3]int, value func(string) (int64, error)) (found bool) {
	for d, names := range [3][2]string{{"block_size_x", "BLOCK_SIZE_X"}, {"block_size_y", "BLOCK_SIZE_Y"}, {"block_size_z", "BLOCK_SIZE_Z"}} {
		for _, name := range names {
			if n, err := value(name); err == nil && n > 0 {
				block[d], found = int(n), true
			}
		}
	}
	return found
}
