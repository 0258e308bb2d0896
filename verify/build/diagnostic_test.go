package build

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDiagnosticsOfCompilersAndLinkersAreRead(t *testing.T) {
	for _, tc := range []struct {
		name, output string
		want         []diagnostic
	}{
		{"g++", "a.cu: In function 'int main()':\na.cu:6:3: error: 'cudaFoo' was not declared in this scope; did you mean 'cudaPos'?\n",
			[]diagnostic{{place: place{"a.cu", 6, 3}, text: "'cudaFoo' was not declared in this scope; did you mean 'cudaPos'?"}}},
		{"a name of smux's own after others", "a.cu:6:3: error: 'N' was not declared in this scope\na.cu:6:8: error: 'smux_c' was not declared in this scope; did you mean 'smux_v'?\na.cu:7:8: error: use of undeclared identifier 'smux_c'\n",
			[]diagnostic{{place: place{"a.cu", 6, 3}, text: "'N' was not declared in this scope"}}},
		{"quotes of a UTF-8 locale", "a.cu:6:3: error: ‘x’ was not declared in this scope\n",
			[]diagnostic{{place: place{"a.cu", 6, 3}, text: "'x' was not declared in this scope"}}},
		{"no column", "a.cu:6: error: unterminated #if\n", []diagnostic{{place: place{"a.cu", 6, 0}, text: "unterminated #if"}}},
		{"a folder with a blank", "my dir/a b.cu:1:10: fatal error: x.h: No such file or directory\n",
			[]diagnostic{{place: place{"my dir/a b.cu", 1, 10}, text: "x.h: No such file or directory"}}},
		{"included by g++", "In file included from x.h:4,\n                 from a.cu:2:\ny.h:1:19: error: bad\na.cu:9:1: error: worse\n",
			[]diagnostic{
				{place: place{"y.h", 1, 19}, text: "bad", includes: []place{{"x.h", 4, 0}, {"a.cu", 2, 0}}},
				{place: place{"a.cu", 9, 1}, text: "worse"}}},
		{"included, and told once", "In file included from a.cu:2:\ny.h: In function 'f':\ny.h:1:19: error: bad\ny.h:3:1: error: worse\n",
			[]diagnostic{
				{place: place{"y.h", 1, 19}, text: "bad", includes: []place{{"a.cu", 2, 0}}},
				{place: place{"y.h", 3, 1}, text: "worse", includes: []place{{"a.cu", 2, 0}}}}},
		{"included by clang++", "In file included from a.cu:2:\nIn file included from x.h:4:\ny.h:1:19: error: bad\n",
			[]diagnostic{{place: place{"y.h", 1, 19}, text: "bad", includes: []place{{"x.h", 4, 0}, {"a.cu", 2, 0}}}}},
		{"undefined by lld", "ld.lld: error: undefined symbol: foo(int)\n>>> referenced by b.cc:7\n>>>     /tmp/b.o:(main)\n",
			[]diagnostic{{place: place{"b.cc", 7, 0}, text: "undefined reference to 'foo(int)'", undefined: "foo(int)"}}},
		{"template by g++", "s.h: In instantiation of 'void f(T) [with T = int]':\na.cu:10:4:   required from here\ns.h:4:35: error: request for member\n",
			[]diagnostic{{place: place{"s.h", 4, 35}, text: "request for member", requires: []place{{"a.cu", 10, 4}}}}},
		{"template by clang++", "s.h:4:35: error: no member named 'x'\na.cu:10:4: note: in instantiation of function template specialization 'f<int>' requested here\n",
			[]diagnostic{{place: place{"s.h", 4, 35}, text: "no member named 'x'", requires: []place{{"a.cu", 10, 4}}}}},
		{"warnings and notes are none", "a.cu:1:2: warning: w\na.cu:1:2: note: n\n  1 | error: x\n", nil},
		{"undefined with a line", "/usr/bin/ld: /tmp/x.o: in function `main':\n/tmp/bw/b.cc:7: undefined reference to `foo(int)'\ncollect2: error: ld returned 1 exit status\n",
			[]diagnostic{{place: place{"/tmp/bw/b.cc", 7, 0}, text: "undefined reference to 'foo(int)'", undefined: "foo(int)"}}},
		{"undefined with program, line", "/usr/bin/ld: b.cc:7: undefined reference to `foo(int)'\n",
			[]diagnostic{{place: place{"b.cc", 7, 0}, text: "undefined reference to 'foo(int)'", undefined: "foo(int)"}}},
		{"undefined without a line", "(.text+0x17): undefined reference to `main'\n",
			[]diagnostic{{text: "undefined reference to 'main'", undefined: "main"}}},
		{"undefined in a file without a line", "/usr/bin/ld: b.cc:(.text+0x17): undefined reference to `n::v'\n",
			[]diagnostic{{text: "undefined reference to 'n::v'", undefined: "n::v"}}},
		{"missing library", "/usr/bin/ld: cannot find -lcublaszz: No such file or directory\n", []diagnostic{{text: "cannot find -lcublaszz"}}},
		{"defined twice", "/usr/bin/ld: /tmp/a.o:/tmp/c2.cc:1: multiple definition of `x'; /tmp/b.o:/tmp/c1.cc:1: first defined here\n",
			[]diagnostic{{place: place{"/tmp/c2.cc", 1, 0}, text: "multiple definition of 'x'"}}},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, parseDiagnostics(tc.output)) })
	}
}
