package cmd

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
)

// configSchema is the version of configReport.
const configSchema = 1

// configReport is what `smux config --json` prints.
type configReport struct {
	Schema   int             `json:"schema"` // configSchema
	File     *string         `json:"file"`   // null where none counts
	Settings []configSetting `json:"settings"`
	Kernels  []configKernel  `json:"kernels"`
}

// configSetting is one setting as it counts.
type configSetting struct {
	Name  string         `json:"name"`
	Value []string       `json:"value"` // of most one text, of lists several
	From  string         `json:"from"`  // "flag", "file", "compile_commands.json" or "default"
	Flag  string         `json:"flag,omitempty"`
	Pos   *diag.Position `json:"position,omitempty"`
}

// configKernel is what is said of kernels of a name.
type configKernel struct {
	Name     string          `json:"name"`
	Pos      diag.Position   `json:"position"`
	Settings []configSetting `json:"settings"`
}

// effective are the settings that count, in the order of the file's keys.
func effective(o configCommandFlags, set *config.Settings) configReport {
	report := configReport{Schema: configSchema, Settings: []configSetting{}, Kernels: []configKernel{}}
	var at map[string]diag.Position
	if set != nil {
		report.File, at = &set.File, set.At
	}
	values := effectiveValues(o, set)
	for _, key := range config.Keys() {
		v, ok := values[key]
		if !ok {
			continue
		}
		report.Settings = append(report.Settings, v.from(o.in.Given, key, at))
	}
	if set == nil {
		return report
	}
	for _, k := range set.Kernels {
		if len(o.in.Kernels) > 0 && !meant(k.Name, o.in.Kernels) {
			continue
		}
		entry := configKernel{Name: k.Name, Pos: k.Pos}
		for _, v := range []configValue{
			{"pin", []string{k.Pin}}, {"leave", []string{k.Leave}}, {"rewrites", k.Rewrites}, {"min-gain", percent(k.MinGain)},
		} {
			if pos, said := k.At[v.flag]; said {
				entry.Settings = append(entry.Settings, configSetting{Name: v.flag, Value: v.texts, From: "file", Pos: &pos})
			}
		}
		report.Kernels = append(report.Kernels, entry)
		if len(o.in.Kernels) == 1 {
			break // the first that matches counts
		}
	}
	return report
}

// addBuilt puts in the GPUs that a compilation database says, where nobody names some.
// Of a folder they are those of all files below. A database that can't be read is
// remarked on: the other settings are as they are.
func (s *session) addBuilt(r *configReport, name string, o configCommandFlags, set *config.Settings) {
	flags := o.choice.with(set).gpus
	in := o.in.With(set)
	if len(flags.names) > 0 || in.CompileCommands == "" {
		return
	}
	how, err := in.Reading(s.Console, nil)
	if err != nil {
		s.Remark("%v", err)
		return
	}
	archs := how.Commands.Architectures([]string{name})
	if project.IsFolder(name) {
		archs = how.Commands.Below(project.Resolved(project.Folder(name)))
	}
	table, err := flags.table(s)
	if err != nil {
		return // told
	}
	found, _ := built{archs: archs}.gpus(table)
	for i := range r.Settings {
		if r.Settings[i].Name == "gpus" && len(found) > 0 {
			r.Settings[i].Value, r.Settings[i].From = boardNames(found), "compile_commands.json"
		}
	}
}

// configValue is the value of a setting, and the flag that it is the setting of.
type configValue struct {
	flag  string
	texts []string
}

// from says where a value comes from.
func (v configValue) from(given func(string) bool, key string, at map[string]diag.Position) configSetting {
	out := configSetting{Name: key, Value: v.texts, From: "default"}
	if out.Value == nil {
		out.Value = []string{}
	}
	if v.flag != "" && given(v.flag) {
		out.From, out.Flag = "flag", "--"+v.flag
	} else if pos, said := at[key]; said {
		out.From, out.Pos = "file", &pos
	}
	return out
}

// effectiveValues are the values by key.
func effectiveValues(o configCommandFlags, set *config.Settings) map[string]configValue {
	in, choice := o.in.With(set), o.choice.with(set)
	one := func(text string) []string {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	if set == nil {
		set = &config.Settings{}
	}
	runtime, exclude := o.runtime, o.exclude
	if !o.in.Given("runtime") && set.Runtime != "" {
		runtime = set.Runtime
	}
	if !o.in.Given("exclude") {
		exclude = set.Exclude
	}
	return map[string]configValue{
		"gpus":               {"gpu", commaSplit(choice.gpus.names)},
		"gpu-file":           {"gpu-file", one(choice.gpus.file)},
		"min-gain":           {"min-gain", percent(&choice.minGain)},
		"resources":          {"resources", one(choice.resources)},
		"runtime":            {"runtime", one(runtime)},
		"block":              {"block", one(in.Block)},
		"rewrites":           {"", set.Rewrites},
		"exclude":            {"exclude", exclude},
		"compile-commands":   {"compile-commands", one(in.CompileCommands)},
		"include":            {"include", in.Includes},
		"define":             {"define", in.Defines},
		"baseline.file":      {"", one(set.Baseline.File)},
		"baseline.threshold": {"", percent(set.Baseline.Threshold)},
	}
}

// unsaid is how a table shows what counts where nothing is said.
var unsaid = map[string]string{
	"gpus": "those of the machine, else a few common ones", "rewrites": "all",
}

func (r configReport) text(out *bytes.Buffer) {
	if r.File == nil {
		fmt.Fprintf(out, "no %s counts here\n\n", config.Name)
	} else {
		fmt.Fprintf(out, "%s counts here\n\n", *r.File)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "SETTING\tVALUE\tFROM\n")
	for _, s := range r.Settings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, s.shown(), s.origin())
	}
	table.Flush()
	if len(r.Kernels) == 0 {
		return
	}
	fmt.Fprintln(out)
	fmt.Fprint(table, "KERNEL\tSETTING\tVALUE\tFROM\n")
	for _, k := range r.Kernels {
		for i, s := range k.Settings {
			name := k.Name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", name, s.Name, s.shown(), s.origin())
		}
	}
	table.Flush()
}

// shown is the value on one line.
func (s configSetting) shown() string {
	if len(s.Value) == 0 {
		if text := unsaid[s.Name]; text != "" {
			return text
		}
		return "-"
	}
	return strings.Join(s.Value, ", ")
}

// origin is where the value comes from.
func (s configSetting) origin() string {
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

// percent is a number of percent, nil for none.
func percent(p *float64) []string {
	if p == nil {
		return nil
	}
	return []string{strconv.FormatFloat(*p, 'g', -1, 64)}
}

// commaSplit parts what may be several names in one text.
func commaSplit(texts []string) (out []string) {
	for _, t := range texts {
		for part := range strings.SplitSeq(t, ",") {
			out = append(out, strings.TrimSpace(part))
		}
	}
	return out
}
