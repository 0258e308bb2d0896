package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/acc/space"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/doctor"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/report/residency"
	"github.com/smux-cuda/smux/report/simulation"
	"github.com/smux-cuda/smux/rewrite/regreduce"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/modelcheck"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/stress"
	"github.com/smux-cuda/smux/validate"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
)

// document is a form of JSON that smux prints or keeps, and others may read.
type document struct {
	name   string // of the schema
	title  string
	value  any
	schema int // the version
}

// versionMember names the member in which the document says its version. A baseline lies among the files
// of a project, and says there what it is.
func (d document) versionMember() string {
	if d.name == "baseline" {
		return "smux-baseline"
	}
	return "schema"
}

func (d document) file() string { return d.name + ".schema.json" }

// described are those with a version.
var described = []document{
	{"analyze", "What smux analyze --json prints", report.Report{}, summary.ReportSchema},
	{"rewrite", "What smux rewrite -d --format json prints", report.Changes{}, report.ChangesSchema},
	{"baseline", "What smux baseline write keeps in .smux-baseline.json", baseline.File{}, baseline.Schema},
	{"settings", "What smux config --json prints", config.Report{}, config.ReportSchema},
	{"occupancy", "What smux occupancy --json prints", residency.Report{}, residency.Schema},
	{"occupancy-summary", "What smux occupancy --summary --json prints", residency.Summary{}, residency.Schema},
	{"occupancy-stress", "What smux occupancy --stress --json prints", stress.Report{}, stress.ReportSchema},
	{"stress-record", "A line of what smux occupancy --stress --record keeps", stress.Row{}, stress.Schema},
	{"acc", "What smux acc --report --json prints", space.Report{}, space.Schema},
	{"simulate", "What smux simulate --json prints", simulation.Report{}, simulation.Schema},
	{"verify", "What smux verify --json and smux check --json print", verify.Verdict{}, verify.Schema},
	{"verify-tree", "What smux verify --json and smux check --json print of folders", judgedTree{}, treeSchema},
	{"validate", "What smux validate --json prints", validate.Result{}, validate.Schema},
	{"certificate", "What smux rewrite --certificate and smux validate --new-certificate write", validate.Certificate{}, validate.Schema},
	{"tune", "What smux tune --json prints", judge.Report{}, judge.Schema},
	{"tune-report", "What smux tune --report --json prints", fidelity.Report{}, fidelity.Schema},
	{"model-check", "What smux model check --json prints", modelcheck.Report{}, modelcheck.Schema},
	{"tune-record", "A line of what smux tune --store keeps", record.Line{}, record.Schema},
	{"doctor", "What smux doctor --json prints", doctor.Diagnosis{}, doctor.Schema},
	{"version", "What smux version --json prints", doctor.Build{}, doctor.BuildSchema},
	{"demote-attempts", "A line of what smux rewrite --attempts writes", pipeline.Attempt{}, regreduce.Schema},
}

// TestSchemasAreThoseOfTheTypes holds docs/schema/ to the types. With -update the
// files are written.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	t.Chdir("..")
	comments := readComments(t, ".")
	for _, d := range described {
		name := filepath.Join("docs", "schema", d.file())
		want := schemaOf(t, d, comments, false)
		if f := flag.Lookup("update"); f.Value.String() == "true" {
			require.NoError(t, os.WriteFile(name, want, 0o666))
			continue
		}
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s is out of date: go test ./cmd -run Schemas -update", name)
	}
}

// TestSchemasAreListed holds the page about the documents to the schemas.
func TestSchemasAreListed(t *testing.T) {
	text, err := os.ReadFile("../docs/schema/README.md")
	require.NoError(t, err)
	for _, d := range described {
		assert.Contains(t, string(text), fmt.Sprintf("| [%s](%s) | %d |", d.name, d.file(), d.schema))
	}
}

