package variant

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecipesAreReadAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{
		"",
		"bounds=256,3",
		"bounds=128",
		"maxnreg=40",
		"unroll=57:1,80.2:4,helpers.cuh:12:2",
		"bounds=64,8 unroll=3:1 pin=i,p@41 demote=sum,acc@helpers.cuh:33 form=asm",
		"bounds=64,8 spill=shared",
	} {
		r, err := ParseRecipe(text)
		require.NoError(t, err, text)
		assert.Equal(t, text, r.String())
	}
	r, err := ParseRecipe("demote=a form=volatile")
	require.NoError(t, err)
	assert.Equal(t, "demote=a", r.String(), "the default form is not written")
}

func TestWrongRecipesAreNotRead(t *testing.T) {
	for text, why := range map[string]string{
		"bounds":                 "key=value",
		"bounds=":                "key=value",
		"bounds=0":               "threads,blocks",
		"bounds=1,2,3":           "threads,blocks",
		"maxnreg=-1":             "number of registers",
		"maxnreg=1,2":            "number of registers",
		"unroll=57":              "line:factor",
		"unroll=57:x":            "positive number",
		"form=plain":             "volatile or asm",
		"spill=local":            "spill is shared",
		"cap=3":                  "no part of that name",
		"bounds=32,1 maxnreg=40": "exclude each other",
	} {
		_, err := ParseRecipe(text)
		assert.ErrorContains(t, err, why, text)
	}
}
