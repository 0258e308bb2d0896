//go:build unix

package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// project writes a project whose "program" is its source text, a shell script.
func project(t *testing.T, script string) (root string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	root = filepath.Join(t.TempDir(), "the project's") // a name that needs quoting
	put(t, filepath.Join(root, "src", "k.cu"), script)
	put(t, filepath.Join(root, "data", "in.txt"), "7\n")
	put(t, filepath.Join(root, ".git", "HEAD"), "ref")
	return root
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func start(t *testing.T, root string, change func(*Options)) *Machine {
	t.Helper()
	o := Options{Command: Command{Root: root, Build: "cp src/k.cu program", Run: "sh ./program", Metric: `took (\S+)`}, Timeout: 20 * time.Second}
	if change != nil {
		change(&o)
	}
	m, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, m.Close())
		left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*"))
		assert.NoError(t, err)
		assert.Empty(t, left, "nothing is left behind")
	})
	return m
}

func (m *Machine) source(script string) machine.Source {
	return machine.Source{Texts: map[string][]byte{filepath.Join(m.o.Root, "src", "k.cu"): []byte(script)}}
}

// contents are the texts of all files below a folder.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	all, err := list(root)
	require.NoError(t, err)
	for name, e := range all {
		if e.mode.IsRegular() {
			text, err := os.ReadFile(filepath.Join(root, name))
			require.NoError(t, err)
			out[name] = string(text)
		}
	}
	return out
}

func TestFormsAreBuiltAndRunInACopy(t *testing.T) {
	root := project(t, "echo took 4; cat data/in.txt")
	before := contents(t, root)
	m := start(t, root, func(o *Options) { o.About = record.Machine{GPU: "a100"} })
	assert.Equal(t, record.Machine{On: "command", GPU: "a100"}, m.About())
	original, err := m.Build(t.Context(), m.source(before["src/k.cu"]))
	require.NoError(t, err)
	variant, err := m.Build(t.Context(), m.source("echo took 2; echo took 3; cat data/in.txt"))
	require.NoError(t, err)
	wrong, err := m.Build(t.Context(), m.source("echo took 1; echo 8"))
	require.NoError(t, err)
	for range 2 {
		a, err := original.Run(t.Context(), 0, 0)
		require.NoError(t, err)
		assert.Equal(t, []float64{4}, a.Milliseconds)
		w, err := wrong.Run(t.Context(), 0, 0)
		require.NoError(t, err)
		_, failure := a.Outputs.Compare(w.Outputs)
		assert.Equal(t, &record.Failure{Kind: record.FailedOutput, Text: `line 2 of the output is "8", in the original "7"`}, failure)
		b, err := original.Run(t.Context(), 0, 1)
		require.NoError(t, err)
		evidence, failure := a.Outputs.Compare(b.Outputs)
		assert.Nil(t, failure)
		assert.Equal(t, record.Evidence{Lines: 1}, evidence, "the line with the metric says nothing")
	}
	v, err := variant.Run(t.Context(), 0, 0)
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 3}, v.Milliseconds)
	assert.Equal(t, before, contents(t, root))
}

// A program that is faster because of what an earlier run has left, or that
// changes its input, never finds it changed.
func TestEachRunFindsWhatTheBuildLeft(t *testing.T) {
	root := project(t, "")
	m := start(t, root, nil)
	script := func(change string) string {
		return `test -e cache && { echo took 0.001; exit; }
read n <data/in.txt; test "$n" = 7 || exit 3
test "$(cat src/k.cu)" = "$(cat program)" || exit 4
test -d data || exit 5
test -e gone && exit 6
echo took $n; ` + change
	}
	for i, change := range []string{
		"echo >cache", "echo 9 >data/in.txt", "rm data/in.txt", "rm -r data", "mv data elsewhere; ln -s elsewhere data", "rm program; mkdir program", "printf 'echo took 1' >program",
		"ln data/in.txt other; echo 8 >other", "mkfifo gone", "ln -s nowhere gone",
	} {
		b, err := m.Build(t.Context(), m.source(script(change)))
		require.NoError(t, err, change)
		other, err := m.Build(t.Context(), m.source(fmt.Sprintf("echo took 0.%d; echo >cache", i+1)))
		require.NoError(t, err)
		for range 2 {
			r, err := b.Run(t.Context(), 0, 0)
			require.NoError(t, err, change)
			assert.Equal(t, []float64{7}, r.Milliseconds, change)
			_, err = other.Run(t.Context(), 0, 0)
			require.NoError(t, err)
		}
	}
	assert.Equal(t, "7\n", contents(t, root)["data/in.txt"])
}

