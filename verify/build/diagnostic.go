package build

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is a line of a file as the compiler names it. Column 0 is unknown.
type place struct {
	file         string
	line, column int
}

// diagnostic is one error of a compiler or linker.
type diagnostic struct {
	place
	text     string
	includes []place // #include directives that led to the file, innermost first
	requires []place // where the template in question was asked for, innermost first
	// undefined is the name that the linker found no definition of.
	undefined string
	// instruction is one that the assembler does not know, as PTX.
	instruction string
}

// What g++ and clang++ print, one line at a time. A file name may hold blanks
// and colons; a line number is always there.
var (
	errorLine    = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):)? (?:fatal error|error|internal compiler error): (.*)$`)
	otherLine    = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):)? (?:warning|note): (.*)$`)
	assemblyLine = regexp.MustCompile("^(.+?):(\\d+)(): Error: .*?[`']([^'\\s]+)") // by the assembler
	clangAsm     = regexp.MustCompile(`^(?:invalid instruction mnemonic|unrecognized instruction mnemonic).*?'([^']+)'`)
	requiredLine = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):)?\s+(?:recursively |first )?required (?:from|by)`)
	includeLine  = regexp.MustCompile(`^(?:In file included from|                 from) (.+?):(\d+)(?::(\d+))?[,:]$`)
	inTemplate   = regexp.MustCompile(`: In (?:instantiation|substitution) of `)
	instantiated = regexp.MustCompile(`(?:in instantiation of|while substituting|requested here|required from here)`)
	undefinedRef = regexp.MustCompile("^(.*)undefined reference to [`'](.+)'$")
	ldPrefix     = regexp.MustCompile(`^\S*\bld[.\w]*: `)
	linkerPlace  = regexp.MustCompile(`^(.+):(\d+): $`)
	undefinedLLD = regexp.MustCompile(`undefined symbol: (.+)$`)
	referenced   = regexp.MustCompile(`^>>> referenced by (.+):(\d+)`)
	undefinedMac = regexp.MustCompile(`^  "(.+)", referenced from:$`)
	missingLib   = regexp.MustCompile(`(?:cannot find|unable to find library|library not found for|library ')\s*-l:?([^\s:']+)`)
	noSanitizer  = regexp.MustCompile(`(?:cannot find|cannot open) \S*libclang_rt\.asan`)
	multiple     = regexp.MustCompile("(?:^|: ?)([^: ]+):(\\d+): multiple definition of [`'](.+?)'")
)

// parseDiagnostics reads the errors off what a compiler or linker printed, in
// its order. Warnings, notes and quoted source are passed over.
func parseDiagnostics(output string) []diagnostic {
	output = strings.NewReplacer("‘", "'", "’", "'", "\r\n", "\n").Replace(output)
	var (
		out      []diagnostic
		includes []place
		requires []place
		open     bool // the includes still grow
		// Compilers report how a file was included only when another file had the word before.
		known = map[string][]place{}
	)
	for line := range strings.SplitSeq(output, "\n") {
		if m := includeLine.FindStringSubmatch(line); m != nil {
			first := strings.HasPrefix(line, "In file")
			switch {
			case !open:
				includes = []place{placeOf(m)}
			case first: // clang++ goes from the outside in
				includes = append([]place{placeOf(m)}, includes...)
			default:
				includes = append(includes, placeOf(m))
			}
			open = true
			continue
		}
		open = false
		if name, _, ok := strings.Cut(line, ":"); ok && includes != nil {
			known[name], includes = includes, nil
		}
		if inTemplate.MatchString(line) {
			requires = nil
		}
		if m := requiredLine.FindStringSubmatch(line); m != nil {
			requires = append(requires, placeOf(m))
			continue
		}
		if m := errorLine.FindStringSubmatch(line); m != nil {
			d := diagnostic{place: placeOf(m), text: m[4], includes: known[m[1]], requires: requires}
			if asm := clangAsm.FindStringSubmatch(m[4]); asm != nil {
				d.instruction = asm[1]
			}
			out = append(out, d)
			requires = nil
			continue
		}
		if m := otherLine.FindStringSubmatch(line); m != nil {
			// clang++ reports who asked for a template after the error.
			if n := len(out); n > 0 && instantiated.MatchString(m[4]) {
				out[n-1].requires = append(out[n-1].requires, placeOf(m))
			}
			continue
		}
		if m := assemblyLine.FindStringSubmatch(line); m != nil {
			out = append(out, diagnostic{place: placeOf(m), instruction: m[4]})
			continue
		}
		if d, ok := linkerDiagnostic(line); ok {
			out = append(out, d)
		} else if m := referenced.FindStringSubmatch(line); m != nil && len(out) > 0 && out[len(out)-1].line == 0 {
			out[len(out)-1].place = place{file: m[1], line: atoi(m[2])}
		}
	}
	if own := slices.DeleteFunc(slices.Clone(out), func(d diagnostic) bool { return ownName.MatchString(d.text) }); len(own) > 0 {
		return own // the others follow from these
	}
	return out
}

// ownName matches what is said of a name of smux's own: the user has not written it.
var ownName = regexp.MustCompile(`^(?:use of undeclared identifier )?'smux_\w*'`)

// linkerDiagnostic reads one line of the linker's.
func linkerDiagnostic(line string) (diagnostic, bool) {
	if m := undefinedRef.FindStringSubmatch(line); m != nil {
		d := undefinedName(m[2])
		// In front: the linker's name, then file:line where debug information is known.
		if at := linkerPlace.FindStringSubmatch(ldPrefix.ReplaceAllString(m[1], "")); at != nil {
			d.place = place{file: at[1], line: atoi(at[2])}
		}
		return d, true
	}
	if m := undefinedLLD.FindStringSubmatch(line); m != nil {
		return undefinedName(m[1]), true
	}
	if m := undefinedMac.FindStringSubmatch(line); m != nil {
		return undefinedName(strings.TrimPrefix(m[1], "_")), true
	}
	if m := missingLib.FindStringSubmatch(line); m != nil {
		return diagnostic{text: "cannot find -l" + m[1]}, true
	}
	if noSanitizer.MatchString(line) {
		return diagnostic{text: "cannot find -lasan"}, true
	}
	if m := multiple.FindStringSubmatch(line); m != nil {
		return diagnostic{place: place{file: m[1], line: atoi(m[2])}, text: "multiple definition of '" + m[3] + "'"}, true
	}
	return diagnostic{}, false
}

func undefinedName(name string) diagnostic {
	return diagnostic{text: "undefined reference to '" + name + "'", undefined: name}
}

// placeOf takes file, line and column from the first three groups of a match.
func placeOf(m []string) place { return place{m[1], atoi(m[2]), atoi(m[3])} }

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
