//go:build unix

package cmd

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
)

// The two programs that the hooks are tried on: one in a file, and one of which a
// header holds the kernel.
const (
	hookKernel = `__global__ void sums(const float *in, float *out, int tiles) {
    __shared__ float tile[64];
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        tile[threadIdx.x] = in[(blockIdx.x * tiles + t) * 64 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 64; ++i) sum += tile[i] * (i ^ threadIdx.x);
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
`
	hookLaunch = `void run(const float *in, float *out, int n, int tiles) {
    sums<<<n, 64>>>(in, out, tiles);
}
`
	// rewritten is in a file of which a launch was rewritten.
	rewritten = "smux::merge<2, 64>(n, 64)"
)

// checkout is a repository of smux as it is here, changes that no commit has
// included: what pre-commit clones. Folders of no use to the build are left out.
func checkout(t *testing.T) string {
	t.Helper()
	list, err := exec.Command("git", "-C", "..", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("this is no git repository: ", err)
	}
	dir := t.TempDir()
	for _, name := range strings.Split(string(list), "\x00") {
		top, _, _ := strings.Cut(name, "/")
		if name == "" || top == "testdata" || top == "docs" || top == "examples" || strings.HasPrefix(name, "cmd/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		if os.IsNotExist(err) {
			continue // removed, and not yet from the index
		}
		require.NoError(t, err)
		put(t, filepath.Join(dir, name), string(text))
	}
	r := repository{t, dir, nil}
	r.git("init", "-q", ".")
	r.commitAll("smux")
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// repository is a git repository and the environment that commands run in.
type repository struct {
	t   *testing.T
	dir string
	env []string
}

// run starts a command in the repository and returns its exit code and what it
// prints.
func (r repository) run(name string, args ...string) (int, string) {
	r.t.Helper()
	c := exec.Command(name, args...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	c.Env = append(c.Env, r.env...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		require.IsType(r.t, &exec.ExitError{}, err, "%s %q", name, args)
	}
	return c.ProcessState.ExitCode(), out.String()
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	code, out := r.run("git", args...)
	require.Zero(r.t, code, "git %q: %s", args, out)
	return strings.TrimSpace(out)
}

func (r repository) commitAll(message string) {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--no-verify", "-m", message)
}

func (r repository) write(name, text string) {
	r.t.Helper()
	put(r.t, filepath.Join(r.dir, name), text)
}

func (r repository) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	require.NoError(r.t, err)
	return string(text)
}

// warm has go install find what was compiled and downloaded before, though it runs
// in another GOPATH.
func warm(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Skip("there is no go to install with: ", err)
	}
	dirs := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, dirs, 2)
	return []string{"GOCACHE=" + dirs[0], "GOMODCACHE=" + dirs[1], "GOPROXY=off", "GOBIN=",
		// Less to write, as only what is of smux itself is compiled anew.
		"GOFLAGS=-buildvcs=false -gcflags=-dwarf=false -ldflags=-w"}
}

// worksAlone holds a folder of programs to what go install ./... is to leave there:
// smux, which works with nothing beside it.
func worksAlone(t *testing.T, bin string) {
	t.Helper()
	entries, err := os.ReadDir(bin)
	require.NoError(t, err)
	require.Len(t, entries, 1, "%v", entries)
	require.Equal(t, "smux", entries[0].Name())
	dir := t.TempDir()
	put(t, filepath.Join(dir, "k.cu"), hookKernel+hookLaunch)
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{diag.ExitOK, "smux ", []string{"version"}},
		{diag.ExitOK, "grammar  github.com/smacker/go-tree-sitter v0.", []string{"version", "-v"}},
		{diag.ExitDiffers, "+    const auto smux_launch = " + rewritten, []string{"rewrite", "-d", "--variant", "vtb", "k.cu"}},
	} {
		c := exec.Command(filepath.Join(bin, "smux"), tt.args...)
		c.Dir, c.Env = dir, []string{"PATH=" + bin, "HOME=" + dir}
		out, _ := c.CombinedOutput()
		assert.Equal(t, tt.code, c.ProcessState.ExitCode(), "%s", out)
		assert.Contains(t, string(out), tt.want)
	}
}

// Without pre-commit this is what it does: go install ./... in an empty GOPATH.
func TestGoInstallGivesSmuxAlone(t *testing.T) {
	if _, err := exec.LookPath("pre-commit"); err == nil {
		t.Skip("the test with pre-commit installs it so")
	}
	suite.OnlyFull(t) // it builds smux anew
	gopath := t.TempDir()
	r := repository{t, checkout(t), append(warm(t), "GOPATH="+gopath)}
	code, out := r.run("go", "install", "./...")
	require.Zero(t, code, out)
	worksAlone(t, filepath.Join(gopath, "bin"))
}

