package arrows

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

type action struct {
	Name, Description, Author string
	Branding                  map[string]string
	Inputs                    map[string]struct{ Description, Default string }
	Outputs                   map[string]struct{ Description, Value string }
	Runs                      struct {
		Using string
		Steps []step
	}
}

type step struct {
	Name, ID, If, Uses, Shell, Run string
	Env, With                      map[string]string
}

const root = "../.."

func read(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	require.NoError(t, err)
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	var a action
	require.NoError(t, d.Decode(&a))
	return a
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

func TestActionIsACompositeOneThatRunsNothingOfItsInputs(t *testing.T) {
	a := read(t)
	assert.Equal(t, "composite", a.Runs.Using)
	assert.NotEmpty(t, a.Name)
	assert.NotEmpty(t, a.Description)
	for name, in := range a.Inputs {
		assert.NotEmpty(t, in.Description, name)
	}
	for _, s := range a.Runs.Steps {
		assert.NotContains(t, s.Run, "${{", "%s: an expression in a script runs what it holds", s.Name)
		switch {
		case s.Run != "":
			assert.Equal(t, "bash", s.Shell, s.Name)
			assert.Empty(t, s.Uses)
		default:
			assert.Regexp(t, `^[a-z-]+/[a-z-]+(/[a-z-]+)?@[0-9a-f]{40}$`, s.Uses, "%s: a tag can be moved, a commit can't", s.Name)
		}
	}
}

// TestTheKernelsAreLookedAtOnce: all that the action shows comes from one run.
func TestTheKernelsAreLookedAtOnce(t *testing.T) {
	runs := 0
	for _, s := range read(t).Runs.Steps {
		runs += strings.Count(s.Run, "smux/smux\"")
	}
	assert.Equal(t, 1, runs)
}

func TestExpressionsNameWhatThereIs(t *testing.T) {
	a := read(t)
	var all []string
	steps := map[string]string{} // scripts by id
	for _, s := range a.Runs.Steps {
		steps[s.ID] = s.Run
		all = append(all, s.If)
		for _, v := range s.Env {
			all = append(all, v)
		}
		for _, v := range s.With {
			all = append(all, v)
		}
	}
	for _, o := range a.Outputs {
		all = append(all, o.Value)
	}
	used := map[string]bool{}
	for _, text := range all {
		for _, e := range expression.FindAllStringSubmatch(text, -1) {
			for _, name := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(e[1], -1) {
				assert.Contains(t, a.Inputs, name[1])
				used[name[1]] = true
			}
			for _, name := range regexp.MustCompile(`steps\.(\w+)\.outputs\.(\w+)`).FindAllStringSubmatch(e[1], -1) {
				assert.Contains(t, steps[name[1]], name[2]+"=", "the step writes its output")
			}
		}
	}
	assert.Len(t, used, len(a.Inputs), "each input is used")
}

// job is a stand-in for a runner: a repository, a place for its files, and the
// outputs of steps.
type job struct {
	t               *testing.T
	action          action
	inputs          map[string]string
	outputs         map[string]map[string]string
	workspace, temp string
}

func newJob(t *testing.T, bin string, inputs map[string]string) *job {
	j := &job{t: t, action: read(t), inputs: map[string]string{}, outputs: map[string]map[string]string{}, workspace: t.TempDir(), temp: t.TempDir()}
	for name, in := range j.action.Inputs {
		j.inputs[name] = in.Default
	}
	for name, value := range inputs {
		require.Contains(t, j.inputs, name)
		j.inputs[name] = value
	}
	require.NoError(t, os.Mkdir(filepath.Join(j.workspace, ".git"), 0o777))
	if bin != "" {
		require.NoError(t, os.Symlink(bin, filepath.Join(j.temp, "smux")))
	}
	return j
}

func (j *job) file(name, text string) {
	path := filepath.Join(j.workspace, name)
	require.NoError(j.t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(j.t, os.WriteFile(path, []byte(text), 0o666))
}

// value returns a value as GitHub reads it, with its expressions.
func (j *job) value(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		if in, ok := strings.CutPrefix(name, "inputs."); ok {
			return j.inputs[in]
		}
		parts := strings.Split(name, ".")
		require.Len(j.t, parts, 4, name)
		return j.outputs[parts[1]][parts[3]]
	})
}

// run runs the script of a step as the runner does.
func (j *job) run(name string) (out string, err error) {
	j.t.Helper()
	for _, s := range j.action.Runs.Steps {
		if s.Name != name {
			continue
		}
		script, output := filepath.Join(j.temp, "script.sh"), filepath.Join(j.temp, "output")
		require.NoError(j.t, os.WriteFile(script, []byte(s.Run), 0o666))
		require.NoError(j.t, os.WriteFile(output, nil, 0o666))
		checkout, err := filepath.Abs(root)
		require.NoError(j.t, err)
		c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		c.Dir = j.workspace
		c.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+checkout, "RUNNER_TEMP="+j.temp,
			"GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+filepath.Join(j.temp, "summary.md"),
			"GOFLAGS="+os.Getenv("GOFLAGS")+" -buildvcs=false -ldflags=-w") // which takes half the time
		for name, value := range s.Env {
			c.Env = append(c.Env, name+"="+j.value(value))
		}
		text, err := c.CombinedOutput()
		written, _ := os.ReadFile(output)
		j.outputs[s.ID] = map[string]string{}
		for line := range strings.Lines(string(written)) {
			name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			require.True(j.t, ok, line)
			j.outputs[s.ID][name] = value
		}
		return string(text), err
	}
	require.Fail(j.t, "no such step", name)
	return "", nil
}

