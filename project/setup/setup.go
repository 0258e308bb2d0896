// Package setup says what smux needs to know of a project that has no settings yet: it looks at the
// build files of a folder and writes what .smux.yaml and a team's hooks begin with.
//
// It guesses nothing: a setting stands in the file only where something in the tree or this machine
// says it, with its source. Texts of a person stay as they are; what is added to one is read again, and
// refused where that is not what was meant.
package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
)

// HooksFile is the configuration of https://pre-commit.com.
const HooksFile = ".pre-commit-config.yaml"

// repository is the address of smux, by which its hooks are known.
const repository = "https://github.com/smux-cuda/smux"

// Tree holds what the files of a project tell.
type Tree struct {
	Files []string // of CUDA, those that git ignores left out
	CMake bool     // there is a CMakeLists.txt
	// Database is the compilation database, relative to the folder; "" for none.
	Database string
	// Architectures are those that code is made for, as sm_75, ascending; Source is the file that says so.
	Architectures []string
	Source        string
}

// mostBuildFile bounds the build files that are read: a longer one was generated.
const mostBuildFile = 1 << 20

var (
	cmakeComment       = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	cmakeArchitectures = regexp.MustCompile(`(?i)\b(?:CMAKE_)?CUDA_ARCHITECTURES["\s]+([^()$]*)\)`)
	cmakeArchitecture  = regexp.MustCompile(`^([0-9]{2,3})[af]?(?:-real|-virtual)?$`)
)

// Look looks at a folder. The error is for a folder that can't be read.
func Look(ctx context.Context, dir string) (Tree, error) {
	var t Tree
	var errs []error
	if t.Files, errs = project.Walk(ctx, []string{dir}, project.Options{}); len(errs) > 0 {
		return t, errs[0]
	}
	if err := ctx.Err(); err != nil {
		return t, err
	}
	t.Database = database(dir)
	if db, err := project.ReadDatabase(filepath.Join(dir, t.Database)); t.Database != "" && err == nil {
		t.Architectures, t.Source = db.Architectures(t.Files), t.Database
	}
	lists := filepath.Join(dir, "CMakeLists.txt")
	info, err := os.Stat(lists)
	if t.CMake = err == nil && info.Mode().IsRegular(); !t.CMake || len(t.Architectures) > 0 || info.Size() > mostBuildFile {
		return t, nil
	}
	if text, err := os.ReadFile(lists); err == nil {
		t.Architectures, t.Source = ofCMake(string(text)), "CMakeLists.txt"
	}
	return t, nil
}

// database finds the compilation database of a folder: in it, or in a folder of it that a build made.
func database(dir string) string {
	name := project.FindDatabase(dir, dir)
	if name == "" {
		if found, _ := filepath.Glob(filepath.Join(dir, "*", project.DatabaseName)); len(found) > 0 {
			name = found[0]
		}
	}
	relative, err := filepath.Rel(project.Resolved(dir), project.Resolved(name))
	if name == "" || err != nil {
		return ""
	}
	return filepath.ToSlash(relative)
}

// ofCMake returns the architectures that a CMakeLists.txt sets in numbers. Others, such as native, name no GPU.
func ofCMake(text string) (out []string) {
	for _, m := range cmakeArchitectures.FindAllStringSubmatch(cmakeComment.ReplaceAllString(text, ""), -1) {
		for _, word := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune("; \t\r\n\"", r) }) {
			if n := cmakeArchitecture.FindStringSubmatch(word); n != nil && !slices.Contains(out, "sm_"+n[1]) {
				out = append(out, "sm_"+n[1])
			}
		}
	}
	project.SortArchitectures(out)
	return out
}

// Settings returns the text of .smux.yaml for GPUs by their names, and the source that named them; without
// any it says how they are named.
func (t Tree) Settings(gpus []string, source string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# yaml-language-server: $schema=%s\n# The settings of smux for this project. \"smux config\" says which count.\n\n", config.SchemaID)
	if len(gpus) > 0 {
		fmt.Fprintf(&out, "gpus: [%s] # of %s\n", strings.Join(gpus, ", "), source)
	} else {
		out.WriteString("# gpus: [t4, a100] # the GPUs that kernels are judged for\n")
	}
	if dir := filepath.ToSlash(filepath.Dir(t.Database)); t.Database != "" && dir != "." && dir != "build" {
		fmt.Fprintf(&out, "# compile-commands: %s # smux finds those in this folder and in build by itself\n", dir)
	}
	out.WriteString("# exclude: [third_party/]\n")
	return out.Bytes()
}

// Hook returns the lines of pre-commit's file, below "repos:", for a revision of smux.
func Hook(revision string) string {
	return "  - repo: " + repository + "\n    rev: " + revision + "\n    hooks:\n      - id: smux-check\n"
}

// hooksFile holds the repositories of pre-commit's file.
type hooksFile struct {
	Repos []struct {
		Repo string `yaml:"repo"`
	} `yaml:"repos"`
}

