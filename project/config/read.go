package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"go.yaml.in/yaml/v4"
)

// The codes of messages about a file of settings.
const (
	CodeSyntax diag.Code = "config-syntax" // it is not YAML, or more than smux takes
	CodeKey    diag.Code = "config-key"    // unknown, twice, or beside another
	CodeValue  diag.Code = "config-value"  // of the wrong type, or unknown
)

// Error says what is wrong with a file, by place.
type Error struct{ Messages []diag.Message }

// Error returns the messages, one a line.
func (e *Error) Error() string {
	text := lists.Map(e.Messages, diag.Message.String)
	return strings.Join(text, "\n")
}

// Read checks the text of a file and returns what it says. Paths in it are seen from the folder of name. open reads
// the file of GPUs that it may name; with nil names of GPUs are not looked up. The error is an *Error that tells all
// that is wrong.
func Read(name string, src []byte, open func(name string) ([]byte, error)) (*Settings, error) {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	r := &reader{file: name, open: open, values: map[string][]placed{}}
	s := &Settings{File: name, Dir: dir, At: map[string]diag.Position{}}
	if root := r.parse(src); root != nil && len(r.messages) == 0 {
		r.settings(root, s)
	}
	if len(r.messages) > 0 {
		slices.SortStableFunc(r.messages, func(a, b diag.Message) int {
			return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
		})
		return nil, &Error{r.messages}
	}
	return s, nil
}

// reader reads one file.
type reader struct {
	file     string
	open     func(string) ([]byte, error)
	lines    []string // of the text, to count columns in bytes
	messages []diag.Message
	values   map[string][]placed // texts of the file's own keys, for what is checked together
}

// wrong notes a message about the thing at a node.
func (r *reader) wrong(n *yaml.Node, code diag.Code, help, format string, args ...any) {
	r.messages = append(r.messages, diag.Message{Pos: r.place(n), Code: code, Text: fmt.Sprintf(format, args...), Help: help})
}

// settings reads the whole file, a mapping.
func (r *reader) settings(root *yaml.Node, s *Settings) {
	if root.Kind != yaml.MappingNode {
		r.wrong(root, CodeValue, "write KEY: VALUE, such as gpus: a100", "the file must be a mapping of keys, not %s", kindOf(root))
		return
	}
	mapping(r, root, "", keys, s, s.At, func(k key[Settings], value *yaml.Node) bool {
		switch at := k.at(s).(type) {
		case *Baseline:
			if r.isMapping(k.name, value) {
				mapping(r, value, k.name+".", baselineKeys, at, s.At, nil)
			}
			return true
		case *[]Kernel:
			entries(r, value, k.name, "kernel", func(name string, n *yaml.Node, pos diag.Position, places map[string]diag.Position) {
				e := Kernel{Name: name, Pos: pos, At: places}
				mapping(r, n, "", kernelKeys, &e, e.At, nil)
				r.contradictions(&e)
				*at = append(*at, e)
			})
			return true
		case *[]Program:
			entries(r, value, k.name, "program", func(name string, n *yaml.Node, pos diag.Position, places map[string]diag.Position) {
				e := Program{Name: name, Pos: pos, At: places}
				mapping(r, n, "", programKeys, &e, e.At, nil)
				*at = append(*at, e)
			})
			return true
		}
		return false
	})
	if r.open != nil {
		r.checkGPUs(s)
	}
}

// entries reads a mapping from names or globs to mappings, each of which add gets.
func entries(r *reader, n *yaml.Node, key, of string, add func(name string, n *yaml.Node, pos diag.Position, at map[string]diag.Position)) {
	if !r.isMapping(key, n) {
		return
	}
	seen := map[string]*yaml.Node{}
	for name, value := range pairs(n) {
		glob, ok := r.text("the name of a "+of, name)
		if !ok {
			continue
		}
		if r.twice(name, glob, seen) {
			continue
		}
		if wrong, help := noGlob(glob); wrong != "" {
			r.wrong(name, CodeValue, help, "%s", wrong)
		}
		if !r.isMapping(fmt.Sprintf("%s %q", of, glob), value) {
			continue
		}
		if len(value.Content) == 0 {
			r.wrong(value, CodeValue, "say what smux should do with it, or take it away", "%s %q has no settings", of, glob)
		}
		add(glob, value, r.place(name), map[string]diag.Position{})
	}
}

