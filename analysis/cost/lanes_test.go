package cost

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersAreThoseOfEachThread computes random operations by lanes, and thread by
// thread, here and in the next thread block.
func TestNumbersAreThoseOfEachThread(t *testing.T) {
	const n = 8
	r := rand.New(rand.NewPCG(1, 2))
	random := func() value {
		v := value{known: true, exact: true, s: r.Int64N(40) - 10, next: [3]int64{r.Int64N(3), 0, r.Int64N(2) * 64}}
		if r.IntN(3) > 0 {
			of := make([]int64, n)
			for i := range of {
				of[i] = int64(i) * (r.Int64N(2) + 1)
			}
			v.v = newLanes(of)
		}
		return v
	}
	for range 3000 {
		tok := [...]string{"+", "-", "*", "<<", "/", "%", "<", ">=", "==", "min", "max", "&", "&&"}[r.IntN(13)]
		a, b := random(), random()
		if tok == "<<" {
			b = value{known: true, exact: true, s: r.Int64N(5)}
		}
		got := numeric(tok, a, b)
		known := true
		for i := range n {
			_, ok := apply(tok, a.at(i), b.at(i))
			known = known && ok
		}
		require.Equal(t, known, got.known, "%v %s %v", a, tok, b)
		for i := 0; known && i < n; i++ {
			want, _ := apply(tok, a.at(i), b.at(i))
			require.Equal(t, want, got.at(i), "%v %s %v", a, tok, b)
			for d := range got.next {
				if then, ok := apply(tok, a.at(i)+a.next[d], b.at(i)+b.next[d]); !got.apart && ok {
					require.Equal(t, then, got.at(i)+got.next[d], "%v %s %v", a, tok, b)
				}
			}
		}
	}
}
