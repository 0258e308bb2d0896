package config

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
)

// placed is a text of the file with its place.
type placed struct {
	text string
	node *yaml.Node
}

// read reads the value of a key to where it goes.
func read[T any](r *reader, k key[T], n *yaml.Node, out *T) {
	switch at := k.at(out).(type) {
	case **float64:
		*at = r.number(k.name, n, k.least, k.most)
	case *string:
		if n.Kind == yaml.SequenceNode {
			r.wrong(n, CodeValue, "", "%s must be one text, not a list", k.name)
			return
		}
		if text, ok := r.text(k.name, n); ok {
			*at = check(r, k, placed{text, n})
			note(r, k.name, out, []placed{{*at, n}})
		}
	case *[]string:
		texts := r.texts(n, k.name, k.commas)
		if k.filled && n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			r.wrong(n, CodeValue, "take the key away where all are meant", "%s names nothing", k.name)
		}
		for _, t := range texts {
			*at = append(*at, check(r, k, t))
		}
		note(r, k.name, out, texts)
	default:
		panic(fmt.Sprintf("config: key %q goes to a %T", k.name, at))
	}
}

// check refuses a text that makes no sense, and returns it as it counts.
func check[T any](r *reader, k key[T], t placed) string {
	switch {
	case strings.TrimSpace(t.text) == "":
		r.wrong(t.node, CodeValue, "remove the key, or give it a value", "%s is empty", k.name)
	case strings.ContainsFunc(t.text, unicode.IsControl):
		r.wrong(t.node, CodeValue, "", "%s holds a control character: %q", k.name, t.text)
	case k.names != nil && !slices.Contains(k.names(), t.text):
		r.wrong(t.node, CodeValue, suggest(t.text, k.names(), k.name+" knows"), "%s knows no %q", k.name, t.text)
	case k.against != nil:
		if wrong, help := k.against(t.text); wrong != "" {
			r.wrong(t.node, CodeValue, help, "%s: %s", k.name, wrong)
		}
	case k.path:
		return r.path(t.text)
	}
	return t.text
}

// path returns a path as seen from where the name of the file is seen.
func (r *reader) path(text string) string {
	if filepath.IsAbs(text) {
		return filepath.Clean(text)
	}
	return filepath.Join(filepath.Dir(r.file), text)
}

// number reads a number of percent, nil where it is not a number.
func (r *reader) number(name string, n *yaml.Node, least, most float64) *float64 {
	var f float64
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || n.Decode(&f) != nil {
		help := fmt.Sprintf("write %s: 5 for 5 %%", name)
		r.wrong(n, CodeValue, help, "%s must be a number of percent, not %s", name, kindOf(n))
		return nil
	}
	if math.IsNaN(f) || f < least || f > most {
		r.wrong(n, CodeValue, fmt.Sprintf("write %s: 5 for 5 %%", name), "%s must be from %v to %v percent, got %s", name, least, most, n.Value)
		return nil
	}
	return &f
}

// text reads one text. Numbers are texts, too: a GPU may be called 8.6.
func (r *reader) text(name string, n *yaml.Node) (string, bool) {
	if n.Kind == yaml.ScalarNode && slices.Contains([]string{"!!str", "!!int", "!!float"}, n.ShortTag()) {
		return n.Value, true
	}
	help := ""
	switch tag := n.ShortTag(); {
	case n.Kind != yaml.ScalarNode:
	case tag == "!!null":
		help = "remove the key, or give it a value"
	case tag == "!!bool" || tag == "!!timestamp":
		help = fmt.Sprintf("write it in quotes, %q, if that is what it is called", n.Value)
	}
	r.wrong(n, CodeValue, help, "%s must be text, not %s", name, kindOf(n))
	return "", false
}

// texts reads a list of texts, or one.
func (r *reader) texts(n *yaml.Node, name string, commas bool) []placed {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	var out []placed
	for _, c := range nodes {
		text, ok := r.text(name, c)
		switch {
		case !ok:
		case commas:
			for part := range strings.SplitSeq(text, ",") {
				out = append(out, placed{strings.TrimSpace(part), c})
			}
		default:
			out = append(out, placed{text, c})
		}
	}
	return out
}

// isMapping reports an error where a node is not a mapping.
func (r *reader) isMapping(name string, n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, CodeValue, "write its keys below it, indented", "%s must be a mapping of keys, not %s", name, kindOf(n))
	}
	return n.Kind == yaml.MappingNode
}

// pairs returns the keys and values of a mapping.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// kindOf returns what a node is, with an article.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the truth value " + n.Value
	case "!!timestamp":
		return "a date"
	case "!!int", "!!float":
		return "the number " + n.Value
	}
	return fmt.Sprintf("the text %q", n.Value)
}

// native stands for the GPUs of the machine that smux runs on.
const native = "native"

// note keeps the texts of a key of the file itself.
func note[T any](r *reader, name string, out *T, texts []placed) {
	if _, whole := any(out).(*Settings); whole {
		r.values[name] = texts
	}
}

// checkGPUs looks the names up, in the table with what gpu-file adds.
func (r *reader) checkGPUs(s *Settings) {
	table := r.table(s.GPUFile)
	if table == nil {
		return
	}
	for _, t := range r.values["gpus"] {
		if strings.EqualFold(t.text, native) || strings.TrimSpace(t.text) == "" {
			continue
		}
		if _, err := table.Lookup(t.text); err != nil {
			r.wrong(t.node, CodeValue, gpuHelp(err), "gpus: %s", gpuText(t.text, err))
		}
	}
}

// table returns the built-in one with what a file adds; nil where that is wrong, which is told.
func (r *reader) table(file string) *gpu.Table {
	named := r.values["gpu-file"]
	if file == "" || len(named) == 0 {
		return gpu.Default()
	}
	src, err := r.open(file)
	if err != nil {
		r.wrong(named[0].node, CodeValue, "paths are relative to the folder of this file", "gpu-file: %s", err)
		return nil
	}
	table, err := gpu.Read(file, src)
	var wrong *gpu.FileError
	switch {
	case errors.As(err, &wrong):
		r.messages = append(r.messages, wrong.Messages...)
		return nil
	case err != nil:
		r.wrong(named[0].node, CodeValue, "", "gpu-file: %s", err)
		return nil
	}
	return table
}

func gpuText(name string, err error) string {
	if unknown := (*gpu.UnknownError)(nil); errors.As(err, &unknown) {
		return fmt.Sprintf("%q is not a GPU that smux knows", name)
	}
	return err.Error()
}

// gpuHelp returns which names there are.
func gpuHelp(err error) string {
	unknown := (*gpu.UnknownError)(nil)
	switch {
	case !errors.As(err, &unknown):
		return ""
	case len(unknown.Near) > 0:
		return "did you mean " + diag.OrList(unknown.Near) + "?"
	}
	return "the GPUs are: " + strings.Join(append(slices.Clone(unknown.All), native), ", ")
}
