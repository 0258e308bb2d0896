package stall

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRegDemCountsAsThePaperLists(t *testing.T) {
	double := plain(2)
	double.Slow = 32
	for name, c := range map[string]struct {
		code      []Instruction
		occupancy float64
		want      float64
	}{
		"stall counts are scaled by occupancy":                  {at(0, plain(4), plain(6)), 0.5, 5},
		"slow instructions stall longer":                        {at(0, double), 0.5, 32},
		"a wait is what is left of the latency":                 {at(0, load(Global, 0), plain(9), use(0)), 1, 1 + 9 + 190 + 1},
		"what passes is scaled, too":                            {at(0, load(Global, 0), plain(10), use(0)), 0.5, 0.5 + 5 + (200 - 5.5) + 0.5},
		"shared memory":                                         {at(0, load(Shared, 1), use(1)), 1, 1 + 23 + 1},
		"local memory and special functions count nothing":      {at(0, load(Local, 0), load(Variable, 1), use(0, 1)), 1, 3},
		"a loop counts ten times, its waits for loads included": {join(at(0, load(Global, 0)), at(1, use(0))), 1, 1 + 10*(199+1)},
	} {
		t.Run(name, func(t *testing.T) { assert.InDelta(t, c.want, RegDem(c.code, c.occupancy), 1e-9) })
	}
}

func TestRegDemNeverCountsLessForMoreInstructions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		code := random(r)
		require.LessOrEqual(t, RegDem(code[:len(code)/2], 0.5), RegDem(code, 0.5)+1e-9)
	}
}
