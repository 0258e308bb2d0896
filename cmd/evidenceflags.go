package cmd

import (
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
)

// evidenceFlags say where measurements are looked for.
type evidenceFlags struct{ stores []string }

func (e *evidenceFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&e.stores, "store", nil, "show what smux tune has measured and kept in this `FILE`, too; can be repeated")
}

// check refuses stores where nothing shows what is in them.
func (e *evidenceFlags) check(document bool) error {
	if len(e.stores) > 0 && !document {
		return diag.Usagef("add --format json or --format markdown", "--store says what measurements to show, and text shows none")
	}
	return nil
}