// HasHook reports whether pre-commit's file has a hook of smux.
func HasHook(text []byte) bool {
	var f hooksFile
	if yaml.Unmarshal(text, &f) != nil {
		return false
	}
	for _, r := range f.Repos {
		if strings.TrimSuffix(r.Repo, ".git") == repository {
			return true
		}
	}
	return false
}

// WithHook adds the lines of Hook to a file of pre-commit, after its last repository. It returns nil where the file
// is written in another form than pre-commit's own examples: a person adds the lines there.
func WithHook(text []byte, revision string) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at, indent, inside := -1, -1, false
	for i, line := range lines {
		trimmed := bytes.TrimLeft(line, " ")
		switch body := bytes.TrimSpace(trimmed); {
		case len(body) == 0 || body[0] == '#':
			continue
		case len(trimmed) == len(line) && bytes.HasPrefix(body, []byte("repos:")):
			inside = true
		case len(trimmed) == len(line) && body[0] != '-':
			inside = false
		case inside && indent < 0:
			indent = len(line) - len(trimmed)
		}
		if inside {
			at = i + 1
		}
	}
	if indent < 0 {
		return nil
	}
	out := bytes.Join(lines[:at], nil)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	for line := range strings.Lines(Hook(revision)) {
		out = append(out, strings.Repeat(" ", indent)+strings.TrimPrefix(line, "  ")...)
	}
	out = append(out, bytes.Join(lines[at:], nil)...)
	if !adds(text, out, revision) {
		return nil
	}
	return out
}

// adds reports whether one text of pre-commit's file means the other one with the hook at the end.
func adds(before, after []byte, revision string) bool {
	var old, now, hook map[string]any
	if err := errors.Join(yaml.Unmarshal(before, &old), yaml.Unmarshal(after, &now), yaml.Unmarshal([]byte("repos:\n"+Hook(revision)), &hook)); err != nil {
		return false
	}
	repos, _ := old["repos"].([]any)
	added, _ := hook["repos"].([]any)
	old["repos"] = append(slices.Clone(repos), added...)
	return reflect.DeepEqual(old, now)
}

// Plan holds the files that a project gets, in their order, and the messages about them.
type Plan struct {
	Files   []disk.File
	Remarks []string
}

// NewPlan decides what is written into a folder. Settings that are there, or count from above, stay, unless force is set, and a hook is added
// to a file of pre-commit if the revision of smux is known.
func NewPlan(dir string, settings []byte, revision string, known, force bool) (p Plan, err error) {
	name := filepath.Join(dir, config.Name)
	_, missing := os.Lstat(name)
	switch counts := config.NewFinder("", nil).Find(project.Absolute(dir)); {
	case missing == nil && !force:
		p.Remarks = append(p.Remarks, name+" is there, and stays: --force replaces it")
	case counts != "" && !force:
		p.Remarks = append(p.Remarks, counts+" counts here: --force writes "+name+", which counts in its place")
	default:
		p.Files = append(p.Files, disk.File{Name: name, Text: settings})
	}
	name = filepath.Join(dir, HooksFile)
	old, err := os.ReadFile(name)
	switch added := WithHook(old, revision); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return p, diag.Failed("reading "+name, diag.PlainCause(err))
	case HasHook(old):
		p.Remarks = append(p.Remarks, name+" has a hook of smux")
	case known && added != nil:
		p.Files = append(p.Files, disk.File{Name: name, Text: added})
	default:
		p.Remarks = append(p.Remarks, "these lines of "+HooksFile+" have pre-commit run smux:\nrepos:\n"+strings.TrimSuffix(Hook(revision), "\n"))
	}
	return p, nil
}

// Text returns the files as a person reads them before they are written.
func (p Plan) Text() []byte {
	var out bytes.Buffer
	for _, f := range p.Files {
		fmt.Fprintf(&out, "# %s\n%s", f.Name, f.Text)
	}
	return out.Bytes()
}

// String says in one line what was found.
func (t Tree) String() string {
	found := []string{prose.Count(len(t.Files), "CUDA file")}
	if t.CMake {
		found = append(found, "CMakeLists.txt")
	}
	if t.Database != "" {
		found = append(found, t.Database)
	} else if t.CMake {
		found = append(found, `no compile_commands.json ("cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON" writes one)`)
	}
	if len(t.Architectures) > 0 {
		found = append(found, "built for "+strings.Join(t.Architectures, ", "))
	}
	return strings.Join(found, ", ")
}

// Next returns the three commands that a person runs next.
func (t Tree) Next(dir string) []string {
	file := t.Files[0]
	return []string{
		"smux rewrite -d " + dir + "   # the diff of what would change, for review",
		"smux analyze -v " + file + "   # all that is known of its kernels",
		"smux verify --all " + file + "   # compare each rewrite with the original, on the CPU",
	}
}
