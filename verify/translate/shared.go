package translate

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// __shared__ float a[4], b; becomes, on its line,
//
//	typedef float smux_t1_a[4], smux_t1_b;
//	struct smux_s1_a { smux_t1_a v; }; smux_t1_a &a = ::smux_cpu::shared<smux_s1_a, 1>("a", "f.cu", 12).v;
//	struct smux_s1_b …
//
// The structure gives each instantiation of a function template a variable of its own, as static storage does, and
// keeps the alignment that a template argument would lose.

// sharedVariables translates the shared variables of a stretch.
func (t *text) sharedVariables(s *stretch) {
	for i := range s.toks {
		if !s.isIdent(i) {
			continue
		}
		q, ok := t.sharedQualifier(s, i)
		if !ok {
			continue
		}
		d := s.qualifiedDeclaration(i)
		d.words, d.dynamic = q.words, d.dynamic || q.dynamic
		if s.macro != nil && len(d.variables) == 0 && d.last < 0 {
			continue // a macro for the qualifiers: where it is used, it counts
		}
		if reason := t.unfitForReference(s, d); reason != "" {
			if !d.dynamic {
				t.dropStorage(s, d)
			}
			t.remark(s.toks[i].Start, CodeSharedStatic, "a shared variable %s is a static variable of the host: its bounds and races are not checked", reason)
			continue
		}
		t.referToShared(s, d)
	}
}

// qualifier is the meaning of a token for a declaration, as __shared__ or a macro for that and more.
type qualifier struct {
	words   string // what else, with a blank before
	dynamic bool   // extern, too
}

// sharedQualifier reports whether token i means __shared__.
func (t *text) sharedQualifier(s *stretch, i int) (q qualifier, ok bool) {
	name := s.text(i)
	if name == "__shared__" {
		return q, true
	}
	m, found := t.file.Macros.Lookup(name, s.toks[i].Start)
	if !found || m.FunctionLike || !strings.Contains(m.Body, "__shared__") || strings.ContainsAny(m.Body, "[;{=,") {
		return q, false
	}
	for _, w := range strings.Fields(m.Body) {
		switch w {
		case "__shared__", "static":
		case "extern":
			q.dynamic = true
		default:
			q.words += " " + w
		}
	}
	return q, true
}

// unfitForReference returns in words where a declaration stands that can't be translated, "" where it can.
func (t *text) unfitForReference(s *stretch, d declaration) string {
	switch {
	case len(d.variables) == 0:
		return "without a name in view"
	case d.initial:
		return "with an initial value"
	case s.macro == nil && d.last < 0:
		return "in a declaration without an end"
	case s.macro == nil && t.scopeAt(s.toks[d.qualifier].Start) == classScope:
		return "in a class"
	}
	return ""
}

// dropStorage blanks static and extern: a typedef has none, and the shim's macro for __shared__ contains static.
func (t *text) dropStorage(s *stretch, d declaration) {
	for _, k := range d.storage {
		t.replace(s.toks[k].Start, s.toks[k].End, blank(s.src[s.toks[k].Start:s.toks[k].End]))
	}
}

// referToShared makes a typedef of the declaration, and references after it.
func (t *text) referToShared(s *stretch, d declaration) {
	t.numbers++
	n := t.numbers
	t.replace(s.toks[d.qualifier].Start, s.toks[d.qualifier].End, "typedef"+d.words)
	t.dropStorage(s, d)
	t.gnuAlignment(s, d)
	t.captureShared(s, d)
	var after strings.Builder
	for _, v := range d.variables {
		t.insert(s.toks[v.first].Start, typePrefix(s, v, 't', n))
		after.WriteString(t.reference(s, d, v, n))
	}
	if d.last >= 0 {
		t.insert(s.toks[d.last].End, after.String())
		return
	}
	// The ';' comes where the macro is used.
	t.insert(s.toks[len(s.toks)-1].End, ";"+strings.TrimSuffix(after.String(), ";"))
}

// typePrefix begins the name of a type that belongs to a variable.
func typePrefix(s *stretch, v declarator, kind byte, n int) string {
	prefix := fmt.Sprintf("smux_%c%d_", kind, n)
	if s.param(v.first) {
		prefix += "##"
	}
	return prefix
}

// reference declares one variable as a reference into shared memory.
func (t *text) reference(s *stretch, d declaration, v declarator, n int) string {
	name := s.line(v.first, v.last)
	typ, holder := typePrefix(s, v, 't', n)+name, typePrefix(s, v, 's', n)+name
	id, static := fmt.Sprint(n), ""
	file, line := quote(t.file.Name), fmt.Sprint(t.file.Position(s.toks[v.first].Start).Line)
	if s.macro != nil {
		file, line = "__FILE__", "__LINE__"
	} else if t.scopeAt(s.toks[d.qualifier].Start) == namespaceScope {
		static = "static "
		id = t.uniqueID(n)
	}
	if d.dynamic {
		return dynamicReference(static, typ, name)
	}
	structure := fmt.Sprintf("struct %s { %s v; };", holder, typ)
	if static != "" {
		structure = "namespace { " + structure + " }"
	}
	return fmt.Sprintf(" %s %s%s &%s = ::smux_cpu::shared<%s, %s>(%s, %s, %s).v;",
		structure, static, typ, name, holder, id, s.literal(v.first, v.last), file, line)
}

// uniqueID returns a number that no other file's variables have.
func (t *text) uniqueID(n int) string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s %d", t.file.Name, n)
	return fmt.Sprint(h.Sum32() & 0x7fffffff)
}

// extern __shared__ T s[][16]; becomes, on its line,
//
//	typedef T smux_t1_s[][16]; smux_t1_s &s = *(smux_t1_s *)::smux_cpu_dynamic_shared();
//
// whatever T is and however many such declarations there are: they all name the one array, which is at the same
// address in the whole run. So at namespace scope the reference can be made before main.

// dynamicReference declares a dynamic shared array of a type that is named.
func dynamicReference(static, typ, name string) string {
	return fmt.Sprintf(" %s%s &%s = *(%s *)::smux_cpu_dynamic_shared();", static, typ, name, typ)
}
