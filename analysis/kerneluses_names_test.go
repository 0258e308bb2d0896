package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMangledNames(t *testing.T) {
	for symbol, names := range map[string][]string{
		"_Z7reversePKfPf":         {"reverse"},
		"_ZN2ns3abc6kernelEPf":    {"ns", "abc", "kernel"},
		"_Z3addIfLi16EEvPT_S1_":   {"add", "_"}, // what looks like one, too
		"_Z4copyP6float4":         {"copy", "float4"},
		"reverse":                 nil,
		"_Z":                      nil,
		"_Z99999999999999999999a": nil,
		"_Z12short":               nil,
	} {
		assert.Equal(t, names, MangledNames(symbol), symbol)
	}
}
