package workload

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseReadsEveryKindOfStep(t *testing.T) {
	got, err := Parse(" C1200 M256x2\tR@7(^M512+A128@8 C400+S64 B) x8(W32 x2.5@f.cu:9(C1))\n")
	require.NoError(t, err)
	assert.Equal(t, []Step{
		{Kind: KindWork, Work: Work{Issue: 1200}},
		{Kind: KindWork, Work: Work{Loads: 256, Waits: 2}},
		{Kind: KindRegion, Label: "7", Body: []Step{
			{Kind: KindWork, Label: "8", Early: true, Work: Work{Loads: 512, Again: 128, Waits: 1}},
			{Kind: KindWork, Work: Work{Issue: 400, Shared: 64}},
			{Kind: KindBarrier},
		}},
		{Kind: KindLoop, Times: 8, Body: []Step{
			{Kind: KindWork, Work: Work{Stores: 32}},
			{Kind: KindLoop, Times: 2.5, Label: "f.cu:9", Body: []Step{{Kind: KindWork, Work: Work{Issue: 1}}}},
		}},
	}, got)
}

func TestParseSaysWhereItGoesWrong(t *testing.T) {
	for _, tt := range []struct {
		spec   string
		offset int
		text   string
	}{
		{"", 0, "there is no segment"},
		{"   ", 0, "there is no segment"},
		{"C", 1, "a number must say how many, got the end"},
		{"C-4", 1, `a number must say how many, got "-"`},
		{"C1 Z2", 3, `a segment begins with C, F, I, D, Q, S, M, A, P, W, B, R or x, got "Z"`},
		{"C1 C4+D5", 3, "D is a part of C: 5 of 4 instructions"},
		{"C1.2.3", 1, "1.2.3 is not a number up to 1000000000"},
		{"C1000000001", 1, "1000000001 is not a number up to 1000000000"},
		{"C1+C2", 3, "C stands twice in one piece of work"},
		{"C1+", 3, "a segment begins with C, F, I, D, Q, S, M, A, P, W, B, R or x, got the end"},
		{"C1M2", 2, `a blank must stand after "C1"`},
		{"R C1", 1, `"(" must stand after "R"`},
		{"x(C1)", 1, `a number must say how often, got "("`},
		{"x2(C1", 2, `"(" is never closed`},
		{"C1)", 2, `")" closes nothing`},
		{"R(x2(R(C1)))", 5, "a region cannot stand inside a region"},
		{"^C1", 0, `"^" marks work inside a region`},
		{"M64+A65", 0, "A is a part of M: 65 of 64 bytes"},
		{"C1@", 3, `a label must stand after "@", got the end`},
		{"Cé", 1, `a number must say how many, got "é"`},
		{strings.Repeat("x2(", 33) + "C1" + strings.Repeat(")", 33), 98, "more than 32 loops and regions inside each other"},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			steps, err := Parse(tt.spec)
			assert.Nil(t, steps)
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, tt.text, syntax.Text)
			assert.Equal(t, tt.offset, syntax.Offset)
		})
	}
}

// randomSteps makes steps that can be written.
func randomSteps(r *rand.Rand, depth int, region bool) []Step {
	n := func() float64 { return float64(r.IntN(3)) * float64(r.IntN(1000)) / 8 }
	var out []Step
	for range 1 + r.IntN(4) {
		s := Step{Kind: Kind(r.IntN(4)), Label: []string{"", "41", "a.cu:7"}[r.IntN(3)]}
		if s.Kind == KindRegion && region || depth == 0 && s.Kind >= KindLoop {
			s.Kind = KindWork
		}
		switch s.Kind {
		case KindWork:
			s.Early = region && r.IntN(2) == 0
			s.Work = Work{Issue: n(), Shared: n(), Loads: n(), Stores: n(), Waits: float64(r.IntN(3))}
			s.Work.Again = s.Work.Loads / 2
		case KindLoop:
			s.Times = n()
			s.Body = randomSteps(r, depth-1, region)
		case KindRegion:
			s.Body = randomSteps(r, depth-1, true)
		}
		out = append(out, s)
	}
	return out
}

func TestParseReadsBackWhatFormatWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		steps := randomSteps(r, 3, false)
		got, err := Parse(Format(steps))
		require.NoError(t, err, Format(steps))
		require.Equal(t, steps, got, Format(steps))
	}
}

func TestFormatLeavesOutLabelsThatCannotBeRead(t *testing.T) {
	assert.Equal(t, "B C1@x", Format([]Step{{Kind: KindBarrier, Label: "a b"}, {Kind: KindWork, Work: Work{Issue: 1}, Label: "x"}}))
}

func TestRoundedKeepsTheStepsAndDropsDigits(t *testing.T) {
	steps, err := Parse("C101.016+M4096x1.5@1 x2.26(R(^C0.04 B S1.26))")
	require.NoError(t, err)
	assert.Equal(t, "C101+M4096x1.5@1 x2.3(R(^C0 B S1.3))", Format(Rounded(steps, 1)))
	assert.Equal(t, "C101.016+M4096x1.5@1 x2.26(R(^C0.04 B S1.26))", Format(steps), "the steps themselves stay")
}

// FuzzParse: whatever the text, Parse returns steps or a place in the text, and
// what it returns reads back.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"C1200 M256x2 R(C400 S64 B) x8(C1)", "R@7(^M5+A1@8)", "x2(x3(B))", "C1e9", "M.5x0", "((", "x1(", "C1@@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		steps, err := Parse(spec)
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.LessOrEqual(t, syntax.Offset, len(spec))
			require.GreaterOrEqual(t, syntax.Offset, 0)
			require.NotEmpty(t, syntax.Text)
			return
		}
		again, err := Parse(Format(steps))
		require.NoError(t, err, Format(steps))
		require.Equal(t, steps, again)
	})
}
