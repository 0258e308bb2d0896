package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// certificates are what was shown of the programs that one call rewrote.
type certificates struct {
	mu  sync.Mutex
	all []validate.Certified
}

// certify has the files that a rewrite changed judged by package validate, which knows nothing of how they were made.
func (s *session) certify(prog *parser.Program, files []rewrite.FileResult) error {
	if len(files) == 0 {
		return nil
	}
	before, after := prog.Texts(), prog.Texts()
	for _, f := range files {
		before[f.Name], after[f.Name] = f.Before, f.After
	}
	old, err := prog.WithTexts(before)
	if err != nil {
		return diag.Failed("certifying", err)
	}
	now, err := prog.WithTexts(after)
	if err != nil {
		return diag.Failed("certifying", err)
	}
	certified := validate.Certify(old, now)
	r := validate.Result{Kernels: certified.Kernels, Doubts: certified.Doubts}
	for _, m := range r.Messages() {
		s.Message(m)
	}
	s.certificates.mu.Lock()
	defer s.certificates.mu.Unlock()
	s.certificates.all = append(s.certificates.all, certified)
	return nil
}

// writeCertificate writes what was shown of some programs.
func (s *session) writeCertificate(name string, all []validate.Certified) error {
	var out bytes.Buffer
	if all == nil {
		all = []validate.Certified{}
	}
	if err := writeDocument(&out, validate.Certificate{Schema: validate.Schema, Programs: all}); err != nil {
		return diag.Failed("writing the certificate", err)
	}
	return s.WriteOutput(name, out.Bytes())
}

// checkCertificate shows again what a certificate says of two programs.
func (s *session) checkCertificate(name string, old, now *parser.Program) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return diag.Usagef("check the path", "--certificate %s: %w", name, diag.PlainCause(err))
	}
	var c validate.Certificate
	if err := json.Unmarshal(text, &c); err != nil || c.Schema != validate.Schema {
		return diag.Usagef("have smux rewrite --certificate write one", "%s is no certificate that this smux can read", name)
	}
	if _, m := c.Holds(old, now); m != nil {
		s.Message(*m)
		s.Note(diag.ExitDiffers)
		return diag.ErrReported
	}
	return nil
}
