package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/locate"
)

func frame(line int) []locate.Frame { return []locate.Frame{{File: "k.cu", Line: line, Column: 5}} }

// race is a write at a line against a read at another.
func race(write, read int) *execute.Finding {
	return &execute.Finding{Code: CodeRace, Kernel: "k<float>", Space: "shared", Variable: "s", Offset: 12, Bytes: 4,
		Manner: execute.Manner{Write: true}, Frames: frame(write), Thread: [3]int{5, 0, 0}, Other: &execute.Access{Frames: frame(read), Thread: [3]int{4, 0, 0}}}
}

// with returns a race with something changed.
func with(f *execute.Finding, change func(*execute.Finding)) *execute.Finding {
	change(f)
	return f
}

func TestRaceIsInheritedOnlyIfTheOriginalHasIt(t *testing.T) {
	// Line 3 of the original became lines 3 to 5; all below moved by two.
	o := program("k.cu", "1\n2\n3\n4\n5\n6\n")
	p := newPlaces(&o, &Variant{Program: program("k.cu", "1\n2\nx\ny\nz\n4\n5\n6\n")})
	for _, tt := range []struct {
		name     string
		original *execute.Finding
		variant  *execute.Finding
		same     bool
	}{
		{"same lines, moved", race(2, 4), race(2, 6), true},
		{"other way round", race(2, 4), with(race(2, 6), func(f *execute.Finding) {
			f.Write, f.Other.Write = false, true
			f.Frames, f.Other.Frames = f.Other.Frames, f.Frames
		}), true},
		{"inside the rewritten line", race(3, 4), race(5, 6), true},
		{"another line", race(2, 4), race(2, 7), false},
		{"another kind", race(2, 4), with(race(2, 6), func(f *execute.Finding) { f.Other.Write = true }), false},
		{"kinds the wrong way round", race(2, 4), race(6, 2), false},
		{"atomic on one side", race(2, 4), with(race(2, 6), func(f *execute.Finding) { f.Atomic = true }), false},
		{"another variable", race(2, 4), with(race(2, 6), func(f *execute.Finding) { f.Variable = "t" }), false},
		{"copies of the variable", race(2, 4), with(race(2, 6), func(f *execute.Finding) { f.Variable = "smux_s" }), true},
		{"a union of several", race(2, 4), with(race(2, 6), func(f *execute.Finding) { f.Variable = "smux_shared" }), false},
		{"another kernel", race(2, 4), with(race(2, 6), func(f *execute.Finding) { f.Kernel = "j" }), false},
		{"another instance of the template", race(2, 4), with(race(2, 6), func(f *execute.Finding) { f.Kernel = "k<double>" }), true},
		{"global memory has no common names", with(race(2, 4), func(f *execute.Finding) { f.Space, f.Variable = "global", "allocation 3" }),
			with(race(2, 6), func(f *execute.Finding) { f.Space, f.Variable = "global", "allocation 4" }), true},
		{"shared is not global", with(race(2, 4), func(f *execute.Finding) { f.Space = "global" }), race(2, 6), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.same, keyOf(tt.variant, p).matches(keyOf(tt.original, nil)))
		})
	}
}

func TestWaitersMustWaitWhereTheOriginalsDo(t *testing.T) {
	waiters := func(lines ...int) *execute.Finding {
		f := &execute.Finding{Code: CodeBarrierDivergence, Kernel: "k"}
		for _, l := range lines {
			f.Waiters = append(f.Waiters, execute.Waiter{Frames: frame(l)})
		}
		return f
	}
	original := keyOf(waiters(2, 4, 6), nil)
	assert.True(t, keyOf(waiters(6, 2), nil).matches(original))
	assert.False(t, keyOf(waiters(2, 5), nil).matches(original))
}

