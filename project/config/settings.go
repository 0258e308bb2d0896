// Package config reads what people say of how smux treats their code: .smux.yaml, the
// file in which a team says it once for all, and directives, comments in the source.
//
// It promises that a file of settings is taken whole or not at all, and that everything that is wrong with it is
// reported at once, each with its place and what may have been meant: a setting that is misspelt and passed over
// would change what is rewritten and say nothing. It fills in no defaults: what a file doesn't say stays unsaid, and
// it is for the command line to say what that means. Whether a kernel is there that a glob matches, and whether a
// pinned rewrite can be proved right for it, is not known here.
package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Name is the name of the file.
const Name = ".smux.yaml"

// Settings holds the settings of one file. What it doesn't say is nil or empty.
type Settings struct {
	File string // its name, as it was given or found
	Dir  string // the folder it is in: paths in it are relative to this

	GPUs      []string // --gpu
	GPUFile   string   // --gpu-file
	MinGain   *float64 // --min-gain, in percent
	Resources string   // --resources
	Runtime   string   // --runtime
	// RuntimeFolder is the folder for smux.cuh, which files include; "" for beside the first one.
	RuntimeFolder string
	Block         string   // --block, of all kernels
	Rewrites      []string // rewriters that may be chosen; nil for all
	Exclude       []string // files of trees that are left out, as in .gitignore

	CompileCommands string   // -p
	Include         []string // -I
	Define          []string // -D

	Baseline Baseline

	Kernels  []Kernel // the first whose glob matches counts
	Programs []Program

	// At holds the position of each key that the file has, by its name; those of a mapping as "baseline.file".
	At map[string]diag.Position
}

// Baseline describes what `smux baseline` compares with.
type Baseline struct {
	File      string
	Threshold *float64 // in percent
}

// Kernel holds the settings of the kernels of a name.
type Kernel struct {
	Name     string   // a glob
	Pin      string   // the rewrite to do, such as "vtb named N=2"; "" to choose
	Leave    string   // why the kernel is never rewritten; "" where it may be
	Rewrites []string // that may be chosen; nil for those of the file
	MinGain  *float64 // in percent; nil for that of the file
	Block    string   // X[,Y[,Z]], how it is usually launched; "" where its launches tell it
	Shared   string   // bytes of dynamic shared memory, usually; "" where its launches tell them
	Pos      diag.Position
	At       map[string]diag.Position // where each key stands
}

// Program says how the programs of a name are run.
type Program struct {
	Name  string   // a glob of the file with the main, relative to the folder of the settings
	Args  []string // arguments of a run each (--args)
	Chdir string   // --chdir
	// Source has more files of C and C++ that belong to it (--source).
	Source []string
	Pos    diag.Position
	At     map[string]diag.Position // where each key stands
}

// Program returns how a program is run, nil if nothing says so. Settings may be nil.
func (s *Settings) Program(file string) *Program {
	if s == nil {
		return nil
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil
	}
	name, err := filepath.Rel(s.Dir, abs)
	for i := range s.Programs {
		if ok, _ := path.Match(s.Programs[i].Name, filepath.ToSlash(name)); ok && err == nil { // Read has checked the glob
			return &s.Programs[i]
		}
	}
	return nil
}

// Kernel returns the settings of a kernel, nil where there are none. Settings may be nil.
func (s *Settings) Kernel(name string) *Kernel {
	if s == nil {
		return nil
	}
	for i := range s.Kernels {
		if ok, _ := path.Match(s.Kernels[i].Name, name); ok { // Read has checked the glob
			return &s.Kernels[i]
		}
	}
	return nil
}

// SchemaID is the address of the schema.
const SchemaID = "https://raw.githubusercontent.com/smux-cuda/smux/main/docs/schema/config.schema.json"

// Schema returns the JSON schema of a file of settings, for editors that complete and check YAML by one. It is made
// from the keys that Read knows. What it accepts may still be refused by Read, which also knows GPUs, and globs, and
// what contradicts what; what it refuses is refused by Read.
func Schema() []byte {
	schema := object(keys, "settings of smux, "+Name)
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["$id"] = SchemaID
	schema["title"] = Name
	schema["type"] = []string{"object", "null"} // a file with nothing in it
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		panic("config: " + err.Error()) // maps of texts and numbers
	}
	return out.Bytes()
}

// object returns the schema of a mapping.
func object[T any](keys []key[T], doc string) map[string]any {
	properties := map[string]any{}
	for _, k := range keys {
		properties[k.name] = property(k)
	}
	return map[string]any{"type": "object", "description": doc, "properties": properties, "additionalProperties": false}
}

