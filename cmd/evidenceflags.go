package cmd

import (
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/report"
)

// evidenceFlags say where measurements and proofs are looked for.
type evidenceFlags struct{ stores, certificates []string }

func (e *evidenceFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&e.stores, "store", nil, "show what smux tune has measured and kept in this `FILE`, too; can be repeated")
	usage.Under(f, usage.Output)
}

// registerCertificates adds the flag of commands that write no certificate themselves.
func (e *evidenceFlags) registerCertificates(f *pflag.FlagSet) {
	f.StringArrayVar(&e.certificates, "certificate", nil, "also show the certificate in `FILE` of rewritten kernels; can be repeated")
	usage.Under(f, usage.Output)
}

// check refuses stores and certificates if nothing shows what is in them.
func (e *evidenceFlags) check(document bool) error {
	const help = "add --format json or --format markdown"
	switch {
	case document:
	case len(e.stores) > 0:
		return diag.Usagef(help, "--store says what measurements to show, and text shows none")
	case len(e.certificates) > 0:
		return diag.Usagef(help, "--certificate says what proofs to show, and text shows none")
	}
	return nil
}

// shownEvidence names the evidence that a document shows beside the facts about texts, from files that a person named.
type shownEvidence struct {
	measured *measurements
	claims   []*namedCertificate
}

// open reads the files of the flags.
func (e *evidenceFlags) open(c *console.Console) (*shownEvidence, error) {
	measured, err := openMeasurements(c, e.stores)
	if err != nil {
		return nil, err
	}
	out := &shownEvidence{measured: measured}
	for _, file := range e.certificates {
		claim, err := openCertificate(file)
		if err != nil {
			return nil, err
		}
		out.claims = append(out.claims, claim)
	}
	return out, nil
}

// add puts what the files say of a program's kernels beside the facts about them.
func (e *shownEvidence) add(prog *parser.Program, parse parser.Options, p *report.Program) {
	if e == nil {
		return
	}
	e.measured.add(prog, parse, p)
	for _, c := range e.claims {
		if p.Claim(prog, c.file, &c.Certificate) {
			c.used.Store(true)
		}
	}
}

// remarkOnUnused prints of which files nothing was shown.
func (e *shownEvidence) remarkOnUnused(c *console.Console) {
	e.measured.remarkOnUnused(c)
	for _, claim := range e.claims {
		if !claim.used.Load() {
			c.Remark("%s is not shown: it is about other texts", claim.file)
		}
	}
}
