package kit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// TestLinesInAddedBracesAreSetIn: what edits put braces around is set in by as much as the file
// does, whatever stands there; all else stays where it is. In the texts [+…+] is added.
func TestLinesInAddedBracesAreSetIn(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a loop around statements":    {"void f() {\n    [+for (;;) {\n    +]a();\n\n    b();[+\n    }+]\n}\n", "void f() {\n    for (;;) {\n        a();\n\n        b();\n    }\n}\n"},
		"two levels":                  {"void f() {\n    [+for (;;) {\n    if (x) {\n    +]a();[+\n    }\n    }+]\n}\n", "void f() {\n    for (;;) {\n        if (x) {\n            a();\n        }\n    }\n}\n"},
		"tabs":                        {"void f() {\n\tint i;\n\t[+if (x) {\n\t+]a();[+\n\t}+]\n}\n", "void f() {\n\tint i;\n\tif (x) {\n\t\ta();\n\t}\n}\n"},
		"two blanks":                  {"void f() {\n  [+if (x) {\n  +]a();[+\n  }+]\n}\n", "void f() {\n  if (x) {\n    a();\n  }\n}\n"},
		"directives at the margin":    {"void f() {\n    [+if (x) {\n+]#pragma unroll\n    for (;;) a();[+\n    }+]\n}\n", "void f() {\n    if (x) {\n#pragma unroll\n        for (;;) a();\n    }\n}\n"},
		"carriage returns":            {"void f() {\r\n    [+if (x) {\r\n    +]a();\r\n\r\n    b();[+\r\n    }+]\r\n}\r\n", "void f() {\r\n    if (x) {\r\n        a();\r\n\r\n        b();\r\n    }\r\n}\r\n"},
		"a raw string":                {"void f() {\n    [+if (x) {\n    +]a(R\"(\n    {\n)\");[+\n    }+]\n}\n", "void f() {\n    if (x) {\n        a(R\"(\n    {\n)\");\n    }\n}\n"},
		"a continued line":            {"void f() {\n    [+if (x) {\n    +]a(1, \\\n    2);[+\n    }+]\n}\n", "void f() {\n    if (x) {\n        a(1, \\\n    2);\n    }\n}\n"},
		"text that is set in already": {"void f() {\n    [+if (x) {\n        +]a();[+\n    }+]\n}\n", ""},
		"text all added at once":      {"[+namespace s {\nint a;\n}\n+]void f() {\n    a();\n}\n", ""},
		"braces on one line":          {"void f() {\n    [+{ int x; +]a();\n    b();[+ }+]\n}\n", ""},
		"an #if with half a brace":    {"#if A\nvoid f() {\n#else\nvoid f(int) {\n#endif\n    [+if (x) {\n    +]a();[+\n    }+]\n}\n", ""},
		"an else of an added if":      {"void f() {\n    [+if (x) {\n    +]a();[+\n    } else {+]\n    b();[+\n    }+]\n}\n", "void f() {\n    if (x) {\n        a();\n    } else {\n        b();\n    }\n}\n"},
	} {
		src, edits := added(c.text)
		f, err := parser.Parse("k.cu", []byte(src), parser.Options{})
		require.NoError(t, err, name)
		all, err := SetIn(f, edits)
		require.NoError(t, err, name)
		got, err := edit.ApplyRange(f.Src, all, 0, len(src))
		require.NoError(t, err, name)
		if c.want == "" {
			c.want = strings.NewReplacer("[+", "", "+]", "").Replace(c.text)
		}
		assert.Equal(t, c.want, string(got), name)
	}
}

// added parts a text into what was there and what edits add.
func added(text string) (src string, edits []edit.Edit) {
	for {
		before, rest, found := strings.Cut(text, "[+")
		src += before
		if !found {
			return src, edits
		}
		piece, after, _ := strings.Cut(rest, "+]")
		edits = append(edits, edit.Edit{Start: len(src), End: len(src), New: piece})
		text = after
	}
}
