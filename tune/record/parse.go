package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/smux-cuda/smux/diag"
)

type Text struct {
	Lines []Line // in order, in today's schema, with the keys that this smux computes
	// Whole is the number of bytes that are lines. What is after them is torn: a process did not finish writing it.
	Whole int
	// Unended says that the last line lacks its newline.
	Unended bool
	// Names are the keys as the text has them, by those of Lines: an older smux may have computed keys in another way.
	Names map[string]string
}

// todays begins a line of today's schema.
var todays = fmt.Appendf(nil, "%s%d,", prefix, Schema)

// Parse reads the text of a record that a process may be writing to, or was killed while it did: it leaves an unfinished end
// out, and refuses all else that is no line, or of a newer smux. name is that of the file, for messages.
func Parse(name string, src []byte) (*Text, error) {
	r := reader{name: name, keys: map[string]string{}, Text: Text{Names: map[string]string{}}}
	for at := 0; at < len(src); {
		end, ended := len(src), false
		if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
			end, ended = at+n+1, true
		}
		r.number++
		line := src[at:end]
		// Power that failed may leave zeros where the file had grown already.
		last := !ended || end == len(src) && bytes.IndexByte(line, 0) >= 0
		if last && unfinished(line, at == 0) {
			break
		}
		if err := r.line(line, at); err != nil {
			return nil, err
		}
		r.Whole, r.Unended = end, !ended && len(bytes.TrimSpace(line)) > 0
		at = end
	}
	if r.rest > 0 {
		r.Whole, r.Lines, r.Unended = r.group.at, r.Lines[:r.group.lines], false
	}
	for i, l := range r.Lines {
		if l.Variant != nil {
			r.Names[l.Key] = r.given[i]
		}
	}
	return &r.Text, nil
}

// unfinished reports whether a text is the start of one of our lines.
func unfinished(line []byte, first bool) bool {
	line = bytes.TrimRight(line, "\n")
	if json.Valid(line) || len(line) == 0 {
		return false
	}
	if n := bytes.IndexByte(line, 0); n >= 0 {
		if line = line[:n]; n == 0 {
			return !first
		}
	}
	n := min(len(line), len(prefix))
	return string(line[:n]) == prefix[:n]
}

type reader struct {
	Text
	name   string
	number int               // of the line
	keys   map[string]string // of the lines, by those that the text has
	given  []string          // keys of Lines, as the text has them
	rest   int               // lines that are still missing of those that were added together
	group  struct{ at, lines int }
}

func (r *reader) line(line []byte, at int) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	var w written
	schema, why := decode(line, &w)
	if schema > Schema {
		return diag.Usagef("update smux, or "+otherFile, "%s:%d: written by a newer smux, in schema %d; this one reads up to %d", r.name, r.number, schema, Schema)
	}
	if why == "" {
		why = w.wrong()
	}
	given := w.Key
	if why == "" {
		why = r.rekey(&w.Line)
	}
	if why != "" {
		return diag.Usagef(suchFiles, "%s:%d: %s", r.name, r.number, why)
	}
	// Lines that are not those that were announced begin anew: somebody has put texts together.
	if r.rest == 0 || w.Rest != r.rest-1 {
		r.group.at, r.group.lines = at, len(r.Lines)
	}
	r.rest = w.Rest
	r.Lines, r.given = append(r.Lines, w.Line), append(r.given, given)
	return nil
}

// rekey gives a line the key that this smux computes.
func (r *reader) rekey(l *Line) string {
	if l.Variant == nil {
		key, ok := r.keys[l.Key]
		if !ok {
			return "no variant with its key stands before it"
		}
		l.Key = key
		return ""
	}
	key := l.Variant.Key()
	if other, ok := r.keys[l.Key]; ok && other != key {
		return "another variant with its key stands before it"
	}
	r.keys[l.Key] = key
	l.Key = key
	return ""
}

// decode also says what is wrong with a line, "" if nothing, and its schema, 0 where it has none.
func decode(line []byte, w *written) (schema int, why string) {
	var head struct{ Schema int }
	var err error
	if bytes.HasPrefix(line, todays) { // nearly all: they need not be read twice
		head.Schema = Schema
	} else if err = json.Unmarshal(line, &head); err == nil && head.Schema > Schema {
		return head.Schema, ""
	}
	switch {
	case err == nil && head.Schema < 1:
		err = errors.New("it has no schema")
	case err == nil && head.Schema < Schema:
		var f fields
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err = d.Decode(&f); err == nil {
			migrate(f, head.Schema)
			line, err = json.Marshal(f)
		}
	}
	if err == nil {
		err = json.Unmarshal(line, w)
	}
	if err != nil {
		return head.Schema, "this is not a line of a record: " + err.Error()
	}
	w.Schema = Schema
	if w.Rest < 0 {
		return head.Schema, fmt.Sprintf("%d lines follow it", w.Rest)
	}
	return head.Schema, ""
}

// fields are a decoded line, or an object in it. Numbers are json.Number, so that they come through as written.
type fields = map[string]any

// migrations make of a line of a schema, their index, one of the next.
var migrations = []func(line fields){
	1: func(line fields) { // names say units, and a pair's times are no longer called as the variant is
		rename(line["variant"], "shared", "sharedBytes", "spills", "spillBytes")
		rename(line["pair"], "base", "baseTimes", "variant", "variantTimes")
		if pair, ok := line["pair"].(fields); ok {
			rename(pair["state"], "clockSM", "smMHz", "clockMemory", "memoryMHz", "temperature", "celsius")
		}
	},
}

func migrate(line fields, schema int) {
	for ; schema < len(migrations); schema++ {
		migrations[schema](line)
		line["schema"] = schema + 1
	}
}

// rename renames the fields of an object: an old name, the new one, and so on. The decoder complains of no object.
func rename(object any, names ...string) {
	o, ok := object.(fields)
	if !ok {
		return
	}
	for i := 0; i < len(names); i += 2 {
		if v, there := o[names[i]]; there {
			delete(o, names[i])
			o[names[i+1]] = v
		}
	}
}
