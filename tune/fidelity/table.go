package fidelity

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/tune/record"
)

func (r Report) Text(out *bytes.Buffer) {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "kernel\ton\tmeasured\tfailed\ttau\trho\terror\tmodel's first\tmeasured best\tloss")
	for _, s := range r.Subjects {
		off := "-"
		if s.Compared > 1 {
			off = fmt.Sprintf("%.1f %%", 100*s.Error)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%.1f %%\n", Title(s.Subject), On(s.Subject.Machine),
			s.Measured, s.Failed, Figure(s.Kendall), Figure(s.Spearman), off, s.First, s.Best, s.Loss)
	}
	_ = t.Flush() // a buffer takes all
	out.WriteString(r.Summary.String())
	for _, c := range r.Corrections {
		fmt.Fprintf(out, "--profile with these records corrects what is predicted of %s on %s by %.2fx (%s, %s).\n",
			c.Rewriter, c.GPU, c.Factor, prose.Count(c.Kernels, "kernel"), prose.Count(c.Forms, "form"))
	}
}

// Title returns the kernel with the file where it begins.
func Title(s record.Subject) string {
	if len(s.Files) == 0 {
		return s.Kernel
	}
	return strings.TrimSuffix(filepath.Base(s.Files[0]), filepath.Ext(s.Files[0])) + " " + s.Kernel
}

// On returns what was measured on, and says so where that is not a GPU.
func On(m record.Machine) string {
	switch {
	case m.Device != "":
		return m.Device
	case m.On == "gpu":
		return m.GPU
	}
	return fmt.Sprintf("%s (%s)", m.GPU, m.On)
}

// String returns such as "vtb named N=2 (1.310x)".
func (c Choice) String() string {
	if c.Name == "" {
		return "-"
	}
	return fmt.Sprintf("%s (%.3fx)", c.Name, c.Measured)
}

// Figure returns a correlation as text, "-" for none.
func Figure(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *v)
}

// String returns the summary in sentences, "" if nothing was compared.
func (s Summary) String() string {
	if s.Subjects == 0 {
		return ""
	}
	order := "There is no order to be compared."
	if s.Ordered > 0 {
		order = fmt.Sprintf("Mean rank correlation, where there is an order (%d of %d): tau %.2f, rho %.2f.", s.Ordered, s.Subjects, s.Kendall, s.Spearman)
	}
	return fmt.Sprintf(`%s
The model's first choice loses %.1f %% on average and %.1f %% at worst; 2 %% or less in %d of %d.
It gains a factor of %.3f on average (geometric mean), the measured best %.3f.
`, order, s.MeanLoss, s.WorstLoss, s.WithinTwo, s.Subjects, s.GainOfFirst, s.GainOfBest)
}
