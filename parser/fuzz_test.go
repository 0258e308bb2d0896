package parser

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzzSeeds are texts in which every pass of the overlay has something to do.
var fuzzSeeds = []string{
	"__global__ void k(int *a) { a[threadIdx.x] = 0; }\nint main() { k<<<1, 2>>>(p); }\n",
	"#define HD __host__ __device__\nHD int f() { return 1; };\n",
	"#define FOR(i, n) for (int i = 0; i < n; ++i)\nvoid f() { FOR(i,3){ g(i); } }\n",
	"#if A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\n",
	"void f() { asm volatile(\"mov %0, %1;\" : \"=r\"(a[0]) : [x] \"r\"(b) : \"memory\"); }",
	"\xef\xbb\xbfint x; // caf\xe9\r\nauto s = R\"x(a)x\";\r\n",
	"void f() { g<<<a, b, sizeof(A<B<int>>)>>> (x); h<A<int>>>>(y); p = new T*[n]; typeid(int); va_arg(v, T*); }",
	"#ifndef G_H\n#define G_H 1\n#define CAT(a, b) a##b\n#define STR(...) #__VA_ARGS__\n#endif\nint CAT(x, y);\n",
	"template <> struct A<int> { void f() {}; }; extern \"C\" { __device__ int y; }\n",
	"'\n\"\n/*",
}

func FuzzOverlay(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		sc := scanSource(src)
		pre := preprocess(newLoader(withoutFiles), "fuzz.cu", readDirectives(sc), len(src), nil)
		before := bytes.Clone(src)
		o := overlayText(src, sc, newAttributes(pre.macros), nil)
		require.Equal(t, before, src, "the original was modified")
		requireSameLines(t, src, o.out)
		last := 0
		for _, m := range o.marks {
			require.True(t, last <= m.Start && m.Start < m.End && m.End <= len(src), "mark %+v", m)
			require.True(t, m.ArgStart == 0 && m.ArgEnd == 0 || m.Start < m.ArgStart && m.ArgStart <= m.ArgEnd && m.ArgEnd < m.End, "arguments of %+v", m)
			last = m.Start
		}
		// What was masked once holds no qualifier that a second run would mask.
		again := overlayText(o.out, scanSource(o.out), nil, nil)
		requireSameLines(t, src, again.out)
	})
}

var withoutFiles = Options{ReadFile: func(string) ([]byte, error) { return nil, errNoTree }}

// requireSameLines requires equal length, and line breaks at the same places.
func requireSameLines(t *testing.T, src, masked []byte) {
	t.Helper()
	require.Len(t, masked, len(src))
	for i := range src {
		if (src[i] == '\n') != (masked[i] == '\n') {
			t.Fatalf("line break at %d changed", i)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Parse("fuzz.cu", src, withoutFiles)
		if err != nil {
			require.ErrorAs(t, err, new(*InputError))
			return
		}
		checkTree(t, file)
		requireSameLines(t, src, file.masked)
		for _, fn := range file.Functions {
			require.LessOrEqual(t, fn.Start, int(fn.Node.Start))
			require.NotNil(t, fn.Declared)
		}
		for _, l := range file.Launches {
			require.NotNil(t, l.Node)
			if l.Error == nil {
				require.NotNil(t, l.Callee)
				require.NotNil(t, l.Args)
				require.GreaterOrEqual(t, len(l.Config), 2)
			}
		}
		for _, n := range []int{0, len(src) / 2, len(src)} {
			require.True(t, file.Position(n).IsValid())
		}
	})
}

func FuzzExpand(f *testing.F) {
	f.Add("#define A(x) x A(x)\n", "A(A)(1)")
	f.Add("#define A(x, ...) #x ## __VA_ARGS__\n#define B A(B, B)\n", "B A(\"a\\\"\", 'c') A()")
	f.Add("#if defined(A) && A > 0x10 || !B\n#define C 1\n#elif (1 ? 2 : 3) << 63\n#define C 2\n#endif\n", "C")
	f.Add("#define F(a) a + F\n", "F(F)(F(1))")
	f.Fuzz(func(t *testing.T, defs, text string) {
		src := []byte(defs)
		sc := scanSource(src)
		m := preprocess(newLoader(withoutFiles), "fuzz.cu", readDirectives(sc), len(src), nil).macros
		out, err := m.Expand(text, len(src))
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(out), maxExpandedBytes)
		for _, kind := range []FragmentKind{FragmentExpression, FragmentStatements} {
			if frag, err := ParseFragment(out, kind); err == nil {
				for _, n := range frag.Nodes {
					require.Zero(t, n.Flags&FlagHasError)
				}
			}
		}
	})
}
