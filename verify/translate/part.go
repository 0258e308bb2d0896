package translate

import "github.com/smux-cuda/smux/parser"

// partMain lets a main that ends without a return return 0: elsewhere than at the top of a program, it would not.
func (t *text) partMain() {
	for _, f := range t.file.Functions {
		if f.Name == "main" && f.Body != nil && atTop(f) {
			t.insert(int(f.Body.End)-1, " return 0; ")
		}
	}
}

// topFunctions returns the names of the functions that a file declares outside of
// classes and namespaces, but for main and operators.
func topFunctions(f *parser.File) []string {
	var names []string
	for _, fn := range f.Functions {
		if fn.Name != "main" && atTop(fn) && isIdentifier(fn.Name) {
			names = append(names, fn.Name)
		}
	}
	return names
}

func atTop(f *parser.Function) bool {
	return f.Class == "" && f.Node.Ancestor(parser.KindNamespaceDefinition) == nil
}

func isIdentifier(name string) bool {
	for i := range len(name) {
		if !isWordByte([]byte(name), i) || i == 0 && name[0] <= '9' {
			return false
		}
	}
	return name != "" && name[:min(8, len(name))] != "operator"
}
