//go:build unix

package execute_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/translate"
)

// compiled is testdata/program.cc, made once.
var compiled string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "smux-execute-test-")
	if err != nil {
		panic(err)
	}
	if c, err := build.Find(""); err == nil {
		compiled = filepath.Join(dir, "program")
		if out, err := exec.Command(c.Path, "-g", "-std=gnu++17", "testdata/program.cc", "-o", compiled).CombinedOutput(); err != nil {
			panic(string(out))
		}
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// run runs the program with an argument that selects what it does.
func run(t *testing.T, opt execute.Options, args ...string) *execute.Result {
	t.Helper()
	if compiled == "" {
		t.Skip("no C++ compiler is installed: g++ or clang++ is needed")
	}
	opt.Args = args
	r, err := execute.Run(context.Background(), program(t), opt)
	require.NoError(t, err)
	return r
}

func program(t *testing.T) *build.Program {
	wd, err := os.Getwd()
	require.NoError(t, err)
	return &build.Program{Path: compiled, Mode: build.Plain, WorkDir: wd, Files: map[string]*translate.File{
		"kernel.cu": {Name: "kernel.cu", Path: filepath.Join(wd, "copies", "kernel.cu"), Runtime: [2]int{2, 5}},
	}}
}

// lineOf finds a mark in the program, counted from its #line.
func lineOf(t *testing.T, mark string) int {
	text, err := os.ReadFile("testdata/program.cc")
	require.NoError(t, err)
	_, original, ok := strings.Cut(string(text), "#line 1 \"kernel.cu\"\n")
	require.True(t, ok)
	before, _, ok := strings.Cut(original, "// at: "+mark)
	require.True(t, ok)
	return strings.Count(before, "\n") + 1
}

func TestFindingsHaveTheOriginalsPlaces(t *testing.T) {
	r := run(t, execute.Options{}, "findings")
	require.Len(t, r.Report, 4, "divergence whose waiters are all on one line is none, and the cut line is passed over")

	race := r.Report[0]
	assert.Equal(t, "race", string(race.Code))
	assert.Equal(t, "k", race.Kernel)
	assert.Equal(t, 2, race.Launch)
	assert.Equal(t, [3]int{1, 0, 0}, race.Block)
	assert.Equal(t, [3]int{5, 0, 0}, race.Thread)
	assert.True(t, race.Write)
	assert.Equal(t, "tile", race.Variable)
	assert.Equal(t, "kernel.cu", race.VariableFile)
	assert.Equal(t, 9, race.VariableLine)
	assert.Equal(t, int64(128), race.Offset)
	require.NotNil(t, race.Other)
	assert.Equal(t, [3]int{4, 0, 0}, race.Other.Thread)
	require.Len(t, race.Frames, 1, "nothing but smux's own device code is on the stack: the innermost place stays")
	assert.Equal(t, "device_runtime", race.Frames[0].Function)

	bounds := r.Report[1]
	require.Len(t, bounds.Frames, 1)
	assert.Equal(t, "kernel.cu", bounds.Frames[0].File)
	assert.Equal(t, "kernel", bounds.Frames[0].Function)
	assert.Equal(t, lineOf(t, "bounds"), bounds.Frames[0].Line)

	divergence := r.Report[2]
	assert.Equal(t, "barrier-divergence", string(divergence.Code))
	require.Len(t, divergence.Waiters, 2)
	assert.Equal(t, 3, divergence.Waiters[0].Threads)
	require.NotEmpty(t, divergence.Waiters[0].Frames)
	assert.Equal(t, lineOf(t, "exit"), divergence.Waiters[0].Frames[0].Line)
	assert.Equal(t, "exit", divergence.Waiters[1].What)

	assert.Equal(t, "cudaFoo", r.Report[3].Name)
	assert.Equal(t, &execute.End{Launches: 2, Blocks: 6, Threads: 384, Switches: 1000, Checked: true, Reached: map[uint32]int64{4711: 64, 815: 1}}, r.End)
}

func TestExitStatusAndSignalAreTold(t *testing.T) {
	r := run(t, execute.Options{}, "exit", "3")
	assert.Equal(t, 3, r.Exit)
	assert.Empty(t, r.Signal)
	assert.Nil(t, r.End)

	dir := t.TempDir()
	r = run(t, execute.Options{Dir: dir}, "abort")
	assert.Equal(t, -1, r.Exit)
	assert.Equal(t, "SIGABRT", r.Signal)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries, "no core dump")
}

