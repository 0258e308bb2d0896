package load

import (
	"cmp"
	"path/filepath"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/verify/harness"
)

// Reading says how to read files: with what was given, or settings say, and what a
// compilation database says of single files.
type Reading struct {
	Commands project.Database // nil for none

	base     parser.Options
	build    *project.BuildFiles
	found    *databases       // that lie about where nobody names one
	shared   int              // --smem, 0 for unknown
	settings *config.Settings // that count, nil for none
	python   bool             // the CUDA text in sources of Python is read
}

// Reading returns how files are read under settings, which may be nil. A compilation database that cannot be read is
// reported at the place of the setting that names it; the error is then diag.ErrReported.
func (o Options) Reading(c *console.Console, set *config.Settings) (Reading, error) {
	how, err := o.With(set).reading()
	how.settings = set
	if err != nil && set != nil && !o.Given("compile-commands") && set.CompileCommands != "" {
		help := ""
		if failure, ok := err.(*diag.Failure); ok {
			help = failure.Help
		}
		ReportSetting(c, set.At["compile-commands"], "compile-commands: "+err.Error(), help)
		return how, diag.ErrReported
	}
	return how, err
}

// reading reads the compilation database, if there is one.
func (o Options) reading() (Reading, error) {
	how := Reading{python: o.Python, base: parser.Options{IncludeDirs: o.Includes, Defines: o.Defines, Flags: o.NVCCFlags, ReadFile: o.ReadFile, Trees: cmp.Or(o.Trees, parser.NewTrees())}, build: project.NewBuildFiles(), found: &databases{dirs: map[string]project.Database{}, read: map[string]project.Database{}}}
	var err error
	if o.Shared != "" {
		if how.shared, err = prose.ParseBytes(o.Shared); err != nil {
			return how, diag.Usagef("write bytes, or kilobytes of 1024 bytes as in 8k", "--smem: %w", err)
		}
	}
	if o.CompileCommands == "" {
		return how, nil
	}
	how.Commands, err = project.ReadDatabase(o.CompileCommands)
	return how, err
}

// options returns what a file is read with: what the compilation database says of it, or
// where there is none, what the build files beside it say and where its headers lie in the
// repository, after the folders of the command line. A file that a database leaves out is read as the nearest one that it has.
func (how Reading) options(name string) parser.Options {
	if name == "-" {
		return how.base
	}
	if how.Commands != nil {
		if entry, _, ok := how.Commands.Nearest(name); ok {
			return withEntry(entry, how.base)
		}
		return how.base
	}
	if entry, _, ok := how.found.of(name).Nearest(name); ok {
		return withEntry(entry, how.base)
	}
	opt := how.base
	opt.IncludeDirs = union(opt.IncludeDirs, how.build.Folders(name))
	opt.IncludeDirs = union(opt.IncludeDirs, how.build.FoldersOfHeaders(name, opt.IncludeDirs))
	return opt
}

// optionsIn returns what a file of a program is read with. A database has no headers: one is read as the first of the
// program's files that has a command. It is reported where another file's command counts.
func (how Reading) optionsIn(c *console.Console, name string, names []string) parser.Options {
	if _, ok := how.Commands.Lookup(name); ok || how.Commands == nil {
		return how.options(name)
	}
	if parser.IsHeader(name) {
		for _, n := range names {
			if entry, ok := how.Commands.Lookup(n); ok {
				return withEntry(entry, how.base)
			}
		}
		return how.options(name)
	}
	if _, of, ok := how.Commands.Nearest(name); ok {
		c.Remark("%s is not in the compilation database: the command of %s counts for it", name, of)
	} else {
		c.Remark("%s is not in the compilation database, so only the command line's -I and -D count for it", name)
	}
	return how.options(name)
}

// withEntry adds a command's options to those of the command line.
func withEntry(entry project.CompileCommand, base parser.Options) parser.Options {
	opt := base
	opt.IncludeDirs = append(append([]string(nil), base.IncludeDirs...), entry.Includes...)
	opt.Defines = append(append([]string(nil), entry.Defines...), base.Defines...)
	opt.Flags = withFlags(base.Flags, entry.Flags)
	return opt
}

// withFlags returns flags of nvcc and those of others that say nothing else of the same thing.
func withFlags(flags, others []string) []string {
	out := slices.Clone(flags)
	for _, f := range others {
		out = project.AddFlag(out, f)
	}
	return out
}

// union returns a and what b has beyond it.
func union(a, b []string) []string {
	out := slices.Clone(a)
	out = lists.Add(out, b...)
	return out
}

// databases are the compilation databases that lie about: compile_commands.json in the folder of a
// file or in its folder build, or in those above in the same repository. Outside of a repository
// the folder of the file alone is looked at. One that can't be read says nothing. Safe for concurrent use.
type databases struct {
	mu   sync.Mutex
	dirs map[string]project.Database // by the folder of a file
	read map[string]project.Database // by the name of the database
}

// of returns the database that says something of a file, nil for none.
func (d *databases) of(file string) project.Database {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := filepath.Dir(project.Resolved(file))
	if db, ok := d.dirs[dir]; ok {
		return db
	}
	top := project.Repository(dir)
	top = cmp.Or(top, dir)
	name := project.FindDatabase(dir, top)
	if _, ok := d.read[name]; !ok && name != "" {
		d.read[name], _ = project.ReadDatabase(name)
	}
	d.dirs[dir] = d.read[name]
	return d.dirs[dir]
}

// usualLaunches returns what people say of how kernels are usually launched: --smem, the smux:bench comment of a
// kernel, then its settings. --block, which proofs go by, too, is no part of it.
func (how Reading) usualLaunches(prog *parser.Program) func(kernel string) parser.UsualLaunch {
	benched := sync.OnceValue(func() map[string]*harness.Run { return benchedKernels(prog) })
	return func(kernel string) (out parser.UsualLaunch) {
		block := func(x, y, z int, by string) {
			if out.Block[0] == 0 && x > 0 {
				out.Block, out.BlockBy = [3]int{x, y, z}, by
			}
		}
		shared := func(bytes int, by string) {
			if out.Shared == 0 && bytes > 0 {
				out.Shared, out.SharedBy = bytes, by
			}
		}
		shared(how.shared, "--smem")
		if run := benched()[kernel]; run != nil {
			const by = "a smux:bench comment"
			block(int(run.Block[0]), int(run.Block[1]), int(run.Block[2]), by)
			shared(int(run.Shared), by)
			out.Grid, out.GridBy = run.Grid, by
		}
		if k := how.settings.Kernel(kernel); k != nil {
			if b, err := hardware.ParseBlock(k.Block); err == nil { // "" is none
				block(b[0], b[1], b[2], config.Name)
			}
			if n, err := prose.ParseBytes(k.Shared); err == nil {
				shared(n, config.Name)
			}
		}
		return out
	}
}

// benchedKernels returns the launches in the smux:bench comments of a program, by kernel, the first
// of each. What is wrong with a comment is reported where it is run.
func benchedKernels(prog *parser.Program) map[string]*harness.Run {
	out := map[string]*harness.Run{}
	specs, _ := harness.Comments(prog)
	for _, s := range specs {
		if run, err := harness.Resolve(prog, s); err == nil && out[s.Kernel] == nil {
			out[s.Kernel] = run
		}
	}
	return out
}
