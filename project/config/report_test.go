package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEffectiveSettingsSayWhereTheyComeFrom(t *testing.T) {
	set, err := Read(Name, []byte("gpus: [t4]\nmin-gain: 3\nblock: \"64\"\nkernels:\n  fft*:\n    leave: by hand\n  \"*\":\n    min-gain: 9\n"), nil)
	require.NoError(t, err)
	values := map[string][]string{"gpus": {"a100"}, "min-gain": {"3"}, "block": {"64"}, "runtime": nil}
	given := func(flag string) bool { return flag == "gpu" }
	r := Effective(set, values, given, []string{"fft2"})

	from := map[string]string{}
	for _, s := range r.Settings {
		from[s.Name] = s.origin()
	}
	assert.Equal(t, map[string]string{"gpus": "--gpu", "min-gain": Name + ":2:1", "block": Name + ":3:1", "runtime": "default"}, from)
	require.Len(t, r.Kernels, 1, "the first glob that matches counts")
	assert.Equal(t, "fft*", r.Kernels[0].Name)
	assert.Len(t, Effective(set, values, given, nil).Kernels, 2)

	var text strings.Builder
	Effective(nil, values, given, nil).Text(&text)
	assert.Contains(t, text.String(), "no "+Name+" counts here")
	assert.Contains(t, text.String(), "runtime   -      default")
}
