package cmd

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/tune/stress"
)

// module is the path that smux's packages begin with.
const module = "github.com/smux-cuda/smux"

// schemaFolder is the address of published schemas.
const schemaFolder = "https://raw.githubusercontent.com/smux-cuda/smux/main/docs/schema/"

// written are the schemas of types that write their own JSON, which reflection
// can't see.
var written = map[reflect.Type]func() *jsonschema.Schema{
	reflect.TypeFor[occupancy.Limit](): limitSchema,
	reflect.TypeFor[occupancy.Limits](): func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "array", Items: limitSchema(), UniqueItems: true}
	},
	reflect.TypeFor[occupancy.ByLimit](): func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "object", PropertyNames: limitSchema(), AdditionalProperties: &jsonschema.Schema{Type: "integer"},
			Description: "By name, the resources that limit something and how many thread blocks they allow."}
	},
}

func limitSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, l := range []occupancy.Limit{occupancy.Shared, occupancy.Registers, occupancy.Threads, occupancy.Blocks, occupancy.Barriers} {
		s.Enum = append(s.Enum, l.String())
	}
	return s
}

// nullable are the slices that mean something by being null. All pointers that are
// always written may be null, and no other slice.
var nullable = map[reflect.Type][]string{
	reflect.TypeFor[summary.KernelReport](): {"regions"}, // not looked for
	reflect.TypeFor[summary.SharedReport](): {"dims"},    // a scalar, or not known
	reflect.TypeFor[baseline.Kernel]():      {"regions"}, // not looked for
	reflect.TypeFor[stress.JudgedSeries]():  {"curve"},   // no row counts
}

// reflector makes schemas of Go types. Strict ones allow no member that the type
// doesn't have; published ones do, since members may be added within a version.
func reflector(comments goComments, strict bool) *jsonschema.Reflector {
	return &jsonschema.Reflector{
		Anonymous:                 true,
		ExpandedStruct:            true,
		AllowAdditionalProperties: !strict,
		LookupComment:             comments.lookup,
		Namer:                     schemaName,
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			if make := written[t]; make != nil {
				return make()
			}
			return nil
		},
	}
}

// schemaName names a type's definition: judge.Verdict, and plain occupancyRow for
// what package cmd has for itself.
func schemaName(t reflect.Type) string {
	if t.Name() == "" || path.Base(t.PkgPath()) == "cmd" {
		return t.Name()
	}
	return path.Base(t.PkgPath()) + "." + t.Name()
}

// schemaOf is the schema of a document.
func schemaOf(t *testing.T, d document, comments goComments, strict bool) []byte {
	typ := reflect.TypeOf(d.value)
	s := reflector(comments, strict).ReflectFromType(typ)
	s.ID = jsonschema.ID(schemaFolder + d.file())
	s.Title = d.title
	_, ok := s.Properties.Get(d.versionMember())
	require.True(t, ok, "%s has no version", d.name)
	s.Properties.Set(d.versionMember(), &jsonschema.Schema{Const: d.schema, Description: "The version of this form."})
	allowNull(s, typ)
	types := map[string]reflect.Type{}
	definedTypes(typ, types, map[reflect.Type]bool{})
	for name, def := range s.Definitions {
		require.NotNil(t, types[name], "%s: two types share the name %s, or it was not found", d.name, name)
		allowNull(def, types[name])
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(s))
	return out.Bytes()
}

// allowNull lets the members of a struct that may be null be so.
func allowNull(s *jsonschema.Schema, t reflect.Type) {
	if t.Kind() != reflect.Struct || s.Properties == nil {
		return
	}
	for field := range membersOf(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		prop, ok := s.Properties.Get(name)
		if !ok || strings.Contains(options, "omitempty") {
			continue
		}
		null := field.Type.Kind() == reflect.Pointer
		for owner, names := range nullable {
			null = null || slices.Contains(names, name) && field.Type.Kind() == reflect.Slice && (owner == t || embeds(t, owner))
		}
		if null {
			about := prop.Description
			prop.Description = ""
			s.Properties.Set(name, &jsonschema.Schema{AnyOf: []*jsonschema.Schema{prop, {Type: "null"}}, Description: about})
		}
	}
}

// membersOf goes through the fields that a struct writes, those of embedded structs
// among them.
func membersOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			if f.IsExported() && f.Tag.Get("json") != "-" && !yield(f) {
				return
			}
		}
	}
}

// embeds reports whether a struct embeds another one.
func embeds(t, in reflect.Type) bool {
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Type == in {
			return true
		}
	}
	return false
}

// definedTypes collects the structs below a type, by the names of their definitions.
func definedTypes(t reflect.Type, out map[string]reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		definedTypes(t.Elem(), out, seen)
	case reflect.Struct:
		name := schemaName(t)
		if old, ok := out[name]; ok && old != t {
			out[name] = nil // ambiguous: schemaOf says so
			return
		}
		out[name] = t
		for f := range membersOf(t) {
			definedTypes(f.Type, out, seen)
		}
	}
}
