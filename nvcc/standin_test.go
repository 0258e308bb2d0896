package nvcc

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/disk"
)

// standIn is a shell script in the place of nvcc. It "reads" the files that a
// unit names in lines "// reads FILE", as includes would, and prints what
// follows "// ptxas " in all of them.
const standIn = `#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
  -o) out=$2; shift;;
  -MF) rule=$2; shift;;
  *.cu) unit=$1;;
  esac
  shift
done
printf 'unit.cubin : %s' "$unit" > "$rule"
sed -n 's|^// ptxas ||p' "$unit" >&2
sed -n 's|^// reads ||p' "$unit" | while read file; do
  [ -f "$(dirname "$unit")/$file" ] && file=$(dirname "$unit")/$file
  printf ' \\\n    %s' "$file" >> "$rule"
  sed -n 's|^// ptxas ||p' "$file" >&2
done
: > "$out"
`

// unitReading is a unit with one kernel whose register count stands in a header.
func unitReading(headers ...string) []byte {
	var b bytes.Buffer
	b.WriteString("// ptxas ptxas info    : Compiling entry function 'k' for 'sm_80'\n__global__ void k() {}\n")
	for _, h := range headers {
		fmt.Fprintf(&b, "// reads %s\n", h)
	}
	return b.Bytes()
}

func registers(n int) []byte {
	return []byte(fmt.Sprintf("// ptxas ptxas info    : Used %d registers\n", n))
}

func standInToolkit(t *testing.T, script string) *Toolkit {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for nvcc is a shell script")
	}
	path := filepath.Join(t.TempDir(), "nvcc")
	executable(t, path, script)
	toolkit := At(path)
	toolkit.CacheDir = filepath.Join(t.TempDir(), "cache")
	return toolkit
}

// ask returns the register count of the only kernel.
func ask(t *testing.T, toolkit *Toolkit, r Request) int {
	t.Helper()
	r.Arch = "sm_80"
	kernels, err := toolkit.Resources(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, kernels, 1)
	return kernels[0].Registers
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, text, 0o644))
}

func TestAnswerIsKeptUntilSomethingChanges(t *testing.T) {
	toolkit := standInToolkit(t, standIn)
	dir := t.TempDir()
	unit, header := filepath.Join(dir, "k.cu"), filepath.Join(dir, "h.h")
	write(t, header, registers(10))
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(header, past, past))
	r := Request{Texts: map[string][]byte{unit: unitReading("h.h")}}
	require.Equal(t, 10, ask(t, toolkit, r))
	require.Equal(t, 10, ask(t, toolkit, r))
	require.Equal(t, 1, toolkit.runs, "the second answer is the kept one")

	again := At(toolkit.Path)
	again.CacheDir = toolkit.CacheDir
	require.Equal(t, 10, ask(t, again, r))
	require.Zero(t, again.runs, "another process finds it, too")

	write(t, header, registers(11))
	require.NoError(t, os.Chtimes(header, past, past))
	require.Equal(t, 11, ask(t, toolkit, r), "a header of the same size and time, but another content")

	for name, change := range map[string]func(*Request){
		"a flag":      func(r *Request) { r.Flags = []string{"-use_fast_math"} },
		"a macro":     func(r *Request) { r.Defines = []string{"N=1"} },
		"the text":    func(r *Request) { r.Texts = map[string][]byte{unit: append(unitReading("h.h"), '\n')} },
		"the folders": func(r *Request) { r.Includes = []string{t.TempDir()} },
		"a text in the place of the header": func(r *Request) {
			r.Texts = map[string][]byte{unit: unitReading("h.h"), header: registers(12)}
		},
	} {
		runs := toolkit.runs
		changed := r
		change(&changed)
		ask(t, toolkit, changed)
		require.Equal(t, runs+1, toolkit.runs, name)
	}
}

func TestTextStandsForTheFileOnDisk(t *testing.T) {
	toolkit := standInToolkit(t, standIn)
	dir := t.TempDir()
	unit, header := filepath.Join(dir, "k.cu"), filepath.Join(dir, "sub", "h.h")
	write(t, header, registers(10))
	require.Equal(t, 12, ask(t, toolkit, Request{Texts: map[string][]byte{unit: unitReading("sub/h.h"), header: registers(12)}}))
	require.Equal(t, 10, ask(t, toolkit, Request{Texts: map[string][]byte{unit: unitReading("sub/h.h")}}))
	_, err := toolkit.Resources(t.Context(), Request{Arch: "sm_80", Texts: map[string][]byte{unit: unitReading(header), header: registers(12)}})
	require.ErrorContains(t, err, "from disk", "a figure for the wrong text is worse than none")
}

