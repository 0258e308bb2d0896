package sim

import (
	"testing"

	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParsePolicyReadsWhatStringWrites(t *testing.T) {
	for _, p := range Policies() {
		got, err := ParsePolicy(p.String())
		require.NoError(t, err, p)
		assert.Equal(t, p, got)
	}
	for seed := range uint64(2000) {
		d := newDraw(seed)
		p := d.policy()
		p.Shared, p.Registers = d.IntN(3)*1000, d.IntN(3)*20
		if p.Kind == CoVTB || p.Kind == CoHW {
			p.Private = float64(d.IntN(65)) / 64
		}
		if p.check() != nil {
			continue
		}
		got, err := ParsePolicy(p.String())
		require.NoError(t, err, p)
		assert.Equal(t, p, got)
	}
}

func TestParsePolicyFillsIn(t *testing.T) {
	for text, want := range map[string]Policy{
		"baseline":               {},
		"vtb":                    {Kind: VTB, N: 2},
		"vtb:N=4:named":          {Kind: VTB, Sync: Named, N: 4},
		"pipe":                   {Kind: Pipe, N: 2},
		"dyn:N=4":                {Kind: Dyn, Sync: Lock, N: 4, M: 1},
		"hw":                     {Kind: HW, Cap: 2},
		"co-hw:K+3:P=0.5":        {Kind: CoHW, Cap: 3, Private: 0.5},
		"merge:N=3:S=900:R=40":   {Kind: Merge, N: 3, Shared: 900, Registers: 40},
		"dyn:M=2:persistent":     {Kind: Dyn, Sync: Lock, N: 2, M: 2, Persistent: true},
		"co-vtb:lock:N=2:P=0.25": {Kind: CoVTB, Sync: Lock, N: 2, Private: 0.25},
	} {
		got, err := ParsePolicy(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestParsePolicySaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                "no kind",
		"vtbx":            "there are baseline, vtb",
		"vtb:N=0":         "at least 1",
		"vtb:N=-2":        "not a whole number",
		"vtb:even":        "vtb has no use for even",
		"vtb:K+2":         "vtb has no use for a cap",
		"vtb:Q=2":         `no knob "Q"`,
		"vtb:2":           `can't read "2"`,
		"vtb:N=2:N=3":     "N is given twice",
		"vtb:block:named": "the sync mode is given twice",
		"vtb:named:N=15":  "N is at most 14",
		"dyn:lock:N=16":   "15 that are free",
		"dyn:N=2:M=3":     "M must be from 1 to N",
		"dyn:block":       "by locks only",
		"pipe:N=3":        "two v-TBs",
		"merge:lock":      "no turns by locks",
		"co-vtb:P=1.5":    "from 0 to 1",
		"co-vtb:P=NaN":    "from 0 to 1",
		"hw:named":        "hw has no use for a sync mode",
		"baseline:N=2":    "baseline has no use for N",
		"vtb:persistent":  "no v-TB has a head start",
	} {
		_, err := ParsePolicy(text)
		var e *PolicyError
		require.ErrorAs(t, err, &e, text)
		assert.Contains(t, e.Error(), want, text)
	}
}

func TestIllegalPoliciesSayWhy(t *testing.T) {
	wide := &workload.Kernel{Threads: 512, Registers: 20, Shared: 9000, Body: parse(t, "R(C9)")}
	odd := &workload.Kernel{Threads: 48, Registers: 20, Shared: 4000, Body: parse(t, "R(C9)")}
	for _, c := range []struct {
		k    *workload.Kernel
		p    Policy
		want string
	}{
		{wide, Policy{Kind: VTB, N: 4}, "4 x 512 threads are more than the 1024"},
		{wide, Policy{Kind: VTB, N: 2, Registers: 64}, "64 registers"},
		{wide, Policy{Kind: Merge, N: 2}, "at most 16384"},
		{wide, Policy{Kind: VTB, N: 2, Shared: 60000}, "60000 bytes"},
		{odd, Policy{Kind: VTB, Sync: Named, N: 2}, "a multiple of 32 threads, not 48"},
		{odd, Policy{Kind: VTB}, "N must be at least 1"},
	} {
		_, err := Run(fermi(), c.k, c.p, Options{})
		var e *IllegalError
		require.ErrorAs(t, err, &e, c.want)
		assert.Contains(t, e.Error(), c.want)
	}
	set := hopper()
	set.Carveout = 100 << 10
	_, err := Run(set, &workload.Kernel{Threads: 64, Shared: 60000, Body: odd.Body}, Policy{Kind: Merge, N: 2}, Options{})
	assert.ErrorContains(t, err, "120000 bytes of shared memory; the SM is set to 102400")
	_, err = Run(fermi(), wide, Policy{Kind: VTB, N: 2, Registers: 64}, Options{})
	var impossible *occupancy.ImpossibleError
	assert.ErrorAs(t, err, &impossible, "the reason can be asked for")
}

func TestTheSplitOfCoVTBFillsWhatIsLeft(t *testing.T) {
	// MC of PACT'12: 24 rows of 384 bytes on 16 kB; two v-TBs, 18 private rows fit.
	k := &workload.Kernel{Threads: 32, Registers: 30, Shared: 9216, Body: parse(t, "R(C9)")}
	pl, err := Place(fermi(), k, Policy{Kind: CoVTB, N: 2})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, pl.Policy.Private, 18.0/24)
	assert.Less(t, pl.Policy.Private, 19.0/24)
	assert.LessOrEqual(t, pl.Demand.Shared, 16<<10)
}

func TestHardwareRunsMoreBlocksUpToTheCap(t *testing.T) {
	k := &workload.Kernel{Threads: 64, Registers: 30, Shared: 8736, Body: parse(t, "C900 R(C100) C900")}
	pl, err := Place(fermi(), k, Policy{Kind: HW, Cap: 3})
	require.NoError(t, err)
	assert.Equal(t, 1, pl.Static.Blocks)
	assert.Equal(t, 4, pl.Resident)
	pl, err = Place(fermi(), k, Policy{Kind: HW, Cap: 30})
	require.NoError(t, err)
	assert.Equal(t, 8, pl.Resident, "the SM has eight slots for blocks")
}
