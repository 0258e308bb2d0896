package nvcc

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
)

// alone is a toolkit whose nvcc tells nobody its steps.
func alone(t testing.TB, toolkit *Toolkit) *Toolkit {
	path := filepath.Join(t.TempDir(), "nvcc")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n[ \"$1\" != --dryrun ] || exit 1\nexec \""+toolkit.Path+"\" \"$@\"\n"), 0o755))
	out := At(path)
	out.CacheDir = t.TempDir()
	return out
}

// families are architectures, of which some read the same text.
var families = []string{"7.0", "7.5", "8.0", "8.6", "9.0"}

// TestStepByStepTheAnswerIsNVCCs: registers, spills, barriers and each instruction are
// those of nvcc itself, for architectures side by side.
func TestStepByStepTheAnswerIsNVCCs(t *testing.T) {
	toolkit := real(t)
	whole := alone(t, toolkit)
	names := []string{"hg"} // of which cicc makes other PTX for sm_86 than for sm_80
	if suite.Full() {
		names = []string{"fft", "mm", "rd", "hg", "mv", "sto"}
	}
	for _, name := range names {
		r, path := example(t, toolkit, name)
		var all sync.WaitGroup
		by, want := make([]*answer, len(families)), make([]*answer, len(families))
		for i, cc := range families {
			r := r
			r.Arch, _ = toolkit.NearestArch(cc)
			for _, one := range []struct {
				toolkit *Toolkit
				into    []*answer
			}{{toolkit, by}, {whole, want}} {
				all.Go(func() {
					answers, err := one.toolkit.answers(t.Context(), r, machine)
					if assert.NoError(t, err) {
						one.into[i] = answers[0]
					}
				})
			}
		}
		all.Wait()
		for i := range families {
			assert.Equal(t, want[i], by[i], "%s for %s", path, families[i])
		}
	}
	assert.NotZero(t, toolkit.stepped, "the steps of this nvcc are not known, and each unit is left to it")
	assert.Zero(t, whole.stepped)
}

func TestStepsAreReadOrNone(t *testing.T) {
	lines := []string{
		`#$ _SPACE_= `,
		`#$ PATH=/opt/x/bin:/usr/bin`,
		`#$ gcc -D__CUDA_ARCH__=750 -E -x c++ -D "X=\"a b\"" "/d/k.cu" -o "/d/tmpxft_0a_0-7_k.cpp1.ii" `,
		`#$ "$CICC_PATH/cicc" --c++17 -arch compute_75 -m64 "/d/tmpxft_0a_0-7_k.cpp1.ii" -o "/d/tmpxft_0a_0-6_k.ptx"`,
		`#$ ptxas -arch=sm_75 -v "/d/tmpxft_0a_0-6_k.ptx"  -o "k.cubin" `,
	}
	s := readSteps(strings.Join(lines, "\n") + "\n")
	require.NotNil(t, s)
	assert.Equal(t, []string{"_SPACE_= ", "PATH=/opt/x/bin:/usr/bin"}, s.env)
	assert.Equal(t, "/d/tmpxft_0a_0-7_k.cpp1.ii", s.text)
	assert.Equal(t, "/d/tmpxft_0a_0-6_k.ptx", s.ptx)
	for i := 2; i < len(lines); i++ {
		assert.Nil(t, readSteps(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n")), "without line %d", i)
	}
	for i := range lines {
		for _, other := range []string{"#$ fatbinary -64 --create=k.fatbin", "nvcc warning : something", "#$ -- Filter Dependencies -- > dep"} {
			assert.Nil(t, readSteps(strings.Join(slices.Insert(slices.Clone(lines), i, other), "\n")), "%q before line %d", other, i)
		}
	}
	assert.Nil(t, readSteps(""))
	assert.Nil(t, readSteps(strings.Replace(strings.Join(lines, "\n"), "7_k.cpp1.ii\" -o", "8_k.cpp1.ii\" -o", 1)), "cicc reads another file")
}

// BenchmarkFiveArchitectures says how much faster smux has an answer for five
// architectures by steps than from nvcc itself.
func BenchmarkFiveArchitectures(b *testing.B) {
	toolkit := real(b)
	whole := alone(b, toolkit)
	once := func(t *Toolkit) time.Duration {
		t.CacheDir = b.TempDir()
		start := time.Now()
		var all sync.WaitGroup
		for _, cc := range families {
			r, _ := example(b, toolkit, "fft")
			r.Arch, _ = toolkit.NearestArch(cc)
			all.Go(func() {
				if _, err := t.Lines(b.Context(), r); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
		return time.Since(start)
	}
	var steps, nvcc time.Duration
	for b.Loop() {
		steps += once(toolkit)
		nvcc += once(whole)
	}
	b.ReportMetric(float64(nvcc)/float64(steps), "times-as-fast")
}
