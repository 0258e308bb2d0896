package build

import (
	"strings"
)

// Mode is how a program is compiled.
type Mode string

// The build modes. All are compiled with debug information, which the places of
// findings come from.
const (
	Plain   Mode = "plain"   // fast; for output and deadlocks
	Checked Mode = "checked" // every access is reported to the runtime; for races, bounds, regions
	Address Mode = "address" // with the address sanitizer
)

// languageFlags are those of everything that is compiled, the runtime included.
// CUDA defines what C++ leaves open: integers wrap, types may be punned, and the
// host does not contract products and sums (whether the GPU does is another
// matter). The stack must be walkable, for places in findings.
var languageFlags = []string{
	"-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off",
	"-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-w",
}

// debugFlag asks for lines, inlined calls and names of functions; that is all
// that findings need, and the least that gives it is the fastest to compile.
func (c *Compiler) debugFlag() string {
	if c.Kind == GCC {
		return "-g1"
	}
	return "-g"
}

// language are the flags of everything that is compiled. A program that has
// parts for a GPU only can leave them out where SMUX_CPU is defined.
func (c *Compiler) language() []string {
	return append([]string{c.debugFlag(), "-DSMUX_CPU=1"}, languageFlags...)
}

const standard = "-std=gnu++17"

// messageFlags make both compilers print errors in the form that
// parseDiagnostics reads.
func (c *Compiler) messageFlags() []string {
	if c.Kind == Clang {
		return []string{"-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=20", "-ftemplate-backtrace-limit=4"}
	}
	return []string{"-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-fmessage-length=0", "-fmax-errors=20", "-ftemplate-backtrace-limit=4"}
}

