package rewrite

import (
	"fmt"
	"os"
	"strings"
)

// values are what the names of a template stand for.
type values map[string]any

// cuda returns the lines of a template: CUDA code in which $name, or ${name}, stands for
// a value. A name without a value is a defect.
func cuda(template string, v values) []string {
	lines := strings.Split(strings.Trim(template, "\n"), "\n")
	for i, line := range lines {
		lines[i] = os.Expand(line, func(name string) string {
			value, found := v[name]
			if !found {
				panic(fmt.Sprintf("a template names $%s, which has no value: %s", name, line))
			}
			return fmt.Sprint(value)
		})
	}
	return lines
}
