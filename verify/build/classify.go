package build

import (
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// mostMessages bounds the messages on one program: the first errors are the
// ones to look at, the others are often their consequences.
const mostMessages = 5

// Patterns of errors that are about a name. The first group is the name; where
// there is a second, it is what the name was looked for in.
var (
	memberOf = []*regexp.Regexp{
		regexp.MustCompile(`^'([^']+)' is not a member of '([^']+)'`),
		regexp.MustCompile(`no (?:member|type|template) named '([^']+)' in (?:namespace )?'([^']+)'`),
		regexp.MustCompile(`^'([^']+)' in (?:namespace|class|struct) '([^']+)' does not name`),
	}
	memberHas = regexp.MustCompile(`^'([^']+)'(?: \{aka [^}]*\})? has no member named '([^']+)'`)
	unknown   = []*regexp.Regexp{
		regexp.MustCompile(`^'([^']+)' (?:was not declared|does not name a t|has not been declared|is not a (?:class|namespace|template)|undeclared)`),
		regexp.MustCompile(`(?:use of undeclared identifier|unknown type name|no template named|no type named) '([^']+)'`),
		regexp.MustCompile(`^there are no arguments to '([^']+)' that depend`),
	}
	noMatch    = regexp.MustCompile(`^no matching function for call to '([^'(<]+)`)
	noHeader   = regexp.MustCompile(`^(?:'([^']+)' file not found|(.+): No such file or directory)`)
	noLibrary  = regexp.MustCompile(`^cannot find -l(.+)$`)
	ownTypes   = regexp.MustCompile(`\b(?:smux_cpu::|struct |class |const |union )`)
	cudaMember = regexp.MustCompile(`^(cuda|cu|curand|CU)[A-Z]\w*(::|$)`)
)

// originals returns where in the originals the places are that a compiler names.
type originals interface {
	// position is false for places in headers of the shim and of the system.
	position(p place) (diag.Position, bool)
}

// classify turns a compiler's errors into messages at places of the original.
func classify(found []diagnostic, at originals) []diag.Message {
	// What is missing has consequences, which would read as if the source were
	// wrong: an unknown header has unknown names, and these have syntax errors.
	var headers, names, rest []diag.Message
	seen := map[string]bool{}
	for _, d := range found {
		m, header := message(d, at)
		key := string(m.Code) + m.Text
		if m.Code == CodeDoesNotCompile {
			key += m.Pos.String()
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		switch {
		case header:
			headers = append(headers, m)
		case m.Code != CodeDoesNotCompile:
			names = append(names, m)
		default:
			rest = append(rest, m)
		}
	}
	for _, messages := range [][]diag.Message{headers, names, rest} {
		if len(messages) > 0 {
			return messages[:min(len(messages), mostMessages)]
		}
	}
	return nil
}

// message turns one error into a message. about is set if it concerns a header as a whole.
func message(d diagnostic, at originals) (m diag.Message, about bool) {
	pos, header := locate(d, at)
	m.Pos = pos
	switch {
	case d.undefined != "":
		undefinedMessage(&m, d.undefined)
	case d.instruction != "":
		instructionMessage(&m, d.instruction, header)
	case noLibrary.MatchString(d.text):
		name := noLibrary.FindStringSubmatch(d.text)[1]
		m.Code, m.Text = CodeNeedsLibrary, "there is no library "+name
		m.Help = "install it, or leave it out where it only runs on a GPU"
	case noHeader.MatchString(d.text):
		g := noHeader.FindStringSubmatch(d.text)
		headerMessage(&m, g[1]+g[2])
		return m, true
	case header != "" && foreign(header):
		foreignMessage(&m, header)
		return m, true
	default:
		nameMessage(&m, d.text)
	}
	return m, false
}

// foreign reports whether a header is CUDA's or of a known library.
func foreign(header string) bool {
	return libraryOfHeader(header) != nil || cudaHeader.MatchString(header)
}

// locate finds the place in the original that an error is about: its own, else
// where a template was asked for, else the #include that led to it. header is
// the name of the header where the error lies in one that is not the program's.
func locate(d diagnostic, at originals) (pos diag.Position, header string) {
	if pos, ok := at.position(d.place); ok {
		return pos, ""
	}
	for _, p := range d.requires {
		if pos, ok := at.position(p); ok {
			return pos, ""
		}
	}
	header = headerName(d.file)
	for _, p := range d.includes {
		if pos, ok := at.position(p); ok {
			return pos, header
		}
		header = headerName(p.file)
	}
	return diag.Position{}, header
}

func undefinedMessage(m *diag.Message, symbol string) {
	name, _, _ := strings.Cut(symbol, "(")
	switch lib := libraryOfName(name); {
	case name == "main":
		m.Code, m.Text = CodeNoMain, "no file of the program defines main"
		m.Help = "name the file that does with --source FILE, or describe a launch with --kernel"
	case lib != nil:
		libraryMessage(m, lib, name)
	case cudaMember.MatchString(name) && name == symbol || strings.HasPrefix(name, "smux_cpu") || strings.HasPrefix(name, "__tsan_"):
		notSupported(m, name)
	default:
		m.Code, m.Text = CodeNeedsLibrary, name+" is declared and defined in no file of the program"
		m.Help = "name the file that defines it with --source FILE, or its library with --link NAME"
	}
}

func headerMessage(m *diag.Message, header string) {
	if lib := libraryOfHeader(header); lib != nil {
		libraryMessage(m, lib, header)
		return
	}
	if cudaHeader.MatchString(header) {
		notSupported(m, header)
		return
	}
	m.Code, m.Text = CodeNeedsLibrary, absentHeader+header
	m.Help = "name its folder with -I"
}

// foreignMessage is about a header that is there and does not compile for the CPU.
func foreignMessage(m *diag.Message, header string) {
	if lib := libraryOfHeader(header); lib != nil && lib.gpu {
		libraryMessage(m, lib, header)
		return
	}
	notSupported(m, header)
}

func notSupported(m *diag.Message, what string) {
	m.Code, m.Text = CodeNotSupported, "not supported: "+what
	m.Help = "leave it out where SMUX_CPU is defined, or verify a kernel alone with --kernel"
}

func libraryMessage(m *diag.Message, lib *library, what string) {
	if lib.standIn {
		notSupported(m, what)
		m.Text = "smux's stand-in for " + lib.name + " has no " + what
		return
	}
	m.Code, m.Text = CodeNeedsLibrary, what+" is of "+lib.name+lib.away()
	m.Help = HelpOf(m.Text)
}

// instructionMessage is about assembly that the translation could not reach: in
// a header of the system's, or made by a macro.
func instructionMessage(m *diag.Message, instruction, header string) {
	what := "asm: " + instruction
	if header != "" {
		what += " in " + header
	}
	notSupported(m, what)
}

// nameMessage distinguishes an unknown name of CUDA's from other errors.
func nameMessage(m *diag.Message, text string) {
	name, arguments := unknownName(text)
	switch lib := libraryOfName(name); {
	case name == "":
	case lib != nil:
		libraryMessage(m, lib, name)
		return
	case cudaName.MatchString(name):
		if arguments {
			name += " with these arguments"
		}
		notSupported(m, name)
		return
	}
	m.Code, m.Text = CodeDoesNotCompile, text
}

// unknownName takes the name off an error that reports it as unknown, with the namespace or type in which it is
// missing. arguments is set if the name is known, but not with the arguments that were given.
func unknownName(text string) (name string, arguments bool) {
	plain := func(s string) string { return strings.TrimSpace(ownTypes.ReplaceAllString(s, "")) }
	for _, p := range memberOf {
		if g := p.FindStringSubmatch(text); g != nil {
			return plain(g[2]) + "::" + plain(g[1]), false
		}
	}
	if g := memberHas.FindStringSubmatch(text); g != nil {
		return plain(g[1]) + "::" + plain(g[2]), false
	}
	for _, p := range unknown {
		if g := p.FindStringSubmatch(text); g != nil {
			return plain(g[1]), false
		}
	}
	if g := noMatch.FindStringSubmatch(text); g != nil {
		return plain(g[1]), true
	}
	return "", false
}
