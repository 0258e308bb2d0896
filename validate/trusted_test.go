package validate_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/validate"
)

var update = flag.Bool("update", false, "renew trusted.txt")

// What smux writes into programs is what the validator trusts, declaration by declaration.
func TestTheRuntimeIsTrusted(t *testing.T) {
	got, err := validate.Trusted(runtime.Header())
	require.NoError(t, err)
	require.NotEmpty(t, got)
	if *update {
		require.NoError(t, os.WriteFile("trusted.txt", []byte(got), 0o644))
	}
	want, err := os.ReadFile("trusted.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), got, "go test ./validate -run Trusted -update renews it; read smux.cuh before you trust it")
}
