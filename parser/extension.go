package parser

import (
	"path/filepath"
	"slices"
)

// headers are the extensions of files that no compiler is given: they are read where another file includes them.
var headers = []string{".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc"}

// IsHeader reports whether a file is named like a header.
func IsHeader(name string) bool { return slices.Contains(headers, filepath.Ext(name)) }

// IsCUDA reports whether a file is named like one that may hold CUDA: a .cu file or a header.
func IsCUDA(name string) bool { return filepath.Ext(name) == ".cu" || IsHeader(name) }

// PartCUDA parts names of files into those that IsCUDA is true of and the others.
func PartCUDA(names []string) (cuda, others []string) {
	for _, name := range names {
		if IsCUDA(name) {
			cuda = append(cuda, name)
		} else {
			others = append(others, name)
		}
	}
	return cuda, others
}
