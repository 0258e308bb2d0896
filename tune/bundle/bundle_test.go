//go:build unix

package bundle

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// compiler is a shell script in the place of nvcc. Its programs are shell scripts,
// too: what follows "//$ " in a unit. It refuses a unit with what follows "//! ".
const compiler = `#!/bin/sh
case "$1" in
--version) echo "Cuda compilation tools, release 12.9, V12.9.1"; exit;;
esac
while [ $# -gt 0 ]; do
  case "$1" in
  -o) out=$2; shift;;
  *.cu) unit=$1;;
  esac
  shift
done
grep '^//! ' "$unit" >&2 && exit 2
{ echo '#!/bin/sh'
  echo 'took() { echo "launch $1 2 64 0" >>"$SMUX_LAUNCH_OUT"; }'
  sed -n 's|^//\$ ||p' "$unit"; } > "$out"
chmod +x "$out"
`

// smi is one in the place of nvidia-smi.
const smi = `#!/bin/sh
case $1 in
*index*) echo "0, GPU-aa, NVIDIA Test GPU, 550.1"; echo "3, GPU-bb, NVIDIA Test GPU, 550.1";;
*) echo "1410, 1593, 41, 0x0000000000000004";;
esac
`

// elsewhere is a project and the other machine.
type elsewhere struct {
	*testing.T
	root, dir, path string
	in              Input
}

const kernel = "__global__ void k(float *a) { a[0] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n"

// text is a program that the stand-in makes of a script.
func text(script string) []byte {
	out := []byte(kernel)
	for line := range strings.Lines(strings.TrimSpace(script)) {
		out = append(out, "//$ "+strings.TrimRight(line, "\n")+"\n"...)
	}
	return out
}

// newElsewhere is a project with forms: scripts, the original's first.
func newElsewhere(t *testing.T, scripts ...string) *elsewhere {
	t.Helper()
	e := &elsewhere{T: t, root: t.TempDir(), dir: filepath.Join(t.TempDir(), "the bundle's"), path: t.TempDir()}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	t.Chdir(e.root)
	e.put(filepath.Join(e.path, "nvcc"), compiler)
	e.put(filepath.Join(e.path, "nvidia-smi"), smi)
	e.in = Input{
		Subject: record.Subject{Source: "s", Kernel: "k", Machine: record.Machine{On: "gpu", GPU: "a100"}, How: record.Protocol{WarmUp: 1}},
		Program: machine.Program{Kernels: []string{"k"}, Timeout: 20 * time.Second},
		Request: nvcc.Request{Arch: "sm_80"}, Search: 3, Confirm: 2,
	}
	for i, script := range scripts {
		e.addForm(i, map[string][]byte{"p.cu": text(script)})
	}
	return e
}

func (e *elsewhere) addForm(i int, texts map[string][]byte) {
	var c record.TunedVariant
	if i > 0 {
		c = record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2}, Blocks: i}
	}
	e.in.Forms = append(e.in.Forms, Source{Variant: record.MeasuredVariant{Candidate: c, Text: record.HashTexts(texts, nil), Predicted: 1.5}, Source: machine.Source{Candidate: c, Texts: texts}})
}

func (e *elsewhere) put(path, text string) {
	e.Helper()
	require.NoError(e, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(e, os.WriteFile(path, []byte(text), 0o755))
}

func (e *elsewhere) export() *Manifest {
	e.Helper()
	m, err := Export(e.dir, e.in)
	require.NoError(e, err)
	return m
}

// command is a command in the folder.
func (e *elsewhere) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = e.dir
	c.Env = append(os.Environ(), "PATH="+e.path+":"+os.Getenv("PATH"))
	return c
}

// run runs run.sh by a shell, to its end.
func (e *elsewhere) run(shell string, args ...string) string {
	e.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		e.Skip("there is no " + shell)
	}
	out, err := e.command(shell, append([]string{"run.sh"}, args...)...).CombinedOutput()
	require.NoError(e, err, "%s", out)
	assert.NoDirExists(e, filepath.Join(e.dir, "results", "new"))
	return string(out)
}

