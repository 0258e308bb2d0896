package foreign

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

// shape holds what the schema says of a value, in our own words: see the package's comment
// for where it is from.
type shape struct {
	kind     string // "object", "array", "string", "number"; "any" for a number, a string or an array
	fields   map[string]shape
	required []string
	items    *shape
	oneOf    []any
	pattern  string
}

var (
	t4Text = shape{kind: "string"}
	number = shape{kind: "number"}
	list   = func(of shape) shape { return shape{kind: "array", items: &of} }

	result = shape{kind: "object", required: []string{"configuration", "times", "invalidity", "correctness"}, fields: map[string]shape{
		"timestamp":     t4Text,
		"configuration": {kind: "object"},
		"objectives":    list(t4Text),
		"times": {kind: "object", fields: map[string]shape{
			"compilation_time": number, "runtimes": list(number), "framework": number, "search_algorithm": number, "validation": number,
			"data": number, "kernel_overhead": number, "profiling_runs": number, "profiling_overhead": number,
		}},
		"invalidity":   {kind: "string", oneOf: []any{"timeout", "compile", "runtime", "correctness", "constraints", "correct"}},
		"correctness":  {kind: "number", oneOf: []any{0.0, 1.0}},
		"measurements": list(shape{kind: "object", fields: map[string]shape{"name": t4Text, "value": {kind: "any"}, "unit": t4Text}}),
	}}
	document = shape{kind: "object", fields: map[string]shape{
		"schema_version": {kind: "string", pattern: `^[0-9]{1,}\.[0-9]{1,}\.[0-9]{1,}$`},
		"metadata": {kind: "object", fields: map[string]shape{
			"compute_api": {kind: "string", oneOf: []any{"OpenCL", "CUDA", "Vulkan"}}, "platform": t4Text, "device": t4Text,
			"autotuner": t4Text, "autotuner_version": t4Text, "timestamp": t4Text,
			"timeunit": {kind: "string", oneOf: []any{"nanoseconds", "microseconds", "milliseconds", "seconds"}},
		}},
		"results": list(result),
	}}
)