func TestHeaderThatComesToBeFoundFirstIsNoticed(t *testing.T) {
	toolkit := standInToolkit(t, standIn)
	dir, first := t.TempDir(), t.TempDir()
	header := filepath.Join(dir, "h.h")
	write(t, header, registers(10))
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(header, past, past))
	r := Request{Includes: []string{first}, Texts: map[string][]byte{filepath.Join(dir, "k.cu"): unitReading(header)}}
	ask(t, toolkit, r)
	write(t, filepath.Join(first, "result.txt"), nil)
	ask(t, toolkit, r)
	require.Equal(t, 1, toolkit.runs, "a file of another name is none of the compiler's business")
	write(t, filepath.Join(first, "deep", "h.h"), registers(11))
	ask(t, toolkit, r)
	require.Equal(t, 2, toolkit.runs)
}

func TestCacheThatCannotBeWrittenIsSaidOnceAndDoesNoHarm(t *testing.T) {
	toolkit := standInToolkit(t, standIn)
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, nil)
	toolkit.CacheDir = filepath.Join(blocked, "cache") // below a file: not even root can make it
	dir := t.TempDir()
	write(t, filepath.Join(dir, "h.h"), registers(10))
	r := Request{Texts: map[string][]byte{filepath.Join(dir, "k.cu"): unitReading("h.h")}}
	require.Equal(t, 10, ask(t, toolkit, r))
	require.Equal(t, 10, ask(t, toolkit, r))
	require.Len(t, toolkit.Warnings(), 1)
}

func TestDamagedEntryCountsAsNone(t *testing.T) {
	toolkit := standInToolkit(t, standIn)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "h.h"), registers(10))
	r := Request{Texts: map[string][]byte{filepath.Join(dir, "k.cu"): unitReading("h.h")}}
	ask(t, toolkit, r)
	entries, err := filepath.Glob(filepath.Join(toolkit.CacheDir, "*.gz"))
	require.NoError(t, err)
	for _, damage := range []string{"", "{}", `{"Depends":{},"Answer":null}`, "\x00"} {
		for _, e := range entries {
			write(t, e, []byte(damage))
		}
		require.Equal(t, 10, ask(t, toolkit, r))
	}
}

func TestWritersDoNotDisturbEachOther(t *testing.T) {
	toolkit := standInToolkit(t, standIn)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "h.h"), registers(10))
	r := Request{Arch: "sm_80", Texts: map[string][]byte{filepath.Join(dir, "k.cu"): unitReading("h.h")}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			writer := At(toolkit.Path)
			writer.CacheDir = toolkit.CacheDir
			kernels, err := writer.Resources(context.Background(), r)
			if err != nil || len(kernels) != 1 || kernels[0].Registers != 10 {
				t.Errorf("%v, %v", kernels, err)
			}
		})
	}
	all.Wait()
	left, err := filepath.Glob(filepath.Join(toolkit.CacheDir, ".*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestOldAndTooManyEntriesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"a.json": 0, "b.json": oldest + time.Hour} {
		write(t, filepath.Join(dir, name), nil)
		when := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), when, when))
	}
	require.NoError(t, os.Truncate(filepath.Join(dir, "a.json"), mostBytes-10)) // sparse
	write(t, filepath.Join(dir, "c.json"), bytes.Repeat([]byte(" "), 100))
	require.NoError(t, os.Chtimes(filepath.Join(dir, "c.json"), time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)))
	disk.Prune(dir, mostBytes, oldest)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "a.json")}, left)
}

func TestAnotherHostCompilerIsAnotherIdentity(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	toolkit := At(filepath.Join(dir, "nvcc"))
	without := toolkit.identity()
	gcc := filepath.Join(dir, "g++")
	require.NoError(t, os.WriteFile(gcc, []byte("#!/bin/sh\n"), 0o755))
	first := toolkit.identity()
	require.NotEqual(t, without, first)
	require.Equal(t, first, toolkit.identity())
	require.NoError(t, os.WriteFile(gcc, []byte("#!/bin/sh\n# a newer one\n"), 0o755))
	require.NotEqual(t, first, toolkit.identity())
	t.Setenv("NVCC_CCBIN", "clang")
	require.NotEqual(t, first, toolkit.identity())
}

