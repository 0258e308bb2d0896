package rewrite_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/merge"
)

// schedule holds what one v-TB executes of an emitted kernel: the statements
// between two barriers of the launched block, in order. It is read from the
// emitted text alone.
type schedule struct {
	t      *testing.T
	file   *parser.File
	vtb    int64            // the number of this v-TB
	rounds int              // iterations of the kernel's own loops that hold barriers
	env    map[string]int64 // counters of the loops over steps and turns
	phases [][]string
	next   bool // continue was met
}

// known evaluates an expression of vtb.id and counters of such loops.
func (s *schedule) known(e *ir.Expr) (int64, bool) {
	switch e.Op {
	case ir.OpInt:
		return e.Int, true
	case ir.OpIdent:
		n, ok := s.env[e.Name]
		return n, ok
	case ir.OpMember:
		return s.vtb, e.Name == "id" && e.Kids[0].Name == "vtb"
	case ir.OpBinary:
		a, okA := s.known(e.Kids[0])
		b, okB := s.known(e.Kids[1])
		is := map[bool]int64{true: 1}
		switch e.Tok {
		case "+":
			return a + b, okA && okB
		case "==":
			return is[a == b], okA && okB
		case ">":
			return is[a > b], okA && okB
		case "<":
			return is[a < b], okA && okB
		}
	}
	return 0, false
}

func (s *schedule) text(r ir.Range) string { return string(s.file.Src[r.Start:r.End]) }

func (s *schedule) holdsBarrier(st *ir.Stmt) bool {
	return strings.Contains(s.text(st.Range), "__sync")
}

func (s *schedule) leaf(st *ir.Stmt) {
	last := len(s.phases) - 1
	s.phases[last] = append(s.phases[last], strings.Join(strings.Fields(s.text(st.Range)), " "))
}

func (s *schedule) run(st *ir.Stmt) {
	switch {
	case st == nil || st.Op == ir.StmtEmpty:
	case st.Op == ir.StmtCompound:
		for _, c := range st.List {
			if s.run(c); s.next {
				return
			}
		}
	case st.Op == ir.StmtContinue:
		s.next = true
	case st.Op == ir.StmtExpr && strings.HasPrefix(s.text(st.Range), "__syncthreads()"):
		s.phases = append(s.phases, nil)
	case st.Op == ir.StmtDecl:
		require.NotContains(s.t, s.text(st.Range), "__sync")
	case st.Op == ir.StmtIf:
		c, ok := s.known(st.Cond)
		switch {
		case ok && c != 0:
			s.run(st.Body)
		case ok:
			s.run(st.Else)
		case s.text(st.Cond.Range) != "!vtb.active":
			require.False(s.t, s.holdsBarrier(st), "a barrier under %s", s.text(st.Cond.Range))
			s.leaf(st)
		}
	case st.Op == ir.StmtFor && s.holdsBarrier(st):
		s.loop(st)
	default:
		require.False(s.t, s.holdsBarrier(st))
		s.leaf(st)
	}
}

// loop runs a loop over steps or turns as its head says, any other rounds times.
func (s *schedule) loop(st *ir.Stmt) {
	v := st.Init.Vars[0]
	if v.Name != "step" && v.Name != "turn" {
		for range s.rounds {
			s.run(st.Body)
			s.next = false
		}
		return
	}
	for s.env[v.Name] = v.Init.Int; ; s.env[v.Name]++ {
		c, ok := s.known(st.Cond)
		require.True(s.t, ok, "the head of the loop over %s", v.Name)
		if c == 0 {
			break
		}
		s.run(st.Body)
		s.next = false
	}
	delete(s.env, v.Name)
}

// schedules reads both v-TBs' schedules of the only kernel that was rewritten.
func schedules(t *testing.T, src []byte, rounds int) [2][][]string {
	t.Helper()
	f, err := parser.Parse("in.cu", src, parser.Options{})
	require.NoError(t, err)
	res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb-pipe"}, Block: [3]int{64, 1, 1}, Runtime: "header"})
	require.NoError(t, err)
	require.Len(t, res.Files, 1, "%v", res.Kernels)
	f, err = parser.Parse("out.cu", res.Files[0].After, parser.Options{})
	require.NoError(t, err)
	prog := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{})
	var out [2][][]string
	for _, fn := range f.Functions {
		if !fn.IsKernel() || fn.Body == nil {
			continue
		}
		for v := range out {
			s := &schedule{t: t, file: f, vtb: int64(v), rounds: rounds, env: map[string]int64{}, phases: [][]string{nil}}
			s.run(prog.Lower(f, fn).Body)
			out[v] = s.phases
		}
	}
	require.Len(t, out[1], len(out[0]), "both v-TBs meet the same barriers")
	return out
}

