package replays

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

const measured = `machine Some GPU, 580.1
toolkit nvcc 13.0
date 2026-11-26T06:00:00Z
check sums v00-original 4096 equal
check sums v01-assume-shape 4096 equal
check sums v02-merge 4096 output copies differ
check sums v03-lock 0 timeout it did not end
time sums v00-original
launch _Z4sumsPKfPfi grid 9,1,1 us 90 100 102 104 cudaSuccess
launch _Z5otherPf grid 9,1,1 us 900 1000 1000 1000 cudaSuccess
launch _Z4sumsPKfPfi grid 1,1,1 us 9 10 10 10 cudaSuccess
time sums v02-merge
launch _Z4sumsPKfPfi grid 9,1,1 us 1 1 1 1 cudaSuccess
time sums v00-original
launch _Z4sumsPKfPfi grid 9,1,1 us 190 200 200 200 cudaSuccess
time sums v01-assume-shape
launch _Z4sumsPKfPfi grid 9,1,1 us 40 50 50 50 cudaSuccess
launch _Z4sumsPKfPfi grid 1,1,1 us 40 50 50 50 cudaSuccess
`

func manifest() *bundle.Manifest {
	m := &bundle.Manifest{Subject: record.Subject{Source: "text", Kernel: "sums", Machine: record.Machine{On: "gpu", GPU: "h100"}}}
	for folder, c := range map[string]record.TunedVariant{
		"v00-original": {}, "v01-assume-shape": {Variant: rewrite.Variant{Rewriter: "assume-shape"}},
	} {
		m.Forms = append(m.Forms, bundle.Form{Folder: folder, Variant: record.MeasuredVariant{Subject: m.Subject, Candidate: c, Name: folder, Text: folder}})
	}
	if m.Forms[0].Folder != "v00-original" {
		m.Forms[0], m.Forms[1] = m.Forms[1], m.Forms[0]
	}
	for _, folder := range []string{"v02-merge", "v03-lock", "v04-unmeasured"} {
		c := record.TunedVariant{Variant: rewrite.Variant{Rewriter: "merge", Sync: "named", Factor: 2 + len(m.Forms)}}
		m.Forms = append(m.Forms, bundle.Form{Folder: folder, Variant: record.MeasuredVariant{Subject: m.Subject, Candidate: c, Name: folder, Text: folder}})
	}
	return m
}

func TestReplaysBecomeARecord(t *testing.T) {
	m, err := read(strings.NewReader(measured))
	require.NoError(t, err)
	text, err := record.Encode(m.lines("sums", manifest())...)
	require.NoError(t, err)
	lines, err := record.Parse("record", text)
	require.NoError(t, err)

	var pairs []record.Pair
	failed := map[record.FailureKind]int{}
	for _, l := range lines {
		switch {
		case l.Variant != nil:
			assert.Equal(t, record.Machine{On: "gpu", GPU: "h100", Device: "Some GPU", Driver: "580.1", Toolkit: "nvcc 13.0"}, l.Variant.Subject.Machine)
			assert.NotEqual(t, "v04-unmeasured", l.Variant.Name)
		case l.Pair != nil:
			assert.True(t, l.Pair.Apart)
			assert.EqualValues(t, 4096, l.Pair.Checked.Bytes)
			pairs = append(pairs, *l.Pair)
		case l.Failure != nil:
			failed[l.Failure.Kind]++
		}
	}
	assert.Equal(t, map[record.FailureKind]int{record.FailedOutput: 1, record.FailedTimeout: 1}, failed)
	require.Len(t, pairs, 3)
	assert.InDeltaSlice(t, []float64{0.11, 0.112, 0.114}, pairs[0].Variant, 1e-9, "both launches of the kernel, no other one")
	assert.Equal(t, []float64{0.2, 0.2, 0.2}, pairs[0].Base, "the original's other run")
	assert.Equal(t, []float64{0.1, 0.1, 0.1}, pairs[2].Variant)
	assert.Equal(t, []float64{0.2, 0.2, 0.2}, pairs[2].Base, "the run nearest to it")

	verdicts := judge.Of(lines, judge.DefaultRules())
	require.Len(t, verdicts, 1)
	assert.Negative(t, verdicts[0].Chosen, "nothing was confirmed")
}

func TestDamagedReplays(t *testing.T) {
	for _, text := range []string{
		"launch _Z4sums us 1 1 1 1 cudaSuccess", // of no form
		"time sums v00\nlaunch _Z4sums grid 9,1,1 us 1 1 1 1 cudaErrorIllegalAddress",
		"time sums v00\nlaunch _Z4sums grid 9,1,1 us 1 1 1 x cudaSuccess",
		"check sums v00 many equal", "date today", "what",
	} {
		_, err := read(strings.NewReader(text))
		assert.ErrorContains(t, err, "line ", text)
	}
}
