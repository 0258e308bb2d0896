package validate_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// TestFormsThatWereDoubtedAreProved holds proofs that were lost once, of forms that only the long test of the page makes.
func TestFormsThatWereDoubtedAreProved(t *testing.T) {
	for example, variant := range map[string]rewrite.Variant{
		"mm":  {Rewriter: "vtb", Factor: 2, GridAxis: "y"},
		"rd":  {Rewriter: "vtb", Factor: 2, Persistent: true}, // hands the object on as the one that it is made of
		"sto": {Rewriter: "vtb", Factor: 2, Persistent: true}, // takes turns in a loop
	} {
		t.Run(example, func(t *testing.T) {
			old, errs := parser.LoadProgram([]string{"../examples/" + example + "/" + example + ".cu"}, parser.Options{})
			require.NoError(t, errors.Join(errs...))
			res, err := rewrite.Run(old, rewrite.Options{Runtime: "header", Variant: variant})
			require.NoError(t, err)
			now, err := res.After(old)
			require.NoError(t, err)
			r := validate.Programs(old, now)
			assert.True(t, r.Proved(), "%s", doubts(r))
		})
	}
}
