package stall

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
)

// plain is an instruction that only issues.
func plain(stall int) Instruction { return Instruction{Stall: stall, Write: -1, Read: -1} }

// load releases a barrier when its result is there.
func load(m Memory, barrier int) Instruction {
	return Instruction{Memory: m, Stall: 1, Write: barrier, Read: -1}
}

// use waits for barriers.
func use(barriers ...int) Instruction {
	in := plain(1)
	for _, b := range barriers {
		in.Wait |= 1 << b
	}
	return in
}

// at puts instructions into loops.
func at(depth int, code ...Instruction) []Instruction {
	for i := range code {
		code[i].Depth = depth
	}
	return code
}

// head marks the first of them as the start of a loop.
func head(code []Instruction) []Instruction {
	code[0].Head = true
	return code
}

func join(parts ...[]Instruction) []Instruction {
	var out []Instruction
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestWaitIsTheLatencyLessWhatPassed(t *testing.T) {
	turns := func(n float64, code []Instruction) []Instruction {
		for i := range code {
			code[i].Turns = n
		}
		return code
	}
	copies := func(left int) []Instruction {
		wait := use(0)
		wait.Left = left
		return at(0, load(Global, 0), plain(100), load(Global, 0), plain(10), wait)
	}
	operands := plain(1)
	operands.Read = 3
	for name, c := range map[string]struct {
		code []Instruction
		want float64
	}{
		"nothing":                               {nil, 0},
		"stall counts add up":                   {at(0, plain(4), plain(2)), 6},
		"one instruction per cycle at most":     {at(0, plain(0), plain(0)), 2},
		"a load whose result is used at once":   {at(0, load(Global, 0), use(0)), 200 + 1},
		"a shared load":                         {at(0, load(Shared, 0), use(0)), 24 + 1},
		"a local load":                          {at(0, load(Local, 0), use(0)), 200 + 1},
		"a special function":                    {at(0, load(Variable, 0), use(0)), 24 + 1},
		"a unit that is not known":              {at(0, load(None, 0), use(0)), 24 + 1},
		"operands that are overwritten":         {at(0, operands, use(3)), 12 + 1},
		"a load that nobody uses":               {at(0, load(Global, 0), plain(4)), 5},
		"some work between":                     {at(0, load(Global, 0), plain(15), use(0)), 200 + 1},
		"enough work between":                   {at(0, load(Global, 0), plain(15), plain(250), use(0)), 1 + 15 + 250 + 1},
		"two barriers, the later one counts":    {at(0, load(Global, 0), load(Shared, 1), use(0, 1)), 200 + 1},
		"two barriers, one after the other":     {at(0, load(Global, 0), load(Shared, 1), use(1), plain(10), use(0)), 200 + 1},
		"two loads on one barrier":              {at(0, load(Global, 0), plain(50), load(Global, 0), use(0)), 51 + 200 + 1},
		"a wait for all copies":                 {copies(0), 101 + 200 + 1},
		"a wait for all copies but one":         {copies(1), 200 + 1},
		"a wait for all copies but two":         {copies(2), 1 + 100 + 1 + 10 + 1},
		"ten turns":                             {at(1, plain(4), plain(2)), 60},
		"a hundred turns":                       {at(2, plain(4), plain(2)), 600},
		"loops that follow each other":          {join(head(at(1, plain(4))), head(at(1, plain(2)))), 60},
		"a loop in a loop":                      {join(at(1, plain(3)), at(2, plain(5)), at(1, plain(2))), 10*3 + 100*5 + 10*2},
		"a loop that waits in each turn":        {at(1, load(Global, 0), use(0)), 10 * 201},
		"a loop that waits at its end's load":   {at(1, use(0), plain(100), load(Global, 0)), 102 + 9*(200+101)},
		"… which has passed":                    {at(1, use(0), load(Global, 0), plain(300)), 10 * 302},
		"a load before the loop, used in it":    {join(at(0, load(Global, 0)), at(1, use(0), plain(3))), 200 + 10*4},
		"a load in the loop, used behind it":    {join(at(1, load(Global, 0), plain(3)), at(0, use(0))), 9*4 + 200 + 1},
		"a loop that was unrolled":              {turns(2.5, at(1, plain(4), plain(4), plain(4), plain(4))), 40},
		"a rest that runs less than once":       {turns(0.25, at(1, load(Global, 0), use(0), plain(3))), 204. / 4},
		"inner loops that begin where it does":  {join(head(at(2, plain(1))), at(1, plain(1))), 100 + 10},
		"a loop whose inner one waits for it":   {join(at(1, load(Global, 0)), at(2, use(0))), 10 * (200 + 10)},
		"barriers that the hardware hasn't got": {at(0, Instruction{Memory: Global, Stall: 1, Write: 6, Read: 7}, use(6, 7)), 2},
	} {
		require.InDelta(t, c.want, Cycles(c.code, Usual), 1e-9, name)
	}
}

func TestLocalMemoryHasALatencyOfItsOwn(t *testing.T) {
	l := Usual
	l.Local = 30
	require.Equal(t, 31.0, Cycles(at(0, load(Local, 0), use(0)), l))
	require.Equal(t, 201.0, Cycles(at(0, load(Global, 0), use(0)), l))
}

// random makes a listing whose loops nest.
func random(r *rand.Rand) []Instruction {
	depth := 0
	out := make([]Instruction, 1+r.IntN(30))
	for i := range out {
		if r.IntN(4) == 0 {
			depth = min(4, max(0, depth+r.IntN(3)-1))
		}
		out[i] = Instruction{Memory: Memory(r.IntN(5)), Depth: depth, Stall: r.IntN(16), Write: r.IntN(18) - 12, Read: r.IntN(24) - 18, Head: r.IntN(6) == 0}
		if r.IntN(3) == 0 {
			out[i].Wait = uint8(r.IntN(64))
			out[i].Left = max(0, r.IntN(6)-3)
		}
		if r.IntN(5) == 0 {
			out[i].Turns = float64(r.IntN(40)) / 8
		}
	}
	return out
}

func TestLongerLatencyNeverTakesFewerCycles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		code := random(r)
		few := Latencies{float64(r.IntN(300)), float64(r.IntN(300)), float64(r.IntN(300)), float64(r.IntN(300)), float64(r.IntN(300))}
		before := Cycles(code, few)
		for _, field := range []*float64{&few.Shared, &few.Global, &few.Variable, &few.Local, &few.Read} {
			*field += float64(r.IntN(100))
			after := Cycles(code, few)
			require.GreaterOrEqual(t, after, before-1e-6, "%+v %+v", few, code)
			before = after
		}
	}
}