// contradictory are keys of a kernel of which the strong one makes the weak one mean nothing.
var contradictory = []struct{ strong, weak, why string }{
	{"leave", "pin", "leave says that the kernel is never rewritten"},
	{"leave", "rewrites", "leave says that the kernel is never rewritten"},
	{"leave", "min-gain", "leave says that the kernel is never rewritten"},
	{"pin", "rewrites", "pin says which rewrite to do"},
	{"pin", "min-gain", "pin says to do it whether it is expected to gain or not"},
}

// contradictions refuses keys of a kernel that stand beside one that makes them mean nothing.
func (r *reader) contradictions(k *Kernel) {
	for _, c := range contradictory {
		_, strong := k.At[c.strong]
		if pos, weak := k.At[c.weak]; strong && weak {
			r.messages = append(r.messages, diag.Message{Pos: pos, Code: CodeKey, Help: "take one of them away",
				Text: fmt.Sprintf("kernel %q: %s, so %s means nothing", k.Name, c.why, c.weak)})
		}
	}
}

// mapping reads the keys of a mapping into out, and notes their places under their
// names with prefix before them. own reads those that are mappings themselves.
func mapping[T any](r *reader, n *yaml.Node, prefix string, keys []key[T], out *T, at map[string]diag.Position, own func(key[T], *yaml.Node) bool) {
	seen := map[string]*yaml.Node{}
	for name, value := range pairs(n) {
		i := slices.IndexFunc(keys, func(k key[T]) bool { return k.name == name.Value })
		if name.Kind != yaml.ScalarNode || i < 0 {
			r.unknown(name, prefix, names(keys))
			continue
		}
		if r.twice(name, name.Value, seen) {
			continue
		}
		at[prefix+name.Value] = r.place(name)
		if own == nil || !own(keys[i], value) {
			read(r, keys[i], value, out)
		}
	}
}

// unknown reports that there is no key of that name, and what may have been meant.
func (r *reader) unknown(n *yaml.Node, prefix string, known []string) {
	if n.Kind != yaml.ScalarNode {
		r.wrong(n, CodeKey, "", "a key must be a name, not %s", kindOf(n))
		return
	}
	where := "of a file"
	switch {
	case prefix != "":
		where = "of " + strings.TrimSuffix(prefix, ".")
	case slices.Contains(known, "pin"):
		where = "of a kernel"
	case slices.Contains(known, "args"):
		where = "of a program"
	}
	help := suggest(strings.ReplaceAll(n.Value, "_", "-"), known, "the keys "+where+" are")
	has := func(all []string) bool { return slices.Contains(all, n.Value) }
	switch {
	case where == "of a file" && has(names(programKeys)):
		help = "it is a key of a program: write it below programs and the name of its file"
	case where == "of a file" && has(names(kernelKeys)):
		help = "it is a key of a kernel: write it below kernels and the name of the kernel"
	case where != "of a file" && has(names(keys)):
		help = "it is a key of the whole file: write it without indentation"
	}
	r.wrong(n, CodeKey, help, "unknown key %q %s", n.Value, where)
}

// twice reports whether a key has been seen, and says so.
func (r *reader) twice(n *yaml.Node, name string, seen map[string]*yaml.Node) bool {
	if first := seen[name]; first != nil {
		r.wrong(n, CodeKey, "write all of it in one place", "%q stands here a second time; the first is in line %d", name, first.Line)
		return true
	}
	seen[name] = n
	return false
}

func names[T any](keys []key[T]) []string {
	return lists.Map(keys, func(k key[T]) string { return k.name })
}

// suggest returns a line of help that names what may have been meant, or all there is.
func suggest(word string, names []string, all string) string {
	if help := diag.DidYouMean(word, names, all); help != "" {
		return help
	}
	return all + ": " + strings.Join(names, ", ")
}

// MaxBytes bounds the size of a file. Settings that people write are far smaller.
const MaxBytes = 1 << 20

// maxDepth bounds the depth of nested values; none that means anything is deeper than 4.
const maxDepth = 16

