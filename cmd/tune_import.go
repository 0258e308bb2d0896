package cmd

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/profile"
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

smux tune --replay and --report, --t4 and smux model check read the record.

Tables of Nsight Compute (ncu --csv, of the page details or raw) are condensed to a
document for --profile of smux analyze, report and rewrite.`

const tuneImportExample = `  smux tune import convolution_cache.json                  # into convolution_cache.jsonl
  smux tune import --store all.jsonl a100.json.gz ktt.json
  smux tune import mm.csv                                  # of ncu, into mm.profile.json
  smux tune import --format t4 --device 'NVIDIA A100' --kernel gemm results.json`

// tuneImportCommand is `smux tune import FILE…`.
func (s *session) tuneImportCommand() *cobra.Command {
	var format, into, device, kernel string
	names := lists.Map(foreign.Formats, func(f foreign.Format) string { return string(f) })
	c := &cobra.Command{
		Use:     "import FILE…",
		Short:   "Take in what Kernel Tuner, KTT or Nsight Compute measured",
		Long:    tuneImportLong,
		Example: tuneImportExample,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.Usagef("name files of Kernel Tuner, KTT or Nsight Compute", "smux tune import reads results, and none are named")
			}
			if c.Flags().Changed("format") {
				if err := oneOf("--format", format, names...); err != nil {
					return err
				}
			}
			for _, name := range args {
				if err := s.importResults(name, into, foreign.Format(format), device, kernel); err != nil {
					s.Fail(err)
				}
			}
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	usage.Word(f, &format, "format", "", "read files of this `KIND`; the default follows from the text", names...)
	f.StringVar(&into, "store", "", "add to this record `FILE`; the default is the file's name with .jsonl, or .profile.json, in the current folder")
	f.StringVar(&device, "device", "", "take this `PRODUCT` as the GPU if the file names none")
	f.StringVar(&kernel, "kernel", "", "take this `NAME` as the kernel's if the file gives none")
	return c
}

// importResults takes the results of a file into a record.
func (s *session) importResults(name, into string, format foreign.Format, device, kernel string) error {
	src, err := readResults(name)
	if err != nil {
		return err
	}
	base := filepath.Base(name)
	if format == "" && profile.Is(src) {
		return importProfile(s.Console, name, src, cmp.Or(into, strings.TrimSuffix(base, ".csv")+".profile.json"))
	}
	into = cmp.Or(into, strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".json")+".jsonl")
	r, err := foreign.Read(name, src, format)
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
		return err
	}
	defer st.Close()
	more := foreign.New(lines, st.Lines())
	if err := st.Append(more...); err != nil {
		return err
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

// importProfile condenses what Nsight Compute measured to a document, which --profile takes as it does the table.
func importProfile(c *console.Console, name string, src []byte, into string) error {
	kernels, err := profile.Read(name, src)
	if err != nil {
		return err
	}
	text, err := profile.Document(kernels)
	if err != nil {
		return diag.Failed("condensing "+name, err)
	}
	if err := c.WriteOutput(into, text); err != nil {
		return err
	}
	c.Remark("%s: %s with its shape taken into %s: --profile has smux analyze, report and rewrite go by it", name, prose.Count(len(kernels), "kernel"), into)
	return nil
}

// readResults reads a file. The error is that of a command line.
func readResults(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, diag.Usagef("name a file of results", "%s: there is no such file", name)
	case err != nil:
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	case !info.Mode().IsRegular():
		return nil, diag.Usagef("name a file of results", "%s is not a regular file", name)
	case info.Size() > foreign.MaxBytes:
		return nil, diag.Usagef("split it", "%s is larger than %d MB", name, foreign.MaxBytes>>20)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	return src, nil
}
