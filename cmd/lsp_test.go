//go:build unix

package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/editor"
	"github.com/smux-cuda/smux/verify/build"
)

// editSession is a session of an editor with smux lsp in a process of its own.
type editSession struct {
	*editor.Client
	t      testing.TB
	dir    string
	server *exec.Cmd
	log    bytes.Buffer
}

// serverPipes are the standard input and output of a process.
type serverPipes struct {
	io.Reader
	io.WriteCloser
}

// beginEditing begins a session in a folder with these files.
func beginEditing(t testing.TB, files map[string]string, args ...string) *editSession {
	t.Helper()
	e := &editSession{t: t, dir: t.TempDir()}
	for name, text := range files {
		path := filepath.Join(e.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	self, err := os.Executable() // it is smux where it is called so; see TestMain
	require.NoError(t, err)
	smux := filepath.Join(t.TempDir(), "smux")
	require.NoError(t, os.Symlink(self, smux))
	e.server = exec.Command(smux, append([]string{"lsp"}, args...)...)
	e.server.Stderr = &e.log
	in, err := e.server.StdinPipe()
	require.NoError(t, err)
	out, err := e.server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, e.server.Start())
	t.Cleanup(func() { _ = e.server.Process.Kill() })
	e.Client = editor.New(context.Background(), serverPipes{out, in})
	require.NoError(t, e.Initialize(context.Background(), nil))
	return e
}

// uri is the address of a file.
func (e *editSession) uri(name string) string { return "file://" + filepath.Join(e.dir, name) }

// open opens a file, with a text that need not be the one on disk.
func (e *editSession) open(name, text string) {
	require.NoError(e.t, e.Open(context.Background(), e.uri(name), text))
}

// diagnostics waits for those of a file that are as wanted.
func (e *editSession) diagnostics(name string, wanted func(editor.Published) bool) editor.Published {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p, err := e.Diagnostics(ctx, e.uri(name), wanted)
	require.NoError(e.t, err, "%s\n%s", e.Transcript(), e.log.String())
	return p
}

// coded waits for a diagnostic with a code.
func (e *editSession) coded(name, code string) (out editor.Diagnostic) {
	e.t.Helper()
	e.diagnostics(name, func(p editor.Published) bool {
		for _, d := range p.Diagnostics {
			if d.Code == code {
				out = d
				return true
			}
		}
		return false
	})
	return out
}

// ask asks about a place.
func (e *editSession) ask(method, name string, line, character int, answer any) {
	e.t.Helper()
	at := map[string]int{"line": line, "character": character}
	require.NoError(e.t, e.Call(context.Background(), "textDocument/"+method, map[string]any{
		"textDocument": map[string]any{"uri": e.uri(name)}, "position": at, "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}},
	}, answer), e.log.String())
}

// lenses returns the titles of the lenses of a file.
func (e *editSession) lenses(name string) (out []string) {
	var lenses []struct{ Command struct{ Title string } }
	e.ask("codeLens", name, 0, 0, &lenses)
	for _, l := range lenses {
		out = append(out, l.Command.Title)
	}
	return out
}

// leave ends the session.
func (e *editSession) leave() {
	require.NoError(e.t, e.Exit(context.Background()))
	assert.NoError(e.t, e.server.Wait(), e.log.String())
}

// sharing is a kernel that shared memory limits, and that smux rewrites.
const sharing = `__global__ void sums(const float *in, float *out, int tiles) {
    __shared__ float tile[4096];
    float sum = 0;
    for (int i = threadIdx.x; i < 4096; i += 64) tile[i] = in[blockIdx.x * 4096 + i];
    __syncthreads();
    for (int t = 0; t < tiles; ++t)
        for (int i = 0; i < 64; ++i) sum += tile[i * 64 + (t ^ threadIdx.x) % 64];
    __syncthreads();
    for (int i = 0; i < 400; ++i) sum += in[(blockIdx.x * 97 + i * 64 + threadIdx.x) % (tiles * 64)];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
void run(const float *in, float *out, int n, int tiles) {
    sums<<<n, 64>>>(in, out, tiles);
}
`

// TestASessionOfAnEditor records a session: open, diagnostics, lens, hover, a rewrite, and undo.
func TestASessionOfAnEditor(t *testing.T) {
	text := "// Wärmebild 𝄞\r\n" + strings.ReplaceAll(sharing, "\n", "\r\n")
	e := beginEditing(t, map[string]string{"k.cu": text}, "--gpu", "t4")
	e.open("k.cu", text)
	chosen := e.coded("k.cu", "chosen")
	name := editor.Range{Start: editor.Position{Line: 1, Character: 16}, End: editor.Position{Line: 1, Character: 20}}
	assert.Equal(t, name, chosen.Range)
	require.Len(t, e.lenses("k.cu"), 1)
	var hover struct{ Contents struct{ Value string } }
	e.ask("hover", "k.cu", 13, 5, &hover) // at the launch
	assert.Contains(t, hover.Contents.Value, "| t4 | 64 | 4 of 16 |")
	var actions []editor.Action
	e.ask("codeAction", "k.cu", 3, 0, &actions)
	require.Len(t, actions, 1)
	assert.Regexp(t, `^Rewrite sums as .*: predicted [0-9.]+x, (proved|not proved)`, actions[0].Title)
	changes := actions[0].Edit.DocumentChanges
	require.Len(t, changes, 1)
	require.Equal(t, 1, *changes[0].TextDocument.Version)
	after, undo := editor.Apply(text, changes[0].Edits)
	ctx := context.Background()
	require.NoError(t, e.Change(ctx, e.uri("k.cu"), 2, after))
	e.diagnostics("k.cu", func(p editor.Published) bool { return *p.Version == 2 })
	assert.NotContains(t, strings.ReplaceAll(after, "\r\n", ""), "\n", "lines end as before")
	back, _ := editor.Apply(after, undo)
	assert.Equal(t, text, back)
	require.NoError(t, e.Change(ctx, e.uri("k.cu"), 3, back))
	p := e.diagnostics("k.cu", func(p editor.Published) bool { return *p.Version == 3 && len(p.Diagnostics) > 1 })
	assert.Equal(t, name, p.Diagnostics[0].Range)
	disk, err := os.ReadFile(filepath.Join(e.dir, "k.cu"))
	require.NoError(t, err)
	assert.Equal(t, text, string(disk), "it is the editor that writes")
	e.leave()
	const golden = "testdata/lsp/session.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, transcriptOf(e), 0o666))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(transcriptOf(e)))

	// The action makes the text that smux rewrite makes.
	var out bytes.Buffer
	args := []string{"rewrite", "--runtime", "inline", "--resources", "estimate", "--gpu", "t4", filepath.Join(e.dir, "k.cu")}
	require.Equal(t, 0, newSession(strings.NewReader(""), &out, io.Discard).main(args))
	assert.Equal(t, after, out.String())
}

// transcriptOf returns a transcript without what differs from one machine, or one run, to the next.
func transcriptOf(e *editSession) []byte {
	var out strings.Builder
	told := false
	for line := range strings.Lines(strings.ReplaceAll(e.Transcript(), e.dir, "")) {
		publishes := strings.HasPrefix(line, "<- textDocument/publishDiagnostics")
		if publishes && told || strings.Contains(line, " workspace/codeLens/refresh ") { // how many follow depends on the time
			continue
		}
		told = publishes
		line = regexp.MustCompile(`"version":"[^"]*"`).ReplaceAllString(line, `"version":"…"`)
		if len(line) > 400 {
			line = line[:400] + "…\n"
		}
		out.WriteString(strings.ToValidUTF8(line, ""))
	}
	return []byte(out.String())
}

func TestAnEditorsTextCountsAndNotTheOneOnDisk(t *testing.T) {
	kernel := strings.ReplaceAll(hookKernel, "[64]", "[WIDTH]")
	e := beginEditing(t, map[string]string{
		".git/HEAD": "", "src/k.cu": "broken", "src/width.h": "#define WIDTH 64\n", "src/main.cu": "#include \"width.h\"\n__global__ void sums(const float *, float *, int);\n" + hookLaunch,
		"build/compile_commands.json": `[{"directory": "..", "file": "src/k.cu", "command": "nvcc -DKERNEL src/k.cu"}]`,
		"empty.cu":                    "int x;\n",
	}, "--gpu", "t4")
	e.open("src/k.cu", "#include \"width.h\"\n#ifdef KERNEL\n"+kernel+"#endif\n")
	e.diagnostics("src/k.cu", func(p editor.Published) bool { // the launch is in another file, the macro in the database
		return len(p.Diagnostics) > 0 && strings.Contains(fmt.Sprint(p.Diagnostics), "no-gain") || strings.Contains(fmt.Sprint(e.lenses("src/k.cu")), " of 16 thread blocks")
	})
	assert.Equal(t, []string{"16 of 16 thread blocks: full"}, e.lenses("src/k.cu"))
	e.open("src/width.h", "#define WIDTH 4096\n") // unsaved
	require.NoError(t, e.Change(context.Background(), e.uri("src/k.cu"), 2, "#include \"width.h\"\n#ifdef KERNEL\n"+kernel+"#endif\n\n"))
	assert.Equal(t, []string{"4 of 16 thread blocks: shared memory"}, e.lenses("src/k.cu"))

	e.open("empty.cu", "int x;\n")
	assert.Empty(t, e.lenses("empty.cu"), "it has no kernel")
	require.NoError(t, e.Change(context.Background(), e.uri("empty.cu"), 2, "__global__ void k( {\n"+strings.Repeat("}", 3)))
	var hover any
	e.ask("hover", "empty.cu", 0, 17, &hover) // nothing to parse, and no defect
	require.NoError(t, e.Change(context.Background(), e.uri("empty.cu"), 3, "\x00"))
	e.diagnostics("empty.cu", func(p editor.Published) bool { return len(p.Diagnostics) == 1 && p.Diagnostics[0].Severity == 1 })
	e.leave()
}

func TestASavedProgramIsRun(t *testing.T) {
	if _, err := build.Find(""); err != nil {
		t.Skip("there is no C++ compiler")
	}
	text := "__global__ void same(int *a) { a[0] = threadIdx.x; }\nint main() { int *a; cudaMalloc(&a, 4); same<<<1, 64>>>(a); cudaDeviceSynchronize(); return 0; }\n"
	e := beginEditing(t, map[string]string{"k.cu": text}, "--gpu", "t4")
	e.open("k.cu", text)
	require.NoError(t, e.Notify(context.Background(), "textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": e.uri("k.cu")}}))
	race := e.coded("k.cu", "race")
	assert.Equal(t, editor.Position{Line: 0, Character: 36}, race.Range.Start)
	assert.Equal(t, 1, race.Severity)
	e.leave()
}