func TestWhatGoesWrongIsTyped(t *testing.T) {
	m := start(t, project(t, ""), func(o *Options) { o.Build = "sh src/k.cu build && cp src/k.cu program" })
	inBuild := func(script string) string { return `test "$1" = build || exit 0; ` + script }
	inRun := func(script string) string { return `test "$1" = build && exit 0; ` + script }
	for _, c := range []struct{ script, kind, text string }{
		{inBuild("echo one; echo 'k.cu(3): error: no such thing' >&2; exit 2"), "compile", "the build command: exit status 2:\nk.cu(3): error: no such thing"},
		{inBuild("seq 100; exit 1"), "compile", "the build command: exit status 1:\n96\n97\n98\n99\n100"},
		{inBuild("sleep 60"), "timeout", "building: it did not end within 300ms"},
		{inRun("echo took long"), "untimed", `the metric 'took (\S+)' found "long", which is not a number`},
		{inRun("echo sum 3"), "untimed", `it printed nothing that the metric 'took (\S+)' matches; its last line is "sum 3"`},
		{inRun("echo took 3; echo out of luck >&2; exit 4"), "run", "exit status 4: out of luck"},
		{inRun("kill -SEGV $$"), "crash", "it was ended by signal 11 (segmentation fault)"},
		{inRun("sh -c 'kill -ABRT $$'; exit $?"), "crash", "it was ended by signal 6 (aborted)"},
		{inRun("echo took 3; sleep 60"), "timeout", "it did not end within 300ms"},
	} {
		m.o.Timeout, m.buildTimeout = time.Minute, time.Minute // the machine may have other work
		switch {
		case strings.HasPrefix(c.text, "building"):
			m.buildTimeout = 300 * time.Millisecond
		case c.kind == "timeout":
			m.o.Timeout = 300 * time.Millisecond
		}
		b, err := m.Build(t.Context(), m.source(c.script))
		if err == nil {
			defer b.Release()
			_, err = b.Run(t.Context(), 0, 0)
		}
		var failure *record.Failure
		require.ErrorAs(t, err, &failure, c.script)
		assert.Equal(t, c.kind, string(failure.Kind), c.script)
		text, _, _ := strings.Cut(failure.Text, ": Segmentation") // what a shell says of it is its own
		text, _, _ = strings.Cut(text, ": Aborted")
		assert.Equal(t, c.text, text, c.script)
	}
}

func TestADeviceHasItsOwnCopy(t *testing.T) {
	builds := filepath.Join(t.TempDir(), "builds")
	m := start(t, project(t, ""), func(o *Options) {
		o.Use, o.Build = []machine.Device{{Index: 5}, {Index: 6, UUID: "GPU-7"}}, "echo built >>"+builds+"; cp src/k.cu program; pwd >where"
	})
	assert.Equal(t, []int{5, 6}, m.Devices())
	b, err := m.Build(t.Context(), m.source(`test "$(cat where)" = "$(pwd)" || exit 1; echo "on $CUDA_VISIBLE_DEVICES" >>`+builds+`; echo took 1`))
	require.NoError(t, err)
	for range 2 {
		for _, d := range m.Devices() {
			_, err := b.Run(t.Context(), d, 0)
			require.NoError(t, err)
		}
	}
	text, err := os.ReadFile(builds)
	require.NoError(t, err)
	assert.Equal(t, []string{"built", "on 5", "built", "on GPU-7", "on 5", "on GPU-7"}, strings.Split(strings.TrimSpace(string(text)), "\n"),
		"built once in each copy that it runs in")
	_, err = b.Run(t.Context(), 2, 0)
	assert.ErrorContains(t, err, "there is no device 2")
}

func TestWhatIsCopied(t *testing.T) {
	root := project(t, "")
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, outside, "secret")
	for name, target := range map[string]string{
		"in": "data/in.txt", "src/up": "../data", "absolute": filepath.Join(root, "data"), "round": "../" + filepath.Base(root) + "/data/in.txt",
		"out": outside, "src/out": "../../x", "top": "..",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, name)))
	}
	require.NoError(t, os.Chmod(filepath.Join(root, "data", "in.txt"), 0o754))
	m := start(t, root, nil)
	assert.Equal(t, []string{"out -> " + outside, "src/out -> ../../x", "top -> .."}, m.Left())
	links := map[string]string{}
	all, err := list(m.base)
	require.NoError(t, err)
	for name, e := range all {
		if e.link != "" {
			links[name] = e.link
		}
		assert.NotContains(t, name, ".git")
	}
	assert.Equal(t, map[string]string{"in": "data/in.txt", "src/up": "../data", "absolute": "data", "round": "data/in.txt"}, links)
	assert.Equal(t, os.FileMode(0o754), all["data/in.txt"].mode)

	_, err = m.Build(t.Context(), machine.Source{Texts: map[string][]byte{outside: nil}})
	assert.ErrorContains(t, err, "is not in the folder")

	mostFiles = 1
	defer func() { mostFiles = 50_000 }()
	_, err = New(Options{Command: Command{Root: root, Metric: "(1)"}})
	assert.ErrorContains(t, err, "name a folder with less in it")
	_, err = New(Options{Command: Command{Root: filepath.Join(root, "none"), Metric: "(1)"}})
	assert.ErrorContains(t, err, "is not a folder")
}

func TestTheFlagsOfAFormReachNVCC(t *testing.T) {
	t.Setenv("NVCC_APPEND_FLAGS", "-O1")
	m := start(t, project(t, ""), func(o *Options) {
		o.Run = `echo "took 1 with $NVCC_APPEND_FLAGS"; test "$NVCC_APPEND_FLAGS" = "-O1 -maxrregcount=32"`
	})
	s := m.source("x")
	s.Flags = []string{"-maxrregcount=32"}
	b, err := m.Build(t.Context(), s)
	require.NoError(t, err)
	_, err = b.Run(t.Context(), 0, 0)
	assert.NoError(t, err)
}

func TestAnInterruptEndsACommandWithAllItStarted(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	m := start(t, project(t, ""), nil)
	b, err := m.Build(t.Context(), m.source("sleep 60 & echo $! >"+started+"; wait"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for text, _ := os.ReadFile(started); len(text) == 0; text, _ = os.ReadFile(started) {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	_, err = b.Run(ctx, 0, 0)
	assert.ErrorIs(t, err, context.Canceled)
	pid, err := os.ReadFile(started)
	require.NoError(t, err)
	assert.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, time.Minute, 5*time.Millisecond)
}
