package regreduce

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/model/stall"
	"github.com/smux-cuda/smux/nvcc"
)

// stallsOf is the kernel's own code as the stall predictor takes it, functions that
// are called left out; nil where the control codes are not known.
func stallsOf(code *nvcc.Code) []stall.Instruction {
	turns := turnsOf(code.Listing.Loops)
	var out []stall.Instruction
	for _, in := range code.Instructions {
		if in.Called {
			continue
		}
		if !in.Control.Known {
			return nil
		}
		one := stall.Instruction{
			Memory: memoryOf(in), Stall: in.Control.Stall, Slow: slowness(in),
			Write: in.Control.Write, Read: in.Control.Read, Wait: in.Control.Wait,
		}
		if strings.HasPrefix(in.Opcode, "DEPBAR") {
			wait, left := dependencies(in.Operands)
			one.Wait, one.Left = one.Wait|wait, left
		}
		if in.Loop >= 0 {
			loop := code.Listing.Loops[in.Loop]
			one.Depth, one.Head, one.Turns = loop.Depth, in.Address == loop.From, turns[in.Loop]
		}
		out = append(out, one)
	}
	return out
}

// mixOf counts the instructions of a kernel as often as the stall predictor has them run.
func mixOf(code *nvcc.Code) stall.Mix {
	loops, turns := code.Listing.Loops, turnsOf(code.Listing.Loops)
	var sum stall.Mix
	for _, in := range code.Instructions {
		if in.Called {
			continue
		}
		times := 1.0
		for l := in.Loop; l >= 0; l = loops[l].Parent {
			times *= turns[l]
		}
		c := in.Counts()
		sum = sum.Add(stall.Mix{
			Issue: float64(c.Issue), Integer: float64(c.Integer), Float: float64(c.Float), Double: float64(c.Double), Special: float64(c.Special),
			Memory: float64(max(c.SharedLoads+c.SharedStores+c.SharedAtomics, c.GlobalLoads+c.GlobalStores+c.GlobalAtomics) + c.LocalLoads + c.LocalStores + c.TextureLoads),
		}, times)
	}
	return sum
}

// memoryOf returns the memory that the result of an instruction waits for.
func memoryOf(in nvcc.Instruction) stall.Memory {
	switch c := in.Counts(); {
	case c.GlobalLoads+c.GlobalStores+c.GlobalAtomics+c.TextureLoads > 0, strings.HasPrefix(in.Opcode, "LDGDEPBAR"):
		return stall.Global
	case c.LocalLoads+c.LocalStores > 0:
		return stall.Local
	case c.SharedLoads+c.SharedStores+c.SharedAtomics > 0:
		return stall.Shared
	case in.Control.Write >= 0:
		return stall.Variable
	}
	return stall.None
}

// slowness returns the factor by which an instruction's unit is slower than the fastest one on compute capability 5.0
// and 5.2 (RegDem §4): of 128 lanes per SM 4 are for double precision, 32 for special functions.
func slowness(in nvcc.Instruction) float64 {
	switch c := in.Counts(); {
	case c.Double > 0:
		return 32
	case c.Special > 0:
		return 4
	}
	return 1
}

var dependencyOperands = regexp.MustCompile(`^SB(\d), (0x[0-9a-f]+)|\{([\d,]*)`)

// dependencies reads the operands of DEPBAR: "SB0, 0x1" waits until all but one of
// barrier 0's releases are there, "{5,4}" for other barriers beside.
func dependencies(operands string) (wait uint8, left int) {
	for _, m := range dependencyOperands.FindAllStringSubmatch(operands, -1) {
		for n := range strings.SplitSeq(m[1]+","+m[3], ",") {
			if b, err := strconv.Atoi(n); err == nil && b < 6 {
				wait |= 1 << b
			}
		}
		if n, err := strconv.ParseInt(m[2], 0, 32); err == nil {
			left = int(n)
		}
	}
	return wait, left
}

// turnsOf returns the number of runs of each loop of the machine code, for each of the source's loops to run ten
// times. The compiler makes several of one: the body four times in a row, and once more for what is left over.
// Without this the loop that isn't unrolled would seem the cheaper for running a quarter of the turns. Copies that
// make equally many turns at once count in full, as both sides of a branch do: they may be two loops, of a function
// that one line calls twice.
func turnsOf(loops []nvcc.Loop) []float64 {
	type source struct {
		parent     int
		branch, in nvcc.Place
	}
	copies := map[source][]int{}
	for i, l := range loops {
		s := source{l.Parent, l.Branch, l.BranchIn}
		copies[s] = append(copies[s], i)
	}
	out := make([]float64, len(loops))
	for i, l := range loops {
		// A copy takes what the next larger one leaves over, half a turn of that on
		// average, and leaves over half a turn of its own to the next smaller one.
		own := float64(max(1, l.Unrolled))
		larger, smallest := math.Inf(1), true
		for _, c := range copies[source{l.Parent, l.Branch, l.BranchIn}] {
			if times := float64(max(1, loops[c].Unrolled)); times > own {
				larger = min(larger, times)
			} else if times < own {
				smallest = false
			}
		}
		iterations := leftOver(larger)
		if !smallest {
			iterations -= leftOver(own)
		}
		out[i] = iterations / own
	}
	return out
}

// leftOver returns the number of a source loop's ten turns that a loop of the machine code that makes several at once
// leaves over: half a turn of its own for few, never more than half of the ten; all where there is no such loop.
func leftOver(times float64) float64 {
	if math.IsInf(times, 1) {
		return stall.Turns
	}
	half, most := (times-1)/2, stall.Turns/2.0
	return half / (1 + half/most)
}

// conflicts counts the cycles that a warp's register operands in one bank cost, as often as the stall predictor has
// the instructions run: an instruction whose source registers are n of one bank reads them in n cycles. Compute
// capability 5.0 to 6.2 has four banks, the register's number modulo 4, later ones have two; what the reuse cache
// holds (R2.reuse) is not read (maxas, "Register bank conflicts"; RegDem §3.1, point 6, measured up to 12 % more time
// by them).
func conflicts(code *nvcc.Code) float64 {
	loops, turns := code.Listing.Loops, turnsOf(code.Listing.Loops)
	banks := 4
	if arch := strings.TrimPrefix(code.Arch, "sm_"); arch >= "7" || len(arch) > 2 {
		banks = 2
	}
	sum := 0.0
	for _, in := range code.Instructions {
		if in.Called {
			continue
		}
		times := 1.0
		for l := in.Loop; l >= 0; l = loops[l].Parent {
			times *= turns[l]
		}
		sum += times * float64(conflict(in, banks))
	}
	return sum
}

var sourceRegister = regexp.MustCompile(`\bR(\d+)(\.reuse)?`)

// conflict returns the further cycles that an instruction takes to read its operands. Those of
// accesses to memory go another way.
func conflict(in nvcc.Instruction, banks int) int {
	if strings.Contains(in.Operands, "[R") || strings.Contains(in.Operands, "[UR") {
		return 0
	}
	_, sources, _ := strings.Cut(in.Operands, ",") // the first is written
	var seen []int
	perBank := make([]int, banks)
	for _, m := range sourceRegister.FindAllStringSubmatch(sources, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || m[2] != "" || slices.Contains(seen, n) {
			continue
		}
		seen = append(seen, n)
		perBank[n%banks]++
	}
	return max(0, slices.Max(perBank)-1)
}
