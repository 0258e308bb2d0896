package machine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
)

// The original bears what it bears, and its variants are checked alike.
func TestHowStrictlyIsChecked(t *testing.T) {
	failure := &record.Failure{Kind: record.FailedCrash, Text: "it crashes"}
	for name, c := range map[string]struct {
		strict func(ctx context.Context, turn int) (string, error) // what a strict run prints
		plain  error
		want   runKind
	}{
		"it bears all":   {func(context.Context, int) (string, error) { return "a", nil }, nil, strictRun},
		"it crashes":     {func(context.Context, int) (string, error) { return "", failure }, nil, checkRun},
		"it differs":     {func(_ context.Context, turn int) (string, error) { return string(rune('a' + turn)), nil }, nil, checkRun},
		"it hangs":       {func(ctx context.Context, _ int) (string, error) { <-ctx.Done(); return "", ctx.Err() }, nil, checkRun},
		"it bears none":  {func(context.Context, int) (string, error) { return "", failure }, failure, 0},
		"it just begins": {func(_ context.Context, turn int) (string, error) { return "a", nil }, failure, strictRun},
	} {
		var all checks
		var kinds []runKind
		turn := 0
		run := func(ctx context.Context, kind runKind) (Outputs, error) {
			kinds = append(kinds, kind)
			turn++
			printed, err := "a", c.plain
			if kind == strictRun {
				printed, err = c.strict(ctx, turn)
			}
			if err != nil {
				return nil, err
			}
			return outputs(t, Rules{}, true, 0, nil, printed), nil
		}
		out, err := all.check(t.Context(), true, 20*time.Millisecond, run)
		if c.want == 0 {
			assert.ErrorIs(t, err, failure, name)
			assert.Nil(t, out, name)
			continue
		}
		require.NoError(t, err, name)
		require.NotNil(t, out, name)
		kinds = nil
		_, _ = all.check(t.Context(), false, time.Minute, run)
		_, _ = all.check(t.Context(), true, time.Minute, run)
		assert.Equal(t, []runKind{c.want, c.want}, kinds, "%s: a variant, and the original once more", name)
	}
	var all checks
	out, err := all.check(t.Context(), true, time.Minute, func(context.Context, runKind) (Outputs, error) { return nil, nil })
	require.NoError(t, err)
	assert.Nil(t, out, "there isn't enough memory")
}
