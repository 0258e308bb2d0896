package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFewerRegistersBringTheBlocksThatTheyLeaveRoomFor(t *testing.T) {
	g := board(t, "gtx480")
	work := waiting(256, 1024)
	work.Registers = 40 // 3 blocks; 32 leave room for 4
	p := Place{GPU: g, Work: work}
	same, err := p.Expect(Variant{}, 40)
	require.NoError(t, err)
	assert.Equal(t, 1.0, same.Ratio)
	assert.Equal(t, same.Before.Blocks, same.After.Blocks)
	capped, err := p.Expect(Variant{}, 32)
	require.NoError(t, err)
	assert.Greater(t, capped.After.Blocks, capped.Before.Blocks)
	assert.Greater(t, capped.Ratio, 1.0, "a kernel that waits gains by more blocks")
	assert.Equal(t, 32, capped.After.Registers)
}

func TestExpectedOfARewriteIsWhatTheRankingSays(t *testing.T) {
	r := one(t, exchange+`void run(float *a, float *b) { k<<<100000, 64>>>(a, b, 64); }`, "gtx480@16")
	require.NotEmpty(t, r.Ranking)
	best := r.Ranking[0]
	got, err := r.Places()[0].Expect(best.Variant, best.Places[0].After.Registers)
	require.NoError(t, err)
	assert.Equal(t, best.Places[0].Ratio, got.Ratio)
	assert.Equal(t, best.Places[0].After.Blocks, got.After.Blocks)
	_, err = r.Places()[0].Expect(Variant{Rewriter: "vtb", Sync: "named", Factor: 40}, 20)
	assert.Error(t, err, "so many threads no block has")
}
