package rewrite

import (
	_ "embed"
	"strings"
)

//go:embed runtime/smux.cuh
var runtimeHeader string

const (
	namedBegin = "// smux:named-begin\n"
	namedEnd   = "// smux:named-end\n"
)

// RuntimeHeader returns smux.cuh, the helper types that rewritten kernels use,
// as --runtime=header expects it beside the source.
func RuntimeHeader() []byte {
	s := strings.ReplaceAll(runtimeHeader, namedBegin, "")
	return []byte(strings.ReplaceAll(s, namedEnd, ""))
}

// runtimeText returns what goes to the top of an emitted file: an include, or
// the part of the runtime that its kernels use.
func runtimeText(header, named bool) string {
	if header {
		return "#include \"smux.cuh\"\n"
	}
	if named {
		return string(RuntimeHeader())
	}
	i, j := strings.Index(runtimeHeader, namedBegin), strings.Index(runtimeHeader, namedEnd)
	return runtimeHeader[:i] + runtimeHeader[j+len(namedEnd):]
}