func TestOldEntriesAreRemovedWhereThereIsRoom(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"new.json": 0, "old.json": oldest + time.Hour, "aged.json": oldest - time.Hour} {
		write(t, filepath.Join(dir, name), nil)
		when := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), when, when))
	}
	disk.Prune(dir, mostBytes, oldest)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "aged.json"), filepath.Join(dir, "new.json")}, left)
}

func TestEndOfTheContextKillsTheWholeGroup(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	// The script's child writes its process id, then outlives the script's own end.
	toolkit := standInToolkit(t, "#!/bin/sh\nsh -c 'echo $$ > "+mark+"; sleep 60; echo late > "+mark+"' &\nwait\n")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if text, _ := os.ReadFile(mark); len(text) > 0 {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := toolkit.Resources(ctx, Request{Arch: "sm_80", Texts: map[string][]byte{filepath.Join(t.TempDir(), "k.cu"): unitReading()}})
	require.ErrorIs(t, err, context.Canceled)
	if runtime.GOOS == "linux" {
		pid, err := os.ReadFile(mark)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return ended(strings.TrimSpace(string(pid))) }, time.Minute, 10*time.Millisecond)
	}
}

// ended reports whether a process is gone, or dead and not yet collected.
func ended(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := bytes.Cut(text, []byte(") "))
	return bytes.HasPrefix(rest, []byte("Z"))
}

func TestCompilerThatDoesNotEndIsStopped(t *testing.T) {
	toolkit := standInToolkit(t, "#!/bin/sh\nsleep 60\n")
	toolkit.Timeout = 50 * time.Millisecond
	_, err := toolkit.Resources(t.Context(), Request{Arch: "sm_80", Texts: map[string][]byte{"k.cu": unitReading()}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "k.cu")
	require.NoError(t, t.Context().Err())
}

func TestTemporaryFoldersAreRemoved(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, script := range []string{standIn, "#!/bin/sh\nexit 1\n"} {
		toolkit := standInToolkit(t, script)
		_, _ = toolkit.Resources(t.Context(), Request{Arch: "sm_80", Texts: map[string][]byte{"k.cu": unitReading()}})
	}
	left, err := filepath.Glob(filepath.Join(temporary, "smux-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestCompilerWithoutDependenciesAnswersButNothingIsKept(t *testing.T) {
	old := strings.Replace(standIn, "  -MF) rule=$2; shift;;", "  -MD) echo \"nvcc fatal   : Unknown option '-MD'\" >&2; exit 1;;", 1)
	old = strings.Replace(old, "printf 'unit.cubin : %s' \"$unit\" > \"$rule\"", "rule=/dev/null", 1)
	toolkit := standInToolkit(t, old)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "h.h"), registers(10))
	r := Request{Texts: map[string][]byte{filepath.Join(dir, "k.cu"): unitReading("h.h")}}
	require.Equal(t, 10, ask(t, toolkit, r))
	write(t, filepath.Join(dir, "h.h"), registers(11))
	require.Equal(t, 11, ask(t, toolkit, r))
}

func TestOneBadFileDoesNotStopTheOthers(t *testing.T) {
	toolkit := standInToolkit(t, strings.Replace(standIn, "printf 'unit.cubin", "case $unit in *bad*) echo \"$unit(1): error: bad\" >&2; exit 2;; esac\nprintf 'unit.cubin", 1))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "h.h"), registers(10))
	texts := map[string][]byte{}
	for _, name := range []string{"bad1.cu", "good.cu", "bad2.cu"} {
		texts[filepath.Join(dir, name)] = unitReading("h.h")
	}
	kernels, err := toolkit.Resources(t.Context(), Request{Arch: "sm_80", Texts: texts})
	require.Len(t, kernels, 1)
	require.Equal(t, filepath.Join(dir, "good.cu"), kernels[0].Unit)
	require.ErrorContains(t, err, "bad1.cu:1: bad")
	require.ErrorContains(t, err, "bad2.cu:1: bad")
	var refused *CompileError
	require.ErrorAs(t, err, &refused)
}
