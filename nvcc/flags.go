package nvcc

import "strings"

// Flags of nvcc that a request's own choices replace, with the value that
// follows them. What is to be made, for which architecture, and where to, is decided here.
var replacedValue = map[string]bool{
	"-arch": true, "--gpu-architecture": true, "-code": true, "--gpu-code": true, "-gencode": true, "--generate-code": true,
	"-o": true, "--output-file": true, "-odir": true, "--output-directory": true,
	"-MF": true, "--dependency-output": true, "-MT": true, "--dependency-target-name": true,
	"-l": true, "--library": true, "-L": true, "--library-path": true, "-Xlinker": true, "--linker-options": true,
	"-Xnvlink": true, "--nvlink-options": true, "-Xarchive": true, "--archive-options": true, "-cudart": true, "--cudart": true,
	"-t": true, "--threads": true, "-keep-dir": true, "--keep-dir": true, "-time": true, "--time": true, "-run-args": true, "--run-args": true,
}

// replacedAlone are such flags without a value.
var replacedAlone = map[string]bool{
	"-c": true, "--compile": true, "-dc": true, "--device-c": true, "-dw": true, "--device-w": true, "-dlink": true, "--device-link": true,
	"-link": true, "--link": true, "-lib": true, "--lib": true, "-run": true, "--run": true, "-E": true, "--preprocess": true,
	"-M": true, "-MM": true, "-MD": true, "-MMD": true, "-MP": true, "--generate-dependencies": true,
	"-ptx": true, "--ptx": true, "-cubin": true, "--cubin": true, "-fatbin": true, "--fatbin": true, "-cuda": true, "--cuda": true,
	"-keep": true, "--keep": true, "-save-temps": true, "--save-temps": true, "-dryrun": true, "--dryrun": true, "-v": true, "--verbose": true,
	"-res-usage": true, "--resource-usage": true, "-dlto": true, "--dlink-time-opt": true, "-lto": true,
	"-shared": true, "--shared": true, "-lineinfo": true, "--generate-line-info": true,
}

// PassedOn returns the flags that reach nvcc: not those that choose what is made, for which
// architecture, and where, nor those that name libraries.
func PassedOn(flags []string) []string {
	var out []string
	for i := 0; i < len(flags); i++ {
		flag, _, joined := strings.Cut(flags[i], "=")
		switch {
		case replacedAlone[flag]:
		case replacedValue[flag]:
			if !joined {
				i++
			}
		case strings.HasPrefix(flag, "-l") || strings.HasPrefix(flag, "-L"): // -lcublas, -L/lib
		default:
			out = append(out, flags[i])
		}
	}
	return out
}
