package cmd

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/tune/foreign"
	"github.com/smux-cuda/smux/tune/record"
)

const tuneImportLong = `Makes a record of what another autotuner measured. It reads cache files of Kernel
Tuner, the autotuning community's T4 format, and results of KTT, plain or gzipped.
The text tells the format if --format does not. A cache that Kernel Tuner left open,
without the braces at its end, is read as far as it goes.

A configuration is the values of the constants that the kernel's source leaves open.
The first that ran takes the place of the original: every other one stands in the
record with the times of both. Lines that a record has stay as they are, so that a
cache that has grown can be imported again.

smux tune --replay and --report, --t4 and smux model check read the record.`

const tuneImportExample = `  smux tune import convolution_cache.json                  # into convolution_cache.jsonl
  smux tune import --store all.jsonl a100.json.gz ktt.json
  smux tune import --format t4 --device 'NVIDIA A100' --kernel gemm results.json`

// tuneImportCommand is `smux tune import FILE…`.
func (s *session) tuneImportCommand() *cobra.Command {
	var format, into, device, kernel string
	var names []string
	for _, f := range foreign.Formats {
		names = append(names, string(f))
	}
	c := &cobra.Command{
		Use:     "import FILE…",
		Short:   "Make a record of what Kernel Tuner or KTT measured",
		Long:    tuneImportLong,
		Example: tuneImportExample,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.Usagef("name files of Kernel Tuner or KTT", "smux tune import reads results, and none are named")
			}
			if c.Flags().Changed("format") {
				if err := oneOf("--format", format, names...); err != nil {
					return err
				}
			}
			for _, name := range args {
				to := into
				if to == "" {
					to = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".gz"), ".json") + ".jsonl"
				}
				if err := s.importResults(name, to, foreign.Format(format), device, kernel); err != nil {
					s.Fail(err)
				}
			}
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	usage.Word(f, &format, "format", "", "read files of this `KIND`; the default is what they look like", names...)
	f.StringVar(&into, "store", "", "add to this record `FILE`; the default is the file's name with .jsonl, in the current folder")
	f.StringVar(&device, "device", "", "take this `PRODUCT` as the GPU, where the file does not say it")
	f.StringVar(&kernel, "kernel", "", "take this `NAME` as the kernel's, where the file does not say it")
	return c
}

// importResults takes the results of a file into a record.
func (s *session) importResults(name, into string, format foreign.Format, device, kernel string) error {
	src, err := readResults(name)
	if err != nil {
		return err
	}
	r, err := foreign.Read(name, src, format)
	var wrong diag.Message
	if errors.As(err, &wrong) {
		s.Message(wrong)
		s.Note(diag.ExitUsage)
		return nil
	}
	if err != nil {
		return err
	}
	r.Kernel = cmp.Or(r.Kernel, kernel)
	r.Device = cmp.Or(r.Device, device)
	if r.Kernel == "" {
		return diag.Usagef("add --kernel NAME", "%s does not say which kernel was measured", name)
	}
	board, err := gpu.Lookup(r.Device)
	known := ""
	if err == nil {
		known = board.Name
	}
	lines, err := r.Lines(known)
	if err != nil {
		return diag.Usagef("there is nothing to compare", "%s: %w", name, err)
	}
	st, err := record.Open(into)
	if err != nil {
		return record.Explain(err)
	}
	defer st.Close()
	more := foreign.New(lines, st.Lines())
	if err := st.Append(more...); err != nil {
		return record.Explain(err)
	}
	counts := r.Count()
	s.Remark("%s: %s of kernel %q by %s taken into %s: %d ran, %d failed", name, prose.Count(counts.Configurations, "configuration"), r.Kernel, r.Tuner, into, counts.Ran, counts.Failed)
	if len(more) < len(lines) {
		s.Remark("%s: the record has %s of them already", name, prose.Count(len(lines)-len(more), "line"))
	}
	if r.Open {
		s.Remark("%s: the file is a cache that is still open: it has no end, and what stands in it is whole", name)
	}
	switch {
	case r.Device == "":
		s.Remark("%s: the file does not say on which device it was measured: --device does", name)
	case known == "":
		s.Remark("%s: smux has no table of %q: nothing can be predicted for it", name, r.Device)
	}
	return nil
}

// readResults reads a file. The error is that of a command line.
func readResults(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, diag.Usagef("name a file of Kernel Tuner or KTT", "%s: there is no such file", name)
	case err != nil:
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	case !info.Mode().IsRegular():
		return nil, diag.Usagef("name a file of Kernel Tuner or KTT", "%s is not a regular file", name)
	case info.Size() > foreign.MaxBytes:
		return nil, diag.Usagef("split it", "%s is larger than %d MB", name, foreign.MaxBytes>>20)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	return src, nil
}
