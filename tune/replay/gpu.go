package replay

import (
	_ "embed"
	"regexp"
)

//go:embed gpu.cu
var gpuServer string

// wrapped matches the functions whose calls the server takes.
var wrapped = regexp.MustCompile(`(?m)^SMUX_WRAP\(\w+, (\w+),`)

// GPUServer returns the server's texts for programs that nvcc builds, but for the CPU engine's part, the name of its unit, and
// flags for linking. Libraries of forms find functions and variables of the program's other units in it.
func GPUServer() (texts map[string][]byte, unit string, link []string) {
	unit = "smux_replay_gpu.cu"
	return map[string][]byte{unit: []byte(gpuServer)}, unit, append(wrap(""), "-Xlinker", "--export-dynamic")
}

// GPULibrary returns flags for linking the library of a form: the program's server sees what it allocates.
func GPULibrary() []string { return wrap(`(?i)alloc|free|host(un)?register`) }

// wrap returns the linker's flags for those functions of the server that a pattern matches.
func wrap(pattern string) (flags []string) {
	which := regexp.MustCompile(pattern)
	for _, m := range wrapped.FindAllStringSubmatch(gpuServer, -1) {
		if which.MatchString(m[1]) {
			flags = append(flags, "-Xlinker", "--wrap="+m[1])
		}
	}
	return flags
}
