package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// Schema is the version of manifests and of the results' layout.
const Schema = 2

// Manifest describes what is in the folder.
type Manifest struct {
	Schema int `json:"schema"`
	// Subject names what is tuned. Its machine is known as far as the export tells; the
	// rest is filled in by what run.sh finds.
	Subject record.Subject `json:"subject"`
	Arch    string         `json:"arch"` // sm_80
	Plan    Plan           `json:"plan"`
	Compare Compare        `json:"compare"`
	Forms   []Form         `json:"forms"` // the original first
	// Left names, in words, what the program needs and could not be brought along.
	Left []string `json:"left,omitempty"`
}

// Plan says how often and how long everything runs.
type Plan struct {
	Search  int `json:"search"`  // pairs of each form to find the best
	Confirm int `json:"confirm"` // and to confirm it
	WarmUp  int `json:"warmUp"`  // runs before, in each phase
	// Repetitions of a kernel that is run alone, within a run: those that count, and
	// those before. 0 for a program with a main of its own.
	Repeats       int     `json:"repeats,omitempty"`
	WarmUpRepeats int     `json:"warmUpRepeats,omitempty"`
	FlushL2       int64   `json:"flushL2,omitempty"` // bytes that are written before each launch
	Timeout       float64 `json:"timeoutSeconds"`    // of a run
}

// Compare says how outputs are compared.
type Compare struct {
	Tolerance verify.Tolerance `json:"tolerance"`
	Checksums bool             `json:"checksums,omitempty"` // see machine.Rules
}

// Form is a form of the kernel.
type Form struct {
	Folder  string                 `json:"folder,omitempty"` // in variants/, "" where it could not be had
	Key     string                 `json:"key"`              // of Variant
	Variant record.MeasuredVariant `json:"variant"`
	Flags   []string               `json:"flags,omitempty"` // of nvcc, those of all forms included
	// Files are the SHA-256 of all files in the folder, by path within it.
	Files   map[string]string `json:"files,omitempty"`
	Failure *record.Failure   `json:"failure,omitempty"` // why it could not be had
}

// The names in the folder.
const (
	manifestName = "manifest.json"
	variantsName = "variants"
	resultsName  = "results"
	jobsName     = "jobs" // what jobs of Slurm say of themselves
)

// Error reports what is wrong with a folder.
type Error struct {
	Dir, Why string
}

func (e *Error) Error() string { return e.Dir + ": " + e.Why }

// ReadManifest reads the manifest of an exported folder. The error is an *Error
// where it is none, or one of another version.
func ReadManifest(dir string) (*Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{dir, "this is not a folder that --export has written: it has no " + manifestName}
	}
	if err != nil {
		return nil, err
	}
	m, why := parseManifest(text)
	if why != "" {
		return nil, &Error{dir, why}
	}
	return m, nil
}

// parseManifest also says what is wrong with the text, "" for nothing.
func parseManifest(text []byte) (*Manifest, string) {
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, manifestName + " is damaged: " + err.Error()
	}
	switch {
	case m.Schema == 0:
		return nil, manifestName + " is none of smux: it has no schema"
	case m.Schema != Schema:
		return nil, fmt.Sprintf("%s has schema %d; this smux reads %d", manifestName, m.Schema, Schema)
	case len(m.Forms) == 0 || !m.Forms[0].Variant.Candidate.IsOriginal() || m.Forms[0].Folder == "":
		return nil, manifestName + " is damaged: it does not begin with the original"
	}
	seen := map[string]bool{}
	for _, f := range m.Forms {
		name := f.Variant.Candidate.String()
		switch {
		case f.Variant.Key() != f.Key:
			return nil, fmt.Sprintf("%s has been changed: %s is not what was exported", manifestName, name)
		case f.Folder == "" && f.Failure == nil, f.Folder != "" && (f.Folder != folderName(f.Folder) || seen[f.Folder]):
			return nil, fmt.Sprintf("%s is damaged: %s has no folder of its own", manifestName, name)
		case f.Variant.Subject.Key() != m.Subject.Key():
			return nil, fmt.Sprintf("%s is damaged: %s is of another subject", manifestName, name)
		}
		seen[f.Folder] = true
	}
	return &m, ""
}

// verifyTexts checks whether all texts are what was exported. The error is an *Error
// that names the first which isn't.
func (m *Manifest) verifyTexts(dir string) error {
	for _, f := range m.Forms {
		if f.Folder == "" {
			continue
		}
		root := filepath.Join(dir, variantsName, f.Folder)
		found := 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if f.Files[filepath.ToSlash(name)] != sum(text) {
				return changed(dir, f.Folder, name)
			}
			found++
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) || err == nil && found != len(f.Files) {
			return &Error{dir, fmt.Sprintf("%s/%s lacks a text that was exported", variantsName, f.Folder)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func changed(dir, folder, name string) error {
	return &Error{dir, fmt.Sprintf("%s/%s/%s is not what was exported: what was measured is something else", variantsName, folder, filepath.ToSlash(name))}
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