// modeFlags are those of a program's files in a mode.
func (c *Compiler) modeFlags(m Mode) []string {
	switch m {
	case Checked:
		if c.Kind == Clang {
			return []string{"-O1", "-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0",
				"-mllvm", "-tsan-distinguish-volatile"}
		}
		// Calls of memcpy and its kin must stay calls: inlined ones would go unseen. A
		// read whose value one branch alone needs stays where it is: a rewrite that puts
		// a call between the two would otherwise read where the original does not.
		return []string{"-O1", "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0",
			"--param=tsan-distinguish-volatile=1", "-fno-tree-sink", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"}
	case Address:
		return []string{"-O1", "-fsanitize=address"}
	}
	if c.Kind == Clang {
		return []string{"-O2"}
	}
	// Two calls of a barrier are not made one: threads wait at a line each.
	return []string{"-O2", "-fno-crossjumping", "-fno-tree-tail-merge"}
}

// linkFlags are those of the linker. The checked build is not linked with the
// thread sanitizer: the runtime has its hooks.
func linkFlags(m Mode) []string {
	if m == Address {
		return []string{"-fsanitize=address"}
	}
	return nil
}

// systemLibraries come last on the linker's command line.
var systemLibraries = []string{"-ldl", "-lpthread", "-lm"}

// cudaLibraries are libraries of CUDA's that the shim stands in for.
var cudaLibraries = map[string]bool{
	"cudart": true, "cudart_static": true, "cudadevrt": true, "cuda": true, "curand": true, "curand_static": true,
	"culibos": true, "nvToolsExt": true, "rt": false,
}

// userFlags are the flags of a person's build that mean something here: those
// for compiling, those for linking. What only nvcc knows is left out, and so is
// what a build mode decides (-O, -g). A language standard below the one that
// the shim is written in is raised to it, which is by leaving it out.
func userFlags(flags []string) (compile, link []string) {
	for i := 0; i < len(flags); i++ {
		flag, value, joined := flags[i], "", false
		if strings.HasPrefix(flag, "--") || nvccValue[beforeEqual(flag)] {
			if flag, value, joined = strings.Cut(flag, "="); !joined && nvccValue[flag] && i+1 < len(flags) {
				i++
				value = flags[i]
			}
		}
		switch {
		case flag == "-Xcompiler" || flag == "--compiler-options":
			c, l := userFlags(strings.Split(value, ","))
			compile, link = append(compile, c...), append(link, l...)
		case flag == "-Xlinker" || flag == "--linker-options":
			for part := range strings.SplitSeq(value, ",") {
				link = append(link, "-Wl,"+part)
			}
		case flag == "--std" || flag == "-std":
			compile = append(compile, standardFlag(value)...)
		case nvccValue[flag] || nvccAlone[flag] || decided(flag) || strings.HasPrefix(flag, "--"):
		case flag == "-include" || flag == "-isystem" || flag == "-idirafter" || flag == "-iquote":
			compile = append(compile, flag)
			if i+1 < len(flags) {
				i++
				compile = append(compile, flags[i])
			}
		case strings.HasPrefix(flag, "-l") || strings.HasPrefix(flag, "-L") || strings.HasPrefix(flag, "-Wl,"):
			if !cudaLibraries[strings.TrimPrefix(flag, "-l")] {
				link = append(link, flag)
			}
		case flag == "-fopenmp" || flag == "-pthread":
			compile, link = append(compile, flag), append(link, flag)
		default:
			compile = append(compile, flag)
		}
	}
	return compile, link
}

func beforeEqual(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}

// standardFlag keeps a standard that is later than the shim's.
func standardFlag(value string) []string {
	value = strings.Replace(value, "gnu++", "c++", 1)
	switch value {
	case "c++20", "c++2a", "c++23", "c++2b", "c++26":
		return []string{"-std=gnu++" + strings.TrimPrefix(value, "c++")}
	}
	return nil
}

// decided reports whether the build mode decides it, or that it would bring a
// sanitizer's library or another kind of output.
func decided(flag string) bool {
	return strings.HasPrefix(flag, "-O") || strings.HasPrefix(flag, "-g") || strings.HasPrefix(flag, "-W") && !strings.HasPrefix(flag, "-Wl,") ||
		strings.HasPrefix(flag, "-fsanitize") || strings.HasPrefix(flag, "-march=") || strings.HasPrefix(flag, "-flto") || flag == "-ffast-math" || flag == "-w" || flag == "-c" || flag == "-dc" || flag == "-dw" || flag == "-G" || flag == "-shared" || flag == "-static"
}

// nvccValue are flags of nvcc that take a value, behind a blank or an equals sign.
var nvccValue = map[string]bool{
	"-arch": true, "--gpu-architecture": true, "-code": true, "--gpu-code": true, "-gencode": true, "--generate-code": true,
	"-Xcompiler": true, "--compiler-options": true, "-Xlinker": true, "--linker-options": true, "-Xptxas": true, "--ptxas-options": true,
	"-Xnvlink": true, "--nvlink-options": true, "-Xfatbin": true, "-ccbin": true, "--compiler-bindir": true,
	"-maxrregcount": true, "--maxrregcount": true, "-rdc": true, "--relocatable-device-code": true, "-x": true, "--x": true,
	"-std": true, "--std": true, "-ftz": true, "-prec-div": true, "-prec-sqrt": true, "-fmad": true, "-cudart": true, "--cudart": true,
	"--ftz": true, "--prec-div": true, "--prec-sqrt": true, "--fmad": true, "-t": true, "--threads": true, "-odir": true, "--output-directory": true,
	"-diag-suppress": true, "--diag-suppress": true, "-diag_suppress": true, "--machine": true, "--optimize": true, "-o": true, "--default-stream": true, "-default-stream": true,
}

// nvccAlone are flags of nvcc without a value that begin with one dash.
var nvccAlone = map[string]bool{
	"-lineinfo": true, "-use_fast_math": true, "-extended-lambda": true, "-expt-extended-lambda": true, "-expt-relaxed-constexpr": true,
	"-restrict": true, "-keep": true, "-dlto": true, "-dlink": true, "-ewp": true, "-extra-device-vectorization": true, "-res-usage": true, "-cubin": true, "-ptx": true,
}