func TestAProgramSeesOnlyWhatItIsGiven(t *testing.T) {
	t.Setenv("SECRET", "x")
	r := run(t, execute.Options{
		Schedule: execute.Schedule{Kind: "random", Seed: 7}, Checks: []string{"race", "host"},
		Watchdog: 2500 * time.Millisecond, CopyLog: "copies", Env: []string{"MINE=1"},
	}, "environment")
	wd, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, "SMUX_ORDER=random:7\nSMUX_CHECKS=race,host\nSMUX_WATCHDOG=2.5\nSMUX_COPIES="+wd+"/copies\nLANG=C\nMINE=1\nSECRET=(none)\n", string(r.Stdout))

	r = run(t, execute.Options{Checks: []string{}}, "environment")
	assert.Contains(t, string(r.Stdout), "SMUX_ORDER=ascending\nSMUX_CHECKS=\nSMUX_WATCHDOG=(none)\nSMUX_COPIES=(none)\n")
}

func TestStandardInputIsWhatIsGivenOrEmpty(t *testing.T) {
	assert.Equal(t, "hello", string(run(t, execute.Options{Stdin: []byte("hello")}, "echo").Stdout))
	assert.Empty(t, run(t, execute.Options{}, "echo").Stdout)
	assert.Equal(t, 0, run(t, execute.Options{Stdin: make([]byte, 1<<20)}, "exit", "0").Exit, "input that is not read does no harm")
}

func TestLongOutputIsCutAndTheProgramGoesOn(t *testing.T) {
	r := run(t, execute.Options{MaxOutput: 15}, "much")
	assert.Equal(t, "0123456789\n0123", string(r.Stdout))
	assert.True(t, r.Truncated)
	assert.Equal(t, int64(11000), r.StdoutBytes)
	assert.Equal(t, 0, r.Exit)
	assert.False(t, run(t, execute.Options{}, "much").Truncated)
}

func TestATimeoutKillsAllThatTheProgramStarted(t *testing.T) {
	child := filepath.Join(t.TempDir(), "child")
	var r *execute.Result
	for timeout := 300 * time.Millisecond; timeout < time.Minute; timeout *= 4 {
		r = run(t, execute.Options{Timeout: timeout}, "hang", child)
		if text, _ := os.ReadFile(child); len(text) > 0 {
			break // else the machine had other work
		}
	}
	assert.True(t, r.TimedOut)
	assert.Equal(t, "SIGKILL", r.Signal)
	assert.Equal(t, "before\n", string(r.Stdout))
	assertGone(t, child)
}

func TestTheEndOfTheContextKillsTheProgram(t *testing.T) {
	if compiled == "" {
		t.Skip("no C++ compiler is installed: g++ or clang++ is needed")
	}
	child := filepath.Join(t.TempDir(), "child")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for text, _ := os.ReadFile(child); len(text) == 0; text, _ = os.ReadFile(child) {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	_, err := execute.Run(ctx, program(t), execute.Options{Args: []string{"hang", child}})
	assert.ErrorIs(t, err, context.Canceled)
	assertGone(t, child)
}

// assertGone waits until the process whose number is in a file has ended.
func assertGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	assert.Eventually(t, func() bool {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		// Where nobody takes in orphans, it stays as a zombie.
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err == nil && strings.Contains(string(stat), ") Z ")
	}, time.Minute, 20*time.Millisecond)
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	p := &build.Program{Path: filepath.Join(t.TempDir(), "missing")}
	_, err := execute.Run(context.Background(), p, execute.Options{})
	assert.Error(t, err)
}
