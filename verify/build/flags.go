package build

import (
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Mode says how a program is compiled.
type Mode string

// The build modes. All are compiled with debug information, which the places of findings come from.
const (
	Plain   Mode = "plain"   // fast; for output and deadlocks
	Checked Mode = "checked" // every access is reported to the runtime; for races, bounds, regions
	Address Mode = "address" // with the address sanitizer
	Filled  Mode = "filled"  // as Plain, but variables of functions that nobody has set hold other bits
	Library Mode = "library" // as Plain, to be loaded by a program that was built with Request.Loads
)

// cpuMacro lets a program that has parts for a GPU only leave them out.
const cpuMacro = "-DSMUX_CPU=1"

// languageFlags are those of everything that is compiled, the runtime included. CUDA defines what C++ leaves open:
// integers wrap, types may be punned, and the host does not contract products and sums (whether the GPU does is
// another matter). The stack must be walkable, for places in findings.
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

// language returns the flags of a program's files.
func (c *Compiler) language() []string {
	flags := append([]string{c.debugFlag(), cpuMacro}, languageFlags...)
	flags = append(flags, c.noReturn()...)
	if runtime.GOOS == "linux" {
		flags = append(flags, "-ffunction-sections", "-fno-jump-tables") // see linkFlags; a table would keep the function that jumps by it
	}
	return flags
}

// noReturn returns the flags by which a function that ends without the value it should return does return, as it does on a GPU and on a host
// without optimisation: its caller may have no use for the value. With -fsanitize=unreachable alone g++ leaves such an end as it is.
func (c *Compiler) noReturn() []string {
	if c.Kind == Clang {
		return []string{"-fno-strict-return"}
	}
	return []string{"-fsanitize=unreachable", "-fno-sanitize=return"}
}

// overflowFlags make the checked build call the runtime where signed integers overflow,
// which wrap nevertheless, where a shift is by the width or more, and where an object lies at
// an address that its type rules out. With -fwrapv neither compiler looks for the first.
var overflowFlags = []string{"-fno-wrapv", "-fsanitize=alignment,signed-integer-overflow,shift-exponent"}

// subscripts makes a checked build call the runtime where a subscript is not one of an array whose length the compiler
// knows. Where there are shared arrays alone, which the runtime knows by itself, it would be a tenth slower for nothing.
func (c *Compiler) subscripts() string {
	if c.Kind == Clang {
		return "-fsanitize=array-bounds"
	}
	return "-fsanitize=bounds"
}

const standard = "-std=gnu++17"

// messageFlags make both compilers print errors in the form that parseDiagnostics reads.
func (c *Compiler) messageFlags() []string {
	if c.Kind == Clang {
		return []string{"-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=20", "-ftemplate-backtrace-limit=4"}
	}
	return []string{"-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-fmessage-length=0", "-fmax-errors=20", "-ftemplate-backtrace-limit=4"}
}

// unset has the variables of functions that nobody has set hold zeros, or a pattern: large negative numbers. An old
// compiler leaves what was there.
func (c *Compiler) unset(fill string) []string {
	major := 0
	if m := versionNumber.FindStringSubmatch(c.Version); m != nil {
		major, _ = strconv.Atoi(m[1])
	}
	if c.Kind == GCC && major < 12 || c.Kind == Clang && major < 16 {
		return nil
	}
	return []string{"-ftrivial-auto-var-init=" + fill}
}

var versionNumber = regexp.MustCompile(` (\d+)\.\d+\.\d`)

// modeFlags returns those of a program's files in a mode.
func (c *Compiler) modeFlags(m Mode) []string {
	switch m {
	case Plain, Library: // who forgets to set something to zero is noticed
		return append(c.access(m), c.unset("pattern")...)
	case Filled:
		return append(c.access(m), c.unset("zero")...)
	}
	return c.access(m)
}

// access returns the flags of a mode that say how its accesses are compiled.
func (c *Compiler) access(m Mode) []string {
	switch m {
	case Checked:
		if c.Kind == Clang {
			return []string{"-O1", "-fsanitize=thread", overflowFlags[0], overflowFlags[1], "-mllvm", "-tsan-instrument-func-entry-exit=0",
				"-mllvm", "-tsan-distinguish-volatile"}
		}
		// Calls of memcpy and its kin must stay calls: inlined ones would go unseen. A read whose value one branch
		// alone needs stays where it is: a rewrite that puts a call between the two would otherwise read where the
		// original does not. What a kernel holds in registers stays there across the hooks (smux_cpu/access_hooks.h).
		return []string{"-O1", "-fipa-ra", "-fsanitize=thread", overflowFlags[0], overflowFlags[1], "--param=tsan-instrument-func-entry-exit=0",
			"--param=tsan-distinguish-volatile=1", "-fno-tree-sink", "-fno-isolate-erroneous-paths-dereference", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"}
	case Address:
		return []string{"-O1", "-fsanitize=address"}
	}
	var library []string
	if m == Library { // with functions and variables of its own, whatever the program has of the same names
		library = []string{"-fPIC", "-fno-semantic-interposition"}
		if c.Kind == GCC {
			library = append(library, "-fno-gnu-unique")
		}
	}
	if c.Kind == Clang {
		return append(library, "-O2")
	}
	// Two calls of a barrier are not made one: threads wait at a line each. A division
	// by zero stays one, and becomes no trap.
	return append(library, "-O2", "-fno-crossjumping", "-fno-tree-tail-merge", "-fno-isolate-erroneous-paths-dereference")
}

// linkFlags returns those of the linker. The checked build is not linked with the
// thread sanitizer: the runtime has its hooks.
func linkFlags(m Mode) []string {
	switch m {
	case Address:
		return []string{"-fsanitize=address"}
	case Library:
		return []string{"-shared", "-Wl,-Bsymbolic"}
	}
	if runtime.GOOS == "linux" {
		return []string{"-Wl,--gc-sections"} // a function that nobody calls may call what no file has
	}
	return nil
}

// systemLibraries come last on the linker's command line.
var systemLibraries = []string{"-ldl", "-lpthread", "-lm"}

// cudaLibraries are libraries of CUDA's that the shim, or a stand-in that ends the program, stands in for.
var cudaLibraries = map[string]bool{
	"cudart": true, "cudart_static": true, "cudadevrt": true, "cuda": true, "curand": true, "curand_static": true,
	"culibos": true, "nvToolsExt": true, "cublas": true, "cublasLt": true, "cufft": true, "cusparse": true, "cusolver": true, "cudnn": true,
	"cutensor": true, "nccl": true,
}

// libraryFlags returns the linker's flags for libraries, each given by its name, by its path
// or as a flag, but for those of CUDA's that the shim stands in for.
func libraryFlags(libraries []string) []string {
	var out []string
	for _, l := range libraries {
		if !strings.HasPrefix(l, "-") && !strings.ContainsAny(l, "/\\") {
			l = "-l" + l
		}
		if !cudaLibraries[strings.TrimPrefix(l, "-l")] {
			out = append(out, l)
		}
	}
	return out
}