func (e *elsewhere) fetch(known []record.Line) *Imported {
	e.Helper()
	got, err := Import(e.dir, Options{Known: known})
	require.NoError(e, err)
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*"))
	require.NoError(e, err)
	assert.Empty(e, left, "nothing stays behind")
	return got
}

func TestWhatIsMeasuredElsewhereComesBack(t *testing.T) {
	for _, shell := range []string{"dash", "bash"} {
		t.Run(shell, func(t *testing.T) {
			e := newElsewhere(t, "took 4; took 2; echo sum 7; echo Time: 4 ms", "took 3; echo sum 7; echo Time: 3 ms", "took 1; echo sum 8; echo Time: 1 ms", "kill -SEGV $$", `took 1; echo sum 7; echo Time: 1 ms; test "$SMUX_LAUNCH_CHECK" || sleep 30`)
			e.addForm(5, map[string][]byte{"p.cu": append(text(""), "//! p.cu(3): error: odd\n"...)})
			e.in.Forms = append(e.in.Forms, Source{Variant: record.MeasuredVariant{Candidate: record.TunedVariant{Blocks: 99}}, Failure: &record.Failure{Kind: record.FailedRewrite, Text: "no"}})
			e.in.Program.Timeout = time.Second
			m := e.export()
			require.Len(t, m.Forms, 7)
			out := e.run(shell, "--device", "3")
			assert.Contains(t, out, "v05-vtb-N2-cap5: not built")
			got := e.fetch(nil)
			assert.Equal(t, record.Machine{On: "gpu", GPU: "a100", Device: "NVIDIA Test GPU", Driver: "550.1", Toolkit: "nvcc 12.9"}, got.Subject.Machine)
			assert.Empty(t, got.Unbuilt)
			assert.Equal(t, map[string]int{"original": 3, "vtb N=2 cap=1": 5, "vtb N=2 cap=2": 0, "vtb N=2 cap=3": 0, "vtb N=2 cap=4": 0, "vtb N=2 cap=5": 0, m.Forms[6].Variant.Name: 0}, got.Pairs)
			failures := map[string]string{}
			names := map[string]string{}
			turns := map[string][]int{}
			for _, l := range got.Lines {
				switch {
				case l.Variant != nil:
					assert.Equal(t, l.Variant.Key(), l.Key)
					assert.Equal(t, got.Subject, l.Variant.Subject)
					names[l.Key] = l.Variant.Name
				case l.Failure != nil:
					failures[names[l.Key]] = string(l.Failure.Kind)
				default:
					p := l.Pair
					turns[names[l.Key]+" "+p.Phase] = append(turns[names[l.Key]+" "+p.Phase], p.Turn)
					assert.Equal(t, []float64{6}, p.Base)
					want := []float64{3}
					if names[l.Key] == "original" {
						want = p.Base
					}
					assert.Equal(t, want, p.Variant)
					assert.Equal(t, p.Turn%2 == 1, p.VariantFirst)
					assert.Equal(t, 3, p.Device)
					assert.Equal(t, 1, p.Checked.Lines, "the line with the time says nothing")
					assert.Equal(t, &record.State{ClockSM: 1410, ClockMemory: 1593, Temperature: 41, Throttled: "sw_power_cap"}, p.State)
					assert.WithinDuration(t, time.Now(), l.Time, time.Minute)
				}
			}
			assert.Equal(t, map[string]string{"vtb N=2 cap=2": "output", "vtb N=2 cap=3": "crash", "vtb N=2 cap=4": "timeout", "vtb N=2 cap=5": "compile", m.Forms[6].Variant.Name: "rewrite"}, failures)
			assert.Equal(t, map[string][]int{"original search": {0, 1, 2}, "vtb N=2 cap=1 search": {0, 1, 2}, "vtb N=2 cap=1 confirm": {0, 1}}, turns)
			assert.Empty(t, e.fetch(got.Lines).Lines, "a second import adds nothing")
		})
	}
}

