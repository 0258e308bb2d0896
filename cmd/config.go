package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

const configLong = `Says which settings count for a file or a folder, and where each comes from: a flag, a
place in ` + config.Name + `, or the default.
The flags are those of smux rewrite; without a file the working directory is meant.

Settings are those of the nearest ` + config.Name + ` above a file, up to the root of its
git repository, and of that one alone. A program of several files goes by the one
nearest to the folder that all of them are in.

Exit codes: 0 done; 1 --path found no ` + config.Name + `; 2 wrong usage, or a
` + config.Name + ` with errors, all of which are told.`

const configExample = `  smux config                     # of this folder
  smux config --gpu t4 src/fft.cu # what would count with this flag
  smux config --kernel fft2d src  # what is said of this kernel
  smux config --path src/fft.cu   # which file counts
  smux config --schema > .smux.schema.json`

// configCommandFlags say what `smux config` prints.
type configCommandFlags struct {
	in                   load.Options
	choice               choiceFlags
	runtime              string
	exclude              []string
	path, schema, asJSON bool
}

// configCommand is `smux config [FILE|FOLDER]`.
func (s *session) configCommand() *cobra.Command {
	var o configCommandFlags
	c := &cobra.Command{
		Use:     "config [FILE|FOLDER]",
		Short:   "Say which settings count, and where each comes from",
		Long:    configLong,
		Example: configExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return diag.Usagef("name one file or folder", "config takes one file or folder, got %d", len(args))
			}
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			if o.schema {
				_, err := s.Stdout.Write(config.Schema())
				return err
			}
			return s.showConfig(append(args, ".")[0], o)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&o.path, "path", false, "print the path of the file that counts, and nothing else")
	f.BoolVar(&o.schema, "schema", false, "print a JSON schema of the file, for editors")
	f.BoolVar(&o.asJSON, "json", false, "print the settings as JSON")
	o.choice.register(f)
	registerRuntime(f, &o.runtime)
	f.StringArrayVar(&o.exclude, "exclude", nil, "leave out files that match this `GLOB`, written as in .gitignore; can be repeated")
	registerInput(f, &o.in)
	return c
}

// check refuses values that cannot be meant.
func (o *configCommandFlags) check(f *pflag.FlagSet) error {
	var forms []string
	for _, name := range []string{"path", "schema", "json"} {
		if f.Changed(name) {
			forms = append(forms, "--"+name)
		}
	}
	if len(forms) > 1 {
		return diag.Usagef("give one of them", "%s and %s print different things", forms[0], forms[1])
	}
	_, err := o.in.RewriteOptions()
	return cmp.Or(err, o.choice.check(), oneOf("--runtime", o.runtime, "", runtime.Inline, runtime.Included))
}

// showConfig prints the settings of a file or folder.
func (s *session) showConfig(name string, o configCommandFlags) error {
	if name != "-" && !project.IsFolder(name) {
		if _, err := load.ReadSource(name); err != nil {
			load.ReportUnread(s.Console, name, err)
			return nil
		}
	}
	inside := name
	if project.IsFolder(name) {
		inside = project.Folder(name) + "/any"
	}
	if o.path {
		return s.showConfigPath(inside, o)
	}
	set, err := o.in.Settings.For(s.Console, []string{inside})
	if err != nil {
		return err
	}
	report := config.Effective(set, effectiveValues(o, set), o.in.Given, o.in.Kernels)
	s.addBuilt(&report, name, o, set)
	var out bytes.Buffer
	if o.asJSON {
		if err := writeDocument(&out, report); err != nil {
			return diag.Failed("writing the report", err)
		}
	} else {
		report.Text(&out)
	}
	_, err = s.Stdout.Write(out.Bytes())
	return err
}

// showConfigPath prints the path of the file that counts, whatever is in it.
func (s *session) showConfigPath(inside string, o configCommandFlags) error {
	file, err := o.in.Settings.Path([]string{inside})
	if err != nil {
		return err
	}
	if file == "" {
		s.Note(diag.ExitDiffers)
		return nil
	}
	_, err = fmt.Fprintln(s.Stdout, file)
	return err
}

// effectiveValues returns the values by key.
func effectiveValues(o configCommandFlags, set *config.Settings) map[string][]string {
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
	return map[string][]string{
		"gpus":               commaSplit(choice.gpus.Names),
		"gpu-file":           one(choice.gpus.File),
		"min-gain":           config.Percent(&choice.MinGain),
		"resources":          one(choice.Resources),
		"runtime":            one(runtime),
		"runtime-folder":     one(set.RuntimeFolder),
		"block":              one(in.Block),
		"rewrites":           set.Rewrites,
		"exclude":            exclude,
		"compile-commands":   one(in.CompileCommands),
		"include":            in.Includes,
		"define":             in.Defines,
		"baseline.file":      one(set.Baseline.File),
		"baseline.threshold": config.Percent(set.Baseline.Threshold),
	}
}

// addBuilt puts in the GPUs that a compilation database names, where no others are named. Of a folder they are those
// of all files below. A database that can't be read is remarked on: the other settings are as they are.
func (s *session) addBuilt(r *config.Report, name string, o configCommandFlags, set *config.Settings) {
	flags := o.choice.with(set).gpus
	in := o.in.With(set)
	if len(flags.Names) > 0 || in.CompileCommands == "" {
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
	table, err := flags.Table(s.Console)
	if err != nil {
		return // told
	}
	found, _ := targets.Boards(table, archs)
	for i := range r.Settings {
		if r.Settings[i].Name == "gpus" && len(found) > 0 {
			r.Settings[i].Value, r.Settings[i].From = targets.Names(found), "compile_commands.json"
		}
	}
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
