package nvcc

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/process"
)

// demangle returns readable names by mangled ones, without return type and parameters, by c++filt, which comes with
// the host compiler's linker, or the toolkit's cu++filt; where neither is there names stay mangled.
func (t *Toolkit) demangle(ctx context.Context, mangled []string) map[string]string {
	out := map[string]string{}
	said := t.filtered(ctx, mangled)
	for i, m := range mangled {
		out[m] = m
		if i < len(said) && said[i] != m && said[i] != "" {
			out[m] = functionName(said[i])
		}
	}
	return out
}

// filtered runs the names through a demangler, one a line.
func (t *Toolkit) filtered(ctx context.Context, mangled []string) []string {
	if len(mangled) == 0 {
		return nil
	}
	path, err := exec.LookPath("c++filt")
	if err != nil {
		if path, err = t.tool("cu++filt"); err != nil {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	c := process.Command(ctx, path)
	c.Stdin = strings.NewReader(strings.Join(mangled, "\n") + "\n")
	text, err := c.Output()
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r", ""), "\n"), "\n")
	if err != nil || len(lines) != len(mangled) {
		return nil
	}
	return lines
}

// The two demanglers write literals and unnamed namespaces in their own ways.
var (
	castLiteral    = regexp.MustCompile(`\((?:unsigned |signed )?(?:int|long|short|char|long long)\)(-?\d)`)
	boolLiteral    = regexp.MustCompile(`\(bool\)([01])`)
	suffixLiteral  = regexp.MustCompile(`\b(\d+)(?:ul|u|l)\b`)
	unnamed        = strings.NewReplacer("<unnamed>", "(anonymous namespace)")
	internalPrefix = regexp.MustCompile(`_(?:INTERNAL|GLOBAL__N_)_\w+::`)
)

// functionName cuts a demangled declaration down to the function's name with its template arguments: "void k<16,
// float>(float const*, int)" to "k<16, float>".
func functionName(declaration string) string {
	s := unnamed.Replace(declaration)
	s = castLiteral.ReplaceAllString(s, "$1")
	s = boolLiteral.ReplaceAllStringFunc(s, func(b string) string {
		if strings.HasSuffix(b, "1") {
			return "true"
		}
		return "false"
	})
	s = suffixLiteral.ReplaceAllString(s, "$1")
	s = internalPrefix.ReplaceAllString(s, "(anonymous namespace)::")
	start, depth := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<':
			depth++
		case c == '>' && depth > 0:
			depth--
		case c == '(' && depth == 0:
			const space = "(anonymous namespace)"
			if strings.HasPrefix(s[i:], space) {
				i += len(space) - 1
				continue
			}
			return s[start:i]
		case c == ' ' && depth == 0:
			start = i + 1
		}
	}
	return s[start:]
}

// Base returns the kernel's name without namespaces and template arguments, as
// its definition in the source has it: "k" for "ns::k<16, float>".
func (k *Kernel) Base() string { return baseName(k.Name) }

// Base is Kernel.Base.
func (l *Listing) Base() string { return baseName(l.Name) }

func baseName(name string) string {
	if i := strings.IndexByte(strings.ReplaceAll(name, "(anonymous namespace)", "_anonymous_namespace_"), '<'); i >= 0 {
		// The first < may belong to a class template around the kernel; the name is
		// what follows the last :: outside of brackets.
		depth, last := 0, 0
		for j := 0; j < len(name); j++ {
			switch {
			case name[j] == '<':
				depth++
			case name[j] == '>':
				depth--
			case depth == 0 && strings.HasPrefix(name[j:], "::"):
				last = j + 2
			}
		}
		name, _, _ = strings.Cut(name[last:], "<")
		return name
	}
	if i := strings.LastIndex(name, "::"); i >= 0 {
		return name[i+2:]
	}
	return name
}
