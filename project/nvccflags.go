package project

import "strings"

// nvccFlags are the flags that are taken from a database for nvcc, by every spelling, and how they
// are written then: all that decides how code reads or computes. Nothing that runs or loads another
// program, names a file to read or write, or asks for other output is among them.
var nvccFlags = map[string]string{
	"--extended-lambda": "--extended-lambda", "-extended-lambda": "--extended-lambda",
	"--expt-extended-lambda": "--extended-lambda", "-expt-extended-lambda": "--extended-lambda",
	"--expt-relaxed-constexpr": "--expt-relaxed-constexpr", "-expt-relaxed-constexpr": "--expt-relaxed-constexpr",
	"--use_fast_math": "--use_fast_math", "-use_fast_math": "--use_fast_math",
	"--extra-device-vectorization": "--extra-device-vectorization", "-extra-device-vectorization": "--extra-device-vectorization",
	"-dc": "-rdc=true", "--device-c": "-rdc=true",
	"--std": "-std", "-std": "-std",
	"--relocatable-device-code": "-rdc", "-relocatable-device-code": "-rdc", "-rdc": "-rdc",
	"--maxrregcount": "-maxrregcount", "-maxrregcount": "-maxrregcount",
	"--default-stream": "-default-stream", "-default-stream": "-default-stream",
	"--ftz": "-ftz", "-ftz": "-ftz", "--fmad": "-fmad", "-fmad": "-fmad",
	"--prec-div": "-prec-div", "-prec-div": "-prec-div", "--prec-sqrt": "-prec-sqrt", "-prec-sqrt": "-prec-sqrt",
}

// takesValue are those flags, as they are written, that have a value.
var takesValue = map[string]bool{
	"-std": true, "-rdc": true, "-maxrregcount": true, "-default-stream": true,
	"-ftz": true, "-fmad": true, "-prec-div": true, "-prec-sqrt": true,
}

// nvccFlag reads the flag that arguments begin with, with its value where that is an argument of its
// own; used is how many arguments it takes, 0 where it is none that is taken.
func nvccFlag(args []string) (flag string, used int) {
	name, value, joined := strings.Cut(args[0], "=")
	flag, ok := nvccFlags[name]
	used = 1
	switch {
	case !ok, joined && !takesValue[flag]:
		return "", 0
	case !takesValue[flag]:
		return flag, 1
	case !joined && len(args) < 2:
		return "", 0
	case !joined:
		value, used = args[1], 2
	}
	for i := range len(value) { // a word, and nothing that a shell or nvcc reads in another way
		if c := value[i]; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' && i > 0) {
			return "", 0
		}
	}
	if value == "" {
		return "", 0
	}
	return flag + "=" + value, used
}

// AddFlag adds a flag of nvcc to a list. One that says the same thing in another way stays the only one.
func AddFlag(list []string, flag string) []string {
	name, _, _ := strings.Cut(flag, "=")
	for _, f := range list {
		if other, _, _ := strings.Cut(f, "="); other == name {
			return list
		}
	}
	return append(list, flag)
}
