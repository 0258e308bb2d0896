package config

import (
	"bytes"
	"encoding/json"
)

// SchemaID is the address of the schema.
const SchemaID = "https://raw.githubusercontent.com/smux-cuda/smux/main/docs/schema/config.schema.json"

// Schema returns the JSON schema of a file of settings, for editors that complete
// and check YAML by one. It is made from the keys that Read knows. What it accepts
// may still be refused by Read, which also knows GPUs, and globs, and what
// contradicts what; what it refuses is refused by Read.
func Schema() []byte {
	schema := object(keys, "settings of smux, "+Name)
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["$id"] = SchemaID
	schema["title"] = Name
	schema["type"] = []string{"object", "null"} // a file with nothing in it
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		panic("config: " + err.Error()) // maps of texts and numbers
	}
	return out.Bytes()
}

// object returns the schema of a mapping.
func object[T any](keys []key[T], doc string) map[string]any {
	properties := map[string]any{}
	for _, k := range keys {
		properties[k.name] = property(k)
	}
	return map[string]any{"type": "object", "description": doc, "properties": properties, "additionalProperties": false}
}

// property returns the schema of a key's value.
func property[T any](k key[T]) map[string]any {
	var zero T
	out := map[string]any{}
	switch k.at(&zero).(type) {
	case **float64:
		out = map[string]any{"type": "number", "minimum": k.least, "maximum": k.most}
	case *string:
		out = text(k)
	case *[]string:
		list := map[string]any{"type": "array", "items": text(k)}
		if k.filled {
			list["minItems"] = 1
		}
		out["anyOf"] = []any{text(k), list}
	case *Baseline:
		return object(baselineKeys, k.doc)
	case *[]Kernel:
		kernel := object(kernelKeys, "settings of kernels of a name, or of names that match a glob such as fft*")
		kernel["minProperties"] = 1
		for _, c := range contradictory {
			kernel["allOf"] = append(asList(kernel["allOf"]), map[string]any{"not": map[string]any{"required": []string{c.strong, c.weak}}})
		}
		out = map[string]any{"type": "object", "additionalProperties": kernel, "propertyNames": map[string]any{"minLength": 1}}
	case *[]Program:
		program := object(programKeys, "how a program is run, or those whose files match a glob such as tests/*.cu")
		program["minProperties"] = 1
		out = map[string]any{"type": "object", "additionalProperties": program, "propertyNames": map[string]any{"minLength": 1}}
	}
	out["description"] = k.doc
	return out
}

// text returns the schema of one text.
func text[T any](k key[T]) map[string]any {
	switch {
	case k.names != nil:
		return map[string]any{"type": "string", "enum": k.names()}
	case k.pattern != "":
		// YAML takes 256 for a number.
		return map[string]any{"type": []string{"string", "number"}, "minLength": 1, "pattern": k.pattern}
	}
	return map[string]any{"type": []string{"string", "number"}, "minLength": 1}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}
