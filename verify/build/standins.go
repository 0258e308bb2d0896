package build

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	standInHelp = "write a stand-in for the CPU and give it with --source FILE"
	installHelp = "install it, or name its folder with -I and its library with --link NAME"
)

// opening matches the calls that make, set and destroy a handle or a description and compute nothing; its first group is set where the
// first argument says where the handle goes.
var opening = regexp.MustCompile(`^(?:` +
	`(?:cublas|cublasLt|cublasXt|cusparse|cusolver(?:Dn|Sp|Rf)|cudnn|cufft|cutensor)(?:(Create)|Destroy|SetStream|SetMathMode|SetPointerMode|SetAtomicsMode|SetWorkspace)(?:_v2)?` +
	`|cublas(?:Init|Shutdown)|cusparseSetMat(?:Type|IndexBase|FillMode|DiagType)` +
	`|cusparse(?:(Create)|Destroy)(?:MatDescr|SpMat|SpVec|DnVec|DnMat|Csr|Csc|Coo|BlockedEll)` +
	`|cudnn(?:(Create)|Destroy|Set)\w+Descriptor\w*|cufft(?:(Plan[123]d|PlanMany)|SetAutoAllocation))$`)

// standIns writes what stands in for functions of OpenMP and of known libraries that the linker misses, "" where it misses none. A program may so
// hold what it does not reach, and what it shows of results after its kernels have run: what is no call of a handle ends it.
func standIns(linker string) string {
	names, serial := map[string]*library{}, ""
	for _, d := range parseDiagnostics(linker) {
		if result, ok := serialOpenMP[d.undefined]; ok && !strings.Contains(serial, " "+d.undefined+"(") {
			serial += fmt.Sprintf("%s %s(...) { return %d; }\n", map[bool]string{true: "double", false: "int"}[strings.HasPrefix(d.undefined, "omp_get_wt")], d.undefined, result)
		} else if lib := libraryOfName(d.undefined); !ok && lib != nil && plainName.MatchString(d.undefined) {
			names[d.undefined] = lib
		}
	}
	if len(names) == 0 && serial == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("extern \"C\" {\nvoid smux_cpu_not_modelled(const char *);\nvoid smux_cpu_needs_library(const char *);\n")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		handle := opening.FindStringSubmatch(name)
		if handle == nil {
			fmt.Fprintf(&b, "void %s() { smux_cpu_needs_library(%q); }\n", name, name+" is of "+names[name].name+names[name].away())
			continue
		}
		parameter, set := "", ""
		if strings.Join(handle[1:], "") != "" {
			parameter, set = "void **handle", "static char one; *handle = &one; "
			if strings.HasPrefix(name, "cufft") {
				parameter, set = "int *handle", "*handle = 1; "
			}
		}
		fmt.Fprintf(&b, "int %s(%s) { smux_cpu_not_modelled(%q); %sreturn 0; }\n", name, parameter, names[name].name+" has handles alone: a call that computes ends the run", set)
	}
	b.WriteString(serial + "}\n")
	return b.String()
}

// serialOpenMP are functions of OpenMP with what they return in a program whose directives are not followed: it has one thread.
var serialOpenMP = map[string]int{
	"omp_get_max_threads": 1, "omp_get_num_procs": 1, "omp_get_num_threads": 1, "omp_get_thread_num": 0, "omp_in_parallel": 0,
	"omp_get_wtime": 0, "omp_get_wtick": 0, "omp_set_dynamic": 0, "omp_set_nested": 0, "omp_set_num_threads": 0,
}

// away says why a library is not used.
func (l *library) away() string {
	if l.gpu {
		return gpuOnly
	}
	return ", which is not there"
}

const gpuOnly = ", which runs on a GPU only"

// HelpOf returns the help of a message that says that a function of a library is not here.
func HelpOf(message string) string {
	if strings.HasSuffix(message, gpuOnly) {
		return standInHelp
	}
	return installHelp
}

var plainName = regexp.MustCompile(`^\w+$`)

// compileStandIns compiles stand-ins, and returns the object.
func (w *work) compileStandIns(ctx context.Context, scratch, text string) (object string, err error) {
	source := filepath.Join(scratch, "standins.cc")
	object = filepath.Join(scratch, "standins.o")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		return "", err
	}
	args := append([]string{"-x", "c++", standard}, languageFlags...)
	_, err = w.command(ctx, scratch, append(args, "-fPIC", "-c", source, "-o", object))
	return object, err
}