// table shows two schedules side by side, in one row the steps of Figure 5: what
// happens during one turn. label names the segment of a statement of a v-TB, and
// is told which v-TB; phases without statements separate nothing.
func table(sched [2][][]string, label func(v int, stmt string) string) string {
	type row [2][]string
	var rows []row
	for i := range sched[0] {
		var r row
		for v := range r {
			for _, stmt := range sched[v][i] {
				if l := label(v, stmt); !slices.Contains(r[v], l) {
					r[v] = append(r[v], l)
				}
			}
		}
		// The pieces of one turn are one step: it goes on if its v-TB is in the
		// region that it was in before.
		same := false
		for v := range r {
			if n := len(rows); n > 0 && len(r[v]) > 0 && len(rows[n-1][v]) > 0 {
				before := rows[n-1][v]
				same = same || before[len(before)-1] == r[v][0] && strings.HasPrefix(r[v][0], "R")
			}
		}
		if !same {
			rows = append(rows, r)
			continue
		}
		for v, last := 0, len(rows)-1; v < 2; v++ {
			for _, l := range r[v] {
				if !slices.Contains(rows[last][v], l) {
					rows[last][v] = append(rows[last][v], l)
				}
			}
		}
	}
	var b strings.Builder
	for _, r := range rows {
		if len(r[0])+len(r[1]) > 0 {
			b.WriteString(strings.TrimRight(fmt.Sprintf("%-6s| %s", strings.Join(r[0], " "), strings.Join(r[1], " ")), " ") + "\n")
		}
	}
	return b.String()
}

// TestPipeScheduleOfFFT: the emitted FFT has the schedule of PACT'12 Figure 5,
// v-TB 0 one stage ahead.
func TestPipeScheduleOfFFT(t *testing.T) {
	src, err := os.ReadFile("../examples/fft/fft.cu")
	require.NoError(t, err)
	number := regexp.MustCompile(`<(\d)>`)
	var region [2]string
	got := table(schedules(t, src, 0), func(v int, stmt string) string {
		switch {
		case strings.HasPrefix(stmt, "save<"):
			region[v] = "R" + number.FindStringSubmatch(stmt)[1]
			return region[v]
		case strings.HasPrefix(stmt, "load(buffer"):
			return region[v]
		case strings.HasPrefix(stmt, "radix4<"):
			return "C" + number.FindStringSubmatch(stmt)[1]
		case strings.Contains(stmt, "= in["):
			return "C0"
		case strings.Contains(stmt, "out[base"):
			return "C4"
		}
		t.Fatalf("a statement of no segment: %s", stmt)
		return ""
	})
	require.Equal(t, `
C0    |
R0    | C0
C1    | R0
R1    | C1
C2    | R1
R2    | C2
C3    | R2
R3    | C3
C4    | R3 C4
`, "\n"+got)
}

// TestPipeScheduleOfLoops: in a loop, v-TB 0 goes on to the next iteration while
// v-TB 1 is in the region of this one, whatever the number of iterations.
func TestPipeScheduleOfLoops(t *testing.T) {
	src, err := os.ReadFile("../examples/mv/mv.cu")
	require.NoError(t, err)
	for rounds, want := range []string{`
D     | D
`, `
C1    |
R1    | C1
      | R1
D     | D
`, `
C1    |
R1    | C1
C2    | R1
R2    | C2
      | R2
D     | D
`, `
C1    |
R1    | C1
C2    | R1
R2    | C2
C3    | R2
R3    | C3
      | R3
D     | D
`} {
		var iteration [2]int
		got := table(schedules(t, src, rounds), func(v int, stmt string) string {
			switch {
			case strings.Contains(stmt, "= rows["):
				iteration[v]++
				return fmt.Sprintf("C%d", iteration[v])
			case strings.Contains(stmt, "tile["):
				return fmt.Sprintf("R%d", iteration[v])
			}
			return "D"
		})
		require.Equal(t, want, "\n"+got, "%d iterations", rounds)
	}
}

// TestPipeScheduleOfMarks: what stands between a region and a mark stays in the
// region's turn; what stands after a loop's last region is done by v-TB 0 beside
// v-TB 1's turn, by v-TB 1 after its own.
func TestPipeScheduleOfMarks(t *testing.T) {
	got := table(schedules(t, []byte(`
__global__ void k(float *a) {
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int r = 0; r < 9; ++r) {
        a[t] += C0;
        s[t] = R0;
        __syncthreads();
        a[t] += s[63 - t] + R0;
        a[t] += Rmore;
        // smux:overlap
        a[t] += C1;
        s[t] = R1;
        __syncthreads();
        a[t] += s[63 - t] + R1;
        a[t] += C2;
    }
}`), 2), func(_ int, stmt string) string { return regexp.MustCompile(`[CR]\w+`).FindString(stmt) })
	require.Equal(t, `
C0    |
R0 Rmore| C0
C1    | R0 Rmore
R1    | C1
C2 C0 | R1 C2
R0 Rmore| C0
C1    | R0 Rmore
R1    | C1
C2    | R1 C2
`, "\n"+got)
}

// TestPipeIsForTwoInBlockMode: other factors and sync modes are refused with a
// reason, where no plan is made that could be wrong.
func TestPipeIsForTwoInBlockMode(t *testing.T) {
	prog, errs := parser.LoadProgram([]string{"../examples/fft/fft.cu"}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	for _, c := range []struct {
		variant rewrite.Variant
		want    string
	}{
		{rewrite.Variant{Sync: "named"}, "overlap by themselves"},
		{rewrite.Variant{Sync: "lock"}, "overlap by themselves"},
		{rewrite.Variant{Factor: 4}, "4 are asked for"},
	} {
		c.variant.Rewriter = "vtb-pipe"
		res, err := rewrite.Run(prog, rewrite.Options{Variant: c.variant})
		require.NoError(t, err)
		require.Empty(t, res.Files)
		require.Equal(t, merge.CodePipe, res.Kernels[0].Refused[0].Code)
		require.Contains(t, res.Kernels[0].Refused[0].Text, c.want)
	}
}
