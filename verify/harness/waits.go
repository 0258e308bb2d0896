package harness

import (
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// waits returns the conditions of loops that do nothing but wait until they no longer hold.
func waits(f *parser.File, fn *parser.Function) (out []string) {
	fn.Body.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindWhileStatement && idle.MatchString(f.Text(n.Child(parser.FieldBody))) {
			out = append(out, f.Text(n.Child(parser.FieldCondition)))
		}
		return true
	})
	return out
}

var idle = regexp.MustCompile(`^[{}\s]*(__nanosleep\([^()]*\))?[{};\s]*$`)

// waiting returns the names of the functions that wait, of those that the kernel names.
func (c *chooser) waiting() (out []string) {
	c.names() // which fills named
	for _, f := range c.prog.All() {
		for _, fn := range f.Functions {
			if fn.Body != nil && (fn == c.fn || c.named[fn.Name]) && len(waits(f, fn)) > 0 {
				out = append(out, fn.Name)
			}
		}
	}
	return out
}

// waited reports whether threads wait for what a parameter points to: in the kernel, by itself or as an object of the standard library, or in a
// function that gets it.
func (c *chooser) waited(name string) bool {
	objects, body := []string{name}, c.file.Text(c.fn.Body)
	for _, m := range pattern(name, `[\w>]\s+(\w+)\s*\(\s*\*?\s*NAME\b[^()]*\)\s*;`).FindAllStringSubmatch(body, -1) {
		objects = append(objects, m[1])
	}
	for _, condition := range waits(c.file, c.fn) {
		if slices.ContainsFunc(objects, func(o string) bool { return hasWord(condition, o) }) {
			return true
		}
	}
	return slices.ContainsFunc(c.waiting(), func(fn string) bool {
		return fn != c.fn.Name && pattern(name, `\b`+fn+`\s*\([^;{}]*?\bNAME\b`).MatchString(body)
	})
}

// tellsNone reports whether the kernel tells neither threads nor blocks apart.
func (c *chooser) tellsNone() bool { return !c.names("threadIdx", "blockIdx", "gridDim", "this_") }

// blocksMeet reports whether a kernel that tells no blocks apart is for several all the same: its threads are told apart by nothing but atomic
// functions, or they take a lock in memory of the device, and each has no element of its own.
func (c *chooser) blocksMeet() bool {
	if c.tellsNone() {
		return c.names("atomic")
	}
	own := regexp.MustCompile(`\[[^]]*threadIdx`).MatchString(c.file.Text(c.fn.Body))
	lock := slices.ContainsFunc(c.fn.Params, func(p parser.Param) bool { return c.matches(p.Name, swapped) })
	return !own && len(c.kernel([3]int64{}).Shared) == 0 && (lock || c.names("acquire") || len(c.waiting()) > 0)
}
