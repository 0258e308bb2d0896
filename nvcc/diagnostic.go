package nvcc

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/process"
)

// The forms of errors: those of the device compiler and of Microsoft's, with the line in brackets; those of gcc and
// clang; those of nvcc and ptxas, without a place in the source; and those of the host compiler's driver.
var (
	bracketError = regexp.MustCompile(`(?m)^(.+?)\((\d+)\)\s*: (?:catastrophic |internal |fatal )?[Ee]rror\b[^:\n]*: (.+)$`)
	colonError   = regexp.MustCompile(`(?m)^(.+?):(\d+):(?:\d+:)? (?:fatal )?error: (.+)$`)
	toolError    = regexp.MustCompile(`(?m)^(?:\w+ )?(?:fatal|error)\s*: (.+)$`)
	driverError  = regexp.MustCompile(`(?m)^\S+: (?:fatal )?error: (.+)$`)
	ptxasError   = regexp.MustCompile(`(?m)^ptxas [^\n;]*; ?error\s*: (.+)$`)
)

// refused makes an error of what nvcc printed.
func (p *program) refused(o *overlay, unit string, said *exitError) *CompileError {
	output := p.rename(o, said.output)
	e := &CompileError{Unit: unit, Arch: p.Arch, File: unit, Output: output}
	var full *process.OutOfMemoryError
	if errors.As(said.err, &full) { // wherever in a header that was
		e.Message, e.Help = "the compiler can't finish: "+full.Error(), memoryHelp
		return e
	}
	first := -1
	for _, pattern := range []*regexp.Regexp{bracketError, colonError} {
		if at := pattern.FindStringSubmatchIndex(output); at != nil && (first < 0 || at[0] < first) {
			first = at[0]
			m := pattern.FindStringSubmatch(output)
			e.File, e.Line, e.Message = m[1], number(m[2]), m[3]
		}
	}
	if first < 0 {
		for _, pattern := range []*regexp.Regexp{ptxasError, toolError, driverError} {
			if m := pattern.FindStringSubmatch(output); m != nil {
				e.Message = m[1]
				break
			}
		}
	}
	if e.Message == "" {
		e.Message = unexplained(output, said.err)
	}
	e.Help = helpFor(e.Message, output)
	return e
}

// unexplained returns the message for a failure in which no error is recognised: the
// last line that isn't about a kernel, and how nvcc ended.
func unexplained(output string, err error) string {
	how := "nvcc ended with " + err.Error()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 128 { // its shell, for a pass that a signal ended
		how = fmt.Sprintf("nvcc or one of its passes crashed (%v)", err)
	}
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for _, line := range slices.Backward(lines) {
		if line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "ptxas info") {
			return line + "; " + how
		}
	}
	return how
}

// rename puts the request's file names in the place of the overlay's paths.
func (p *program) rename(o *overlay, text string) string {
	for link, folder := range o.links {
		text = strings.ReplaceAll(text, link+string(filepath.Separator), folder+string(filepath.Separator))
	}
	paths := make([]string, 0, len(p.names))
	for path := range p.names {
		paths = append(paths, path)
	}
	// The longest first: one path may begin another.
	slices.SortFunc(paths, func(a, b string) int { return len(b) - len(a) })
	for _, path := range paths {
		text = strings.ReplaceAll(text, o.path(path), p.names[path])
	}
	return strings.ReplaceAll(text, o.root+string(filepath.Separator), string(filepath.Separator))
}

// name returns a path as the request would write it.
func (p *program) name(path string) string {
	if name, ok := p.names[path]; ok {
		return name
	}
	return path
}

// helps are hints for messages that a person can act on.
var helps = []struct {
	pattern *regexp.Regexp
	help    string
}{
	{regexp.MustCompile(`unsupported GNU version|unsupported clang version|unsupported Microsoft Visual Studio`),
		"this nvcc doesn't take the host compiler that it found: name an older one with -ccbin (or NVCC_CCBIN), or pass -allow-unsupported-compiler"},
	{regexp.MustCompile(`(?i)failed to preprocess host compiler properties|Cannot find compiler|: not found|(gcc|g\+\+|cl\.exe).*(No such file|not found)`),
		"nvcc needs a host compiler (g++): install one, or name it with -ccbin (or NVCC_CCBIN)"},
	{regexp.MustCompile(`No such file or directory|[Cc]annot open (source|include) file|could not open source file`),
		"add the header's folder with -I"},
	{regexp.MustCompile(`is not defined for option 'gpu-architecture'|Unsupported gpu architecture`),
		"this nvcc doesn't know the architecture; nvcc --list-gpu-code lists those that it knows"},
	{regexp.MustCompile(`Unresolved extern function`),
		"the kernel calls a device function of another file: pass -rdc=true, and the figures leave that function out"},
	{regexp.MustCompile(`requires separate compilation mode`), "pass -rdc=true"},
	{regexp.MustCompile(`crashed|died due to signal`), "the toolkit's own fault: another architecture, toolkit or optimisation level may do"},
	{regexp.MustCompile(`Unknown option`), "the flag is none of nvcc's: flags of the host compiler go after -Xcompiler"},
}

// memoryHelp explains why there is a limit, and what a person can do.
const memoryHelp = "smux gives a compiler half of the machine's memory, so that the system need not kill another program: part the file, or run smux where there is more"

func helpFor(message, output string) string {
	for _, text := range []string{message, output} {
		for _, h := range helps {
			if h.pattern.MatchString(text) {
				return h.help
			}
		}
	}
	return ""
}
