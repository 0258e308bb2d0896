package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Schema is the version of the file. It grows when a field changes its meaning or
// goes away.
const Schema = 1

// Name is the default name of the file.
const Name = ".smux-baseline.json"

// File is a baseline.
type File struct {
	Schema  int      `json:"smux-baseline"`
	Kernels []Kernel `json:"kernels"` // by file, name and number
	// Findings are those of smux check that do not count.
	Findings []Known `json:"findings,omitempty"`
}

// Kernel holds what is recorded of one kernel.
type Kernel struct {
	File string `json:"file"` // relative to the folder of the baseline, with slashes
	Name string `json:"kernel"`
	Nth  int    `json:"nth,omitempty"` // of the kernels of this name in the file, from 2 on
	// Shared are the static shared variables in the order of the text.
	Shared []Array `json:"shared"`
	// Regions are the stretches in which they are live; null where they could not be
	// looked for.
	Regions []Region `json:"regions"`
	// Share is the part of the kernel's statements that stands in regions, by estimate.
	Share float64 `json:"share"`
	// Lines are the hashes of the lines of the kernel and of the device functions that
	// it reaches, four letters each.
	Lines  string  `json:"lines"`
	Stands []Stand `json:"stands"`
}

// Array is a static shared variable.
type Array struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"` // 0 where they depend on the launch
}

// Region is a place where shared variables are live.
type Region struct {
	Arrays []string `json:"arrays"`
	First  string   `json:"first"` // hash of the line of its first access
}

// Stand says how a kernel stands on one GPU, as it is launched in one form.
type Stand struct {
	GPU    string   `json:"gpu"`
	Launch string   `json:"launch,omitempty"` // template arguments, as the launch gives them
	Block  string   `json:"block"`            // 16x16; "unknown" where no launch gives it
	Blocks int      `json:"tbs"`              // thread blocks per SM; 0 where none can run
	Warps  int      `json:"warps"`            // of them
	Limits []string `json:"limits"`           // what allows no more; empty where Blocks is not known
	// Registers are those of a thread, and From is who counted them: "estimate", or
	// the compiler and its architecture.
	Registers int    `json:"registers"`
	From      string `json:"from"`
	Static    int    `json:"static"` // shared bytes, -1 where the bytes of a thread block are not known
	Dynamic   int    `json:"dynamic"`
}

// known reports whether the thread blocks per SM could be computed.
func (s Stand) known() bool { return len(s.Limits) > 0 }

// unknownBytes stands for shared bytes that are not known.
const unknownBytes = -1

// shared returns all shared bytes of a thread block, unknownBytes where they are not known.
func (s Stand) shared() int {
	if s.Static < 0 {
		return unknownBytes
	}
	return s.Static + s.Dynamic
}

// key identifies a kernel of a file.
type key struct {
	file, name string
	nth        int
}

func (k Kernel) key() key { return key{k.File, k.Name, k.Nth} }

// Encode writes a baseline: a kernel on a few lines, so that a review shows what
// changed of which kernel, and commas between kernels on lines of their own, so that
// a kernel that is added changes no other's line.
func Encode(kernels []Kernel, findings ...Known) []byte {
	sorted := slices.Clone(kernels)
	slices.SortStableFunc(sorted, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Nth, b.Nth))
	})
	var out bytes.Buffer
	out.WriteString("{\"smux-baseline\": " + text(Schema) + ", \"kernels\": [\n")
	for i, k := range sorted {
		if i > 0 {
			out.WriteString(",\n")
		}
		k.encode(&out)
	}
	out.WriteString("]")
	lines := []string{}
	for _, f := range findings {
		lines = append(lines, text(f))
	}
	if slices.Sort(lines); len(lines) > 0 {
		out.WriteString(", \"findings\": [\n" + strings.Join(lines, ",\n") + "\n]")
	}
	out.WriteString("}\n")
	return out.Bytes()
}

// encode writes one kernel.
func (k Kernel) encode(out *bytes.Buffer) {
	out.WriteString(`{"file": ` + text(k.File) + `, "kernel": ` + text(k.Name))
	if k.Nth > 0 {
		out.WriteString(`, "nth": ` + text(k.Nth))
	}
	out.WriteString(",\n \"shared\": " + text(k.Shared))
	out.WriteString(",\n \"share\": " + text(k.Share) + ", \"regions\": " + text(k.Regions))
	out.WriteString(",\n \"lines\": " + text(k.Lines))
	out.WriteString(",\n \"stands\": [")
	for i, s := range k.Stands {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n  " + text(s))
	}
	out.WriteString("]}\n")
}

// text returns a value as JSON on one line.
func text(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // plain data
	}
	return string(bytes.TrimRight(out.Bytes(), "\n"))
}