// TestDocumentsOfTheBuildHaveSchemas holds the schemas to what smux version lists.
func TestDocumentsOfTheBuildHaveSchemas(t *testing.T) {
	assert.Len(t, thisBuild().Schemas, len(documents), "each document has a name of its own")
	for _, d := range documents {
		at := slices.IndexFunc(described, func(o document) bool { return o.name == d.Name })
		if assert.GreaterOrEqual(t, at, 0, "%s has no schema", d.Name) {
			assert.Equal(t, d.Schema, described[at].schema, d.Name)
		}
	}
}

// compileSchema makes a validator of a schema.
func compileSchema(t *testing.T, text []byte) *validator.Schema {
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := validator.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("this.json", doc))
	s, err := c.Compile("this.json")
	require.NoError(t, err)
	return s
}

// outputs are commands and which document they print.
var outputs = []struct{ schema, command string }{
	{"analyze", "analyze --json --gpu gtx480@16,a100 --resources estimate examples/fft/fft.cu examples/cv/cv.cu examples/hg/hg.cu examples/sto/sto.cu"},
	{"analyze", "analyze --json --gpu a100 --resources estimate testdata/readme/race.cu"},
	{"rewrite", "rewrite -d --format json --gpu gtx480@16,a100 --resources estimate examples/fft/fft.cu examples/cv/cv.cu examples/hg/hg.cu"},
	{"rewrite", "rewrite -d --format json --variant vtb --resources estimate --gpu a100 examples/sto/sto.cu testdata/readme/race.cu"},
	{"rewrite", "rewrite -d --format json --gpu gtx480@16 --resources estimate testdata/directives/kernels.cu"},
	{"settings", "config --json --gpu t4"},
	{"occupancy", "occupancy --json --gpu gtx480@16,h100 --resources estimate examples/fft/fft.cu examples/hg/hg.cu"},
	{"occupancy", "occupancy --json --gpu a100 --threads 256 --regs 40 --smem 20k"},
	{"occupancy-summary", "occupancy --summary --json --gpu a100 --resources estimate examples/fft/fft.cu examples/mm/mm.cu"},
	{"occupancy-stress", "occupancy --stress --json --replay testdata/stress/flux.jsonl"},
	{"acc", "acc --report --json --gpu a100,gtx285 examples/acc/steps.c"},
	{"acc", "acc --report --json --gpu a100 examples/acc/escape.c"},
	{"simulate", "simulate --json --gpu a100 --resources estimate testdata/tutorial/frame.cu"},
	{"verify", "check --json --order ascending testdata/readme/race.cu"},
	{"verify-tree", "check --json --order ascending testdata/readme"},
	{"validate", "validate --json examples/rd/rd.cu examples/rd/rd.cu"},
	{"verify", "verify --json --order ascending examples/rd/rd.cu"},
	{"tune", "tune --json --replay testdata/tutorial/frame.jsonl --gpu k40 --resources estimate testdata/tutorial/frame.cu"},
	{"doctor", "doctor --json"},
	{"version", "version --json"},
	{"tune-report", "tune --json --report testdata/tutorial/frame.jsonl"},
	{"model-check", "model check --json --block BLOCK --source testdata/judged/window.cu testdata/judged/window.jsonl"},
}

// TestOutputsAreValid validates what commands print by the published schema, and
// by a strict one, which holds the schema to all that is printed.
func TestOutputsAreValid(t *testing.T) {
	t.Chdir("..")
	prepareRuntime()
	comments := readComments(t, ".")
	for _, o := range outputs {
		out := documentOutput(t, strings.Fields(o.command))
		if out == nil {
			continue // nothing can be run here
		}
		holds(t, o.schema, o.command, out, comments)
	}
	for file, schema := range map[string]string{"testdata/tutorial/frame.jsonl": "tune-record", "testdata/stress/flux.jsonl": "stress-record"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range bytes.Lines(text) {
			holds(t, schema, file, line, comments)
		}
	}
}