// Killed at any moment, the next call measures what is missing, and nothing twice.
func TestItGoesOnWhereItWasKilled(t *testing.T) {
	e := newElsewhere(t, "took 4; echo run >>\"$HOME/runs\"; sleep 0.02", "took 3; sleep 0.02", "took 2; sleep 0.02")
	e.Setenv("HOME", t.TempDir())
	e.export()
	var known []record.Line
	for kills := 0; ; kills++ {
		c := e.command("dash", "run.sh")
		if _, err := exec.LookPath("dash"); err != nil {
			c = e.command("sh", "run.sh")
		}
		require.NoError(t, c.Start())
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()
		var err error
		select {
		case err = <-done:
		case <-time.After(time.Duration(200+70*kills) * time.Millisecond):
			_ = c.Process.Kill()
			<-done
			if products, err := Products(e.dir); err == nil && len(products) > 0 {
				got := e.fetch(known)
				known = append(known, got.Lines...)
			}
			continue
		}
		require.NoError(t, err)
		require.Greater(t, kills, 3)
		break
	}
	whole := e.fetch(nil)
	assert.Equal(t, map[string]int{"original": 3, "vtb N=2 cap=1": 5, "vtb N=2 cap=2": 5}, whole.Pairs)
	known = append(known, e.fetch(known).Lines...)
	assert.ElementsMatch(t, whole.Lines, known)
}

func TestTheOriginalHasToRun(t *testing.T) {
	for script, want := range map[string]string{"echo no luck >&2; exit 3": "no luck", "echo nothing": "the program as it is failed: exit 0 seconds 0 late 0, no launch was timed", "echo cudaErrorX >>$SMUX_LAUNCH_OUT": "late 0, cudaErrorX (it was built for sm_80"} {
		e := newElsewhere(t, script, "took 1")
		e.export()
		out, err := e.command("sh", "run.sh").CombinedOutput()
		assert.Error(t, err)
		assert.Contains(t, string(out), want)
	}
	e := newElsewhere(t, "took 1; date +sum.%N", "took 1; date +sum.%N")
	e.export()
	e.run("sh", "--turns", "1", "--confirm-turns", "0")
	_, err := Import(e.dir, Options{})
	var unsteady *UnsteadyError
	assert.ErrorAs(t, err, &unsteady)
	got, err := Import(e.dir, Options{Tolerance: &verify.Tolerance{Abs: 1}})
	require.NoError(t, err, "which can be said afterwards")
	assert.Len(t, got.Pairs, 2)
}

func TestAFormAgainstAnother(t *testing.T) {
	e := newElsewhere(t, "took 4", "took 3", "took 2")
	e.export()
	e.run("sh", "--confirm-turns", "1", "--turns", "1", "v02-vtb-N2-cap2")
	e.run("sh", "--confirm-turns", "2", "--against", "v01-vtb-N2-cap1", "v02-vtb-N2-cap2")
	var got []string
	for _, l := range e.fetch(nil).Lines {
		if l.Pair != nil {
			got = append(got, l.Pair.Phase+" "+l.Pair.Against)
			assert.Equal(t, []float64{2}, l.Pair.Variant)
		}
	}
	assert.Equal(t, []string{"search ", "confirm ", "confirm vtb N=2 cap=1", "confirm vtb N=2 cap=1"}, got)
}

// A main of a kernel that is run alone repeats its runs.
func TestRepetitionsAndArguments(t *testing.T) {
	script := `i=0; while [ $i -lt ${SMUX_BENCH_REPEAT:-1} ]; do took $i; i=$((i + 1)); done
printf '[%s]' "$@" "$SMUX_LAUNCH_FLUSH" "$CUDA_VISIBLE_DEVICES"; cat "data/in put"`
	e := newElsewhere(t, script, script)
	e.put(filepath.Join(e.root, "data", "in put"), "seven\n")
	e.in.Program.Args = []string{"data/in put", "it's", "a\nb", `"$HOME`, "", "*"}
	e.in.Program.Repeats, e.in.Program.WarmUp, e.in.Program.FlushL2 = 2, 1, 4096
	e.export()
	e.run("sh", "--turns", "1", "--confirm-turns", "0")
	text, err := os.ReadFile(filepath.Join(e.dir, "results", "NVIDIA-Test-GPU", "reference", "stdout"))
	require.NoError(t, err)
	assert.Equal(t, "[data/in put][it's][a\nb][\"$HOME][][*][4096][0]seven\n", string(text))
	lines := e.fetch(nil).Lines
	require.NotNil(t, lines[1].Pair)
	assert.Equal(t, []float64{1, 2}, lines[1].Pair.Base)
}

