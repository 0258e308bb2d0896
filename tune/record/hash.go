package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// HashSource returns a hash of a program's texts: 32 hexadecimal digits. It depends neither on
// their names nor on their order: the names are paths that differ with the folder
// a program is looked at from. The same texts under each other's names
// can't be told apart.
func HashSource(texts map[string][]byte) string {
	var sums []string
	for _, text := range texts {
		sum := sha256.Sum256(text)
		sums = append(sums, hex.EncodeToString(sum[:]))
	}
	slices.Sort(sums)
	h := sha256.New()
	for _, s := range sums {
		fmt.Fprintln(h, s)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// HashTexts returns a hash of a program's texts and of the flags that it is compiled
// with. It depends neither on the texts' names, which change with the folder that smux
// is called in, nor on their order; HashSource says more.
func HashTexts(texts map[string][]byte, flags []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %q\n", HashSource(texts), flags)
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// HashProgram is HashTexts of a program as it is written, with the headers that were
// found.
func HashProgram(prog *parser.Program) string {
	texts := prog.Texts()
	for name, f := range prog.Headers {
		texts[name] = f.Src
	}
	return HashTexts(texts, nil)
}

// CompilerFlags returns those that change what is compiled: the macros that a program is
// read with.
func CompilerFlags(parse parser.Options) []string {
	var out []string
	for _, d := range parse.Defines {
		out = append(out, "-D"+d)
	}
	return out
}
