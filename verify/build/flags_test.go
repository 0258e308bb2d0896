package build

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLibrariesThatTheShimStandsInForAreNotLinked(t *testing.T) {
	given := []string{"cudart", "m", "-lcuda", "-lfoo", "-L/x", "/x/libbar.a", "-Wl,-rpath,/x"}
	assert.Equal(t, []string{"-lm", "-lfoo", "-L/x", "/x/libbar.a", "-Wl,-rpath,/x"}, libraryFlags(given))
}
