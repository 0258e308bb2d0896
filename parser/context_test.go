package parser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMacrosOfManyIncluders: headers that include each other and have the same macros from many files have each once.
func TestMacrosOfManyIncluders(t *testing.T) {
	files := map[string]string{"deep.h": "#define DEEP 1\n"}
	var names []string
	for i := range 12 {
		text := "#pragma once\n#include \"deep.h\"\n"
		for j := range 12 {
			text += fmt.Sprintf("#include \"h%d.h\"\n", j)
		}
		files[fmt.Sprintf("h%d.h", i)] = text
		files[fmt.Sprintf("a%d.cc", i)] = text
		names = append(names, fmt.Sprintf("a%d.cc", i))
	}
	prog, errs := LoadProgram(names, Options{ReadFile: func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("no %s", name)
	}})
	assert.Empty(t, errs)
	for _, f := range prog.All() {
		deep := 0
		for _, m := range f.Macros.All() {
			if m.Name == "DEEP" {
				deep++
			}
		}
		assert.Equal(t, 1, deep, f.Name)
	}
}
