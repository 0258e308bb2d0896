package record_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/tune/record"
)

func TestAConfigurationGivesBackItsConstants(t *testing.T) {
	for text, of := range map[record.Configuration][]record.Constant{
		"":                           nil,
		"n=16":                       {{Name: "n", Value: "16"}},
		`n=-1.5e+3 T="unsigned int"`: {{Name: "n", Value: "-1.5e+3"}, {Name: "T", Value: "unsigned int"}},
		`"a=b"="" c="\"x\" y=z"`:     {{Name: "a=b", Value: ""}, {Name: "c", Value: `"x" y=z`}},
	} {
		assert.Equal(t, text, record.NewConfiguration(of))
		got, ok := text.Constants()
		assert.True(t, ok, text)
		assert.Equal(t, of, got)
	}
	for _, text := range []record.Configuration{"n", "n=", "=1", "n=1 ", "n=1  m=2", "n=1,m=2", `n="1`, `n="1"`, "n=1 m"} {
		_, ok := text.Constants()
		assert.False(t, ok, "%q", text)
	}
}
