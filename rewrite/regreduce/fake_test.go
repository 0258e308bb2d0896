package regreduce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// fake is a kernel as a compiler might find it: what it needs, and by how much
// each part of a recipe makes it need less.
type fake struct {
	major, minor int
	registers    int            // as it stands
	cap          int            // registers under any cap
	spills       int            // bytes, under a cap
	unroll       map[string]int // bytes that a loop saves at factor 1; half at 2, none at 4
	pins         map[string]int // bytes that a pin saves
	words        map[string]int // … and a word
	access       float64        // weighted shared accesses of a word per byte that it saves
	instructions int
	perWord      int // instructions that a word adds
	asm          int // bytes that the asm form saves more
	static       int // shared bytes
	elsewhere    func(arch string, f Figures) Figures
	refuse       func(variant.Recipe) error

	mutex sync.Mutex
	runs  []string // "sm_80 bounds=256,5"
}

func (f *fake) Version() (int, int) { return max(f.major, 11), f.minor }

func (f *fake) Arch(g *gpu.GPU) string { return g.Arch.SM() }

func (f *fake) Compile(ctx context.Context, s Subject, r variant.Recipe, arch string) (Figures, error) {
	f.mutex.Lock()
	f.runs = append(f.runs, arch+" "+r.String())
	f.mutex.Unlock()
	if err := ctx.Err(); err != nil {
		return Figures{}, err
	}
	if f.refuse != nil {
		if err := f.refuse(r); err != nil {
			return Figures{}, err
		}
	}
	out := Figures{Registers: f.registers, Shared: f.static, Barriers: 1, Instructions: f.instructions, SharedWeight: 100}
	left := 0
	if r.Blocks > 0 || r.MaxRegisters > 0 {
		out.Registers, left = f.cap, f.spills
	}
	for _, u := range r.Unroll {
		left -= f.unroll[u.Loop] / map[int]int{1: 1, 2: 2, 4: 1 << 20}[u.Factor]
	}
	for _, p := range r.Pins {
		left -= f.pins[p]
	}
	for _, w := range r.Words {
		saved := min(max(left, 0), f.words[w])
		left -= f.words[w]
		out.SharedWeight += f.access * float64(saved)
		out.Instructions += f.perWord
		out.Shared += 4 * s.Threads
	}
	if r.Form == variant.FormAsm {
		left -= f.asm
	}
	if r.Spill {
		left = 0
	}
	left = max(0, left) / 8 * 8
	out.SpillStores, out.SpillLoads, out.Stack = left/2, left/2, left/2
	out.LocalWeight = float64(left)
	out.Instructions += left / 4
	if f.elsewhere != nil {
		out = f.elsewhere(arch, out)
	}
	out.Stall = float64(out.Instructions)
	return out, nil
}

func (f *fake) Begin(ctx context.Context, s Subject, r variant.Recipe, arch string) (*Begun, error) {
	return begun(f.Compile(ctx, s, r, arch))
}

// begun tells what the machine code has once it is looked at.
func begun(f Figures, err error) (*Begun, error) {
	if err != nil {
		return nil, err
	}
	b := &Begun{Figures: f, rest: func(_ context.Context, out *Figures) error { *out = f; return nil }}
	b.Instructions, b.LocalWeight, b.SharedWeight, b.Stall = 0, 0, 0, 0
	return b, nil
}

// subject has 256 threads, three loops, four pins and eight words.
func subject() Subject {
	found := &demotion.Candidates{}
	for i, depth := range []int{0, 1, 1} {
		found.Loops = append(found.Loops, demotion.Loop{Name: fmt.Sprint(10 * (i + 1)), Depth: depth})
	}
	for _, name := range []string{"i", "j", "p", "q"} {
		found.Pins = append(found.Pins, demotion.Pin{Name: name})
	}
	for i := range 8 {
		found.Words = append(found.Words, demotion.Word{Name: fmt.Sprintf("w%d", i), Words: 1, Reads: float64(i)})
	}
	return Subject{Threads: 256, Bounded: true, Candidates: found}
}

// registerLimited is a kernel that 56 registers hold at 4 thread blocks per SM of an
// A100, and whose next step takes 48.
func registerLimited() *fake {
	return &fake{registers: 56, cap: 48, instructions: 1000, access: 1}
}

func gpus(t testing.TB, names ...string) []*gpu.GPU {
	t.Helper()
	var out []*gpu.GPU
	for _, name := range names {
		g, err := gpu.Lookup(name)
		require.NoError(t, err)
		out = append(out, g)
	}
	return out
}

func climb(t *testing.T, f *fake, change ...func(*Subject, *Options)) *Report {
	t.Helper()
	s, opt := subject(), Options{GPUs: gpus(t, "a100"), Rules: Usual}
	for _, c := range change {
		c(&s, &opt)
	}
	r, err := Reduce(context.Background(), s, f, opt)
	require.NoError(t, err)
	return r
}

// each gives every name the same number.
func each(n int, names ...string) map[string]int {
	out := map[string]int{}
	for _, name := range names {
		out[name] = n
	}
	return out
}

var errBroken = errors.New("error: expected a ;")

func tried(r *Report, rung string) bool {
	return slices.ContainsFunc(r.Attempts, func(a Attempt) bool { return a.Rung == rung })
}
