package cmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/build"
)

// TestExamplesOfOpenACCDoWhatTheyDoAsC translates each program of examples/acc and compares
// it with the C program, in several orders and with all checks; nvcc has nothing to say of it.
func TestExamplesOfOpenACCDoWhatTheyDoAsC(t *testing.T) {
	names, err := filepath.Glob("../examples/acc/*.c")
	require.NoError(t, err)
	require.Greater(t, len(names), 12)
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".c")
		t.Run(base, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), base+".cu")
			smux := func(words ...string) (int, string) {
				var said bytes.Buffer
				s := newSession(strings.NewReader(""), &said, &said)
				s.findNVCC = noNVCC
				code := s.main(words)
				return code, said.String()
			}
			code, said := smux("acc", name, "-o", out)
			if base == "refused" {
				assert.Equal(t, diag.ExitUsage, code)
				assert.Contains(t, said, "acc-call: a kernel calls change")
				assert.NoFileExists(t, out)
				return
			}
			require.Equal(t, diag.ExitOK, code, said)
			suite.Sample(t, base, 8)
			if nvcc, err := exec.LookPath("nvcc"); err == nil {
				c := exec.Command(nvcc, "-arch=sm_70", "-Xcompiler", "-Wall,-Wextra", "-c", "-o", os.DevNull, out)
				text, err := c.CombinedOutput()
				assert.NoError(t, err)
				assert.Empty(t, string(text))
			}
			if _, err := build.Find(""); err != nil {
				t.Skip("no C++ compiler here")
			}
			code, said = smux("verify", "--order", "ascending,descending,random", name, out)
			assert.Equal(t, diag.ExitOK, code, said)
		})
	}
}

// nests are two nests of loops whose iterations can be parted among threads in every way.
const nests = `#include <stdio.h>

#define N 7
#define M 45
#define K 35

static double a[N][M][K], b[N][M][K];

int main(void)
{
    double sum = 1, most = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < K; k++)
                a[i][j][k] = (i * 31 + j * 7 + k * 3) % 17;
#pragma acc data copyin(a) copyout(b)
    {
#pragma acc parallel
#pragma acc loop
        for (int i = N - 2; i >= 1; i--)
            for (int j = 0; j < M; j += 2)
                for (int k = 1; k < K; k++) {
                    if (a[i][j][k] > 15)
                        continue;
                    b[i][j][k] = a[i - 1][j][k] + a[i + 1][j][k] * a[i][j][k - 1];
                }
#pragma acc parallel loop reduction(+:sum) reduction(max:most)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                for (int k = 0; k < K; k++) {
                    sum += a[i][j][k];
                    most = a[i][j][k] * j > most ? a[i][j][k] * j : most;
                }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < K; k++)
                if (b[i][j][k] != 0)
                    sum += b[i][j][k] * (i - j + k);
    printf("%.6f %.6f\n", sum, most);
    return 0;
}
`

// TestEveryMappingDoesWhatTheLoopsDo has each choice of loops with threads, and of the one along
// x, once for each nest.
func TestEveryMappingDoesWhatTheLoopsDo(t *testing.T) {
	if _, err := build.Find(""); err != nil {
		t.Skip("no C++ compiler here")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in.c")
	require.NoError(t, os.WriteFile(in, []byte(nests), 0o666))
	prog, errs := parser.LoadProgram([]string{in}, acc.Reading())
	require.Empty(t, errs)
	first, err := acc.Translate(prog, prog.Files[0], acc.Options{})
	require.NoError(t, err)
	require.Len(t, first.Nests, 2)
	var ways []map[string]acc.Mapping
	for _, n := range first.Nests {
		seen := map[string]bool{}
		for _, m := range n.Mappings {
			if loops := fmt.Sprint(m.Loops); !seen[loops] {
				if seen[loops] = true; len(seen) > len(ways) {
					ways = append(ways, map[string]acc.Mapping{})
				}
				ways[len(seen)-1][n.Kernel] = m
			}
		}
		require.Len(t, seen, 12, "of three loops one, two or three have threads, and any of them lies along x")
	}
	for i, way := range ways {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			suite.Sample(t, fmt.Sprint("mapping ", i), 6)
			res, err := acc.Translate(prog, prog.Files[0], acc.Options{Mappings: way})
			require.NoError(t, err)
			for _, n := range res.Nests {
				require.Equal(t, way[n.Kernel], n.Mappings[0])
			}
			out := filepath.Join(dir, "out.cu")
			require.NoError(t, os.WriteFile(out, res.Text, 0o666))
			var said bytes.Buffer
			s := newSession(strings.NewReader(""), &said, &said)
			s.findNVCC = noNVCC
			assert.Equal(t, diag.ExitOK, s.main([]string{"verify", "--order", "ascending,descending,random", in, out}), "%s\n%s", res.Text, &said)
		})
	}
}

// TestBarriersBetweenPhasesAreNeeded takes each barrier out of what becomes of examples/acc/rows.c,
// one at a time: the threads then race.
func TestBarriersBetweenPhasesAreNeeded(t *testing.T) {
	if _, err := build.Find(""); err != nil {
		t.Skip("no C++ compiler here")
	}
	const in = "../examples/acc/rows.c"
	prog, errs := parser.LoadProgram([]string{in}, acc.Reading())
	require.Empty(t, errs)
	res, err := acc.Translate(prog, prog.Files[0], acc.Options{})
	require.NoError(t, err)
	const barrier = "__syncthreads();"
	text := string(res.Text)
	from := strings.Index(text, "__global__")
	pieces := strings.Split(text[from:], barrier)
	require.Greater(t, len(pieces), 4)
	for i := range pieces[1:] {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			suite.Sample(t, fmt.Sprint("barrier ", i), 5)
			out := filepath.Join(t.TempDir(), "rows.cu")
			mutant := text[:from] + strings.Join(pieces[:i+1], barrier) + strings.Join(pieces[i+1:], barrier)
			require.NoError(t, os.WriteFile(out, []byte(mutant), 0o666))
			var said bytes.Buffer
			s := newSession(strings.NewReader(""), &said, &said)
			s.findNVCC = noNVCC
			assert.Equal(t, diag.ExitDiffers, s.main([]string{"verify", "--order", "ascending", in, out}), said.String())
			assert.Contains(t, said.String(), "race: ")
		})
	}
}
