package acc

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed texts.cuh
var textsFile string

// texts are the pieces of CUDA text that a program gets once, where it needs them, by name.
var texts = func() map[string]string {
	out := map[string]string{}
	for _, piece := range strings.Split(textsFile, "\n// [")[1:] {
		name, text, _ := strings.Cut(piece, "]\n")
		out[name] = strings.TrimSpace(text) + "\n"
	}
	return out
}()

//go:embed openacc.cuh
var openACCFile string

// apiFunctions are the functions of openacc.h that smux has, by name. Names of earlier versions are in apiOlder.
var apiFunctions = func() map[string]string {
	out := map[string]string{}
	for _, text := range strings.Split(openACCFile, "\n\n")[1:] {
		out[functionName.FindStringSubmatch(text)[1]] = strings.TrimSpace(text) + "\n"
	}
	return out
}()

var functionName = regexp.MustCompile(`(acc_\w+)\(`)

// use notes that the program needs a piece.
func (t *translation) use(name string) { t.uses[name] = texts[name] }
