package verify_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/suite"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// TestRegionsThatAreTooShortAreFound: where the analysis of regions is wrong by
// one statement at either end, the check of regions says so, whatever else may
// be found, for every example and sync mode.
func TestRegionsThatAreTooShortAreFound(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("sixty programs are not run with -short")
	}
	ends := map[string]rewrite.UnsafeShrink{"start": {Start: 1}, "end": {End: 1}}
	for name, args := range exampleArgs {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 3)
			t.Parallel()
			request := verify.Request{
				Original:      oneFile(name, loadExample(t, name).Files[0].Src),
				Orders:        []execute.Order{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
				CheckedOrders: []execute.Order{{Kind: "random", Seed: 1}},
				Args:          [][]string{args},
				Timeout:       time.Minute, Watchdog: 2 * time.Second, Jobs: 1, // the watchdog counts processor time, which a busy machine gives slowly
			}
			for _, v := range []exampleVariant{{sync: "named", factor: 2}, {sync: "block", factor: 2}, {sync: "lock", factor: 2}} {
				right := variantOf(t, name, v, rewrite.UnsafeShrink{})
				for end, unsafe := range ends {
					wrong := variantOf(t, name, v, unsafe)
					require.NotEqual(t, string(right.Src), string(wrong.Src), "the hook does nothing")
					request.Variants = append(request.Variants, verify.Variant{Name: v.String() + " " + end, Program: oneFile(name, wrong.Src)})
				}
			}
			verdict, err := verify.Run(context.Background(), request)
			require.NoError(t, err)
			require.Empty(t, verdict.Failures)
			for _, v := range request.Variants {
				codes := regionCodes(verdict, v.Name)
				assert.NotEmpty(t, codes, "%s: regions that are too short there are not found: %v", v.Name, verdict.Findings)
				t.Logf("%-16s %v", v.Name, codes)
			}
		})
	}
}

// regionCodes are the codes of what verify says of a variant's regions.
func regionCodes(v *verify.Verdict, variant string) (out []string) {
	for _, f := range v.Findings {
		code := string(f.Message.Code)
		if f.Variant == variant && f.Severity == verify.Counts && strings.HasPrefix(code, "region-") && !slices.Contains(out, code) {
			out = append(out, code)
		}
	}
	return out
}
