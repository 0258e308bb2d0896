package config

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/smux-cuda/smux/diag"
)

// ReportSchema is the version of Report as JSON. It grows when a field changes its meaning or goes away.
const ReportSchema = 1

// Report says which settings count, as `smux config --json` prints it.
type Report struct {
	Schema   int                `json:"schema"` // ReportSchema
	File     *string            `json:"file"`   // null where none counts
	Settings []EffectiveSetting `json:"settings"`
	Kernels  []EffectiveKernel  `json:"kernels"`
	Programs []EffectiveKernel  `json:"programs,omitempty"`
}

// EffectiveSetting is one setting as it counts.
type EffectiveSetting struct {
	Name  string         `json:"name"`
	Value []string       `json:"value"` // of most one text, of lists several
	From  string         `json:"from"`  // "flag", "file", "compile_commands.json" or "default"
	Flag  string         `json:"flag,omitempty"`
	Pos   *diag.Position `json:"position,omitempty"`
}

// EffectiveKernel holds the settings of the kernels, or of the programs, of a name.
type EffectiveKernel struct {
	Name     string             `json:"name"`
	Pos      diag.Position      `json:"position"`
	Settings []EffectiveSetting `json:"settings"`
}

// Effective returns the settings that count, in the order of the file's keys, where settings, which may be nil, say
// something or don't: values are by key, given reports whether a person gave a flag, and kernels are the globs of
// names that are asked for, none for all.
func Effective(set *Settings, values map[string][]string, given func(flag string) bool, kernels []string) Report {
	report := Report{Schema: ReportSchema, Settings: []EffectiveSetting{}, Kernels: []EffectiveKernel{}}
	var at map[string]diag.Position
	if set != nil {
		report.File, at = &set.File, set.At
	}
	for _, key := range Keys() {
		if texts, ok := values[key]; ok {
			report.Settings = append(report.Settings, effective(key, texts, given, at))
		}
	}
	if set == nil {
		return report
	}
	for _, k := range set.Kernels {
		if len(kernels) > 0 && !meant(k.Name, kernels) {
			continue
		}
		report.Kernels = append(report.Kernels, entry(k.Name, k.Pos, k.At, []said{
			{"pin", []string{k.Pin}}, {"leave", []string{k.Leave}}, {"rewrites", k.Rewrites}, {"min-gain", Percent(k.MinGain)}, {"block", []string{k.Block}}, {"shared", []string{k.Shared}},
		}))
		if len(kernels) == 1 {
			break // the first that matches counts
		}
	}
	for _, p := range set.Programs {
		report.Programs = append(report.Programs, entry(p.Name, p.Pos, p.At, []said{{"args", p.Args}, {"chdir", []string{p.Chdir}}, {"source", p.Source}}))
	}
	return report
}

// said is the value of a key of an entry.
type said struct {
	key   string
	texts []string
}

// entry returns the settings of a name, of those values that the file has.
func entry(name string, pos diag.Position, at map[string]diag.Position, values []said) EffectiveKernel {
	out := EffectiveKernel{Name: name, Pos: pos}
	for _, v := range values {
		if pos, there := at[v.key]; there {
			out.Settings = append(out.Settings, EffectiveSetting{Name: v.key, Value: v.texts, From: "file", Pos: &pos})
		}
	}
	return out
}

// flagOf are the flags of keys that have another name or none.
var flagOf = map[string]string{"gpus": "gpu", "rewrites": "", "baseline.file": "", "baseline.threshold": ""}

// effective returns where the value of a key comes from.
func effective(key string, texts []string, given func(flag string) bool, at map[string]diag.Position) EffectiveSetting {
	out := EffectiveSetting{Name: key, Value: texts, From: "default"}
	if out.Value == nil {
		out.Value = []string{}
	}
	flag, other := flagOf[key]
	if !other {
		flag = key
	}
	if flag != "" && given(flag) {
		out.From, out.Flag = "flag", "--"+flag
	} else if pos, said := at[key]; said {
		out.From, out.Pos = "file", &pos
	}
	return out
}

// unsaid holds the values that a table shows where no setting says more.
var unsaid = map[string]string{
	"gpus": "those of the machine, else a few common ones", "rewrites": "all",
}

// Text prints the settings as tables for people.
func (r Report) Text(out io.Writer) {
	if r.File == nil {
		fmt.Fprintf(out, "no %s counts here\n\n", Name)
	} else {
		fmt.Fprintf(out, "%s counts here\n\n", *r.File)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "SETTING\tVALUE\tFROM\n")
	for _, s := range r.Settings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, s.shown(), s.origin())
	}
	table.Flush()
	byName(out, "KERNEL", r.Kernels)
	byName(out, "PROGRAM", r.Programs)
}

// byName prints the settings of kernels or programs, where there are some.
func byName(out io.Writer, what string, entries []EffectiveKernel) {
	if len(entries) == 0 {
		return
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\n%s\tSETTING\tVALUE\tFROM\n", what)
	for _, e := range entries {
		for i, s := range e.Settings {
			name := e.Name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", name, s.Name, s.shown(), s.origin())
		}
	}
	table.Flush()
}

// shown returns the value on one line.
func (s EffectiveSetting) shown() string {
	if len(s.Value) == 0 {
		if text := unsaid[s.Name]; text != "" {
			return text
		}
		return "-"
	}
	return strings.Join(s.Value, ", ")
}

// origin returns where the value comes from.
func (s EffectiveSetting) origin() string {
	switch {
	case s.Flag != "":
		return s.Flag
	case s.Pos != nil:
		return s.Pos.String()
	}
	return s.From
}

// meant reports whether a glob of the settings is one of some names, or matches one.
func meant(glob string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		ok, _ := path.Match(glob, name) // it has been checked
		return ok || glob == name
	})
}

// Percent returns a number of percent as a value, nil for none.
func Percent(p *float64) []string {
	if p == nil {
		return nil
	}
	return []string{strconv.FormatFloat(*p, 'g', -1, 64)}
}