func TestWhatIsBroughtAlong(t *testing.T) {
	e := newElsewhere(t)
	for name, text := range map[string]string{
		"include/deep/a b.h": "#include \"../c.h\"\n", "include/c.h": "", "src/near.h": "#include <deep/a b.h>\n#include \"cublas_v2.h\"\n", "src/more.cpp": "#include \"own.h\"\n", "src/own.h": "", "unused.h": "",
		"../outside/far.h": "",
	} {
		e.put(filepath.Join(e.root, name), text)
	}
	e.in.Request.Includes = []string{"include", "../outside"}
	e.in.Request.Defines = []string{"NAME='a b'"}
	e.in.Program.Further, e.in.Program.Libraries = []string{"src/more.cpp", "../outside/lib.o"}, []string{"m"}
	e.addForm(0, map[string][]byte{"src/p.cu": []byte("#include \"near.h\"\n#include <far.h>\n#include <cstdio>\n" + kernel)})
	m := e.export()
	root := filepath.Join(e.dir, "variants", "v00-original")
	var files []string
	for name := range m.Forms[0].Files {
		files = append(files, name)
		assert.FileExists(t, filepath.Join(root, name))
	}
	assert.ElementsMatch(t, []string{"build.sh", "src/src/p.cu", "src/src/near.h", "src/src/more.cpp", "src/src/own.h", "src/include/c.h", "src/include/deep/a b.h"}, files)
	left := strings.Join(m.Left, "\n")
	for _, want := range []string{"outside/far.h, which src/p.cu includes, lies outside", `"cublas_v2.h", which src/near.h includes`, "outside/lib.o, which is compiled or linked", "-I " + filepath.Dir(e.root) + "/outside lies outside"} {
		assert.Contains(t, left, want)
	}
	script, err := os.ReadFile(filepath.Join(root, "build.sh"))
	require.NoError(t, err)
	assert.Contains(t, string(script), `-D 'NAME='\''a b'\'''`)
	assert.Contains(t, string(script), "'./src/p.cu' './src/more.cpp'")
}

func TestWhichFolderIsReplaced(t *testing.T) {
	e := newElsewhere(t, "took 1", "took 2")
	require.NoError(t, os.MkdirAll(e.dir, 0o755))
	first := e.export()
	again := e.export()
	assert.Equal(t, first, again)
	read, err := ReadManifest(e.dir)
	require.NoError(t, err)
	assert.Equal(t, first.Forms[1].Key, read.Forms[1].Key)

	refused := func(want string) {
		t.Helper()
		before, err := os.ReadFile(filepath.Join(e.dir, manifestName))
		require.NoError(t, err)
		_, err = Export(e.dir, e.in)
		var is *Error
		require.ErrorAs(t, err, &is)
		assert.ErrorContains(t, err, want)
		after, err := os.ReadFile(filepath.Join(e.dir, manifestName))
		require.NoError(t, err)
		assert.Equal(t, before, after)
	}
	e.in.Subject.Kernel = "other"
	refused("an export of something else")
	e.in.Subject.Kernel = "k"
	e.put(filepath.Join(e.dir, "results", "x"), "")
	refused("the folder holds results")
	e.put(filepath.Join(e.dir, manifestName), "{}")
	refused("--export has not written it")

	e.dir = filepath.Join(t.TempDir(), "new")
	e.in.Forms[1].Source.Texts = map[string][]byte{filepath.Join(filepath.Dir(e.root), "out.cu"): []byte(kernel)}
	_, err = Export(e.dir, e.in)
	assert.ErrorContains(t, err, "lies outside of the project's folder")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(e.dir), "{*,.*}"))
	require.NoError(t, err)
	assert.Empty(t, left, "nothing half-written is left")
}

