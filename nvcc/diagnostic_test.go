package nvcc

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefusalsNamePlaceAndHelp(t *testing.T) {
	for name, c := range map[string]struct {
		says    string // with UNIT for the path of the unit that nvcc was given
		exit    string
		line    int
		message string
		help    string
	}{
		"device compiler":        {`UNIT(12): error: expected a ";"\n\n1 error detected in the compilation of "UNIT".`, "2", 12, `expected a ";"`, ""},
		"numbered error":         {`UNIT(3): error #20: identifier "x" is undefined`, "2", 3, `identifier "x" is undefined`, ""},
		"host compiler":          {`UNIT:7:10: fatal error: no.h: No such file or directory`, "1", 7, "no.h: No such file or directory", "-I"},
		"the first error of two": {`UNIT(5): warning #1: w\nUNIT:9:1: error: one\nUNIT(10): error: two`, "1", 9, "one", ""},
		"wrong architecture":     {`nvcc fatal   : Value 'sm_10' is not defined for option 'gpu-architecture'`, "1", 0, "Value 'sm_10' is not defined for option 'gpu-architecture'", "list-gpu-code"},
		"no host compiler":       {`nvcc fatal   : Cannot find compiler 'cl.exe' in PATH`, "1", 0, "Cannot find compiler 'cl.exe' in PATH", "-ccbin"},
		"host compiler too new": {`/usr/include/crt/host_config.h:132:2: error: #error -- unsupported GNU version! gcc versions later than 11 are not supported!`, "1",
			132, "#error -- unsupported GNU version! gcc versions later than 11 are not supported!", "-ccbin"},
		"too much shared memory": {`ptxas info    : 0 bytes gmem\nptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)`, "255", 0,
			"Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)", ""},
		"extern function": {`ptxas fatal   : Unresolved extern function '_Z2exi'`, "255", 0, "Unresolved extern function '_Z2exi'", "-rdc"},
		"crash":           {`ptxas info    : 0 bytes gmem\nSegmentation fault`, "139", 0, "Segmentation fault; nvcc or one of its passes crashed (exit status 139)", "toolkit"},
		"silence":         {``, "1", 0, "nvcc ended with exit status 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			toolkit := standInToolkit(t, "#!/bin/sh\nfor unit; do :; done\nprintf '"+quoted(c.says)+"\\n' | sed \"s|UNIT|$unit|g\" >&2\nexit "+c.exit+"\n")
			unit := filepath.Join(t.TempDir(), "k.cu")
			_, err := toolkit.Resources(t.Context(), Request{Arch: "sm_80", Texts: map[string][]byte{unit: unitReading()}})
			var refused *CompileError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.line, refused.Line)
			require.Equal(t, c.message, refused.Message)
			require.Contains(t, refused.Help, c.help)
			require.NotContains(t, refused.Output, "smux-nvcc-", "the temporary folder is nobody's concern")
			require.Equal(t, unit, refused.Unit)
			if c.line > 0 && c.line != 132 {
				require.Equal(t, unit, refused.File)
			}
		})
	}
}

// quoted writes a text into single quotes of the shell.
func quoted(text string) string {
	var out []byte
	for i := range len(text) {
		switch text[i] {
		case '\'':
			out = append(out, `'\''`...)
		case '%':
			out = append(out, "%%"...)
		default:
			out = append(out, text[i])
		}
	}
	return string(out)
}
