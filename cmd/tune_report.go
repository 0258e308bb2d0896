package cmd

import (
	"github.com/smux-cuda/smux/tune/fidelity"
)

// tuneFidelity is the document that `smux tune --report --json` prints.
type tuneFidelity struct {
	Schema int `json:"schema"`
	fidelity.Report
}
