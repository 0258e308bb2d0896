package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// An answer about programs that open no file is kept beside the compiled runtime, and holds as long as all is the same that it rests on: the
// request, with its programs' text; the headers that these include; what the compiler read; the
// compiler, the runtime and smux itself. What could not be judged is not kept: it is tried again.

// What is kept of answers.
const (
	mostKeptBytes = 64 << 20
	oldestKept    = 60 * 24 * time.Hour
)

// kept is an answer in its file.
type kept struct {
	Files  map[string]string // hashes of what the compiler read beside the programs' text, by absolute path
	Answer []byte            // by gob, which has what documents leave out as well
}

// keptAt returns the file of the answer to a request, "" where none is to be kept.
func (s *session) keptAt(question string) string {
	r := s.Request
	if !r.Reuse || r.Keep != "" || r.Board != nil && r.Board.Registers != nil {
		return ""
	}
	r.Jobs, r.CacheDir = 0, ""
	self, err := thisProgram()
	here, hereErr := os.Getwd()
	if err != nil || hereErr != nil {
		return ""
	}
	var headers []File
	for _, sub := range s.subjects {
		if s.prepare(sub) != nil {
			return ""
		}
		for _, path := range slices.Sorted(maps.Keys(sub.parsed.Headers)) {
			headers = append(headers, File{Name: path, Text: sub.parsed.Headers[path].Src})
		}
	}
	text, err := json.Marshal([]any{question, self, here, execute.Inherited(), r, headers})
	if err != nil {
		return ""
	}
	return filepath.Join(s.toolchain.CacheDir, "answers", fmt.Sprintf("%x.json", sha256.Sum256(text)))
}

// thisProgram names the text that smux was built from, and with what.
var thisProgram = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return build.HashFile(path)
})

// recall reads an answer, and reports whether there is one that holds.
func recall(path string, answer any) bool {
	text, err := os.ReadFile(path)
	var k kept
	if err != nil || json.Unmarshal(text, &k) != nil {
		return false
	}
	for file, hash := range k.Files {
		if now, err := build.HashFile(file); err != nil || now != hash {
			return false
		}
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // for disk.Prune
	return gob.NewDecoder(bytes.NewReader(k.Answer)).Decode(answer) == nil
}

// keep writes an answer, unless it rests on what nobody knows. That it can't be written is no error.
func (s *session) keep(path string, answer any, begun time.Time) {
	k := kept{Files: map[string]string{}}
	for _, sub := range s.subjects {
		if path == "" || sub.err != nil || len(sub.failures) > 0 || len(sub.builds) == 0 {
			return
		}
		for _, b := range sub.builds {
			if b.program == nil || !b.program.Closed {
				return
			}
			for _, file := range b.program.UserFiles {
				info, err := os.Stat(file)
				if err != nil || !info.ModTime().Before(begun) {
					return // the compiler may have read what it was before
				}
				if k.Files[file], err = build.HashFile(file); err != nil {
					return
				}
			}
		}
	}
	var out bytes.Buffer
	if gob.NewEncoder(&out).Encode(answer) != nil {
		return
	}
	k.Answer = out.Bytes()
	if text, err := json.Marshal(k); err == nil && disk.KeepEntry(path, text) == nil {
		disk.Prune(filepath.Dir(path), mostKeptBytes, oldestKept)
	}
}
