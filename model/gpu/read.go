package gpu

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/smux-cuda/smux/diag"
)

// CodeFile is the code of every message about a file of GPUs.
const CodeFile diag.Code = "gpu-file"

// fileHelp is the line of help of these messages.
const fileHelp = "compare with the built-in table, model/gpu/gpus.toml, which has the same form and explains the keys"

// FileError lists what is wrong with a file of GPUs, by place.
type FileError struct{ Messages []diag.Message }

// Error returns the messages, one a line.
func (e *FileError) Error() string {
	text := make([]string, len(e.Messages))
	for i, m := range e.Messages {
		text[i] = m.String()
	}
	return strings.Join(text, "\n")
}

// Read returns the built-in table with the architectures and boards of a TOML
// file added. The file has the form of gpus.toml: tables [arch."9.9"] for new
// compute capabilities, [gpu.name] for boards. A board names a compute
// capability by cc and may change some of its limits in a table [gpu.name.arch].
// The name is only used in messages. The error is a *FileError that lists all
// that is wrong: syntax, unknown and missing keys, names that exist already, and
// values that make no sense.
func Read(name string, src []byte) (*Table, error) {
	return Default().Read(name, src)
}

// Read is like the function Read, with the table t in place of the built-in one,
// which is left as it is.
func (t *Table) Read(name string, src []byte) (*Table, error) {
	r := &reader{file: name, table: t.clone(), lines: indexLines(name, string(src))}
	r.read(string(src))
	if len(r.messages) > 0 {
		slices.SortStableFunc(r.messages, func(a, b diag.Message) int { return a.Pos.Line - b.Pos.Line })
		return nil, &FileError{r.messages}
	}
	return r.table, nil
}

// reader adds what a file holds to a table.
type reader struct {
	file     string
	table    *Table
	lines    lines
	messages []diag.Message
}

// wrong notes a message about the thing at path.
func (r *reader) wrong(path []string, format string, args ...any) {
	r.messages = append(r.messages, diag.Message{
		Pos: r.lines.find(path...), Code: CodeFile, Text: fmt.Sprintf(format, args...), Help: fileHelp,
	})
}

func (r *reader) read(src string) {
	root := map[string]any{}
	if _, err := toml.Decode(src, &root); err != nil {
		r.syntax(err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(root)) {
		if name != "arch" && name != "gpu" {
			r.wrong([]string{name}, "unknown table or key %q: there are [arch.\"8.0\"] and [gpu.name]", name)
		}
	}
	arches := r.tables(root, "arch")
	boards := r.tables(root, "gpu")
	var added []string
	for _, cc := range slices.Sorted(maps.Keys(arches)) {
		if r.arch(cc, arches[cc]) {
			added = append(added, cc)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(boards)) {
		r.board(name, boards[name])
	}
	for _, cc := range added {
		r.representative(cc)
	}
	r.table.sort()
}

func (r *reader) syntax(err error) {
	pos := diag.Position{File: r.file, Line: 1, Column: 1}
	text := strings.TrimPrefix(err.Error(), "toml: ")
	var parse toml.ParseError
	if errors.As(err, &parse) {
		pos.Line, pos.Column = max(1, parse.Position.Line), max(1, parse.Position.Col)
		text = parse.Message
		if text == "" {
			text = strings.TrimPrefix(parse.Error(), "toml: ")
		}
	}
	r.messages = append(r.messages, diag.Message{Pos: pos, Code: CodeFile, Text: text, Help: fileHelp})
}

// tables returns the tables in root[name].
func (r *reader) tables(root map[string]any, name string) map[string]map[string]any {
	out := map[string]map[string]any{}
	all, ok := root[name].(map[string]any)
	if !ok && root[name] != nil {
		r.wrong([]string{name}, "%s must be a table, not %s", name, kindOf(root[name]))
	}
	for k, v := range all {
		if t, ok := v.(map[string]any); ok {
			out[k] = t
		} else {
			r.wrong([]string{name, k}, "%s must be a table, not %s", k, kindOf(v))
		}
	}
	return out
}
