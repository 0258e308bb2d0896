package execute_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/verify/execute"
)

func TestOrdersAreReadAsTheyAreWritten(t *testing.T) {
	for text, order := range map[string]execute.Schedule{
		"ascending":                   {Kind: "ascending"},
		"descending":                  {Kind: "descending"},
		"random:3":                    {Kind: "random", Seed: 3},
		"steps:":                      {Kind: "steps"},
		"steps:0*2.13.1":              {Kind: "steps", Steps: "0*2.13.1"},
		"steps:any:7":                 {Kind: "steps", Steps: "any:7"},
		"random:18446744073709551615": {Kind: "random", Seed: 1<<64 - 1},
	} {
		got, err := execute.ParseSchedule(text)
		assert.NoError(t, err)
		assert.Equal(t, order, got)
		assert.Equal(t, text, got.String())
	}
	got, err := execute.ParseSchedule("random")
	assert.NoError(t, err)
	assert.Equal(t, "random:1", got.String())
	assert.Equal(t, "ascending", execute.Schedule{}.String())
	assert.Equal(t, "steps:0*2.13.1", execute.StepsOf([]int{0, 0, 13, 1}).String())
	for _, bad := range []string{"", "steps", "steps:x", "steps:1..2", "steps:any:", "up", "random:", "random:-1", "random:x", "ascending:1", "Random"} {
		_, err := execute.ParseSchedule(bad)
		assert.ErrorContains(t, err, "random:SEED", bad)
	}
}