// TestTheExtensionStartsTheServer runs the extension for VS Code in node, with stand-ins for the editor and its client.
func TestTheExtensionStartsTheServer(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	modules := t.TempDir()
	for name, text := range map[string]string{
		"vscode.js":                     `exports.workspace = { getConfiguration: () => ({ get: (name) => defaults['smux.' + name].default }), createFileSystemWatcher: (glob) => glob };`,
		"vscode-languageclient/node.js": `exports.LanguageClient = class { constructor(...a) { this.a = a; } start() { console.log(JSON.stringify(this.a)); } stop() {} };`,
	} {
		path := filepath.Join(modules, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	c := exec.Command(node, "-e", `const { main, contributes } = require('./package.json'); global.defaults = contributes.configuration.properties;
const extension = require(main); extension.activate(); extension.deactivate();`)
	c.Dir, c.Env = "../editors/vscode", append(os.Environ(), "NODE_PATH="+modules)
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.JSONEq(t, `["smux", "smux", {"command": "smux", "args": ["lsp"]}, {
		"documentSelector": [{"scheme": "file", "language": "cuda-cpp"}, {"scheme": "file", "language": "cuda"}],
		"synchronize": {"fileEvents": "**/{.smux.yaml,compile_commands.json}"}, "initializationOptions": {"check": true}}]`, string(out))
}

// BenchmarkEditing prints the time that an editor waits for the lenses of a file of 2,000 lines, beside the time of smux
// analyze.
func BenchmarkEditing(b *testing.B) {
	var text strings.Builder
	names, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(b, err)
	for i := 0; strings.Count(text.String(), "\n") < 2000; i++ {
		src, err := os.ReadFile(names[i%len(names)])
		require.NoError(b, err)
		fmt.Fprintf(&text, "namespace n%d {\n%s\n}\n", i, src)
	}
	e := beginEditing(b, map[string]string{"k.cu": text.String()}, "--gpu", "t4,a100")
	e.open("k.cu", text.String())
	require.NotEmpty(b, e.lenses("k.cu"))
	version := 1
	for b.Loop() {
		version++
		require.NoError(b, e.Change(context.Background(), e.uri("k.cu"), version, text.String()+strings.Repeat("\n", version)))
		require.NotEmpty(b, e.lenses("k.cu"))
	}
	b.StopTimer()
	begun := time.Now()
	code := newSession(strings.NewReader(""), io.Discard, io.Discard).main([]string{"analyze", "--gpu", "t4,a100", "--resources", "estimate", filepath.Join(e.dir, "k.cu")})
	assert.Equal(b, 0, code)
	b.ReportMetric(time.Since(begun).Seconds(), "s/analyze")
	e.leave()
}
