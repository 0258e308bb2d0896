package cmd

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/doctor"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	reviewpage "github.com/smux-cuda/smux/report/page"
	"github.com/smux-cuda/smux/verify/harness"
)

const reportLong = `Writes one HTML page for people to review. It has every kernel with its resources on
each GPU and what limits it, its regions, and what the model expects of its
rewrites. It shows what smux rewrite would change, side by side, or why the kernel
is left alone. The flags are those of smux rewrite, and nothing is rewritten.

The file needs no network and nothing beside it, and can be printed. If
SOURCE_DATE_EPOCH is set the page says that time; otherwise the same input gives the
same bytes.`

const reportExample = `  smux report -o report.html ./...               # all of a tree
  smux report -o report.html --gpu a100,t4 a.cu   # for these GPUs
  smux report -o - --variant vtb a.cu > vtb.html  # what one rewrite would do`

// reportCommand is `smux report -o FILE [FILES…]`.
func (s *session) reportCommand() *cobra.Command {
	var (
		in     load.Options
		knobs  knobFlags
		choice choiceFlags
		walk   load.Tree
		stores evidenceFlags
		file   string
	)
	c := &cobra.Command{
		Use:     "report -o FILE [FILE|FOLDER…]",
		Short:   "Write a page for people to review: kernels, what limits them, what would change",
		Long:    reportLong,
		Example: reportExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			in.Kernels, args = harness.PlainNames(in.Kernels), walk.Arguments(args)
			opt, err := knobs.orChosen(in, &choice, c.Flags())
			if err != nil {
				return err
			}
			if file == "" {
				return diag.Usagef("write -o report.html; -o - is standard output", "report needs -o FILE")
			}
			if file != "-" {
				if err := checkDrawing(c.Flags(), "output", file, args...); err != nil {
					return err
				}
			}
			// A document of its own: nothing is printed while programs are looked at.
			r := rewriting{in: in, opt: opt, choice: choice, walk: walk, show: formatFlags{format: "page"}, stores: stores, all: true}
			return s.report(args, file, r)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVarP(&file, "output", "o", "", "write the page to this `FILE`, - for standard output")
	knobs.register(f)
	choice.register(f)
	choice.registerProfile(f)
	registerInput(f, &in)
	registerTree(f, &walk)
	stores.register(f)
	stores.registerCertificates(f)
	return c
}

// report runs `smux report` with its flags read. Where nothing could be looked at no page is written.
func (s *session) report(args []string, file string, r rewriting) error {
	opt := reviewpage.Options{Title: title(args), Version: thisBuild().String()}
	epoch := s.Getenv("SOURCE_DATE_EPOCH")
	var err error
	if opt.Time, err = doctor.SourceDate(epoch); err != nil {
		return diag.Usagef("set it to seconds since 1970, or unset it", "SOURCE_DATE_EPOCH is %q", epoch)
	}
	if r.shown, err = r.stores.open(s.Console); err != nil {
		return err
	}
	defer r.shown.remarkOnUnused(s.Console)
	surveyed := &r.choice
	if r.opt.Rewriter != "" {
		surveyed = nil
	}
	programs, err := s.survey(args, r.in, r.walk, r.opt, surveyed, func(s *session, p targets.Program) (*report.Program, error) {
		return s.rewriteProgram(p, r)
	})
	if err != nil || len(programs) == 0 && len(s.Unread) > 0 {
		return err // each file's message has been printed
	}
	if err := notOver(file, programs); err != nil {
		return err
	}
	opt.Unreadable = s.Unread
	text, err := reviewpage.Write(programs, opt)
	if err != nil {
		return diag.Failed("writing the report", err)
	}
	if file == "-" {
		_, err = s.Stdout.Write(text)
		return err
	}
	if err := s.WriteOutput(file, text); err != nil {
		return err
	}
	done := 0
	for _, p := range programs {
		for _, k := range p.Results {
			if k.Rewriter != "" {
				done++
			}
		}
	}
	s.Remark("%s: %s, %d would be rewritten", file, prose.Count(len(kernelsOf(programs)), "kernel"), done)
	return nil
}

// title returns what the person asked about.
func title(args []string) string {
	if len(args) == 0 {
		return parser.StdinName
	}
	names := slices.Clone(args)
	for i, n := range names {
		if n == "-" {
			names[i] = parser.StdinName
		}
	}
	if len(names) > 3 {
		names = append(names[:2:2], prose.Count(len(args)-2, "more path"))
	}
	return strings.Join(names, ", ")
}

// notOver refuses a page in place of a file that was read.
func notOver(file string, programs []report.Program) error {
	there, err := os.Stat(file)
	if err != nil || file == "-" {
		return nil
	}
	for _, p := range programs {
		for _, f := range p.Files {
			if f.Name != parser.StdinName && sameAsOne(there, []string{f.Name}) {
				return diag.Usagef("name another file", "--output %s would replace a file that is read", file)
			}
		}
	}
	return nil
}
