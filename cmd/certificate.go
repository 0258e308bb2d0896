package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"sync/atomic"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/validate"
)

// certificates hold the proofs of the programs that one call rewrote.
type certificates struct {
	mu  sync.Mutex
	all []validate.Certified
}

// certify keeps what was proved of the files that a rewrite changed, where a certificate is asked for.
func (s *session) certify(found *report.Judged, out outputFlags) error {
	if out.certificate == "" {
		return nil
	}
	if found.Err != nil {
		return diag.Failed("certifying", found.Err)
	}
	r := validate.Result{Kernels: found.Certified.Kernels, Doubts: found.Certified.Doubts}
	for _, m := range r.Messages() {
		s.Message(m)
	}
	s.certificates.add(&found.Certified)
	return nil
}

// add keeps what was proved of a program, nil for nothing.
func (c *certificates) add(one *validate.Certified) {
	if one == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, *one)
}

// writeCertificate writes what was proved of some programs.
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
	c, err := openCertificate(name)
	if err != nil {
		return err
	}
	if _, m := c.Holds(old, now); m != nil {
		s.Message(*m)
		s.Note(diag.ExitDiffers)
		return diag.ErrReported
	}
	return nil
}

// namedCertificate is a certificate in a file that a person named.
type namedCertificate struct {
	validate.Certificate
	file string
	used atomic.Bool // something of it is shown
}

// openCertificate reads a certificate.
func openCertificate(name string) (*namedCertificate, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, diag.Usagef("check the path", "--certificate %s: %w", name, diag.PlainCause(err))
	}
	c := &namedCertificate{file: name}
	if err := json.Unmarshal(text, &c.Certificate); err != nil || c.Schema != validate.Schema {
		return nil, diag.Usagef("have smux rewrite --certificate write one", "%s is no certificate that this smux can read", name)
	}
	return c, nil
}
