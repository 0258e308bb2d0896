// Command new makes the skeleton of a rewriter, from the root of the repository:
//
//	go run ./rewrite/new shuffle
//
// It writes a folder below rewrite with the check, the proof and the edits; a case; a page; the code of its refusal;
// and its rows in the tables. What has to be filled in says TODO, and the tests that it names fail until it is.
package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./rewrite/new NAME")
		os.Exit(2)
	}
	files, err := skeleton(os.Args[1], os.ReadFile)
	if err == nil {
		err = write(files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "new:", err)
		os.Exit(1)
	}
	fmt.Printf("made rewrite/%[1]s; now:\n  grep -rn TODO rewrite/%[1]s docs/use/rewrites/%[1]s.md testdata/cases/%[1]s.txtar diag/codes/%[1]s\n"+
		"  go test ./rewrite -run 'TestCases|RefusalTables' -update; go test ./diag -run CodesPage -update; go test ./project/config ./cmd -run 'Schema|Documentation' -update\n  go test ./rewrite/... ./diag ./internal/arrows ./pipeline ./project/config ./cmd\n", os.Args[1])
}

// isName matches names that are a package's and a rewriter's alike.
var isName = regexp.MustCompile(`^[a-z][a-z0-9]+$`)

// made are the files of a rewriter's own; $name and $Name stand for its name, $code for that of its refusal.
var made = map[string]string{
	"rewrite/$name/$name.go": `// Package $name TODO says in one sentence what the rewriter does, with its source (paper and section).
package $name

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CodeNothing is a kernel that has nothing for this rewriter.
const CodeNothing diag.Code = $code

const mark = "// smux $name"

// Check proves that TODO.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &proof{Findings: kit.NewFindings(k, variant.$Name, opt)}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if kit.AlreadyMultiplexed(k) || p.Says(mark) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "smux has rewritten this kernel before")
		return nil, p.Reasons
	}
	p.Refuse(k.File, k.View.Start, CodeNothing, "TODO says what is missing") // TODO: prove, or refuse with the place
	return nil, p.Reasons
}

// proof says what is to be changed.
type proof struct {
	kit.Findings
}

// String lists the changes.
func (p *proof) String() string { return p.Title() }

// Apply makes the edits that the proof calls for.
func (p *proof) Apply() *kit.Edits {
	w := kit.NewEmitter(p.Kernel)
	w.AtTop(append([]string{mark + "."}, w.Checks(&p.Findings)...))
	return w.Done()
}
`,
	"testdata/cases/$name.txtar": `TODO says what is rewritten, and what is refused.
variants: $name
-- in.cu --
__global__ void k(float *a) { a[threadIdx.x] = threadIdx.x; }
void run(float *a) { k<<<1, 64>>>(a); }
`,
	"docs/use/rewrites/$name.md": `# $name

TODO: what is done, in two sentences.

## When to use it

## Example

## Knobs

## Limits

## Refusals

<!-- written by go test ./rewrite -run RefusalTables -update -->
<!-- end -->
`,
	"diag/codes/$name/nothing-to-$name.md": "# nothing-to-$name: TODO says in one line what the code means\n\nHelp: TODO begins with a verb\n\n" +
		"TODO: what it means, and why smux leaves the kernel alone.\n\n## Example\n\n```\n__global__ void k(float *a) { a[threadIdx.x] = 1; }\n```\n\n## Fix\n\n```\nTODO\n```\n",
}

// rows are inserted in tables: each after the last match of a pattern.
var rows = []struct{ file, after, row string }{
	{"rewrite/variant/rewriters.go", `\n\tDemote +=[^\n]*`, "\n\t$Name = \"$name\" // TODO"},
	{"rewrite/variant/rewriters.go", `(?s)\n\t\{\n\t\tName: .*?\n\t\},`, "\n\t{\n\t\tName: $Name,\n\t\tDoc: \"TODO\",\n\t\tSyncs: []string{\"\"}, Factors: []int{0},\n\t\tInPlace: true, Searched: true,\n\t},"},
	{"rewrite/rewriter.go", `\n\t\{Rewriter: [^\n]*`, "\n\t{Rewriter: variant.Named(variant.$Name), Check: $name.Check},"},
	{"rewrite/rewriter.go", `\n\t"github.com/smux-cuda/smux/rewrite/overlay"`, "\n\t\"github.com/smux-cuda/smux/rewrite/$name\""},
	{"diag/docs.go", `\n\t\{"overlay", [^\n]*`, "\n\t{\"$name\", \"Refusals of $name\", refusal},"},
	{"internal/arrows/arrows_test.go", `\n\t\{"rewrite/shape", [^\n]*`, "\n\t{\"rewrite/$name\", \"rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware\"},"},
	{"internal/arrows/arrows_test.go", `\n\t\{"rewrite", "`, "rewrite/$name "},
	{"docs/develop/contributing.md", "`rewrite/overlay`", ", `rewrite/$name`"},
}

// skeleton returns the files of a new rewriter, and those that it changes, by name.
func skeleton(name string, read func(string) ([]byte, error)) (map[string]string, error) {
	if !isName.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a package: lower-case letters and digits", name)
	}
	fill := strings.NewReplacer("$code", `"nothing-to-`+name+`"`, "$name", name, "$Name", strings.ToUpper(name[:1])+name[1:]).Replace
	files := map[string]string{}
	for path, text := range made {
		if _, err := read(fill(path)); err == nil {
			return nil, fmt.Errorf("%s is there already", fill(path))
		}
		files[fill(path)] = fill(text)
	}
	for _, r := range rows {
		if _, changed := files[r.file]; !changed {
			text, err := read(r.file)
			if err != nil {
				return nil, err
			}
			files[r.file] = string(text)
		}
		found := regexp.MustCompile(r.after).FindAllStringIndex(files[r.file], -1)
		if found == nil {
			return nil, fmt.Errorf("%s has no place for a row: nothing matches %s", r.file, r.after)
		}
		at := found[len(found)-1][1]
		files[r.file] = files[r.file][:at] + fill(r.row) + files[r.file][at:]
	}
	for path, text := range files {
		if filepath.Ext(path) == ".go" {
			formatted, err := format.Source([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			files[path] = string(formatted)
		}
	}
	return files, nil
}

func write(files map[string]string) error {
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
