package cmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/tune/modelcheck"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/harness"
)

// modelCommand is `smux model`.
func (s *session) modelCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "model",
		Short: "Judge the model by measurements of real GPUs",
		Args:  noArguments,
		RunE:  s.onlyHelp,
	}
	c.AddCommand(s.modelCheckCommand())
	return c
}

const modelCheckLong = `Predicts each configuration of a record that smux tune import has made, and compares
the predictions with the measured times. It prints how far the orders agree
(Spearman's rho, Kendall's tau). It says what the model's first choice loses, the
best of three and of ten. It says how often the model is right about a change of one
constant. It also compares warps, failed launches and hardware counters, if they are
recorded.

The kernel's source is read with the constants of the configuration as macros,
besides those of -D; nothing is compiled or run. If the record does not have the
shape of the launch, --block, --grid, --divide and --problem say it. They are
expressions over the constants: names, whole numbers, + - * / %, min, max, and
ceil(a, b), which is a over b rounded up. Without them a thread block has
block_size_x, block_size_y and block_size_z threads, as in Kernel Tuner, and the
grid covers the problem.`

const modelCheckExample = `  smux model check convolution_cache.jsonl --source convolution.cu \
      --divide 'block_size_x*tile_size_x,block_size_y*tile_size_y'
  smux model check ktt.jsonl --source pnpoly.cu --svg calibration.svg
  smux model check r.jsonl --source k.cu --block 'BX,BY' --grid 'ceil(problem_x, BX*4),problem_y'`

// modelCheckFlags are those of `smux model check`.
type modelCheckFlags struct {
	source, kernel               string
	block, grid, divide, problem string
	svg                          string
	closed, search, asJSON       bool
	gpus                         targets.Request
	in                           load.Options
	shapes                       modelcheck.Shapes
}

func (m *modelCheckFlags) register(f *pflag.FlagSet) {
	f.StringVar(&m.source, "source", "", "take the kernel's source from this `FILE`")
	f.StringVar(&m.kernel, "kernel", "", "check the records of this kernel `NAME` alone")
	f.StringVar(&m.block, "block", "", "compute the threads of a block by these expressions, `X[,Y[,Z]]`")
	f.StringVar(&m.grid, "grid", "", "compute the thread blocks of the grid by these expressions, `X[,Y[,Z]]`")
	f.StringVar(&m.divide, "divide", "", "divide the problem by these elements of a thread block, `X[,Y[,Z]]`, for the grid")
	f.StringVar(&m.problem, "problem", "", "take this size of the problem, `X[,Y[,Z]]`, if the record has none")
	f.BoolVar(&m.closed, "closed-form", false, "predict times by the closed form of the model, not by the simulation")
	f.BoolVar(&m.search, "search", false, "replay the search of smux tune: after how many measurements it finds the fastest")
	f.StringVar(&m.svg, "svg", "", "draw measured over predicted times into this `FILE`")
	f.StringArrayVarP(&m.in.Includes, "include", "I", nil, "search this `DIR` for includes; can be repeated")
	f.StringArrayVarP(&m.in.Defines, "define", "D", nil, "define a macro `NAME[=VALUE]`; can be repeated")
	registerGPUs(f, &m.gpus)
	f.Lookup("gpu").Usage = "predict for this GPU `NAME`; the default is the one that was measured"
	f.BoolVar(&m.asJSON, "json", false, "print the report as JSON")
}

// modelCheckCommand is `smux model check RECORD…`.
func (s *session) modelCheckCommand() *cobra.Command {
	var m modelCheckFlags
	c := &cobra.Command{
		Use:     "check RECORD…",
		Short:   "Hold predictions against measured configurations",
		Long:    modelCheckLong,
		Example: modelCheckExample,
		RunE: func(c *cobra.Command, args []string) error {
			if err := m.check(args); err != nil {
				return err
			}
			if err := checkDrawing(c.Flags(), "svg", m.svg, append(args, m.source, m.gpus.File)...); err != nil {
				return err
			}
			return s.modelCheck(&m, args, c.Flags().Changed("gpu"))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	m.register(f)
	return c
}

// check refuses what can't be meant, and reads the expressions.
func (m *modelCheckFlags) check(args []string) error {
	switch {
	case len(args) == 0:
		return diag.Usagef("name records: smux model check conv.jsonl --source conv.cu", "smux model check reads records, and none are named")
	case m.source == "":
		return diag.Usagef("add --source FILE.cu", "--source is missing: the file with the kernel that was measured")
	case m.grid != "" && m.divide != "":
		return diag.Usagef("give one of them", "--grid and --divide both say how many thread blocks there are")
	}
	for _, e := range []struct {
		flag, text string
		into       *[]*harness.Expr
	}{{"block", m.block, &m.shapes.Block}, {"grid", m.grid, &m.shapes.Grid}, {"divide", m.divide, &m.shapes.Divide}} {
		var err error
		if *e.into, err = harness.ParseExprs(e.text); err != nil {
			return diag.Usagef("write --"+e.flag+" 'block_size_x,2*rows'", "--%s: %w", e.flag, err)
		}
	}
	for _, part := range strings.FieldsFunc(m.problem, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || len(m.shapes.Problem) == 3 {
			return diag.Usagef("write --problem 4096 or --problem 4096,4096", "--problem %q is not a size", m.problem)
		}
		m.shapes.Problem = append(m.shapes.Problem, n)
	}
	return m.in.Check()
}

// modelCheck reads records and source, and prints the report.
func (s *session) modelCheck(m *modelCheckFlags, args []string, told bool) error {
	var lines []record.Line
	for _, name := range args {
		of, err := record.ReadNamed(s.Console, name)
		if err != nil {
			return err
		}
		lines = append(lines, of...)
	}
	src, err := load.ReadSource(m.source)
	if err != nil {
		load.ReportUnread(s.Console, m.source, err)
		return diag.ErrReported
	}
	source := &modelcheck.Predictor{Name: m.source, Source: src, Shapes: m.shapes, Closed: m.closed,
		Parse: parser.Options{IncludeDirs: m.in.Includes, Defines: m.in.Defines}}
	var given *gpu.GPU
	if told {
		all, err := s.targets().GPUs(m.gpus)
		if err != nil {
			return err
		}
		given = all[0]
	}
	unknown := map[string]bool{}
	board := func(of record.Subject) *gpu.GPU {
		if m.kernel != "" && of.Kernel != m.kernel {
			return nil
		}
		if given != nil {
			return given
		}
		g, err := gpu.Lookup(of.Machine.GPU)
		if err != nil {
			unknown[of.Machine.Device] = true
			return nil
		}
		return g
	}
	var found modelcheck.Report
	err = s.Interruptible("predicting", func(ctx context.Context) (err error) {
		if found, err = modelcheck.Of(ctx, lines, source, board); err == nil && m.search {
			err = found.Search(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	for name := range unknown {
		s.Remark("smux has no table of %q: nothing is predicted for it; --gpu names another", name)
	}
	if len(found.Kernels) == 0 {
		return diag.Usagef("smux tune import makes such records", "the records hold nothing that another tuner measured on a GPU that smux knows")
	}
	if m.svg != "" {
		if err := s.WriteOutput(m.svg, found.SVG()); err != nil {
			return err
		}
	}
	return s.printDocument(found, m.asJSON)
}
