package modelcheck

import (
	"fmt"
	"math"
	"strconv"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/harness"
)

// Shapes say how a configuration is launched, where the record does not: expressions for
// x, y and z over the configuration's constants and problem_x, problem_y and problem_z.
// A dimension without one is 1.
type Shapes struct {
	// Block is the threads of a thread block; nil for block_size_x, block_size_y and
	// block_size_z in small or capital letters, as Kernel Tuner and KTT's examples have
	// them.
	Block []*harness.Expr
	// Grid is the thread blocks. Without it the problem's size is divided by Divide, and
	// rounded up; nil for the block's size.
	Grid, Divide []*harness.Expr
	// Problem is the problem's size, where the record does not say it.
	Problem []int
}

// launch returns the block of a variant, and the grid where the record has it.
func (s Shapes) launch(v *record.MeasuredVariant, constants []record.Constant) (record.Grid, error) {
	if v.Launch != nil {
		return *v.Launch, nil
	}
	out := record.Grid{Block: [3]int{1, 1, 1}}
	value := s.lookup(v, constants)
	if s.Block != nil {
		return out, values(s.Block, &out.Block, value)
	}
	if !conventional(&out.Block, value) {
		return out, fmt.Errorf("no constant is named block_size_x: --block says how large a thread block is")
	}
	return out, nil
}

// grid adds the grid where the record does not have it.
func (s Shapes) grid(v *record.MeasuredVariant, constants []record.Constant, out *record.Grid) error {
	if v.Launch != nil {
		return nil
	}
	value := s.lookup(v, constants)
	out.Grid = [3]int{1, 1, 1}
	if s.Grid != nil {
		return values(s.Grid, &out.Grid, value)
	}
	problem := s.problem(v)
	if len(problem) == 0 {
		return fmt.Errorf("neither the record nor --problem says how large the problem is, and --grid not how many thread blocks there are")
	}
	by := out.Block
	if s.Divide != nil {
		by = [3]int{1, 1, 1}
		if err := values(s.Divide, &by, value); err != nil {
			return err
		}
	}
	for d := range min(len(problem), 3) {
		if by[d] < 1 {
			return fmt.Errorf("the problem is divided by %d", by[d])
		}
		out.Grid[d] = (problem[d] + by[d] - 1) / by[d]
	}
	return nil
}

func (s Shapes) problem(v *record.MeasuredVariant) []int {
	if len(v.Subject.Problem) > 0 {
		return v.Subject.Problem
	}
	return s.Problem
}

// lookup returns what the names of expressions mean for a variant.
func (s Shapes) lookup(v *record.MeasuredVariant, constants []record.Constant) func(string) (int64, error) {
	problem := s.problem(v)
	return func(name string) (int64, error) {
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
}

// values computes expressions.
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
