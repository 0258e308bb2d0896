package words

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Words of C that C++ has otherwise are written as C++ has them before anything else is looked at.

// CodeCPlusPlus is the code of C that C++ does not take. Package diag documents it.
const CodeCPlusPlus diag.Code = "acc-cplusplus"

// Plain is a program whose file has words that C++ takes, with the origin of its lines, and messages. Some headers stand in it.
func Plain(prog *parser.Program, f *parser.File, inPlace []string) (*parser.Program, *parser.File, Places, []diag.Message, error) {
	prog, f, from, err := merged(prog, f, inPlace)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	var said []diag.Message
	say := func(at diag.Position, text, help string) {
		said = append(said, diag.Message{Pos: from.Of(at), Code: CodeCPlusPlus, Text: text, Help: help})
	}
	for _, h := range prog.Reach(f)[1:] {
		for _, w := range In(h, Clashing(h)) {
			if w.New != "" && OfC[w.Old] == "" {
				return nil, nil, nil, nil, diag.Message{Pos: h.Position(w.At), Code: CodeCPlusPlus, Text: fmt.Sprintf("the name %s, which %s, in a file that is included", w.Old, w.Whose()), Help: "call it otherwise"}
			}
		}
	}
	for _, k := range f.Tokens() {
		if w := string(f.Src[k.Start:k.End]); slices.Contains(OnlyInC, w) && !f.Macros.Dead(k.Start) {
			say(f.Position(k.Start), w+": C++ does not take it", "write it another way")
			return nil, nil, nil, nil, said[0]
		}
	}
	var out bytes.Buffer
	done, told := 0, map[string]bool{}
	clash := Clashing(f)
	for _, name := range Everywhere {
		clash[name] = true
	}
	edits := append(In(f, clash), Answers(f)...)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.At, b.At) })
	for _, w := range edits {
		out.Write(f.Src[done:w.At])
		done = w.At + len(w.Old)
		out.WriteString(w.New)
		switch {
		case w.Answer && !told[""]:
			told[""] = true
			say(f.Position(w.At), "this asks for the language or the compiler: the answer that C has is written here", "nothing needs to be done")
		case !w.Answer && !told[w.Old] && w.Old != "" && OfC[w.Old] == "":
			told[w.Old] = true
			say(f.Position(w.At), fmt.Sprintf("%s %s: it is called %s", w.Old, w.Whose(), w.New), "nothing needs to be done, where no other file of the program has the name")
		}
	}
	if out.Len() == 0 {
		return prog, f, from, nil, nil
	}
	out.Write(f.Src[done:])
	if prog, err = prog.Reread(f, out.Bytes()); err != nil {
		return nil, nil, nil, nil, err
	}
	return prog, prog.Files[0], from, said, nil
}
