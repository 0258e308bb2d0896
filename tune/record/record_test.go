package record_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

var update = flag.Bool("update", false, "write what comes out as what is expected")

func variant(factor int) record.MeasuredVariant {
	c := record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: factor}}
	return record.MeasuredVariant{
		Subject:   record.Subject{Source: "s", Kernel: "scan<int>", Machine: record.Machine{On: "gpu", GPU: "a100"}},
		Candidate: c, Name: c.String(), Text: "t",
	}
}

func variantLine(v record.MeasuredVariant) record.Line { return record.Line{Key: v.Key(), Variant: &v} }

func pair(v record.MeasuredVariant, turn int) record.Line {
	return record.Line{Key: v.Key(), Time: time.Unix(int64(turn), 0).UTC(), Pair: &record.Pair{
		Phase: record.Search, Turn: turn, Base: []float64{1.5}, Variant: []float64{0.1, 1}, Checked: record.Evidence{Copies: 1},
	}}
}

func encode(t testing.TB, lines ...record.Line) string {
	text, err := record.Encode(lines...)
	require.NoError(t, err)
	return string(text)
}

func TestLinesComeBackAsTheyWereWritten(t *testing.T) {
	a, b := variant(2), variant(4)
	lines := []record.Line{variantLine(a), variantLine(b), pair(a, 0), {Key: b.Key(), Failure: &record.Failure{Kind: record.FailedCompile, Text: "a.cu:3: \"<\"\nerror"}}, pair(a, 1)}
	text := encode(t, lines...)
	assert.Contains(t, text, "scan<int>", "for people")
	assert.Equal(t, len(lines), strings.Count(text, "\n"))
	got, err := record.Parse("f", []byte(text))
	require.NoError(t, err)
	for i := range lines {
		lines[i].Schema = record.Schema
	}
	assert.Equal(t, lines, got.Lines)
	got, err = record.Parse("f", []byte(strings.ReplaceAll("\n"+text, "\n", " \r\n\r\n")))
	require.NoError(t, err, "empty lines and the ends of lines of other systems")
	assert.Equal(t, lines, got.Lines)
}

func TestWhatNobodyCouldReadIsNotWritten(t *testing.T) {
	v := variant(2)
	nameless, nowhere := v, v
	nameless.Subject.Kernel, nowhere.Subject.Machine.On = "", ""
	bad := func(change func(*record.Pair)) record.Line {
		l := pair(v, 0)
		change(l.Pair)
		return l
	}
	for why, l := range map[string]record.Line{
		"it has no key":                        {Variant: &v},
		"not one of":                           {Key: "k"},
		"not one of a variant, a pair":         {Key: v.Key(), Variant: &v, Failure: &record.Failure{Kind: "run"}},
		"not that of its variant":              {Key: "k", Variant: &v},
		"names no kernel":                      variantLine(nameless),
		"on what is measured":                  variantLine(nowhere),
		"no kind":                              {Key: "k", Failure: &record.Failure{}},
		"phase":                                bad(func(p *record.Pair) { p.Phase = "warm" }),
		"turn":                                 bad(func(p *record.Pair) { p.Turn = -1 }),
		"no times":                             bad(func(p *record.Pair) { p.Base = nil }),
		"a time is not above nothing":          bad(func(p *record.Pair) { p.Variant[0] = 0 }),
		"unsupported value":                    bad(func(p *record.Pair) { p.Variant[0] = math.Inf(1) }),
		"time is not above nothing":            bad(func(p *record.Pair) { p.Base[0] = math.NaN() }),
		"Time.MarshalJSON: year outside":       {Key: "k", Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), Failure: &record.Failure{Kind: "run"}},
		"unsupported value: +Inf":              bad(func(p *record.Pair) { p.Seconds = math.Inf(1) }),
		"the predicted ratio is below nothing": func() record.Line { w := v; w.Predicted = -1; return variantLine(w) }(),
	} {
		text, err := record.Encode(variantLine(v), l)
		assert.ErrorContains(t, err, "this is not a line of a record: ")
		assert.ErrorContains(t, err, why)
		assert.Empty(t, text)
	}
}