// TestPreCommit runs the hooks as a team does that has them in its configuration.
func TestPreCommit(t *testing.T) {
	if _, err := exec.LookPath("pre-commit"); err != nil {
		t.Skip("pre-commit is not installed; scripts/install-precommit.sh installs it")
	}
	suite.OnlyFull(t) // it builds smux anew
	smux := checkout(t)
	home := t.TempDir()
	r := repository{t, t.TempDir(), append(warm(t), "PRE_COMMIT_HOME="+home, "HOME="+home, "XDG_CACHE_HOME="+home, "PRE_COMMIT_COLOR=never")}
	r.git("init", "-q", ".")
	rev := repository{t, smux, nil}.git("rev-parse", "HEAD")
	r.write(".pre-commit-config.yaml", `repos:
  - repo: `+smux+`
    rev: `+rev+`
    hooks:
      - id: smux
        args: [--variant, vtb, --]
      - id: smux-check
        args: [--variant, vtb, --]
        stages: [manual]
      - id: smux
        alias: chosen
        stages: [manual]
`)
	r.write("other.txt", "no CUDA\n")
	r.commitAll("begin")
	code, out := r.run("pre-commit", "validate-manifest", filepath.Join(smux, ".pre-commit-hooks.yaml"))
	require.Zero(t, code, out)
	code, out = r.run("pre-commit", "install", "--install-hooks")
	require.Zero(t, code, out)

	t.Run("go install leaves smux alone", func(t *testing.T) {
		bins, err := filepath.Glob(filepath.Join(home, "repo*", "golangenv-*", "bin"))
		require.NoError(t, err)
		require.Len(t, bins, 1)
		worksAlone(t, bins[0])
	})
	begin := r.git("rev-parse", "HEAD") // each scenario begins there
	for _, scenario := range []struct {
		name string
		run  func(repository)
	}{
		{"a commit without CUDA passes", commitsOther},
		{"check fails and changes nothing", checkFails},
		{"a kernel is rewritten, then committed", commitsKernel},
		{"settings say for which GPUs", takesSettings},
		{"launches that are not staged change with a header", commitsHeader},
		{"a header by any name starts the hook", commitsOtherHeaders},
		{"what is not staged is kept", commitsPart},
		{"odd names are names", commitsOddNames},
	} {
		t.Run(scenario.name, func(t *testing.T) {
			r.t = t
			r.git("reset", "-q", "--hard", begin)
			r.git("clean", "-qfd")
			scenario.run(r)
		})
	}
}

func commitsOther(r repository) {
	r.write("other.txt", "still no CUDA\n")
	r.git("add", ".")
	code, out := r.run("git", "commit", "-m", "other")
	assert.Zero(r.t, code, out)
	assert.Contains(r.t, out, "Skipped")
}

func checkFails(r repository) {
	r.write("k.cu", hookKernel+hookLaunch)
	r.git("add", ".")
	code, out := r.run("pre-commit", "run", "--hook-stage", "manual", "smux-check")
	assert.Equal(r.t, 1, code)
	assert.Contains(r.t, out, "exit code: 1")
	assert.Contains(r.t, out, "+    const auto smux_launch = "+rewritten)
	assert.NotContains(r.t, out, "\x1b")
	assert.NotContains(r.t, out, "files were modified")
	assert.Equal(r.t, hookKernel+hookLaunch, r.read("k.cu"))
}

func commitsKernel(r repository) {
	r.write("k.cu", hookKernel+hookLaunch)
	r.git("add", ".")
	before := r.git("rev-parse", "HEAD")
	code, out := r.run("git", "commit", "-m", "kernel")
	assert.NotZero(r.t, code)
	assert.Contains(r.t, out, "files were modified by this hook")
	assert.Contains(r.t, r.read("k.cu"), rewritten)
	assert.Equal(r.t, before, r.git("rev-parse", "HEAD"), "nothing is committed")

	r.git("add", ".")
	code, out = r.run("git", "commit", "-m", "kernel")
	assert.Zero(r.t, code, out)
	assert.Contains(r.t, r.git("show", "HEAD:k.cu"), rewritten)
	code, out = r.run("pre-commit", "run", "--all-files", "--hook-stage", "manual", "smux-check")
	assert.Zero(r.t, code, out)
}

// takesSettings runs the hook as it is without args.
func takesSettings(r repository) {
	text, err := os.ReadFile(filepath.Join("..", "examples", "fft", "fft.cu"))
	require.NoError(r.t, err)
	r.write("fft.cu", string(text))
	r.write(".smux.yaml", "gpus: [gtx480@16]\n")
	r.git("add", ".")
	code, out := r.run("pre-commit", "run", "--hook-stage", "manual", "chosen")
	assert.Equal(r.t, 1, code)
	assert.Contains(r.t, out, "files were modified by this hook")
	assert.Contains(r.t, out, "fft.cu:110:17: chosen: kernel \"fft1024\": ")
	assert.Contains(r.t, out, " for gtx480@16, predicted ")
	r.git("add", ".")
	code, out = r.run("pre-commit", "run", "--hook-stage", "manual", "chosen")
	assert.Zero(r.t, code, out)
}

