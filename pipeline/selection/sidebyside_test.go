package selection

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/sim"
)

// slowFirst is a compiler that has not done with the first place before another is asked, and spills in some.
type slowFirst struct {
	fake
	first  string
	spills map[string]int
	asked  *atomic.Int32
}

func (s slowFirst) Variant(p Place, w Variant) (Resources, error) {
	s.asked.Add(1)
	for end := time.Now().Add(20 * time.Second); p.GPU.Name == s.first && s.asked.Load() < 2 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	r, err := s.fake.Variant(p, w)
	r.Spills = s.spills[p.GPU.Name]
	return r, err
}

// TestPlacesAreAskedSideBySide: what is said is what the places say one after the other.
func TestPlacesAreAskedSideBySide(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("there is one processor")
	}
	p := places(t, waiting(64, 8000), "gtx480", "a100", "t4", "h100")
	for name, c := range map[string]struct {
		spills map[string]int
		says   string
	}{
		"none spills":              {nil, ""},
		"two spill":                {map[string]int{"gtx480": 8, "a100": 4}, "on gtx480 the compiler spills 8 bytes"},
		"one spills":               {map[string]int{"a100": 4}, "on a100 the compiler spills 4 bytes"},
		"the last spills":          {map[string]int{"h100": 4}, "on h100 the compiler spills 4 bytes"},
		"all but the first spills": {map[string]int{"a100": 4, "t4": 8, "h100": 12}, "on a100 the compiler spills 4 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			s := slowFirst{fake{registers: 20, costly: true}, "gtx480", c.spills, &atomic.Int32{}}
			r, err := newRanker(request(s, p), p)
			require.NoError(t, err)
			out := r.stands(named2, s.Variant)
			assert.Equal(t, c.says != "", out.Spills)
			assert.Contains(t, out.Excluded, c.says)
			if c.says == "" {
				require.Len(t, out.Places, len(p))
				assert.Empty(t, out.Excluded)
				assert.Equal(t, p[3].GPU.String(), out.Places[3].GPU)
			}
			assert.Greater(t, int(s.asked.Load()), 1, "the first place has not answered when the second is asked")
		})
	}
}

// TestEqualWorkIsSimulatedOnce: names make no difference, numbers do, and what fails is asked again.
func TestEqualWorkIsSimulatedOnce(t *testing.T) {
	asked, fails := 0, error(nil)
	clock := Once(func(p Place, policy sim.Policy) (float64, error) {
		asked++
		return float64(asked), fails
	})
	one, other := waiting(64, 8000), waiting(64, 8000)
	other.Name, other.Assumptions = "another", []string{"something"}
	larger := waiting(64, 9000)
	g, h := board(t, "a100"), board(t, "t4")
	for _, c := range []struct {
		p      Place
		policy sim.Policy
		want   float64
	}{
		{Place{GPU: g, Work: one}, sim.Policy{}, 1},
		{Place{GPU: g, Work: other}, sim.Policy{}, 1},
		{Place{GPU: h, Work: one}, sim.Policy{}, 2},
		{Place{GPU: g, Work: one}, sim.Policy{N: 2}, 3},
		{Place{GPU: g, Work: larger}, sim.Policy{}, 4},
		{Place{GPU: g, Work: one}, sim.Policy{}, 1},
	} {
		got, err := clock(c.p, c.policy)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	fails = errors.New("no")
	for range 2 {
		_, err := clock(Place{GPU: g, Work: one}, sim.Policy{N: 4})
		assert.Error(t, err)
	}
	assert.Equal(t, 6, asked)
}
