package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/header"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/validate"
)

const validateLong = `Proves of each kernel of a rewritten program that it does what the original's does: for
all inputs, grids and orders of threads. It knows nothing of how the program was
rewritten. Needs neither a compiler nor a GPU.

OLD and NEW are two files, or two folders that hold the same files.

If it can't prove something, it names the condition and the line. The kernel may be
right all the same: smux verify runs both programs and compares them.

Exit codes: 0 every kernel is the same, or proved to be; 1 something is not proved;
2 wrong usage or unreadable input.`

const validateExample = `  smux validate kernel.cu merged.cu
  smux validate before/ after/
  smux validate --new-certificate proof.json kernel.cu merged.cu
  smux validate --certificate proof.json kernel.cu merged.cu`

// validateCommand is `smux validate OLD NEW`.
func (s *session) validateCommand() *cobra.Command {
	var (
		in  load.Options
		own validateFlags
	)
	c := &cobra.Command{
		Use:     "validate OLD NEW",
		Short:   "Prove that a rewritten program does what the original does",
		Long:    validateLong,
		Example: validateExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return diag.Usagef("name the old and the new file, or folder", "validate compares two programs, got %d", len(args))
			}
			return console.Quietly(s.validateFiles(args[0], args[1], in, own))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&own.asJSON, "json", false, "print the judgement as JSON")
	f.StringVar(&own.certificate, "certificate", "", "prove the certificate in `FILE` of the two programs again")
	f.StringVar(&own.issued, "new-certificate", "", "write a certificate of what was proved to `FILE`")
	registerReading(f, &in)
	return c
}

// validateFlags are those of `smux validate` beside what it shares with others.
type validateFlags struct {
	asJSON              bool
	certificate, issued string
}

// validateFiles runs `smux validate` with its flags read.
func (s *session) validateFiles(old, now string, in load.Options, own validateFlags) error {
	pairs, err := s.alike(old, now, in)
	if err != nil {
		return err
	}
	in.Alone = true // each is one text
	r := &validate.Result{Schema: validate.Schema, Kernels: []*validate.Kernel{}, Doubts: []validate.Doubt{}}
	var all []validate.Certified
	for _, pair := range pairs {
		var progs [2]*parser.Program
		for i, names := range pair {
			if progs[i], _, err = load.Files(s.Console, names, in); err != nil {
				return err
			}
			if len(progs[i].Files) == 0 {
				return diag.ErrReported
			}
		}
		if own.certificate != "" {
			if err := s.checkCertificate(own.certificate, progs[0], progs[1]); err != nil {
				return err
			}
		}
		c := validate.Certify(progs[0], progs[1])
		all = append(all, c)
		r.Kernels, r.Doubts = append(r.Kernels, c.Kernels...), append(r.Doubts, c.Doubts...)
	}
	if own.issued != "" {
		if err := s.writeCertificate(own.issued, all); err != nil {
			return err
		}
	}
	if !r.Proved() {
		s.Note(diag.ExitDiffers)
	}
	if err := s.printDocument(judgement{r}, own.asJSON); err != nil || own.asJSON {
		return err
	}
	for _, m := range r.Messages() {
		s.Message(m)
	}
	return nil
}

// alike pairs the files of programs: those themselves, or those of each program of two folders, which must hold the same.
func (s *session) alike(old, now string, in load.Options) (pairs [][2][]string, err error) {
	if !project.IsFolder(old) || !project.IsFolder(now) {
		return [][2][]string{{{old}, {now}}}, nil
	}
	var held [2][]string
	for i, folder := range []string{old, now} {
		files, errs := project.Walk(s.Context(), []string{folder}, project.Options{})
		if len(errs) > 0 {
			return nil, errors.Join(errs...)
		}
		for _, name := range files {
			if within, err := filepath.Rel(folder, name); err == nil && filepath.Base(within) != header.Name {
				held[i] = append(held[i], within)
			}
		}
	}
	for i := range held {
		for _, name := range held[i] {
			if !slices.Contains(held[1-i], name) {
				return nil, diag.Usagef("name two folders that hold the same files", "%s is in one of the folders alone", name)
			}
		}
	}
	line := s.NewProgress()
	defer line.End()
	programs, err := load.Find(s.Context(), s.Console, []string{old}, in, load.Tree{Jobs: 1}, line)
	for _, p := range programs {
		pair := [2][]string{p.Files}
		for _, name := range p.Files {
			within, err := filepath.Rel(old, name)
			if err != nil {
				return nil, err
			}
			pair[1] = append(pair[1], filepath.Join(now, within))
		}
		pairs = append(pairs, pair)
	}
	return pairs, err
}

// judgement is a validator's result as a document.
type judgement struct{ *validate.Result }

// Text writes a line for each kernel.
func (j judgement) Text(out *bytes.Buffer) {
	for _, k := range j.Kernels {
		verdict := "not proved"
		switch {
		case k.Variant == validate.Same:
			verdict = "unchanged"
		case k.Proved() && len(j.Doubts) == 0:
			verdict = "proved for all inputs and grids"
			if k.Block != [3]int{} {
				verdict += fmt.Sprintf(", for blocks of %dx%dx%d", k.Block[0], k.Block[1], k.Block[2])
			}
		}
		what := k.Variant
		if k.Merged > 1 {
			what += fmt.Sprintf(" N=%d", k.Merged)
		}
		if k.Variant == validate.Same {
			what = ""
		} else {
			what += ": "
		}
		fmt.Fprintf(out, "%v: kernel %q: %s%s\n", k.Pos, k.Name, what, verdict)
		for _, o := range k.Shown {
			if o.Assumes != "" {
				fmt.Fprintf(out, "    assumed: %s\n", o.Assumes)
			}
		}
	}
}