func commitsHeader(r repository) {
	r.write("lib/sums.cuh", "#pragma once\n"+hookKernel)
	r.write("app/main.cu", "#include \"../lib/sums.cuh\"\n"+hookLaunch)
	r.commitAll("a program") // as it was before there was a hook
	r.write("lib/sums.cuh", "#pragma once\n// changed\n"+hookKernel)
	r.git("add", "lib")
	code, out := r.run("git", "commit", "-m", "header")
	assert.NotZero(r.t, code)
	assert.Contains(r.t, out, "files were modified by this hook")
	assert.Contains(r.t, r.read("lib/sums.cuh"), "smux_grid_x")
	assert.Contains(r.t, r.read("app/main.cu"), rewritten)
	r.git("add", "-A")
	code, out = r.run("git", "commit", "-m", "header")
	assert.Zero(r.t, code, out)
}

func commitsOtherHeaders(r repository) {
	r.write("lib/block.h", "#pragma once\n")
	r.write("lib/sums.inl", "#include \"block.h\"\n"+hookKernel)
	r.write("app/main.cu", "#include \"../lib/sums.inl\"\n"+hookLaunch)
	r.commitAll("a program")
	r.write("lib/block.h", "#pragma once\n// changed\n")
	r.git("add", "lib")
	code, out := r.run("git", "commit", "-m", "header")
	assert.NotZero(r.t, code, out)
	assert.Contains(r.t, r.read("lib/sums.inl"), "smux_grid_x")
}

// commitsPart stages one of two changes of a file. pre-commit puts the other aside
// for the hooks.
func commitsPart(r repository) {
	base := "// first\n\n\n\n\n\n\n" + hookKernel + hookLaunch
	r.write("part.cu", base)
	r.git("add", ".")
	edited := strings.Replace(base, "// first", "// first, edited and not staged", 1)
	r.write("part.cu", edited)
	code, out := r.run("git", "commit", "-m", "part")
	assert.NotZero(r.t, code)
	assert.Contains(r.t, out, "Unstaged files detected")
	text := r.read("part.cu")
	assert.Contains(r.t, text, "edited and not staged")
	// pre-commit puts back what was aside; where the hook changed the same lines it
	// takes the hook's changes back.
	if strings.Contains(out, "conflicted") {
		assert.NotContains(r.t, text, rewritten)
	} else {
		assert.Contains(r.t, text, rewritten)
	}
	assert.Equal(r.t, strings.TrimSpace(base), r.git("show", ":part.cu"), "what is staged is as it was")
}

func commitsOddNames(r repository) {
	names := []string{"-w.cu", "--help.cu", "with space.cu", "ümläut.cu", "quo'te\".cu", "$(x).cu"}
	for _, name := range names {
		r.write(name, hookKernel+hookLaunch)
	}
	r.git("add", "--", ".")
	code, out := r.run("git", "commit", "-m", "names")
	assert.NotZero(r.t, code)
	assert.Contains(r.t, out, "files were modified by this hook")
	for _, name := range names {
		assert.Contains(r.t, r.read(name), rewritten, "%s: %s", name, out)
	}
	r.git("add", "--", ".")
	code, out = r.run("git", "commit", "-m", "names")
	assert.Zero(r.t, code, out)
}

// Hooks ask for the same on every machine: what GPU is in one does not count.
func TestHooksDoNotTakeTheGPUOfTheMachine(t *testing.T) {
	for _, tt := range []struct{ inHook, want string }{
		{"", "a10g"},
		{"1", "a hook does not take that of this machine: taking t4, rtx3090, rtx4090, a100, h100"},
	} {
		var out, messages bytes.Buffer
		s := newSession(strings.NewReader(hookKernel+hookLaunch), &out, &messages)
		s.IsTerminal = func(any) bool { return false }
		s.Getenv = func(name string) string { return map[string]string{"PRE_COMMIT": tt.inHook}[name] }
		s.nvidiaSMI = func(context.Context, ...string) (string, error) {
			return "NVIDIA A10G, 8.6, 1710 MHz, 23028 MiB\n", nil
		}
		require.Equal(t, diag.ExitOK, s.main([]string{"occupancy", "--resources", "estimate", "-"}), messages.String())
		assert.Contains(t, out.String()+messages.String(), tt.want)
		assert.Equal(t, tt.inHook == "", strings.Contains(out.String(), "a10g"))
	}
}
