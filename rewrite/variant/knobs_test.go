package variant

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A field of Variant without a knob would be lost where a variant is printed and read.
func TestEachFieldOfAVariantIsOneKnob(t *testing.T) {
	var w Variant
	fields := map[any]bool{}
	for _, k := range knobs {
		fields[k.at(&w)] = true
	}
	assert.Len(t, fields, len(knobs), "two knobs set the same")
	v := reflect.ValueOf(&w).Elem()
	for i := range v.NumField() {
		at := v.Field(i).Addr().Interface()
		assert.Equal(t, at != any(&w.Rewriter), fields[at], v.Type().Field(i).Name)
	}
}