// TestWrittenFilesAreValid does so for what commands write to files.
func TestWrittenFilesAreValid(t *testing.T) {
	t.Chdir("..")
	dir, comments := t.TempDir(), readComments(t, ".")
	file := func(schema, name string, command ...string) {
		var messages bytes.Buffer
		s := newSession(strings.NewReader(""), io.Discard, &messages)
		require.LessOrEqual(t, s.main(command), diag.ExitDiffers, "%s", messages.String())
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		holds(t, schema, name, text, comments)
	}
	recorded := filepath.Join(dir, "baseline.json")
	file("baseline", recorded, "baseline", "write", "-o", recorded, "--gpu", "a100,gtx480@16", "--resources", "estimate", "examples", "testdata/readme")
	proof := filepath.Join(dir, "proof.json")
	file("certificate", proof, "validate", "--new-certificate", proof, "examples/rd/rd.cu", "examples/rd/rd.cu")
	if _, err := nvcc.Find(); err != nil {
		t.Skip("no nvcc here: nothing is attempted")
	}
	attempts := filepath.Join(dir, "attempts.jsonl")
	file("demote-attempts", attempts, "rewrite", "-l", "-q", "--variant", "demote", "--rungs", "cap", "--gpu", "a100", "--attempts", attempts, "examples/registers/nlm/nlm.cu")
}

// validators are those of a document, the published one and the strict one.
var validators = map[string][2]*validator.Schema{}

func holds(t *testing.T, schema, what string, text []byte, comments goComments) {
	t.Helper()
	both, ok := validators[schema]
	if !ok {
		for _, d := range described {
			if d.name == schema {
				published, err := os.ReadFile(filepath.Join("docs", "schema", d.file()))
				require.NoError(t, err)
				both = [2]*validator.Schema{compileSchema(t, published), compileSchema(t, schemaOf(t, d, comments, true))}
			}
		}
		validators[schema] = both
	}
	value, err := validator.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err, "%s prints no JSON", what)
	assert.NoError(t, both[0].Validate(value), "%s: by the published schema", what)
	assert.NoError(t, both[1].Validate(value), "%s: by the strict schema", what)
}

// TestWrongDocumentsAreNotValid breaks a document in ways that a reader would
// stumble on.
func TestWrongDocumentsAreNotValid(t *testing.T) {
	t.Chdir("..")
	text, err := os.ReadFile("docs/schema/occupancy.schema.json")
	require.NoError(t, err)
	schema := compileSchema(t, text)
	out := documentOutput(t, strings.Fields("occupancy --json --gpu a100 --threads 256 --regs 40 --smem 8k"))
	fresh := func() map[string]any {
		var v map[string]any
		require.NoError(t, json.Unmarshal(out, &v))
		return v
	}
	row := func(v map[string]any) map[string]any {
		return v["kernels"].([]any)[0].(map[string]any)["rows"].([]any)[0].(map[string]any)
	}
	require.NoError(t, schema.Validate(fresh()))
	for name, spoil := range map[string]func(v map[string]any){
		"another version":           func(v map[string]any) { v["schema"] = 99.0 },
		"no version":                func(v map[string]any) { delete(v, "schema") },
		"a list that is null":       func(v map[string]any) { v["kernels"] = nil },
		"a number that is text":     func(v map[string]any) { row(v)["demand"].(map[string]any)["threads"] = "256" },
		"no demand":                 func(v map[string]any) { delete(row(v), "demand") },
		"a resource of no GPU":      func(v map[string]any) { row(v)["result"].(map[string]any)["limiters"] = []any{"patience"} },
		"a limit by an unknown one": func(v map[string]any) { row(v)["result"].(map[string]any)["byLimit"] = map[string]any{"luck": 1.0} },
	} {
		v := fresh()
		spoil(v)
		assert.Error(t, schema.Validate(v), name)
	}
	more := fresh()
	more["added"] = true
	assert.NoError(t, schema.Validate(more), "members may be added within a version")
}

// documentOutput runs a command and returns what it prints, nil where it needs a
// compiler that is not here.
func documentOutput(t *testing.T, args []string) []byte {
	if _, err := build.Find(""); err != nil && (args[0] == "check" || args[0] == "verify") {
		return nil
	}
	var out, messages bytes.Buffer
	s := newSession(strings.NewReader(""), &out, &messages)
	s.findNVCC = noNVCC
	assert.LessOrEqual(t, s.main(args), diag.ExitDiffers, "smux %s: %s", strings.Join(args, " "), messages.String())
	return out.Bytes()
}