// property returns the schema of a key's value.
func property[T any](k key[T]) map[string]any {
	var zero T
	out := map[string]any{}
	switch k.at(&zero).(type) {
	case **float64:
		out = map[string]any{"type": "number", "minimum": k.least, "maximum": k.most}
	case *string:
		out = text(k)
	case *[]string:
		list := map[string]any{"type": "array", "items": text(k)}
		if k.filled {
			list["minItems"] = 1
		}
		out["anyOf"] = []any{text(k), list}
	case *Baseline:
		return object(baselineKeys, k.doc)
	case *[]Kernel:
		kernel := object(kernelKeys, "settings of kernels of a name, or of names that match a glob such as fft*")
		kernel["minProperties"] = 1
		for _, c := range contradictory {
			kernel["allOf"] = append(asList(kernel["allOf"]), map[string]any{"not": map[string]any{"required": []string{c.strong, c.weak}}})
		}
		out = map[string]any{"type": "object", "additionalProperties": kernel, "propertyNames": map[string]any{"minLength": 1}}
	case *[]Program:
		program := object(programKeys, "how a program is run, or those whose files match a glob such as tests/*.cu")
		program["minProperties"] = 1
		out = map[string]any{"type": "object", "additionalProperties": program, "propertyNames": map[string]any{"minLength": 1}}
	}
	out["description"] = k.doc
	return out
}

