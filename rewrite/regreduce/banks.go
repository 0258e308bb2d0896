package regreduce

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/nvcc"
)

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
