package regreduce

import (
	"fmt"
	"strconv"
	"strings"
)

// spill is the last rung: from CUDA 13 on the compiler can spill to shared memory itself, on sm_75 and later. Where
// its further rules don't allow that, the rewriter refuses.
func (c *climber) spill() ([]int, string, error) {
	major, minor := c.compiler.Version()
	if major < 13 {
		return nil, fmt.Sprintf("it needs CUDA 13.0, not %d.%d", major, minor), nil
	}
	if n, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(c.arch, "sm_"), "af")); err != nil || n < 75 {
		return nil, "it needs sm_75, not " + c.arch, nil
	}
	if c.capped < 0 {
		return nil, "a kernel that isn't capped spills nothing", nil
	}
	if n := c.need(c.capped); n.spilled <= c.opt.Rules.MaxSpill {
		return nil, fmt.Sprintf("%d bytes are spilled, and up to %d the compiler's own spilling is cheaper", n.spilled, c.opt.Rules.MaxSpill), nil
	}
	r := c.recipes[c.capped]
	r.Spill = true
	at, err := c.attempt(RungSpill, r)
	if err != nil {
		return nil, "", err
	}
	if failed := c.report.Attempts[at].Failed; failed != "" {
		return nil, failed, nil
	}
	return []int{at}, "", nil
}
