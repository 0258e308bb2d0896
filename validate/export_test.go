package validate

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/units"
)

// Trusted returns the lines of trusted.txt for a runtime's text.
func Trusted(s []byte) (string, error) {
	f, err := parser.Parse("smux.cuh", s, parser.Options{})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, part := range runtimeParts(units.NewSource(f).Units) {
		for _, d := range declarationsOf(part.inside) {
			out.WriteString(hashOf(d) + " " + units.Text(d[:min(len(d), 12)]) + "\n")
		}
	}
	return out.String(), nil
}
