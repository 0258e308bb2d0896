package regreduce

import (
	"context"
	"testing"

	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheCheapestRungThatWorksIsTaken(t *testing.T) {
	words := each(16, "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7")
	for name, c := range map[string]struct {
		kernel func(*fake)
		change func(*Subject, *Options)
		recipe string // "" if nothing is accepted
		why    string
	}{
		"a cap is enough": {
			kernel: func(f *fake) {},
			recipe: "bounds=256,5", why: "cap: 56 -> 48 registers, 4 -> 5 thread blocks per SM on a100, no spills",
		},
		"a cap that spills a little is taken where nothing avoids it": {
			kernel: func(f *fake) { f.spills = 16; f.words = words },
			recipe: "bounds=256,5", why: "cap: 56 -> 48 registers, 4 -> 5 thread blocks per SM on a100, 0 -> 16 bytes spilled",
		},
		"a stack frame that is rounded up is not an array": {
			kernel: func(f *fake) {
				f.spills = 8
				f.elsewhere = func(_ string, o Figures) Figures { o.Stack = (o.Stack + 15) / 16 * 16; return o }
			},
			recipe: "bounds=256,5",
		},
		"a pin that avoids little spills is better than the cap": {
			kernel: func(f *fake) { f.spills = 16; f.pins = each(16, "p") },
			recipe: "bounds=256,5 pin=p", why: "pin: 56 -> 48 registers, 4 -> 5 thread blocks per SM on a100, no spills",
		},
		"a loop that is not unrolled": {
			kernel: func(f *fake) { f.spills = 80; f.unroll = each(80, "20") },
			recipe: "bounds=256,5 unroll=20:1",
		},
		"the largest factor that does as much": {
			kernel: func(f *fake) { f.spills = 80; f.unroll = each(160, "20") },
			recipe: "bounds=256,5 unroll=20:2",
		},
		"two loops, not all three": {
			kernel: func(f *fake) { f.spills = 80; f.unroll = each(40, "20", "10") },
			recipe: "bounds=256,5 unroll=10:1,20:1",
		},
		"all loops together": {
			kernel: func(f *fake) { f.spills = 90; f.unroll = each(30, "10", "20", "30") },
			recipe: "bounds=256,5 unroll=10:1,20:1,30:1",
		},
		"an array that leaves the registers is worse than spills": {
			kernel: func(f *fake) {
				f.spills, f.pins = 80, each(80, "p")
				f.elsewhere = func(_ string, o Figures) Figures {
					if o.SpillStores == 4 { // what the unrolling makes of it
						o.SpillStores, o.SpillLoads, o.Stack = 0, 0, 160
					}
					return o
				}
				f.unroll = each(72, "20")
			},
			recipe: "bounds=256,5 pin=p",
		},
		"the fewest pins": {
			kernel: func(f *fake) { f.spills = 80; f.pins = each(40, "i", "q") },
			recipe: "bounds=256,5 pin=i,q",
		},
		"pins upon fewer unrolled turns": {
			kernel: func(f *fake) { f.spills = 80; f.pins = each(40, "p"); f.unroll = each(40, "30") },
			recipe: "bounds=256,5 unroll=30:1 pin=p",
		},
		"the fewest words": {
			kernel: func(f *fake) { f.spills = 80; f.words = words; f.perWord = 2 },
			recipe: "bounds=256,5 demote=w0,w1,w2,w3,w4",
		},
		"a word that saves nothing is omitted": {
			kernel: func(f *fake) { f.spills = 80; f.words = each(20, "w0", "w2", "w3", "w5") },
			recipe: "bounds=256,5 demote=w0,w2,w3,w5",
		},
		"the form that does it": {
			kernel: func(f *fake) { f.spills = 80; f.words = each(8, "w0", "w1", "w2", "w3", "w4", "w5", "w6"); f.asm = 32 },
			recipe: "bounds=256,5 demote=w0,w1,w2,w3,w4,w5 form=asm",
		},
		"words that cost too many accesses": {
			kernel: func(f *fake) { f.spills = 80; f.words = words; f.access = 2 },
			why:    "demote: 160 weighted accesses to shared memory for 80 to local memory, 2.0 times as many, 1.5 allowed",
		},
		"words that cost too many instructions": {
			kernel: func(f *fake) { f.spills = 80; f.words = words; f.perWord = 20 },
			why:    "demote: 10.0 % more instructions, 7.1 % allowed",
		},
		"a cap that grows the code": {
			kernel: func(f *fake) {
				f.elsewhere = func(_ string, o Figures) Figures {
					if o.Registers == 48 {
						o.Instructions = 1230
					}
					return o
				}
			},
			why: "cap: 23.0 % more instructions, 5.0 % allowed",
		},
		"no room for words": {
			kernel: func(f *fake) { f.spills = 80; f.words = words; f.static = 31<<10 + 512 },
			why:    "demote: shared memory has no room for another word per thread at 5 thread blocks per SM",
		},
		"nothing is demoted below 32 registers": {
			kernel: func(f *fake) { f.registers, f.cap, f.spills, f.words = 40, 32, 80, words },
			change: func(_ *Subject, o *Options) { o.Rules.Least = 40 },
			why:    "demote: the step needs 32 registers, and nothing is demoted below 40",
		},
		"nvcc refuses words": {
			kernel: func(f *fake) {
				f.spills = 80
				f.refuse = func(r variant.Recipe) error {
					if len(r.Words) > 0 {
						return &RefusedError{"w0 is captured"}
					}
					return nil
				}
			},
			why: "refused: w0 is captured",
		},
		"no bound and no __maxnreg__": {
			change: func(s *Subject, _ *Options) { s.Bounded = false },
			why:    "cap: not all launches are in view, so one may exceed launch bounds, and __maxnreg__ needs CUDA 12.4, not 11.0",
		},
		"__maxnreg__ where there is no bound": {
			kernel: func(f *fake) { f.major, f.minor = 12, 4 },
			change: func(s *Subject, _ *Options) { s.Bounded = false },
			recipe: "maxnreg=48",
		},
		"spills to shared memory by the compiler itself": {
			kernel: func(f *fake) { f.spills, f.major = 80, 13 },
			recipe: "bounds=256,5 spill=shared",
		},
		"only the rungs that were asked for": {
			kernel: func(f *fake) { f.spills, f.pins, f.words = 80, each(80, "p"), words },
			change: func(_ *Subject, o *Options) { o.Rungs = []string{RungDemote} },
			recipe: "bounds=256,5 demote=w0,w1,w2,w3,w4",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := registerLimited()
			if c.kernel != nil {
				c.kernel(f)
			}
			if c.change == nil {
				c.change = func(*Subject, *Options) {}
			}
			r := climb(t, f, c.change)
			assert.Equal(t, c.recipe, r.Recipe().String())
			assert.Contains(t, r.Why, c.why)
			assert.NotContains(t, r.Why, "\n")
			assert.LessOrEqual(t, len(f.runs), 25, "compilations")
			keepsTheRules(t, f, subject(), Options{GPUs: gpus(t, "a100"), Rules: Usual}, r)
		})
	}
}

func TestAKernelThatHasNoStepIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		registers, static, flat int
		why                     string
	}{
		"threads limit":            {registers: 32, why: "a100: 8 thread blocks per SM, and fewer registers give no more: the SM is full"},
		"shared memory limits":     {registers: 56, static: 48 << 10, why: "a100: 3 thread blocks per SM, and fewer registers give no more: shared memory limits, registers don't"},
		"both limit":               {registers: 56, static: 40 << 10, why: "a100: 4 thread blocks per SM, and fewer registers give no more: shared memory and registers limit together"},
		"the curve is flat":        {registers: 56, flat: 4, why: "a100: 4 thread blocks per SM, and more than 4 were measured to gain nothing"},
		"the curve is flat before": {registers: 56, flat: 3, why: "a100: 4 thread blocks per SM, and more than 3 were measured to gain nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			f := registerLimited()
			f.registers, f.static = c.registers, c.static
			r := climb(t, f, func(_ *Subject, o *Options) { o.Rules.Flat = c.flat })
			assert.Equal(t, CodeNoStep, r.Code)
			assert.Equal(t, -1, r.Chosen)
			assert.Contains(t, r.Why, c.why)
			assert.Len(t, f.runs, 1, "it is compiled as it stands alone")
		})
	}
}

func TestTheTargetIsTheFirstGPUThatRegistersLimit(t *testing.T) {
	r := climb(t, registerLimited(), func(_ *Subject, o *Options) { o.GPUs = gpus(t, "t4", "a100", "h100") })
	assert.Equal(t, "a100", r.GPU)
	require.Equal(t, CodeDemoted, r.Code, r.Why)
	assert.Len(t, r.Attempts[r.Chosen].Elsewhere, 2)
}

