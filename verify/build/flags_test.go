package build

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFlagsOfABuildAreSorted(t *testing.T) {
	for given, want := range map[string]string{
		"":                          " | ",
		"-std=c++11":                " | ",
		"-std c++14 -fopenmp":       "-fopenmp | -fopenmp",
		"--std=c++20":               "-std=gnu++20 | ",
		"-O3 -g -G -lineinfo -Wall": " | ",
		"-arch=sm_80 -arch sm_80":   " | ",
		"-gencode arch=compute_80,code=sm_80 -DX=1":          "-DX=1 | ",
		"--generate-code=arch=compute_80,code=sm_80":         " | ",
		"--expt-relaxed-constexpr --use_fast_math -rdc=true": " | ",
		"-Xcompiler -fopenmp,-Wall -Xptxas -v":               "-fopenmp | -fopenmp",
		"-Xcompiler=-fopenmp":                                "-fopenmp | -fopenmp",
		"-Xlinker -rpath,/x":                                 " | -Wl,-rpath -Wl,/x",
		"-lcudart -lm -L/x -lcuda -lfoo":                     " | -lm -L/x -lfoo",
		"-include x.h -isystem y":                            "-include x.h -isystem y | ",
		"-ccbin g++ -maxrregcount 32 -fsanitize=thread":      " | ",
	} {
		compile, link := userFlags(strings.Fields(given))
		assert.Equal(t, want, strings.Join(compile, " ")+" | "+strings.Join(link, " "), given)
	}
}
