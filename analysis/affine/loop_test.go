package affine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHowOftenLoopsRun(t *testing.T) {
	for _, c := range []struct {
		name, loop string
		trip       string // "" where it is not known
		most       int64  // of any thread; -1 where it is not known
		counted    bool
	}{
		{"a number", "for (int i = 0; i < 10; i++) o[i] = 0;", "10", 10, true},
		{"the end is one of them", "for (int i = 0; i <= 10; i++) o[i] = 0;", "11", 11, true},
		{"downwards", "for (int i = 10; i > 0; i--) o[i] = 0;", "10", 10, true},
		{"downwards, the end is one of them", "for (int i = 10; i >= 0; i--) o[i] = 0;", "11", 11, true},
		{"steps that don't divide it", "for (int i = 0; i < 10; i += 4) o[i] = 0;", "3", 3, true},
		{"a condition that never holds", "for (int i = 10; i < 4; i++) o[i] = 0;", "0", 0, true},
		{"the other way round", "for (int i = 0; 10 > i; i++) o[i] = 0;", "10", 10, true},
		{"a parameter", "for (int i = 0; i < n; i++) o[i] = 0;", "n", -1, true},
		{"from the thread's number", "for (int i = threadIdx.x; i < 100; i += 32) o[i] = 0;", "", 4, true},
		{"until something else happens", "for (int i = 0; i < 10; i++) { if (o[i] > 0) break; o[i] = 0; }", "10", 10, false},
		{"until the data says so", "for (int i = 0; i < c[0]; i++) o[i] = 0;", "", -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, k := of(t, "__global__ void k(float *o, const int *c, int n) { "+c.loop+" }", [3]int{32, 1, 1})
			require.Len(t, k.Loops, 1)
			l := k.Loops[0]
			trip := ""
			if l.Known && l.Trip.Uniform() {
				trip = l.Trip.String()
			}
			assert.Equal(t, c.trip, trip)
			assert.Equal(t, c.most, l.Most)
			assert.Equal(t, c.counted, l.Counted)
		})
	}
}

// A variable is a multiple of the iteration number only where every iteration
// moves it, all writes are in sight, and nothing skips them.
func TestWhatIterationsDoNotMoveAlikeIsData(t *testing.T) {
	for name, body := range map[string]string{
		"skipped by continue":       "int j = 0; for (int i = 0; i < n; i++) { if (n > i + 9) continue; o[j] = 0; j += 2; }",
		"changed through a pointer": "int j = 0; int *p = &j; for (int i = 0; i < n; i++) { o[j] = 0; j += 2; *p = 7; }",
		"moved on one path":         "int j = 0; for (int i = 0; i < n; i++) { o[j] = 0; if (n > 3) j += 2; }",
	} {
		_, k := of(t, "__global__ void k(float *o, int n) { "+body+" }", [3]int{32, 1, 1})
		l := k.Loops[0]
		for _, x := range k.Accesses {
			if x.Array.Name() == "o" {
				assert.Zero(t, x.Address.Step(l), "%s: %s", name, x.Address)
			}
		}
	}
	_, k := of(t, "__global__ void k(float *o, int n) { int j = 0; for (int i = 0; i < n; i++) { o[j] = 0; j += 2; } }", [3]int{32, 1, 1})
	assert.Equal(t, int64(8), k.Accesses[0].Address.Step(k.Loops[0]))
}

// A remainder is below its divisor, and a quotient of it below the quotient of
// the bounds: what is looked up at it has a size.
func TestBoundsOfRemaindersAndQuotients(t *testing.T) {
	for index, want := range map[string]int64{
		"c[threadIdx.x] % 16":        15,
		"c[threadIdx.x] & 15":        15,
		"(c[threadIdx.x] & 15) / 4":  3,
		"(c[threadIdx.x] & 15) >> 1": 7,
		"c[threadIdx.x]":             -1,
		"c[threadIdx.x] | 15":        -1,
	} {
		_, k := of(t, "__global__ void k(const char *a, char *o, const int *c) { o[threadIdx.x] = a[("+index+")]; }", [3]int{32, 1, 1})
		found := false
		for _, x := range k.Accesses {
			if x.Array.Name() != "a" {
				continue
			}
			found = true
			require.Len(t, x.Address.Terms, 1, index)
			assert.Equal(t, want, x.Address.Terms[0].Axis.Max, index)
		}
		assert.True(t, found, index)
	}
}