func TestDeeperLoopNeverTakesFewerCycles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		code := random(r)
		for i := range code {
			code[i].Turns = 0
		}
		before := Cycles(code, Usual)
		require.GreaterOrEqual(t, before, float64(len(code)))
		for i := range code {
			code[i].Depth++
		}
		require.GreaterOrEqual(t, Cycles(code, Usual), before, "%+v", code)
	}
}

func TestInstructionThatNobodyWaitsForNeverSavesCycles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		code := random(r)
		i := r.IntN(len(code))
		code[i].Write, code[i].Read, code[i].Head = -1, -1, false
		with := Cycles(code, Usual)
		code[i].Wait, code[i].Stall = 0, 0
		require.LessOrEqual(t, Cycles(code, Usual), with, "%+v", code)
	}
	for range 500 {
		code := random(r)
		for i := range code {
			code[i].Depth = min(1, code[i].Depth)
			code[i].Head, code[i].Turns = false, 0
		}
		i := r.IntN(len(code))
		if i > 0 && i+1 < len(code) && code[i-1].Depth > code[i].Depth && code[i].Depth < code[i+1].Depth {
			continue // two loops would become one
		}
		code[i].Write, code[i].Read = -1, -1
		with := Cycles(code, Usual)
		require.LessOrEqual(t, Cycles(append(code[:i:i], code[i+1:]...), Usual), with, "%d of %+v", i, code)
	}
}

func TestSkippedTurnsTakeWhatTheyWouldHave(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		code := random(r)
		var unrolled []Instruction
		for i := range code {
			code[i].Depth, code[i].Head, code[i].Turns = 0, false, 0
		}
		for range Turns {
			unrolled = append(unrolled, code...)
		}
		want := Cycles(unrolled, Usual)
		require.Equal(t, want, Cycles(at(1, code...), Usual))
	}
}