const kernel = `__global__ void tall(const float *in, float *out, int n) {
    __shared__ float s[3072];
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += in[(blockIdx.x * n + i) * 64 + threadIdx.x];
    s[threadIdx.x * 48] = sum;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[(63 - threadIdx.x) * 48];
}
void run(float *a, float *b, int blocks) { tall<<<blocks, 64>>>(a, b, 64); }
`

const (
	buildStep  = "Build smux"
	lookStep   = "Look at the kernels"
	finishStep = "Say how it ended"
)

func TestScriptsDoWhatTheActionPromises(t *testing.T) {
	if testing.Short() {
		t.Skip("builds smux")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	b := newJob(t, "", nil)
	out, err := b.run(buildStep)
	require.NoError(t, err, out)
	bin := filepath.Join(b.temp, "smux")

	for _, tt := range []struct {
		name    string
		inputs  map[string]string
		files   map[string]string
		changed string
		fails   bool
		says    string
	}{
		{"something would change", nil, map[string]string{"src/a b.cu": kernel}, "true", false, ""},
		{"and the job is to fail", map[string]string{"fail-on-change": "true"}, map[string]string{"a.cu": kernel}, "true", true, "::error title=smux::smux would rewrite kernels"},
		{"nothing would", map[string]string{"fail-on-change": "true", "args": "--min-gain=900"}, map[string]string{"a.cu": kernel}, "false", false, ""},
		{"names with spaces, and one that would run something", map[string]string{"paths": "a b.cu\n$(touch ran)`touch ran`;touch ran.cu\n"},
			map[string]string{"a b.cu": kernel, "$(touch ran)`touch ran`;touch ran.cu": ""}, "", true, "could not look at everything"},
		{"an argument that would", map[string]string{"args": "--min-gain=5; touch ran"}, map[string]string{"a.cu": kernel}, "", true, "could not look at everything"},
		{"a check instead", map[string]string{"command": "check", "gpus": "", "fail-on-change": "true"}, map[string]string{"a.cu": "__global__ void k(int *a) { __shared__ int s[64]; s[threadIdx.x] = 1; a[threadIdx.x] = s[63 - threadIdx.x]; }"},
			"true", true, "::error title=smux::smux check has found something"},
		{"the findings in a folder", map[string]string{"sarif-file": "out/x y.sarif"}, map[string]string{"a.cu": kernel}, "true", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inputs := map[string]string{"gpus": "gtx480@16", "args": ""}
			for name, value := range tt.inputs {
				inputs[name] = value
			}
			check := inputs["command"] == "check"
			if !check {
				inputs["args"] += "\n--resources=estimate\n"
			}
			j := newJob(t, bin, inputs)
			for name, text := range tt.files {
				j.file(name, text)
			}
			out, err := j.run(lookStep)
			require.NoError(t, err, out)
			assert.Equal(t, tt.changed, j.outputs["rewrite"]["changed"], out)
			assert.NoFileExists(t, filepath.Join(j.workspace, "ran"))
			if j.outputs["rewrite"]["found"] == "true" {
				text, err := os.ReadFile(filepath.Join(j.workspace, j.inputs["sarif-file"]))
				require.NoError(t, err)
				assert.Contains(t, string(text), `"version": "2.1.0"`)
				assert.Equal(t, tt.changed == "true" || strings.Contains(tt.name, "spaces"), strings.Contains(string(text), `"ruleId": "chosen"`) || check && strings.Contains(string(text), `"ruleId": "race"`))
				if check {
					return
				}
				summary, err := os.ReadFile(filepath.Join(j.temp, "summary.md"))
				require.NoError(t, err)
				assert.NotEmpty(t, summary)
			}
			out, err = j.run(finishStep)
			assert.Equal(t, tt.fails, err != nil, out)
			assert.Contains(t, out, tt.says)
		})
	}
}

// TestReleasesAreFetchedWhole: the program of a release is taken if it is the file that was released; else there is none, and
// the action builds smux.
func TestReleasesAreFetchedWhole(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	arch, ok := map[string]string{"linux/amd64": "amd64", "linux/arm64": "arm64"}[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		t.Skip("no release is built for this system")
	}
	const program = "#!/bin/sh\necho fetched\n"
	name := "smux-v1.2.3-linux-" + arch
	sum := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(program)), name)
	for _, c := range []struct {
		name, version, sums, program, says string
	}{
		{"a release", "v1.2.3", "0000  smux-other\n" + sum, program, ""},
		{"a branch", "main", sum, program, "has no main/SHA256SUMS"},
		{"another file", "v1.2.3", sum, program + "#", "is not the file that was released"},
		{"a file without a checksum", "v1.2.3", "0000  smux-other\n", program, "does not name " + name},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := t.TempDir(), filepath.Join(t.TempDir(), "bin")
			require.NoError(t, os.Mkdir(filepath.Join(from, "v1.2.3"), 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(from, "v1.2.3", "SHA256SUMS"), []byte(c.sums), 0o666))
			require.NoError(t, os.WriteFile(filepath.Join(from, "v1.2.3", name), []byte(c.program), 0o666))
			fetch := exec.Command("bash", "scripts/fetch-release.sh", c.version, to)
			fetch.Dir = root
			fetch.Env = append(os.Environ(), "SMUX_RELEASES=file://"+from)
			said, err := fetch.CombinedOutput()
			if c.says != "" {
				assert.Error(t, err)
				assert.Contains(t, string(said), c.says)
				assert.NoFileExists(t, filepath.Join(to, "smux"))
				return
			}
			require.NoError(t, err, "%s", said)
			out, err := exec.Command(filepath.Join(to, "smux")).Output()
			require.NoError(t, err)
			assert.Equal(t, "fetched\n", string(out))
		})
	}
}
