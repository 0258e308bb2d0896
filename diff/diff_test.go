package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnifiedText(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, tt := range []struct{ name, a, b, want string }{
		{"equal files give nothing", ten, ten, ""},
		{"both empty give nothing", "", "", ""},
		{"one changed line has three lines of context", ten, strings.Replace(ten, "5", "five", 1),
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"context stops at the file's ends", "a\nb\n", "a\nB\n",
			"@@ -1,2 +1,2 @@\n a\n-b\n+B\n"},
		{"from empty", "", "x\ny\n", "@@ -0,0 +1,2 @@\n+x\n+y\n"},
		{"from empty, one line", "", "x", "@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"},
		{"to empty", "x\n", "", "@@ -1 +0,0 @@\n-x\n"},
		{"newline added at the end", "x", "x\n",
			"@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"},
		{"newline removed at the end", "x\n", "x",
			"@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n"},
		{"no newline on both sides, change elsewhere", "a\nx", "b\nx",
			"@@ -1,2 +1,2 @@\n-a\n+b\n x\n\\ No newline at end of file\n"},
		{"no newline on both sides, last line changed", "x", "y",
			"@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"},
		{"CRLF stays in the lines", "a\r\nb\r\n", "a\r\nc\r\n",
			"@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
		{"a lone carriage return ends no line", "a\rb\n", "a\rc\n",
			"@@ -1 +1 @@\n-a\rb\n+a\rc\n"},
		{"six equal lines join two changes", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
			"@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
		{"seven equal lines part two changes", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
			"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
		{"an inserted function keeps its own brace", "f {\n}\n", "f {\n}\ng {\n}\n",
			"@@ -1,2 +1,4 @@\n f {\n }\n+g {\n+}\n"},
		{"a deleted function takes its own brace", "f {\n}\ng {\n}\nh\n", "f {\n}\nh\n",
			"@@ -1,5 +1,3 @@\n f {\n }\n-g {\n-}\n h\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want != "" {
				want = "--- a/old.cu\n+++ b/new.cu\n" + want
			}
			got := Unified("old.cu", "new.cu", []byte(tt.a), []byte(tt.b))
			require.Equal(t, want, string(got))
			requireApplies(t, []byte(tt.a), []byte(tt.b))
		})
	}
}

func TestHeaderNamesAreQuotedAsGitQuotesThem(t *testing.T) {
	for name, want := range map[string]string{
		"a/x.cu":        "a/x.cu",
		"a/my kernel":   "a/my kernel\t",
		"a/tab\there":   `"a/tab\011here"`,
		`a/"quoted"`:    `"a/\"quoted\""`,
		`a/back\slash`:  `"a/back\\slash"`,
		"a/grün.cu":     `"a/gr\303\274n.cu"`,
		"a/new\nline":   `"a/new\012line"`,
		"a/<stdin>.cuh": "a/<stdin>.cuh",
	} {
		require.Equal(t, want, headerName(name))
	}
}

// Beyond 55,295 distinct lines go-diff's numbering meets the code points that
// UTF-8 cannot hold; beyond 65,532 it needs four bytes.
func TestManyDistinctLinesApply(t *testing.T) {
	n := 140_000
	if testing.Short() {
		n = 70_000
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var a, b strings.Builder
	for i := range n {
		fmt.Fprintf(&a, "line %d\n", i)
		switch rng.IntN(1000) {
		case 0:
		case 1:
			fmt.Fprintf(&b, "line %d\nextra %d\n", i, i)
		case 2:
			fmt.Fprintf(&b, "changed %d\n", i)
		default:
			fmt.Fprintf(&b, "line %d\n", i)
		}
	}
	unified := requireApplies(t, []byte(a.String()), []byte(b.String()))
	require.Less(t, strings.Count(string(unified), "\n"), n/25, "the diff is not minimal")
}

func TestUnrelatedFilesDiffAtOnce(t *testing.T) {
	var a, b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	requireApplies(t, []byte(a.String()), []byte(b.String()))
}

func TestTrimReplacesTheMiddle(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want []Change
	}{
		{"x\ny\nz\n", "x\nY\nz\n", []Change{{1, 2, 1, 2}}},
		{"x\nx\n", "x\nx\nx\n", []Change{{2, 2, 2, 3}}},
		{"x\n", "x\n", nil},
		{"", "x\n", []Change{{0, 0, 0, 1}}},
	} {
		require.Equal(t, tt.want, trim(splitLines([]byte(tt.a)), splitLines([]byte(tt.b))))
	}
}

func TestRandomEditsApply(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		a, b := randomPair(rng)
		requireApplies(t, a, b)
	}
}

// randomPair makes a text of few distinct lines, so that moves and repeats
// occur, with any mix of line ends, and an edited copy of it.
func randomPair(rng *rand.Rand) (a, b []byte) {
	end := []string{"\n", "\r\n"}[rng.IntN(2)]
	line := func() string {
		if rng.IntN(20) == 0 {
			end = []string{"\n", "\r\n"}[rng.IntN(2)]
		}
		return []string{"", "}", "  x;", "--- a/x", "+++", "@@ -1 +1 @@", "\\ No", "é", "\xff",
			fmt.Sprint(rng.IntN(30))}[rng.IntN(10)] + end
	}
	var la, lb []string
	for range rng.IntN(60) {
		la = append(la, line())
	}
	for _, l := range la {
		switch rng.IntN(12) {
		case 0:
		case 1:
			lb = append(lb, line())
		case 2:
			lb = append(lb, line(), l)
		default:
			lb = append(lb, l)
		}
	}
	cut := func(lines []string) []byte {
		text := strings.Join(lines, "")
		if rng.IntN(3) == 0 {
			text = strings.TrimRight(text, "\r\n")
		}
		return []byte(text)
	}
	return cut(la), cut(lb)
}

func requireApplies(t testing.TB, a, b []byte) []byte {
	t.Helper()
	unified := Unified("f", "f", a, b)
	got, err := apply(a, unified)
	require.NoError(t, err, "diff:\n%s", unified)
	if string(got) != string(b) { // not require.Equal: it would print both files
		t.Fatalf("the diff does not give b:\na %q\nb %q\ngot %q\ndiff:\n%s", a, b, got, unified)
	}
	return unified
}

func FuzzUnified(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\n"))
	f.Add([]byte("a\r\nb"), []byte("a\nb\n"))
	f.Add([]byte(""), []byte("\n"))
	f.Add([]byte("}\n}\n"), []byte("}\n}\n}\n"))
	f.Add([]byte("\xed\xa0\x80\n"), []byte("\xff\n\x00"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		unified := requireApplies(t, a, b)
		if string(a) == string(b) && unified != nil {
			t.Fatalf("equal files differ: %q", unified)
		}
		if got := plain(Color(unified)); got != string(unified) && !strings.Contains(string(unified), "\x1b") {
			t.Fatalf("colour changed the text: %q, want %q", got, unified)
		}
	})
}
