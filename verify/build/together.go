package build

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/verify/translate"
)

// PartVariable is the environment variable that selects which program of several that were built together runs.
const PartVariable = "SMUX_PART"

// BuildTogether compiles programs of one file each as one executable: what they have in common, their headers above
// all, is read once. Each unit is to be translated as a part (translate.Options.Part). The programs that it returns,
// one for each unit, differ in what is run of the executable.
//
// Each program stands in a namespace of its own. A program in which this might change what a name means is refused,
// like one that does not compile so, with a *CompileError that explains nothing: Build is to be asked about it. What
// a program does before main, the others do as well.
func (t *Toolchain) BuildTogether(ctx context.Context, r Request) ([]*Program, error) {
	for _, u := range r.Units {
		if len(u.Files) != 1 || len(r.Sources) > 0 {
			return nil, &CompileError{Output: "a program of several files can't be built together with others"}
		}
	}
	r.together = true
	all, err := t.Build(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []*Program
	for i, u := range r.Units {
		part := *all
		part.Part = i + 1
		part.Files = map[string]*translate.File{u.Files[0].Name: &u.Files[0]}
		out = append(out, &part)
	}
	return out, nil
}

// joining returns the file that includes those of all parts.
func (w *work) joining() string { return filepath.Join(w.Dir, "together.cc") }

var (
	anyInclude    = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|"[^"\n]+")`)
	anyDefine     = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)`)
	usingStandard = regexp.MustCompile(`\busing\s+namespace\s+std\b`)
)

// join writes the joining file. The parts' headers come first, outside of
// namespaces. A part's macros end with it, and those of the command line come back.
func (w *work) join() []byte {
	var b bytes.Buffer
	b.WriteString("#include <stdlib.h>\n")
	headers, names, standard := map[string]bool{}, map[string]bool{}, false
	for _, u := range w.Units {
		for _, m := range anyInclude.FindAllSubmatch(u.Files[0].Text, -1) {
			if header := string(m[1]); !headers[header] {
				headers[header] = true
				fmt.Fprintf(&b, "#if __has_include(%s)\n#include %s\n#endif\n", header, header)
			}
		}
		for _, name := range u.Functions {
			names[name] = true
		}
		standard = standard || usingStandard.Match(u.Files[0].Text)
	}
	b.WriteString(probe(slices.Sorted(maps.Keys(names)), standard))
	for i, u := range w.Units {
		macros := map[string]bool{}
		for _, m := range anyDefine.FindAllSubmatch(u.Files[0].Text, -1) {
			macros[string(m[1])] = true
		}
		list := slices.Sorted(maps.Keys(macros))
		for _, name := range list {
			fmt.Fprintf(&b, "#pragma push_macro(%q)\n", name)
		}
		fmt.Fprintf(&b, "namespace smux_part_%d {\n#include %q\n}\n", i+1, filepath.ToSlash(u.Files[0].Path))
		for _, name := range list {
			fmt.Fprintf(&b, "#undef %s\n#pragma pop_macro(%q)\n", name, name)
		}
	}
	fmt.Fprintf(&b, "%s\nint main(int smux_c, char **smux_v) {\n    switch (smux_part()) {\n", callsOfMain)
	for i := range w.Units {
		fmt.Fprintf(&b, "    case %d: return smux_call(smux_part_%d::main, smux_c, smux_v);\n", i+1, i+1)
	}
	b.WriteString("    }\n    abort();\n}\n")
	return b.Bytes()
}

// probe does not compile where one of the functions that parts define is also declared outside of them, by CUDA for
// example: within a part's namespace the part's overloads would hide those.
func probe(functions []string, standard bool) string {
	var declared, used strings.Builder
	for _, name := range functions {
		fmt.Fprintf(&declared, " extern none %s;", name)
		fmt.Fprintf(&used, " none &smux_%s = %s;", name, name)
	}
	using := "using namespace smux_declared;"
	if standard {
		using += " using namespace std;"
	}
	return fmt.Sprintf("namespace smux_declared { struct none {};%s }\nnamespace smux_probe { %s inline void all() {%s } }\n", &declared, using, &used)
}

// callsOfMain calls main in any of its forms.
const callsOfMain = `
static int smux_call(int (*smux_f)(int, char **), int smux_c, char **smux_v) { return smux_f(smux_c, smux_v); }
static int smux_call(int (*smux_f)(int, const char **), int smux_c, char **smux_v) { return smux_f(smux_c, (const char **)smux_v); }
static int smux_call(int (*smux_f)(), int, char **) { return smux_f(); }
static int smux_part() {
    const char *smux_p = getenv("` + PartVariable + `");
    const int smux_n = smux_p ? atoi(smux_p) : 0;
    unsetenv("` + PartVariable + `");
    return smux_n;
}
`
