package tune

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune/foreign"
)

// WriteT4 writes results in the T4 format into a file, or one for each kernel and GPU with their names before the ending.
func (s *Session) WriteT4(name string, of Outcome) error {
	for _, v := range of.Verdicts {
		for _, d := range foreign.ExportT4(Of(of.Lines, v.Subject)) {
			text, err := d.Encode()
			if err != nil {
				return diag.Failed("writing "+name, err)
			}
			file := name
			if len(of.Verdicts) > 1 {
				plain := strings.Map(func(r rune) rune {
					if r == '/' || r == os.PathSeparator || !unicode.IsPrint(r) {
						return '_'
					}
					return r
				}, v.Subject.Kernel+"-"+v.Subject.Machine.GPU)
				file = strings.TrimSuffix(name, filepath.Ext(name)) + "-" + plain + filepath.Ext(name)
			}
			if err := s.WriteOutput(file, text); err != nil {
				return err
			}
		}
	}
	return nil
}
