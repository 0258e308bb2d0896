package instance

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTemplateArgumentsAreSplitAtTheirOwnCommas(t *testing.T) {
	for name, want := range map[string][]string{
		"k":                               nil,
		"k<256>":                          {"256"},
		"k<256, float>":                   {"256", "float"},
		"ns::k<pair<int, float>, 4>":      {"pair<int,float>", "4"},
		"S<1>::k<true, unsigned int>":     {"1", "unsignedint"},
		"k<f<g<1, 2> >, h<3> >":           {"f<g<1,2>>", "h<3>"},
		"k<>":                             {""},
		"broken>":                         nil,
		"(anonymous namespace)::k<float>": {"float"},
	} {
		assert.Equal(t, want, templateArguments(name), name)
	}
}

func TestInstancesAreTakenForTheSameUnlessSomethingSaysNo(t *testing.T) {
	assert.True(t, agree([]string{"256", "float"}, []string{"256", "float"}))
	assert.False(t, agree([]string{"128", "float"}, []string{"256", "float"}))
	assert.False(t, agree([]string{"256", "float"}, []string{"256", "double"}))
	assert.True(t, agree([]string{"", "real"}, []string{"256", "double"}), "an alias may be any type")
	assert.True(t, agree([]string{"256"}, []string{"256", "float"}), "the rest has defaults")
}