// breaches are the places where a value is not of a shape.
func (s shape) breaches(at string, v any) []string {
	kind := map[reflect.Kind]string{reflect.Map: "object", reflect.Slice: "array", reflect.String: "string", reflect.Float64: "number"}[reflect.ValueOf(v).Kind()]
	if kind != s.kind && (s.kind != "any" || kind == "object" || kind == "") {
		return []string{fmt.Sprintf("%s is %q", at, kind)}
	}
	var out []string
	if s.oneOf != nil && !slices.Contains(s.oneOf, v) {
		out = append(out, fmt.Sprintf("%s is %v", at, v))
	}
	if s.pattern != "" && !regexp.MustCompile(s.pattern).MatchString(v.(string)) {
		out = append(out, fmt.Sprintf("%s is %v", at, v))
	}
	for _, name := range s.required {
		if _, there := v.(map[string]any)[name]; !there {
			out = append(out, at+" has no "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.fields)) {
		if field, there := v.(map[string]any)[name]; there {
			out = append(out, s.fields[name].breaches(at+"."+name, field)...)
		}
	}
	if s.items != nil {
		for i, item := range v.([]any) {
			out = append(out, s.items.breaches(fmt.Sprintf("%s[%d]", at, i), item)...)
		}
	}
	return out
}

func decoded(t *testing.T, d Document) any {
	src, err := d.Encode()
	require.NoError(t, err)
	assert.NotContains(t, string(src), `\u00`, "for people")
	var out any
	require.NoError(t, json.Unmarshal(src, &out))
	return out
}

func recorded(t *testing.T) []record.Line {
	src, err := os.ReadFile("../record/testdata/schema2.jsonl")
	require.NoError(t, err)
	text, err := record.Parse("schema2.jsonl", src)
	require.NoError(t, err)
	for _, l := range text.Lines {
		if l.Pair != nil && l.Pair.Turn == 0 && l.Pair.Phase == record.Search {
			l.Pair.Prepare = 1.5
		}
	}
	return text.Lines
}

func TestARecordIsExportedAsTheSchemaHasIt(t *testing.T) {
	out := ExportT4(recorded(t))
	require.Len(t, out, 1)
	assert.Empty(t, document.breaches("document", decoded(t, out[0])))
	require.Len(t, out[0].Results, 2, "the original was begun and not measured")
	assert.Equal(t, "NVIDIA A100-SXM4-40GB", out[0].Metadata.Device)
	assert.Equal(t, "2026-11-22T14:00:00.123456789Z", out[0].Metadata.Timestamp)

	good, failed := out[0].Results[0], out[0].Results[1]
	assert.Equal(t, "vtb", good.Configuration["variant"])
	assert.Equal(t, 100, good.Configuration["carveout"])
	assert.Equal(t, []float64{0.9, 0.1, 2}, good.Times.Runtimes)
	assert.Equal(t, 1500.0, *good.Times.Compilation)
	assert.Equal(t, 3750.0, *good.Times.Runs)
	assert.Equal(t, Correct, good.Invalidity)
	assert.Equal(t, 1, good.Correctness)
	assert.Equal(t, "2026-11-22T14:00:05.123456789Z", good.Timestamp)
	assert.Contains(t, good.Measurements, Measurement{objective, 0.9, "ms"})
	assert.Contains(t, good.Measurements, Measurement{"original_time", 1.09375, "ms"}, "not what was measured against another form")
	assert.Contains(t, good.Measurements, Measurement{"shared_memory", 8192.0, "B"})
	assert.Equal(t, []string{objective}, good.Objectives)

	assert.Equal(t, Constraints, failed.Invalidity)
	assert.Equal(t, 0, failed.Correctness)
	assert.Equal(t, []float64{}, failed.Times.Runtimes, "a list and not null")
	assert.Nil(t, failed.Times.Compilation)
	assert.Contains(t, failed.Measurements, Measurement{"failure_text", "a barrier stands in a branch", ""})
}

func TestTheCheckerSeesWhatIsNotOfTheShape(t *testing.T) {
	for want, change := range map[string]func(d map[string]any){
		`document.metadata.timeunit is ms`:        func(d map[string]any) { d["metadata"].(map[string]any)["timeunit"] = "ms" },
		`document.schema_version is 1`:            func(d map[string]any) { d["schema_version"] = "1" },
		`document.results[0] has no times`:        func(d map[string]any) { delete(d["results"].([]any)[0].(map[string]any), "times") },
		`document.results[1].invalidity is crash`: func(d map[string]any) { d["results"].([]any)[1].(map[string]any)["invalidity"] = "crash" },
		`document.results[1].objectives is ""`:    func(d map[string]any) { d["results"].([]any)[1].(map[string]any)["objectives"] = nil },
		`document.results[1].correctness is 0.5`:  func(d map[string]any) { d["results"].([]any)[1].(map[string]any)["correctness"] = 0.5 },
		`document.results is "object"`:            func(d map[string]any) { d["results"] = map[string]any{} },
		`document.results[0].measurements[0].value`: func(d map[string]any) {
			d["results"].([]any)[0].(map[string]any)["measurements"].([]any)[0].(map[string]any)["value"] = nil
		},
	} {
		d := decoded(t, ExportT4(recorded(t))[0]).(map[string]any)
		change(d)
		got := document.breaches("document", d)
		require.Len(t, got, 1, want)
		assert.Contains(t, got[0], want)
	}
}

func TestEachFailureHasAWord(t *testing.T) {
	for _, k := range []record.FailureKind{record.FailedRewrite, record.FailedCompile, record.FailedResources, record.FailedRun, record.FailedCrash,
		record.FailedTimeout, record.FailedOutput, record.FailedUntimed, record.FailedUnsteady} {
		assert.Contains(t, reasons, k)
		assert.Contains(t, result.fields["invalidity"].oneOf, string(reasonOf(&record.Failure{Kind: k})))
		assert.NotEqual(t, Correct, reasonOf(&record.Failure{Kind: k}))
	}
	assert.Equal(t, Runtime, reasonOf(&record.Failure{Kind: "of a newer smux"}))
	assert.Equal(t, Correct, reasonOf(nil))
}

// Two candidates are never told apart by smux and not by the export.
func TestEveryKnobIsInTheConfiguration(t *testing.T) {
	seen := map[string]bool{}
	before := configuration(&record.MeasuredVariant{})
	for _, at := range knobs(reflect.TypeFor[record.TunedVariant](), nil) {
		var c record.TunedVariant
		switch v := reflect.ValueOf(&c).Elem().FieldByIndex(at); v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Bool:
			v.SetBool(true)
		default:
			v.SetInt(7)
		}
		after := configuration(&record.MeasuredVariant{Candidate: c})
		for name := range after {
			if after[name] != before[name] {
				assert.False(t, seen[name], name)
				seen[name] = true
			}
		}
	}
	assert.Len(t, seen, len(before))
	assert.Equal(t, len(knobs(reflect.TypeFor[record.TunedVariant](), nil)), len(seen))
}

// knobs are the fields of a struct, those of embedded ones among them.
func knobs(of reflect.Type, at []int) [][]int {
	var out [][]int
	for i := range of.NumField() {
		here := append(slices.Clone(at), i)
		if f := of.Field(i); f.Type.Kind() == reflect.Struct {
			out = append(out, knobs(f.Type, here)...)
		} else {
			out = append(out, here)
		}
	}
	return out
}

func TestSubjectsHaveDocumentsOfTheirOwn(t *testing.T) {
	line := func(gpu string, factor int) record.Line {
		v := record.MeasuredVariant{Subject: record.Subject{Kernel: "k", Machine: record.Machine{On: "cpu", GPU: gpu}}, Candidate: record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Factor: factor}}}
		return record.Line{Key: v.Key(), Time: time.Unix(0, 0), Variant: &v}
	}
	failure := func(l record.Line, kind record.FailureKind) record.Line {
		return record.Line{Key: l.Key, Time: time.Unix(1, 0), Failure: &record.Failure{Kind: kind}}
	}
	a, b, c := line("a100", 2), line("h100", 2), line("a100", 4)
	out := ExportT4([]record.Line{a, b, a, c, failure(b, "run"), failure(c, "timeout"), failure(a, "output"), {Key: "nobody's", Failure: &record.Failure{Kind: "run"}}})
	require.Len(t, out, 2)
	assert.Equal(t, "a100", out[0].Metadata.Device)
	require.Len(t, out[0].Results, 2)
	assert.Equal(t, Correctness, out[0].Results[0].Invalidity)
	assert.Equal(t, Timeout, out[0].Results[1].Invalidity)
	require.Len(t, out[1].Results, 1)
	for _, d := range out {
		assert.Empty(t, document.breaches("document", decoded(t, d)))
	}
	assert.Empty(t, ExportT4(nil))
}