func TestAGPUThatGetsWorseForbidsARung(t *testing.T) {
	f := registerLimited()
	f.spills = 80
	f.pins = each(80, "p")
	f.words = each(80, "w0")
	f.elsewhere = func(arch string, o Figures) Figures {
		switch {
		case arch == "sm_90" && o.Registers == 48 && o.LocalWeight == 0 && o.Shared == 0:
			o.Registers = 90 // of the pin
		case arch == "sm_90" && o.Shared > 0:
			o.SpillStores = 200 // of the word
		}
		return o
	}
	both := func(_ *Subject, o *Options) { o.GPUs = gpus(t, "a100", "h100") }
	r := climb(t, f, both)
	assert.Equal(t, -1, r.Chosen)
	assert.Contains(t, r.Why, "pin: on h100 2 thread blocks run instead of 4")
	assert.Contains(t, r.Why, "demote: on h100 200 bytes are spilled, 16 allowed")
	alone := climb(t, f)
	assert.Equal(t, "bounds=256,5 pin=p", alone.Recipe().String(), "it is the h100 that forbids it")
}

func TestAKernelThatCannotBeCompiledForAGPUCannotGetWorseThere(t *testing.T) {
	f := registerLimited()
	refusing := &refusesArch{fake: f, arch: "sm_90"}
	r, err := Reduce(context.Background(), subject(), refusing, Options{GPUs: gpus(t, "a100", "h100"), Rules: Usual})
	require.NoError(t, err)
	assert.Equal(t, "bounds=256,5", r.Recipe().String())
	assert.Empty(t, r.Attempts[r.Chosen].Elsewhere)
}

type refusesArch struct {
	*fake
	arch string
}

func (f *refusesArch) Compile(ctx context.Context, s Subject, r variant.Recipe, arch string) (Figures, error) {
	if arch == f.arch {
		return Figures{}, errBroken
	}
	return f.fake.Compile(ctx, s, r, arch)
}

func (f *refusesArch) Begin(ctx context.Context, s Subject, r variant.Recipe, arch string) (*Begun, error) {
	return begun(f.Compile(ctx, s, r, arch))
}

func TestTheCompilersErrorOnTheKernelAsItStandsIsReturned(t *testing.T) {
	f := registerLimited()
	f.refuse = func(variant.Recipe) error { return errBroken }
	_, err := Reduce(context.Background(), subject(), f, Options{GPUs: gpus(t, "a100"), Rules: Usual})
	assert.ErrorIs(t, err, errBroken)
}

func TestAnInterruptedClimbReturnsTheContextsError(t *testing.T) {
	for n := range 12 {
		ctx, cancel := context.WithCancel(context.Background())
		f := registerLimited()
		f.spills, f.words = 80, each(16, "w0", "w1", "w2", "w3", "w4", "w5")
		seen := 0
		_, err := Reduce(ctx, subject(), f, Options{GPUs: gpus(t, "a100", "h100"), Rules: Usual, Progress: func(string) {
			if seen++; seen > n {
				cancel()
			}
		}})
		assert.ErrorIs(t, err, context.Canceled, "after %d compilations", n)
		assert.LessOrEqual(t, len(f.runs), n+2)
		cancel()
	}
}
