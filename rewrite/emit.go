package rewrite

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// emit applies the edits of each file and puts the runtime at its top.
func (r *run) emit(all []applied, edits map[*parser.File]*edit.Buffer, res *Result) error {
	parts := map[*parser.File]map[runtime.Part]bool{}
	inPlace := map[*parser.File]int{} // edits that need no runtime
	for _, p := range all {
		if len(p.Runtime()) == 0 {
			for f, b := range p.Edits.Files {
				inPlace[f] += b.Len()
			}
			continue
		}
		for _, f := range p.runtimeFiles() {
			if parts[f] == nil {
				parts[f] = map[runtime.Part]bool{}
			}
			for _, part := range p.Runtime() {
				parts[f][part] = true
			}
		}
	}
	r.sameParts(parts)
	names := r.runtimeNames(edits, parts)
	for _, f := range r.Prog.Parsed.Files {
		b := edits[f]
		if b == nil || b.Len() == 0 {
			continue
		}
		rename(b, names)
		if b.Len() > inPlace[f] {
			r.insertRuntime(f, b, parts[f], names)
		}
		r.insertIncludes(f, b, all)
		all, err := kit.SetIn(f, b.Edits())
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		out, err := edit.ApplyRange(f.Src, all, 0, len(f.Src))
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		res.Files = append(res.Files, FileResult{Name: f.Name, Before: f.Src, After: out, Edits: all})
	}
	return nil
}

// sameParts gives files that are compiled together the same runtime: the parts share one
// guard, so that only the first copy in a translation unit counts.
func (r *run) sameParts(parts map[*parser.File]map[runtime.Part]bool) {
	for grown := true; grown; {
		grown = false
		for _, top := range r.Prog.Parsed.Files {
			unit := r.Prog.Parsed.Reach(top)
			for _, part := range runtime.Parts {
				if part.Guard() != "" || !slices.ContainsFunc(unit, func(f *parser.File) bool { return parts[f][part] }) {
					continue
				}
				for _, f := range unit {
					if parts[f] != nil && !parts[f][part] {
						parts[f][part], grown = true, true
					}
				}
			}
		}
	}
}

// runtimeFiles are the files that a kernel that uses the runtime, its launches and the
// functions that changed for it are in.
func (p applied) runtimeFiles() []*parser.File {
	k := p.Found().Kernel
	out := []*parser.File{k.File}
	if merge.MergedBy(p.Proof) == nil && p.Found().SlotWords == 0 && p.Found().Extents == "" {
		return out
	}
	for _, l := range k.Launches {
		out = append(out, l.File)
	}
	for _, c := range p.Edits.Clones {
		out = append(out, c.Fn.File)
	}
	return out
}

// insertRuntime puts the runtime before the first #include or declaration:
// after a leading comment, #pragma once and an include guard.
func (r *run) insertRuntime(f *parser.File, b *edit.Buffer, parts map[runtime.Part]bool, names map[string]string) {
	if r.hasRuntime(f, parts) {
		return
	}
	text := runtime.Text(r.opt.Runtime == runtime.Included, parts, names)
	if nl := f.Newline(); nl != "\n" {
		text = strings.ReplaceAll(text, "\n", nl)
	}
	at := runtimeOffset(f)
	if end := kit.LineEnd(f, at); strings.TrimSpace(string(f.Src[at:end])) != "" {
		text += f.Newline()
	}
	if before := bytes.TrimRight(f.Src[:at], " \t\r"); len(before) > 1 && before[len(before)-1] == '\n' && !bytes.HasSuffix(bytes.TrimRight(before[:len(before)-1], " \t\r"), []byte("\n")) {
		text = f.Newline() + text
	}
	b.Prepend(edit.Edit{Start: at, End: at, New: text})
}

// insertIncludes puts the headers that kernels of a file need where the runtime goes.
func (r *run) insertIncludes(f *parser.File, b *edit.Buffer, all []applied) {
	done := map[string]bool{}
	for _, p := range all {
		for _, header := range p.Edits.Includes {
			line := "#include " + header
			if done[line] || p.Found().Kernel.File != f || bytes.Contains(f.Src, []byte(line)) || header == "<cstdio>" && bytes.Contains(f.Src, []byte("#include <stdio.h>")) {
				continue
			}
			done[line] = true
			at, text := runtimeOffset(f), line+f.Newline()
			if end := kit.LineEnd(f, at); strings.TrimSpace(string(f.Src[at:end])) != "" && f.Src[at] != '#' {
				text += f.Newline()
			}
			b.Prepend(edit.Edit{Start: at, End: at, New: text})
		}
	}
}

// hasRuntime reports whether an earlier run left in a file all that is needed.
func (r *run) hasRuntime(f *parser.File, parts map[runtime.Part]bool) bool {
	if runtime.IncludedBy(f.Src) {
		return true
	}
	for part := range parts {
		if guard := part.Guard(); guard == "" || !bytes.Contains(f.Src, []byte("#define "+guard+"\n")) {
			return false
		}
	}
	return true
}

func runtimeOffset(f *parser.File) int {
	src := f.Src
	at := 0
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		at = 3
	}
	guard := ""
	pos := at
	comments := -1 // where the comments begin that end at pos, without a blank line
	for pos < len(src) {
		end := pos
		for end < len(src) && src[end] != '\n' {
			end++
		}
		next := min(end+1, len(src))
		line := strings.TrimSpace(string(src[pos:end]))
		fields := strings.Fields(strings.Replace(line, "#", "# ", 1))
		switch comment := strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*"); {
		case !comment && (line == "" || line[0] == '#'):
			comments = -1
		case comment && comments < 0:
			comments = pos
		}
		switch {
		case line == "":
		case strings.HasPrefix(line, "//"):
			at = next
		case strings.HasPrefix(line, "/*"):
			text := pos + bytes.Index(src[pos:], []byte("/*")) + 2
			close := bytes.Index(src[text:], []byte("*/"))
			if close < 0 {
				return at
			}
			end = text + close + 2
			for end < len(src) && src[end] != '\n' {
				if c := src[end]; c != ' ' && c != '\t' && c != '\r' {
					return at // code after the comment
				}
				end++
			}
			next = min(end+1, len(src))
			at = next
		case len(fields) >= 3 && fields[0] == "#" && fields[1] == "pragma" && fields[2] == "once":
			at = next
		case len(fields) == 3 && fields[0] == "#" && fields[1] == "ifndef" && guard == "" && fields[2] != "SMUX_CUH":
			guard = fields[2]
		case len(fields) == 3 && fields[0] == "#" && fields[1] == "define" && guard == fields[2]:
			at = next
		default:
			return aboveDirective(src, at, pos, comments)
		}
		pos = next
	}
	return at
}

// aboveDirective is at, the offset after a file's leading comments, unless code
// follows without a blank line and one of the comments that touch it, from comments
// on, is a directive: that belongs to the code, and what is inserted goes above it.
func aboveDirective(src []byte, at, code, comments int) int {
	if at != code || src[code] == '#' || comments < 0 || !bytes.Contains(src[comments:at], []byte("smux:")) {
		return at
	}
	return comments
}
