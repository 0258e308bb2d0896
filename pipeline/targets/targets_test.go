package targets

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
)

// finder is one on a machine with a T4, or with no GPU, and what it says.
func finder(t4 bool) (Finder, *bytes.Buffer) {
	var said bytes.Buffer
	c := console.New(strings.NewReader(""), &bytes.Buffer{}, &said)
	c.IsTerminal, c.Getenv = func(any) bool { return false }, func(string) string { return "" }
	return Finder{Console: c, NVIDIASMI: func(context.Context, ...string) (string, error) {
		if !t4 {
			return "", process.ErrNoDriver
		}
		return "Tesla T4, 7.5, 1590 MHz, 15360 MiB\n", nil
	}}, &said
}

func TestWhatIsMeantWhereNobodyNamesAGPU(t *testing.T) {
	for _, c := range []struct {
		name    string
		here    bool
		request Request
		want    string
		says    string
	}{
		{"names come first, each once", true, Request{Names: []string{"a100, v100", "sm_80"}}.BuiltFor([]string{"sm_90"}), "a100 v100", ""},
		{"the machine by name", true, Request{Names: []string{"Native"}}, "t4", ""},
		{"then a compilation database", true, Request{}.BuiltFor([]string{"sm_80", "arm64"}), "a100", "asks for arm64, for which smux knows no GPU"},
		{"then the machine", true, Request{}.BuiltFor([]string{"arm64"}), "t4", "arm64"},
		{"then a few", false, Request{}, strings.Join(Names(gpu.NamedSet()), " "), "no GPU was named and none found here: taking "},
	} {
		f, said := finder(c.here)
		got, err := f.GPUs(c.request)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, strings.Join(Names(got), " "), c.name)
		assert.Contains(t, said.String(), c.says, c.name)
	}
}

func TestAWrongNameInSettingsIsToldThere(t *testing.T) {
	set, err := config.Read(config.Name, []byte("gpus: [a100]\n"), nil)
	require.NoError(t, err)
	set.GPUs = []string{"a1000"}
	f, said := finder(false)
	_, err = f.GPUs(Request{}.With(set))
	assert.Equal(t, diag.ErrReported, err)
	assert.Contains(t, said.String(), config.Name+":1:")
	assert.Contains(t, said.String(), "did you mean")

	given := Request{Names: []string{"v100"}, Changed: func(flag string) bool { return flag == "gpu" }}
	got, err := f.GPUs(given.With(set))
	require.NoError(t, err)
	assert.Equal(t, []string{"v100"}, Names(got), "what a person gave counts")

	_, err = f.GPUs(Request{Names: []string{"a1000"}})
	require.ErrorContains(t, err, `--gpu "a1000" is not a GPU that smux knows`)
}

func TestProgramsThatMeanTheSameAreToldOfOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	commands := `[{"directory": ".", "file": "a/k.cu", "command": "nvcc -arch=sm_80 k.cu"},
		{"directory": ".", "file": "b/k.cu", "command": "nvcc -arch=sm_80 k.cu"}, {"directory": ".", "file": "c/k.cu", "command": "nvcc -arch=sm_75 k.cu"}]`
	for name, text := range map[string]string{"compile_commands.json": commands, ".git/HEAD": "",
		"a/k.cu": "__global__ void a() {}\n", "b/k.cu": "__global__ void b() {}\n", "c/k.cu": "__global__ void c() {}\n"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	f, said := finder(true)
	line := f.Console.NewProgress()
	defer line.End()
	programs, err := load.Find(t.Context(), f.Console, []string{"..."}, load.Options{CompileCommands: "."}, load.Tree{Jobs: 1}, line)
	require.NoError(t, err)
	got, err := f.Programs(programs, Request{})
	require.NoError(t, err)
	require.Len(t, got, 3)
	assert.Equal(t, []string{"a100"}, Names(got[1].GPUs))
	assert.Equal(t, []string{"t4"}, Names(got[2].GPUs))
	assert.Equal(t, 2, strings.Count(said.String(), "GPUs from the compilation database"))
	assert.Contains(t, said.String(), "for a/k.cu and 1 more program: a100")
}