func TestRacesOnOneLineAreToldApart(t *testing.T) {
	first, second := race(2, 2), race(2, 2)
	for _, at := range [][]locate.Frame{second.Frames, second.Other.Frames} {
		at[0].Column += 10
	}
	assert.False(t, keyOf(first, nil).equal(keyOf(second, nil)))
	assert.True(t, keyOf(first, nil).equal(keyOf(race(2, 2), nil)))
	assert.True(t, keyOf(first, nil).matches(keyOf(second, nil)), "a rewrite may move an access within its line")
}

func TestWeighing(t *testing.T) {
	s := &session{Request: Request{Variants: []Variant{{}}}}
	s.original = &subject{name: OriginalName}
	variant := &subject{name: "vtb"}
	note := with(race(2, 4), func(f *execute.Finding) { f.Other.Write = true; f.Text = "same value" })

	assert.Equal(t, Inherited, s.finding(s.original, race(2, 4), false).Severity)
	assert.Equal(t, Severity(""), s.finding(s.original, race(2, 4), true).Severity, "what ends the original counts")
	assert.Equal(t, Note, s.finding(variant, note, false).Severity)
	s.Strict = true
	assert.Equal(t, Severity(""), s.finding(variant, note, false).Severity)

	original := []Finding{{Variant: OriginalName, key: keyOf(race(2, 4), nil)},
		{Variant: OriginalName, key: keyOf(&execute.Finding{Code: CodeRegionOther, Frames: frame(2)}, nil)}}
	weighed := func(f *execute.Finding) Severity {
		out := s.finding(variant, f, false)
		out.Severity = Counts
		s.weigh(variant, &out, original)
		return out.Severity
	}
	assert.Equal(t, Inherited, weighed(race(2, 4)))
	assert.Equal(t, Counts, weighed(race(2, 5)))
	assert.Equal(t, Counts, weighed(&execute.Finding{Code: CodeRegionOther, Frames: frame(2)}), "regions are the rewrite's own")
}

func TestMessages(t *testing.T) {
	f := race(3, 7)
	f.Kernel = "k"
	assert.Equal(t, diag.Message{Pos: diag.Position{File: "k.cu", Line: 3, Column: 5}, Code: "race", Help: diag.Help("race"),
		Text: "write of s at byte 12 (4 bytes of shared memory) by thread (5,0,0) of block (0,0,0) in kernel k, not ordered with the read by thread (4,0,0) at k.cu:7:5"},
		messageOf(f, nil))

	f.Other.Block = [3]int{1, 0, 0}
	assert.Contains(t, messageOf(f, nil).Text, "by thread (4,0,0) of block (1,0,0) at")

	deadlock := &execute.Finding{Code: CodeDeadlock, Kernel: "k", Block: [3]int{2, 0, 0}, Waiters: []execute.Waiter{
		{What: "barrier 0 (31 of 32)", Threads: 31, Thread: [3]int{1, 0, 0}, Frames: frame(9)},
		{What: "barrier 1 (1 of 32)", Threads: 1, Frames: frame(12)}}}
	m := messageOf(deadlock, nil)
	assert.Equal(t, "k.cu:9:5", m.Pos.String())
	assert.Equal(t, "no thread of block (2,0,0) can go on in kernel k: 31 threads from (1,0,0) on: barrier 0 (31 of 32) at k.cu:9:5; "+
		"thread (0,0,0): barrier 1 (1 of 32) at k.cu:12:5", m.Text)

	region := &execute.Finding{Code: CodeRegionOther, Kernel: "k", Space: "shared", Variable: "s", Offset: 4, Bytes: 4, Frames: frame(5),
		Other: &execute.Access{Frames: frame(3)}, Text: "read by virtual block 1"}
	assert.Equal(t, "k.cu:5:5: region-other: thread (0,0,0) of block (0,0,0) in kernel k reads s at byte 4 (4 bytes of shared memory), "+
		"last written by another virtual block at k.cu:3:5: read by virtual block 1", messageOf(region, nil).String())

	spin := &execute.Finding{Code: "spin", Kernel: "k", Frames: frame(2)}
	assert.Equal(t, diag.Code("no-progress"), messageOf(spin, nil).Code, "the report's name is that of another code")
}