// parse returns the mapping that the text is, nil for one that says nothing and for one that is not YAML.
func (r *reader) parse(src []byte) *yaml.Node {
	if !r.readable(src) {
		return nil
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	r.lines = strings.SplitAfter(string(src), "\n")
	d := yaml.NewDecoder(bytes.NewReader(src))
	var document, second yaml.Node
	if err := d.Decode(&document); err != nil {
		r.syntax(err)
		return nil
	}
	switch err := d.Decode(&second); {
	case err == nil:
		r.wrong(&second, CodeSyntax, `take the line "---" away, and what is after it`, "a second document begins here, and the file may have one")
		return nil
	case !errors.Is(err, io.EOF):
		r.syntax(err)
		return nil
	}
	if len(document.Content) == 0 {
		return nil
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" && root.Anchor == "" {
		return nil // comments alone
	}
	r.plain(root, 0)
	return root
}

// readable refuses what is not a text in UTF-8, or too much of it.
func (r *reader) readable(src []byte) bool {
	at := func(line, column int, help, format string, args ...any) bool {
		r.messages = append(r.messages, diag.Message{
			Pos: diag.Position{File: r.file, Line: line, Column: column}, Code: CodeSyntax, Text: fmt.Sprintf(format, args...), Help: help,
		})
		return false
	}
	if len(src) > MaxBytes {
		return at(1, 1, "", "the file has more than %d kB, which no settings need", MaxBytes/1024)
	}
	if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
		return at(1, 1, "save it as UTF-8", "the file is in UTF-16")
	}
	line := 1
	for text := range bytes.Lines(src) {
		for i := 0; i < len(text); {
			c, n := utf8.DecodeRune(text[i:])
			if c == utf8.RuneError && n == 1 {
				return at(line, i+1, "save it as UTF-8", "the file is not UTF-8")
			}
			i += n
		}
		line++
	}
	return true
}

// syntax notes what the YAML library has against the text.
func (r *reader) syntax(err error) {
	if errors.Is(err, io.EOF) {
		return // nothing but comments
	}
	pos := diag.Position{File: r.file, Line: 1, Column: 1}
	text, help := strings.TrimPrefix(err.Error(), "yaml: "), ""
	if load := (*yaml.LoadError)(nil); errors.As(err, &load) {
		text = load.Message
		if load.Mark.Line > 0 {
			pos = r.at(load.Mark.Line, max(1, load.Mark.Column))
		}
	}
	line := ""
	if pos.Line <= len(r.lines) {
		line = strings.TrimLeft(r.lines[pos.Line-1], " -")
	}
	switch {
	case strings.HasPrefix(line, "*") || strings.Contains(text, "unknown anchor"):
		help = `a glob that begins with * stands in quotes, such as "*_tile"`
	case strings.HasPrefix(line, "\t"):
		help = "YAML is indented with spaces, not with tabs"
	case strings.HasPrefix(line, "[") || strings.ContainsAny(line, "@`%"):
		help = "write texts with special characters in quotes"
	}
	r.messages = append(r.messages, diag.Message{Pos: pos, Code: CodeSyntax, Text: "this is not YAML: " + text, Help: help})
}

// plain refuses what YAML has and settings don't need: anchors and aliases, with
// which a small file can stand for a huge one, tags, and values nested without end.
func (r *reader) plain(n *yaml.Node, depth int) {
	switch {
	case depth > maxDepth:
		r.wrong(n, CodeSyntax, "", "values are nested deeper than any setting")
		return
	case n.Kind == yaml.AliasNode:
		r.wrong(n, CodeSyntax, `write it out; a glob that begins with * stands in quotes, such as "*_tile"`, "aliases (*%s) are not taken", n.Value)
		return
	case n.Anchor != "":
		r.wrong(n, CodeSyntax, "write it out where it is needed; texts that begin with & stand in quotes", "anchors (&%s) are not taken", n.Anchor)
		return
	case n.Style&yaml.TaggedStyle != 0 || n.Kind == yaml.ScalarNode && !coreTags[n.ShortTag()]:
		r.wrong(n, CodeSyntax, `a text that begins with ! stands in quotes, such as "!keep.cu"`, "tags (%s) are not taken", n.Tag)
		return
	}
	for _, c := range n.Content {
		r.plain(c, depth+1)
	}
}

// coreTags are those of plain values; a merge key (<<) is one of the rest.
var coreTags = map[string]bool{"!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true, "!!timestamp": true}

// place returns where a node stands.
func (r *reader) place(n *yaml.Node) diag.Position { return r.at(n.Line, n.Column) }

// at returns a place that YAML counts in characters, in bytes.
func (r *reader) at(line, column int) diag.Position {
	pos := diag.Position{File: r.file, Line: max(1, line), Column: max(1, column)}
	if pos.Line <= len(r.lines) {
		chars := 0
		for i := range r.lines[pos.Line-1] {
			if chars++; chars == column {
				pos.Column = i + 1
			}
		}
	}
	return pos
}
