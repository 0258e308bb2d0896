package kit

import (
	"fmt"
	"os"
	"strings"
)

// Values map the names of a template to what they stand for.
type Values map[string]any

// Cuda returns the lines of a template: CUDA code in which $name, or ${name}, stands for
// a value. A name without a value is a defect.
func Cuda(template string, v Values) []string {
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