// text returns the schema of one text.
func text[T any](k key[T]) map[string]any {
	switch {
	case k.names != nil:
		return map[string]any{"type": "string", "enum": k.names()}
	case k.pattern != "":
		// YAML takes 256 for a number.
		return map[string]any{"type": []string{"string", "number"}, "minLength": 1, "pattern": k.pattern}
	}
	return map[string]any{"type": []string{"string", "number"}, "minLength": 1}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// key is one key of a mapping: what it means, where its value goes, and which
// values make sense. The reader and the schema for editors both go by it.
type key[T any] struct {
	name string
	doc  string       // one line, for the schema
	at   func(*T) any // *string, *[]string, **float64, *Baseline, *[]Kernel or *[]Program

	path        bool            // of a file or folder, relative to that of the settings
	commas      bool            // one string may hold several, with commas between
	filled      bool            // a list with nothing in it makes no sense
	names       func() []string // the only values, nil for any
	least, most float64         // of numbers
	pattern     string          // that the schema holds texts against
	// against says what is wrong with one text, nil if nothing can be.
	against func(text string) (wrong, help string)
}

// maxPercent is the most that can be asked of a gain or a threshold.
const maxPercent = 1000

// keys are those of the file.
var keys = []key[Settings]{
	{name: "gpus", doc: "the GPUs that rewrites are chosen for, as --gpu takes them: names, compute capabilities such as sm_86, or native",
		at: func(s *Settings) any { return &s.GPUs }, commas: true, filled: true},
	{name: "gpu-file", doc: "a TOML file of more GPUs (--gpu-file)",
		at: func(s *Settings) any { return &s.GPUFile }, path: true},
	{name: "min-gain", doc: "change a kernel only where so many percent or more are expected to be gained (--min-gain)",
		at: func(s *Settings) any { return &s.MinGain }, most: maxPercent},
	{name: "resources", doc: "where registers come from (--resources)",
		at: func(s *Settings) any { return &s.Resources }, names: fixed("auto", "nvcc", "estimate")},
	{name: "runtime", doc: "put smux's device code into each file, or include smux.cuh (--runtime)",
		at: func(s *Settings) any { return &s.Runtime }, names: fixed("inline", "header")},
	{name: "runtime-folder", doc: "the folder that smux.cuh is written to where files include it; without it one that is there is used, or it goes beside the first file",
		at: func(s *Settings) any { return &s.RuntimeFolder }, path: true},
	{name: "block", doc: "block shape X[,Y[,Z]] of kernels whose launch is out of sight (--block)",
		at: func(s *Settings) any { return &s.Block }, against: noBlock, pattern: blockPattern},
	{name: "rewrites", doc: "the rewrites that may be chosen; all without it",
		at: func(s *Settings) any { return &s.Rewrites }, filled: true, names: variant.Names},
	{name: "exclude", doc: "files of a tree that are left out, written as in .gitignore, relative to this file's folder",
		at: func(s *Settings) any { return &s.Exclude }, against: noIgnoreGlob, pattern: `^[^#]`},
	{name: "compile-commands", doc: "a compile_commands.json, or its folder, which gives -I, -D and GPUs (-arch) of each file (-p)",
		at: func(s *Settings) any { return &s.CompileCommands }, path: true},
	{name: "include", doc: "folders that are searched for includes (-I)",
		at: func(s *Settings) any { return &s.Include }, path: true},
	{name: "define", doc: "macros, NAME or NAME=VALUE (-D)",
		at: func(s *Settings) any { return &s.Define }, against: noMacro, pattern: macroPattern},
	{name: "baseline", doc: "what smux baseline compares with",
		at: func(s *Settings) any { return &s.Baseline }},
	{name: "kernels", doc: "settings of single kernels, by name or glob; the first that matches counts",
		at: func(s *Settings) any { return &s.Kernels }},
	{name: "programs", doc: "how smux check and smux verify run single programs, by the file with the main, relative to this file's folder, or a glob; the first that matches counts",
		at: func(s *Settings) any { return &s.Programs }},
}

// programKeys are those of each entry of programs.
var programKeys = []key[Program]{
	{name: "args", doc: "arguments, as in one line of a shell; of a list each is a run (--args)",
		at: func(p *Program) any { return &p.Args }, filled: true, against: noWords},
	{name: "chdir", doc: "the folder in which the program runs (--chdir)",
		at: func(p *Program) any { return &p.Chdir }, path: true},
	{name: "source", doc: "more files of C and C++ that belong to the program (--source)",
		at: func(p *Program) any { return &p.Source }, path: true},
}

func noWords(text string) (wrong, help string) {
	if _, err := prose.Words(text); err != nil {
		return err.Error(), "quote as a shell does"
	}
	return "", ""
}

// baselineKeys are those of baseline.
var baselineKeys = []key[Baseline]{
	{name: "file", doc: "the file that smux baseline writes and checks",
		at: func(b *Baseline) any { return &b.File }, path: true},
	{name: "threshold", doc: "how many percent worse a kernel may become",
		at: func(b *Baseline) any { return &b.Threshold }, most: maxPercent},
}

// kernelKeys are those of each entry of kernels.
var kernelKeys = []key[Kernel]{
	{name: "pin", doc: "do this rewrite, such as vtb named N=2, whether it is expected to gain or not",
		at: func(k *Kernel) any { return &k.Pin }, against: noPin},
	{name: "leave", doc: "never rewrite the kernel, for this reason",
		at: func(k *Kernel) any { return &k.Leave }},
	{name: "rewrites", doc: "the rewrites that may be chosen, instead of those of the file",
		at: func(k *Kernel) any { return &k.Rewrites }, filled: true, names: variant.Names},
	{name: "min-gain", doc: "min-gain of these kernels, in percent",
		at: func(k *Kernel) any { return &k.MinGain }, most: maxPercent},
	{name: "block", doc: "block shape X[,Y[,Z]] that these kernels usually have, for estimates where their launches don't tell it",
		at: func(k *Kernel) any { return &k.Block }, against: noBlock, pattern: blockPattern},
	{name: "shared", doc: "bytes of dynamic shared memory that these kernels usually have, such as 8k, for estimates where their launches don't tell them",
		at: func(k *Kernel) any { return &k.Shared }, against: noBytes, pattern: bytesPattern},
}

// Keys returns the names of the keys of a file, those of a mapping as "baseline.file".
func Keys() (out []string) {
	for _, k := range keys {
		if k.name != "baseline" {
			out = append(out, k.name)
			continue
		}
		for _, b := range baselineKeys {
			out = append(out, "baseline."+b.name)
		}
	}
	return out
}

func fixed(names ...string) func() []string { return func() []string { return names } }

const (
	bytesPattern = `^\s*[0-9]+(\.[0-9]+)?\s*([kKmM]([iI]?[bB])?|[bB])?\s*$`
	blockPattern = `^\s*[0-9]+\s*(,\s*[0-9]+\s*){0,2}$`
	macroPattern = `^[A-Za-z_][A-Za-z0-9_]*(=|$)`
)

var macroName = regexp.MustCompile(macroPattern)

func noMacro(text string) (wrong, help string) {
	if macroName.MatchString(text) {
		return "", ""
	}
	return fmt.Sprintf("%q does not define a macro name", text), "write NAME or NAME=VALUE"
}

func noBytes(text string) (wrong, help string) {
	if _, err := prose.ParseBytes(text); err != nil {
		return err.Error(), "write bytes, or kilobytes of 1024 bytes as in 8k"
	}
	return "", ""
}

func noBlock(text string) (wrong, help string) {
	if _, err := hardware.ParseBlock(text); err != nil {
		return err.Error(), "write " + hardware.BlockForm
	}
	return "", ""
}

func noGlob(text string) (wrong, help string) {
	if _, err := path.Match(text, ""); err != nil || text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Sprintf("%q is neither a name nor a glob", text), "globs know *, ? and [a-z]"
	}
	return "", ""
}

// noIgnoreGlob refuses patterns that .gitignore would pass over in silence.
func noIgnoreGlob(text string) (wrong, help string) {
	pattern := strings.TrimPrefix(text, "!")
	if strings.HasPrefix(text, "#") || strings.Trim(pattern, "/ ") == "" {
		return fmt.Sprintf("%q matches no file", text), "patterns are those of .gitignore, such as third_party/ or *_test.cu"
	}
	for part := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Sprintf("%q is not a glob", text), "patterns are those of .gitignore: *, **, ? and [a-z]"
		}
	}
	if part := slices.Contains(strings.Split(pattern, "/"), ".."); part {
		return fmt.Sprintf("%q leads out of the folder", text), "patterns are relative to the folder of this file: put the file further up"
	}
	return "", ""
}

// noPin refuses what is not a variant. Whether it is right for the kernel is for those who have it at hand.
func noPin(text string) (wrong, help string) {
	_, err := variant.Parse(text)
	if e := (*variant.Error)(nil); errors.As(err, &e) {
		return e.Text, e.Help
	}
	return "", ""
}