func TestWhatIsNotTakenBack(t *testing.T) {
	e := newElsewhere(t, "took 1", "took 2")
	refused := func(want string) {
		t.Helper()
		_, err := Import(e.dir, Options{})
		var is *Error
		require.ErrorAs(t, err, &is, want)
		assert.ErrorContains(t, err, want)
	}
	refused("this is not a folder that --export has written")
	e.export()
	refused("nothing has been measured in this folder")
	e.run("sh", "--turns", "1", "--confirm-turns", "0")
	unit := filepath.Join(e.dir, "variants", "v01-vtb-N2-cap1", "src", "p.cu")
	was, err := os.ReadFile(unit)
	require.NoError(t, err)
	e.put(unit, string(was)+"\n")
	refused("v01-vtb-N2-cap1/src/p.cu is not what was exported")
	require.NoError(t, os.Remove(unit))
	refused("lacks a text that was exported")
	e.put(unit, string(was))
	e.fetch(nil)
	manifest := filepath.Join(e.dir, manifestName)
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	for from, to := range map[string]string{`"schema": 2,`: `"schema": 9,`, `"kernel": "k"`: `"kernel": "j"`, `"cap": 1`: `"cap": 2`, `"v01`: `"../v01`} {
		e.put(manifest, strings.Replace(string(text), from, to, 1))
		assert.NotEqual(t, string(text), strings.Replace(string(text), from, to, 1))
		refused(manifestName)
	}
	e.put(manifest, string(bytes.TrimRight(text, "}\n")))
	refused("is damaged")
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"schema":1,"forms":[{"folder":"v00","variant":{}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, why := parseManifest(text)
		if (m == nil) == (why == "") {
			t.Fatal("a manifest or a reason")
		}
	})
}

// What a killed run.sh has left running would take time from what is measured next.
func TestWhatAKilledOneLeftIsEnded(t *testing.T) {
	for _, tool := range []string{"ps", "timeout"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
		}
	}
	e := newElsewhere(t, `echo $$ >>"$HOME/pids"; test -e "$HOME/fast" || sleep 60; took 1`)
	home := t.TempDir()
	t.Setenv("HOME", home)
	e.export()
	c := e.command("sh", "run.sh")
	require.NoError(t, c.Start())
	var pid string
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(home, "pids"))
		pid, _, _ = strings.Cut(string(text), "\n")
		return pid != ""
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, c.Process.Kill())
	_ = c.Wait()
	alive := func() bool { return exec.Command("kill", "-0", pid).Run() == nil }
	require.True(t, alive())
	e.put(filepath.Join(home, "fast"), "")
	e.run("sh")
	assert.False(t, alive())
}

// A check goes as far as the original bears it: what differs in equal runs of it tells
// nothing of forms.
func TestTheOriginalDecidesHowFormsAreChecked(t *testing.T) {
	const form = `took 2; echo sum 7; test "$SMUX_LAUNCH_CHECK" != %s || echo skipped`
	for name, x := range map[string]struct {
		original string
		failures int // of forms that are wrong in checks of either kind
	}{
		"strictly":   {"took 4; echo sum 7", 1},
		"less so":    {`test "$SMUX_LAUNCH_CHECK" != 2 || exit 4; took 4; echo sum 7`, 1},
		"not at all": {`test -z "$SMUX_LAUNCH_CHECK" || exit 4; took 4; echo sum 7`, 0},
		"unsteadily": {`took 4; echo sum 7; test -z "$SMUX_LAUNCH_CHECK" || echo $$`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := newElsewhere(t, x.original, fmt.Sprintf(form, "2"), fmt.Sprintf(form, "1"))
			e.in.Search, e.in.Confirm, e.in.Subject.How.WarmUp = 1, 0, 0
			e.export()
			e.run("sh")
			failures := 0
			for _, l := range e.fetch(nil).Lines {
				if l.Failure != nil {
					assert.Equal(t, record.FailedOutput, l.Failure.Kind)
					failures++
				}
			}
			assert.Equal(t, x.failures, failures)
		})
	}
}
