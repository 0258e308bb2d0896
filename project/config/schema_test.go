package config

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

var update = flag.Bool("update", false, "renew docs/schema/config.schema.json")

func TestTheSchemaIsThatOfTheReader(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "schema", "config.schema.json")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, Schema(), 0o666))
	}
	have, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(Schema()), string(have), "go test ./project/config -update")
}

// TestSchemaAndReaderAgree holds texts against both. What the schema refuses the
// reader refuses; the reader knows more.
func TestSchemaAndReaderAgree(t *testing.T) {
	c := jsonschema.NewCompiler()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	require.NoError(t, err)
	require.NoError(t, c.AddResource(SchemaID, doc))
	schema, err := c.Compile(SchemaID)
	require.NoError(t, err, "the schema is valid itself")
	validate := func(text string) error {
		var value any
		require.NoError(t, yaml.Unmarshal([]byte(text), &value), text)
		return schema.Validate(value)
	}
	for _, text := range []string{
		"", "# nothing", "{}", "gpus: a100", "gpus: [a100, 8.6]", "gpus: 8.6", "min-gain: 2.5", "min-gain: 0", "resources: nvcc", "runtime: header",
		"block: 256", "block: 16,16", "rewrites: vtb", "rewrites: [vtb, co-vtb]", "exclude: []", "exclude: ['*.cuh', '!a.cuh']", "include: [a, b]",
		"define: [A, B=1]", "compile-commands: build", "baseline: {}", "baseline: {file: a.json, threshold: 3}", "kernels: {}",
		"kernels: {'f*': {pin: vtb named N=2}, g: {leave: x}, h: {rewrites: vtb, min-gain: 3}}",
	} {
		assert.NoError(t, validate(text), text)
		_, err := Read(Name, []byte(text), nil)
		assert.NoError(t, err, text)
	}
	for _, text := range []string{
		"- a", "x", "gpu: a100", "gpus: []", "gpus: {a: b}", "gpus: [[a]]", "gpus: ''", "gpus: true", "gpus: ", "min-gain: '5'", "min-gain: 5%", "min-gain: -1", "min-gain: 1001",
		"resources: nvc", "resources: [nvcc]", "runtime: 1", "block: 1,2,3,4", "block: x", "rewrites: vbt", "rewrites: []", "rewrites: [vtb, 3]", "exclude: '#x'", "define: 3=4",
		"include: [{}]", "compile-commands: [a]", "baseline: a", "baseline: {fiel: a}", "baseline: {threshold: x}", "kernels: [a]", "kernels: {a: }", "kernels: {a: {}}",
		"kernels: {a: {gpus: t4}}", "kernels: {a: {block: 32, threads: 1}}", "kernels: {a: {shared: much}}", "kernels: {a: {pin: vtb, leave: x}}", "kernels: {a: {pin: vtb, min-gain: 3}}", "kernels: {a: {rewrites: []}}", "kernels: {'': {pin: vtb}}",
	} {
		assert.Error(t, validate(text), text)
		_, err := Read(Name, []byte(text), nil)
		assert.Error(t, err, text)
	}
}

// TestEveryKeyIsOfAKnownKind: a key whose value nobody reads would be a panic.
func TestEveryKeyIsOfAKnownKind(t *testing.T) {
	for _, k := range keys {
		assert.NotEmpty(t, k.doc, k.name)
		assert.NotEmpty(t, property(k), k.name)
	}
	for _, name := range names(keys) {
		_, err := Read(Name, []byte(name+": {}"), nil)
		if err != nil {
			assert.NotContains(t, err.Error(), "unknown key", name)
		}
	}
	assert.Contains(t, Keys(), "baseline.file")
	assert.NotContains(t, Keys(), "baseline")
}