func TestWhatIsNoRecordIsRefusedWithTheLine(t *testing.T) {
	v := variant(2)
	good := encode(t, variantLine(v))
	for _, c := range []struct {
		text string
		line int
		why  string
	}{
		{good + "{}\n", 2, "it has no schema"},
		{good + "null\n", 2, "it has no schema"},
		{good + "\n\nyes\n", 4, "invalid character"},
		{good + "\x00\x00\n" + good, 2, "invalid character"},
		{good + `{"schema":1.5}` + "\n", 2, "cannot unmarshal"},
		{good + `{"schema":"2"}` + "\n", 2, "cannot unmarshal"},
		{good + `{"schema":-1}` + "\n", 2, "it has no schema"},
		{good + `{"schema":2}` + "\n", 2, "it has no key"},
		{good + `{"schema":2,"key":"k"}` + "\n", 2, "it is not one of"},
		{good + `{"schema":2,"key":"k","failure":{"kind":"run","text":""}}` + "\n", 2, "no variant with its key"},
		{good + `{"schema":2,"key":"k","pair":7}` + "\n", 2, "cannot unmarshal"},
		{good + `{"schema":1,"key":"k","pair":7}` + "\n", 2, "cannot unmarshal"},
		{good + `{"schema":2,"key":"k","rest":-1,"failure":{"kind":"run"}}` + "\n", 2, "-1 lines follow"},
		{good + good[:40] + "\n" + good, 2, "unexpected end"},
		{good + strings.Replace(good, "N=2", "N=4", 1) + strings.Replace(good, `"factor":2`, `"factor":4`, 1), 3, "another variant"},
		{"__global__ void k() {}\n", 1, "invalid character"},
		{"__global__ void k() {}", 1, "invalid character"},
		{"\x7fELF\x00\x00", 1, "invalid character"},
		{"\x00\x00", 1, "invalid character"},
		{`{"cache": {`, 1, "unexpected end"},
	} {
		_, err := record.Parse("f.jsonl", []byte(c.text))
		assert.ErrorContains(t, err, fmt.Sprintf("f.jsonl:%d: ", c.line), c.text)
		assert.ErrorContains(t, err, c.why, c.text)
	}
}

func TestWhatANewerSmuxWroteIsRefusedAsThat(t *testing.T) {
	v := variant(2)
	_, err := record.Parse("f", []byte(encode(t, variantLine(v))+`{"schema":99,"what":[]}`+"\n"))
	assert.EqualError(t, err, "f:2: written by a newer smux, in schema 99; this one reads up to 2")
}

func TestFieldsThatThisSmuxDoesNotKnowArePassedOver(t *testing.T) {
	v := variant(2)
	text := strings.Replace(encode(t, variantLine(v)), `"schema":2,`, `"schema":2,"new":{"a":1},`, 1)
	got, err := record.Parse("f", []byte(text))
	require.NoError(t, err)
	assert.Len(t, got.Lines, 1)
}

// The text of schema 1 is what smux wrote then, of all fields that it had.
func TestOlderLinesAreMigrated(t *testing.T) {
	old, err := os.ReadFile("testdata/schema1.jsonl")
	require.NoError(t, err)
	read, err := record.Parse("schema1.jsonl", old)
	require.NoError(t, err)
	var got bytes.Buffer
	for _, l := range read.Lines {
		got.WriteString(encode(t, l))
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/schema2.jsonl", got.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/schema2.jsonl")
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String())

	p := read.Lines[4].Pair
	assert.Equal(t, []float64{1.0625, 1.125}, p.Base)
	assert.Equal(t, []float64{0.9, 0.1}, p.Variant)
	assert.Equal(t, record.State{ClockSM: 1410, ClockMemory: 1215, Temperature: 48, Throttled: "power"}, *p.State)
	assert.Equal(t, 8192, read.Lines[1].Variant.Shared)
	assert.Equal(t, 16, read.Lines[1].Variant.Spills)
}

// What was measured by an older smux is found again by its key. Where this fails the key
// is computed in another way, and stores are measured anew that need not be.
func TestKeysStayWhatTheyAre(t *testing.T) {
	text, err := os.ReadFile("testdata/schema1.jsonl")
	require.NoError(t, err)
	got, err := record.Parse("f", text)
	require.NoError(t, err)
	assert.Len(t, got.Names, 3)
	for now, then := range got.Names {
		assert.Equal(t, then, now)
	}
}

func TestLinesFollowAKeyThatWasComputedInAnotherWay(t *testing.T) {
	v, w := variant(2), variant(4)
	text := strings.ReplaceAll(encode(t, variantLine(v), variantLine(w), pair(w, 0), pair(v, 1)), v.Key(), "of-old")
	got, err := record.Parse("f", []byte(text))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{v.Key(): "of-old", w.Key(): w.Key()}, got.Names)
	assert.Equal(t, v.Key(), got.Lines[0].Key)
	assert.Equal(t, w.Key(), got.Lines[2].Key)
	assert.Equal(t, v.Key(), got.Lines[3].Key)
}

func TestTheHashOfTextsSeesTheFlags(t *testing.T) {
	texts := map[string][]byte{"a.cu": []byte("one")}
	a := record.HashTexts(texts, []string{"-O3"})
	assert.Len(t, a, 32)
	assert.Equal(t, a, record.HashTexts(map[string][]byte{"x/b.cu": []byte("one")}, []string{"-O3"}))
	assert.NotEqual(t, a, record.HashTexts(texts, nil))
	assert.NotEqual(t, a, record.HashTexts(texts, []string{"-O", "3"}))
}
