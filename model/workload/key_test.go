package workload

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each number of a kernel's work is in its key, one that is new to the type too; names are not, nor what is said of it.
func TestTheKeyHoldsAllThatIsWork(t *testing.T) {
	names := []string{".Name", ".Assumptions[]", ".Guessed", ".Body[].Label", ".Body[].Body[].Label"}
	k := &Kernel{Assumptions: []string{""}, Body: []Step{{Body: []Step{{}}}}, Arrays: []Array{{}}, Again: []Reuse{{}}}
	before, seen := k.Key(), 0
	each(reflect.ValueOf(k).Elem(), "", func(path string, change func()) {
		seen++
		change()
		now := k.Key()
		assert.Equal(t, slices.Contains(names, path), now == before, path)
		before = now
	})
	assert.Greater(t, seen, 40)

	// What stands in a loop is not what stands after it.
	one := &Kernel{Body: []Step{{Kind: KindLoop, Body: []Step{{}}}}}
	two := &Kernel{Body: []Step{{Kind: KindLoop}, {}}}
	assert.NotEqual(t, one.Key(), two.Key())
}

// each calls f for each number, string and truth below v, with what changes it. The body of a step
// of a step of the kernel ends it.
func each(v reflect.Value, path string, f func(path string, change func())) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			each(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			of := path + "[]"
			if v.Kind() == reflect.Array {
				of = path
			}
			each(v.Index(i), of, f)
		}
	case reflect.Int:
		f(path, func() { v.SetInt(v.Int() + 1) })
	case reflect.Uint8:
		f(path, func() { v.SetUint(v.Uint() + 1) })
	case reflect.Float64:
		f(path, func() { v.SetFloat(v.Float() + 1) })
	case reflect.Bool:
		f(path, func() { v.SetBool(!v.Bool()) })
	case reflect.String:
		f(path, func() { v.SetString(v.String() + "x") })
	default:
		panic(path + ": a kind of field that this test doesn't know")
	}
}