func TestWaitIsWithTheInstructionThatNeedsTheResult(t *testing.T) {
	code := join(at(0, load(Global, 0), plain(9), use(0)), at(1, plain(2), load(Shared, 1), use(1)))
	require.Equal(t, []float64{1, 9, 191, 20, 10, 240}, Spent(code, Usual))
	r := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		code := random(r)
		w := &walk{code: code, latencies: Usual, left: patience, spent: make([]float64, len(code))}
		for b := range w.free {
			w.free[b] = make([]float64, 1)
		}
		w.span(0, len(code), 0)
		sum := 0.0
		for i, cycles := range w.spent {
			require.Positive(t, cycles, "%d of %+v", i, code)
			sum += cycles
		}
		require.InEpsilon(t, w.now, sum, 1e-9, "they are all that passes")
	}
}

func TestManyLoopsInOneAnotherEnd(t *testing.T) {
	var code []Instruction
	for d := range 40 {
		one := load(Global, d%barriers)
		one.Depth, one.Wait = d, 1<<(d*5%barriers)
		code = append(code, one)
	}
	cycles := Cycles(code, Usual)
	require.False(t, math.IsInf(cycles, 0) || math.IsNaN(cycles))
	require.Greater(t, cycles, 1e11)
}

func TestMoreWarpsHideStallsButDoNotMakeUnitsFaster(t *testing.T) {
	v := Variant{Cycles: 1000}
	for warps, want := range map[float64]float64{1: 1000, 8: 125, 16: 62.5} {
		v.Warps = warps
		require.Equal(t, want, v.Cost())
	}
	v.Busy = 40
	for warps, want := range map[float64]float64{1: 1000, 8: 40 + 120, 16: 40 + 60, 64: 40 + 15} {
		v.Warps = warps
		require.Equal(t, want, v.Cost())
	}
	v.Warps = 0
	require.True(t, math.IsInf(v.Cost(), 1))
	require.Equal(t, 2000.0, Variant{Cycles: 1000, Warps: 64, Busy: 2000}.Cost(), "it is the unit that takes all the time")
}

func TestMoreOfAnythingNeverCostsLess(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 500 {
		v := Variant{Cycles: r.Float64() * 1000, Warps: float64(1 + r.IntN(64)), Busy: r.Float64() * 100}
		more := v
		more.Cycles += r.Float64()
		more.Busy += r.Float64()
		require.GreaterOrEqual(t, more.Cost(), v.Cost())
		more = v
		more.Warps++
		require.LessOrEqual(t, more.Cost(), v.Cost())
	}
}

func TestBusiestUnitIsWhatAWarpTakes(t *testing.T) {
	arch := func(name string) *gpu.Arch {
		g, err := gpu.Lookup(name)
		require.NoError(t, err)
		return &g.Arch
	}
	double := Mix{Issue: 100, Double: 64, Integer: 20, Memory: 4}
	require.Equal(t, 64.0, double.Busy(arch("a100")), "32 lanes")
	require.Equal(t, 32.0, double.Busy(arch("h100")), "64 lanes")
	require.Equal(t, 1024.0, double.Busy(arch("rtx3090")), "2 lanes")
	require.Equal(t, 25.0, Mix{Issue: 100, Float: 20}.Busy(arch("a100")), "four schedulers")
	require.Equal(t, 40.0, Mix{Issue: 100, Memory: 40}.Busy(arch("a100")))
	require.Equal(t, Mix{Issue: 21, Float: 2, Double: 3, Memory: 40}, Mix{Issue: 1, Double: 3}.Add(Mix{Issue: 2, Float: .2, Memory: 4}, 10))
	for _, g := range gpu.Default().All() {
		r := RatesOf(&g.Arch)
		for _, one := range []float64{r.Issue, r.Integer, r.Float, r.Double, r.Special, r.Memory} {
			require.Positive(t, one, g.Name)
		}
		require.LessOrEqual(t, r.Double, r.Float, g.Name)
	}
}

func BenchmarkCycles(b *testing.B) {
	r := rand.New(rand.NewPCG(11, 12))
	var code []Instruction
	for range 300 {
		code = append(code, random(r)...)
	}
	for b.Loop() {
		Cycles(code, Usual)
	}
}
