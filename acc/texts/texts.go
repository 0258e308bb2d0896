// Package texts has the CUDA text that translated programs get where they need it.
package texts

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
)

//go:embed pieces.cuh
var textsFile string

// Pieces are the pieces of CUDA text that a program gets once, where it needs them, by name.
var Pieces = func() map[string]string {
	out := map[string]string{}
	for _, piece := range strings.Split(textsFile, "\n// [")[1:] {
		name, text, _ := strings.Cut(piece, "]\n")
		out[name] = strings.TrimSpace(text) + "\n"
	}
	return out
}()

//go:embed openacc.cuh
var openACCFile string

// API are the functions of openacc.h that smux has, by name. Names of earlier versions are in Older.
var API = func() map[string]string {
	out := map[string]string{}
	for _, text := range strings.Split(openACCFile, "\n\n")[1:] {
		out[functionName.FindStringSubmatch(text)[1]] = strings.TrimSpace(text) + "\n"
	}
	return out
}()

var functionName = regexp.MustCompile(`(acc_\w+)\(`)

// Older are names of earlier versions of OpenACC.
var Older = map[string]string{
	"acc_async_wait": "acc_wait", "acc_async_wait_all": "acc_wait_all", "acc_async_wait_async": "acc_wait_async", "acc_async_wait_all_async": "acc_wait_all_async",
	"acc_present_or_copyin": "acc_copyin", "acc_pcopyin": "acc_copyin", "acc_present_or_create": "acc_create", "acc_pcreate": "acc_create", "acc_update_host": "acc_update_self",
}

var (
	CallsTable  = regexp.MustCompile(`acc_(enter|leave|find|present|table)\b`)
	CallsStream = regexp.MustCompile(`acc_stream\(`)
	CallsBehind = regexp.MustCompile(`acc_behind\(`)
	NamesQueue  = regexp.MustCompile(`acc_default_queue`)
	NamesDevice = regexp.MustCompile(`acc_(wait|async_test|memcpy_d2d)\w*\(.*int number`)
)

// For returns a text for a program that does some things: of the lines that begin with //+ or //- and a word those
// that are for it.
func For(text string, does []string) string {
	for marked.MatchString(text) {
		text = marked.ReplaceAllStringFunc(text, func(line string) string {
			m := marked.FindStringSubmatch(line)
			if (m[1] == "+") == slices.Contains(does, m[2]) {
				return m[3]
			}
			return ""
		})
	}
	return text
}

var marked = regexp.MustCompile(`(?m)^//([+-])(\w+) ?(.*\n)`)

// TableCallQueued is a call of the table that names a queue.
var TableCallQueued = regexp.MustCompile(`acc_(enter|leave|leave_whole)\(.*, acc_stream\(`)
