package cmd

import (
	"cmp"
	"context"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lsp"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

const lspLong = `Serves an editor by the Language Server Protocol, on standard input and output. The
findings of analyze come as diagnostics, those of check when a file is saved. The
limits of a kernel stand above it and under the cursor, and rewrites are code actions.
See docs/use/lsp.md.

Registers are estimated unless --resources nvcc says otherwise. A rewrite brings
smux's device code along in the file itself. check runs programs. The initialization
option "check": false has none run.`

// lspCommand is `smux lsp`.
func lspCommand(s *session) *cobra.Command {
	var (
		in     load.Options
		choice choiceFlags
		walk   load.Tree
	)
	c := &cobra.Command{
		Use: "lsp", Short: "Serve an editor by the Language Server Protocol", Long: lspLong, Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := cmp.Or(choice.check(), walk.Check()); err != nil {
				return err
			}
			stream := struct {
				io.Reader
				io.Writer
				io.Closer
			}{s.Stdin, s.Stdout, io.NopCloser(nil)}
			if c, ok := s.Stdin.(io.Closer); ok {
				stream.Closer = c
			}
			opt, err := in.RewriteOptions()
			if err != nil {
				return err
			}
			opt.Runtime, in.Trees = runtime.Inline, parser.NewTrees()
			if !choice.given("resources") {
				choice.Resources = resources.Estimate
			}
			if s.Getenv("GOGC") == "" {
				debug.SetGCPercent(400) // a person waits
			}
			e := editing{s, in, opt, choice, walk}
			if !lsp.Serve(s.Context(), stream, s.Stderr, lsp.Tool{Version: thisBuild().Version, Find: e.find, Check: e.check, Read: load.ReadSource}) {
				s.Note(diag.ExitDiffers) // as the protocol has it
			}
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	choice.register(f)
	registerInput(f, &in)
	registerTree(f, &walk)
	_ = f.MarkHidden("root") // each file tells its own
	f.Bool("stdio", true, "speak on standard input and output, as editors ask for")
	return c
}

// editing holds the flags of `smux lsp`.
type editing struct {
	s      *session
	in     load.Options
	opt    rewrite.Options
	choice choiceFlags
	walk   load.Tree
}

// under returns the session of a request.
func (e editing) under(ctx context.Context) *session {
	s := e.s.with(e.s.Console.Under(ctx))
	s.certificates = &certificates{}
	return s
}

// programs finds the programs of a file. Messages about settings go to the editor's log.
func (e editing) programs(ctx context.Context, file, root string, runs bool, read func(string) ([]byte, error)) ([]targets.Program, error) {
	s := e.under(ctx)
	s.Stderr = e.s.Stderr
	e.in.ReadFile, e.in.Settings = read, &load.SettingsSource{File: e.in.Settings.File, None: e.in.Settings.None, Changed: e.in.Changed}
	e.walk.Root, e.walk.Runs = root, runs
	return findPrograms(s, ctx, []string{file}, e.in, e.walk, &e.choice, s.NewProgress())
}

// find finds the programs of a file as the editor has it.
func (e editing) find(ctx context.Context, file, root string, read func(string) ([]byte, error)) (lsp.Look, error) {
	programs, err := e.programs(ctx, file, root, false, read)
	r := rewriting{in: e.in, opt: e.opt, choice: e.choice, walk: e.walk, show: formatFlags{format: "sarif"}, all: true, say: verbosity{quiet: true}}
	r.in.Changed = func(flag string) bool { return flag == "runtime" || e.in.Changed(flag) } // its header is another file
	return func(ctx context.Context, decide bool) (seen lsp.Seen, err error) {
		for _, p := range programs {
			s := e.under(ctx)
			look := limitsOf
			if decide {
				look = (*session).rewriteProgram
			}
			out, err := look(s, p, r)
			if console.Quietly(err) != nil {
				return seen, err
			}
			if out != nil {
				seen.Programs = append(seen.Programs, *out)
			}
			seen.Unread = append(seen.Unread, s.Unread...)
		}
		return seen, nil
	}, console.Quietly(err)
}

// limitsOf returns what limits the kernels of a program.
func limitsOf(s *session, p targets.Program, r rewriting) (*report.Program, error) {
	job, r, err := jobOf(s, p, r)
	if job == nil {
		return nil, err
	}
	job.Ask.Directives = config.ReadDirectives(job.Program)
	out, err := job.Limits(r.walk.Jobs)
	return &out, err
}

// check runs the programs of a file.
func (e editing) check(ctx context.Context, file, root string) (out []finding.Finding, err error) {
	var runs runFlags
	runs.register(pflag.NewFlagSet("runs", pflag.ContinueOnError), false)
	request, err := runs.request(nil)
	if err != nil {
		return nil, err
	}
	request.Reuse = true
	programs, err := e.programs(ctx, file, root, true, nil)
	for _, p := range programs {
		s, r := e.under(ctx), &runnable{found: p}
		runs.sources = p.Sources
		if r.prog, r.parse, err = p.Parse(s.Console, nil); err != nil || r.prog == nil {
			return out, err
		}
		request, v, err := checkProgram(s, r, runs, request)
		if err != nil {
			return out, err
		}
		out = append(out, verdictReport("check", request, v).Findings...)
	}
	return out, err
}
