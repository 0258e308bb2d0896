package resources

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRegistersSayWhereTheyAreFromUnlessItIsTheGPUsOwnCompiler(t *testing.T) {
	for _, tt := range []struct {
		n              int
		from, cc, want string
	}{
		{40, "ptxas sm_80", "8.0", "40"},
		{40, "ptxas sm_80", "8.6", "40 (sm_80)"},
		{63, "ptxas sm_35, capped", "3.0", "63 (sm_35, capped)"},
		{40, Estimated, "8.0", "40 est."},
		{0, Estimated, "8.0", "unknown"},
		{40, "", "8.0", "40"},
		{0, "", "8.0", "-"},
	} {
		assert.Equal(t, tt.want, RegistersText(tt.n, tt.from, tt.cc), "%v", tt)
	}
}
