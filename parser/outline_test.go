package parser

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOutline(t *testing.T) {
	for _, c := range []struct{ name, src, kernels, launches string }{
		{"a definition and its launch", "__global__ void k(int *a) { }\nvoid f() { k<<<1, 2>>>(0); }", "k{}", "k"},
		{"a declaration", "extern \"C\" __global__ void k(int *a);", "k", ""},
		{"bounds before the name", "__global__ void __launch_bounds__(256, 2) k(int *a) { }", "k{}", ""},
		{"a macro before the name", "__global__ void BOUNDS(256) k(int *a) { }", "BOUNDS{} k{}", ""},
		{"static, on either side", "static __global__ void j() { }\n__global__ static void k();", "j{}- k-", ""},
		{"what was static before", "static int f() { return 1; }\n__global__ void k() { }", "k{}", ""},
		{"no name for the namespace", "namespace { __global__ void j() { } }\nnamespace n { __global__ void k() { } }", "j{}- k{}", ""},
		{"braces that do not match say nothing of it", "#if A\nnamespace {\n#else\nnamespace {\n#endif\n__global__ void k() { } }", "k{}", ""},
		{"a template, and its instantiation", "template <class T, int N = (1 > 0)> __global__ void k(T *a) { }\ntemplate __global__ void k<float, 2>(float *);", "k{} k", ""},
		{"template arguments of a launch", "void f() { n::k<float, (a > b), g<int>><<<1, 2>>>(0); }", "", "g k"},
		{"blanks in a launch", "void f() { k <<< 1, 2 >>> (0); j<< <1, 2>> >(0); }", "", "k j"},
		{"in a comment or a string", "// __global__ void j();\nchar *s = \"k<<<1, 1>>>()\";", "", ""},
		{"in a directive", "#define GO k<<<1, 1>>>(0)\n#define RUN(k) k<<<1, 1>>>(0)\n#define MAKE __global__ void j()", "", "k"},
		{"variables", "void f(void (*a)(int), F b, G &&c, H<int> *d) { auto e = a; a<<<1, 1>>>(); b<<<1, 1>>>(); c<<<1, 1>>>(); d<<<1, 1>>>(); e<<<1, 1>>>(); k<<<1, 1>>>(); }", "", "k"},
		{"a kernel that is passed on is no variable", "void f() { attribute(&k, 1); g(k); h((void *)k); return k; k<<<1, 1>>>(); (*k)<<<1, 1>>>(); }", "", "k"},
		{"a macro that stands for __global__", "KERNEL k(int *a) { }", "k{}", ""},
		{"shifts", "a = b << c << d; e <<= 1;", "", ""},
		{"what never ends", "__global__ void k(int a", "k", ""},
		{"nothing behind it", "__global__", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := NewOutline([]byte(c.src), GlobalMacros{"KERNEL": nil})
			var kernels []string
			for _, k := range o.Kernels {
				name := k.Name
				if k.Defined {
					name += "{}"
				}
				if k.Internal {
					name += "-"
				}
				kernels = append(kernels, name)
			}
			assert.Equal(t, c.kernels, strings.Join(kernels, " "))
			assert.Equal(t, c.launches, strings.Join(o.Launches, " "))
		})
	}
}

// TestOutlineNamesWhatAParseFinds compares the outlines of the CUDA files of this
// repository with their parses: they must not leave a kernel or a launch out.
func TestOutlineNamesWhatAParseFinds(t *testing.T) {
	kernels, launches := 0, 0
	require.NoError(t, filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".cu" && filepath.Ext(path) != ".cuh" {
			return err
		}
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := Parse(path, src, Options{})
		if err != nil {
			return nil
		}
		global := GlobalMacros{}
		for name, q := range f.macroQuals {
			if q&QualGlobal != 0 {
				global[name] = nil
			}
		}
		for _, m := range f.Macros.All() {
			if m.FunctionLike && strings.Contains(m.Body, globalWord) {
				global[m.Name] = append(global[m.Name], m)
			}
		}
		k, l := missing(f, NewOutline(src, global))
		assert.Empty(t, k, path)
		assert.Empty(t, l, path)
		kernels += len(f.Functions)
		launches += len(f.Launches)
		return nil
	}))
	assert.Greater(t, kernels, 100)
	assert.Greater(t, launches, 30)
}

// missing are the kernels and launches of a parse that an outline leaves out.
func missing(f *File, o *Outline) (kernels, launches []string) {
	for _, fn := range f.Functions {
		found := false
		for _, k := range o.Kernels {
			found = found || k.Name == fn.Name && k.Defined == (fn.Body != nil) && (!k.Internal || fn.Quals&QualStatic != 0 || fn.Node.Ancestor(KindNamespaceDefinition) != nil)
		}
		if fn.IsKernel() && !found {
			kernels = append(kernels, fn.Name)
		}
	}
	for _, l := range f.Launches {
		found := l.Kernel == ""
		for _, name := range o.Launches {
			found = found || name == l.Kernel
		}
		if !found && declaresVariable(f, l.Kernel) == nil {
			launches = append(launches, l.Kernel)
		}
	}
	return kernels, launches
}

// declaresVariable finds a parameter or variable of a name.
func declaresVariable(f *File, name string) *Node {
	var found *Node
	var walk func(n *Node)
	walk = func(n *Node) {
		for c := n.First; c != nil && found == nil; c = c.Next {
			if c.Kind == KindIdentifier && c.Field == FieldDeclarator && f.Text(c) == name {
				found = c
			}
			walk(c)
		}
	}
	walk(f.Root)
	return found
}

func FuzzOutline(f *testing.F) {
	f.Add("template <class T> __global__ void k(T *a) { }\nvoid f() { k<float><<<1, 2>>>(0); }")
	f.Fuzz(func(t *testing.T, src string) {
		NewOutline([]byte(src), GlobalMacros{"K": nil, "M": {{Name: "M", FunctionLike: true, Params: []string{"N"}, Body: "__global__ void N() {}"}}})
	})
}
