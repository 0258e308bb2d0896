// Package lsp is a language server for editors: the diagnostics of smux analyze and smux check, what limits a
// kernel as code lens and hover, and rewrites as code actions.
//
// It promises that nothing it says is about another text than the editor's: unsaved texts are looked at, answers about
// a text that has changed meanwhile are dropped, and an edit names the version that it is for. A request that fails, by a
// defect too, is answered with an error, and the server goes on. It writes no file.
//
// What smux knows comes from a Tool; the messages are carried by sourcegraph/jsonrpc2.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"runtime"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/finding"
)

// Tool gives what smux knows of programs.
type Tool struct {
	Version string
	// Find finds the programs that a file belongs to: of the tree below root, or of the file alone where that is "". Texts
	// are read by read, whenever the programs are looked at.
	Find func(ctx context.Context, file, root string, read func(name string) ([]byte, error)) (Look, error)
	// Check runs the programs of a file on the CPU, as they are on disk.
	Check func(ctx context.Context, file, root string) ([]finding.Finding, error)
	// Read reads a file that is open in no editor.
	Read func(name string) ([]byte, error)
}

// Look returns what is known of programs: what limits their kernels or, with decide, which rewrites are possible as well,
// and what becomes of each kernel. The second takes tens of times as long.
type Look func(ctx context.Context, decide bool) (Seen, error)

// Seen holds the facts about programs, and why files could not be read.
type Seen struct {
	Programs []report.Program
	Unread   []diag.Message
}

// server is one session with an editor.
type server struct {
	tool    Tool
	conn    *jsonrpc2.Conn
	log     io.Writer
	ctx     context.Context
	running sync.WaitGroup // programs that are checked
	slow    chan struct{}  // has room for what runs long, beside one another

	sending sync.Mutex // held while diagnostics are sent, so that they come in their order

	mu      sync.Mutex
	docs    map[string]*document // by the path without links
	changes int                  // of texts, so far
	pending map[jsonrpc2.ID]context.CancelFunc
	folder  string // of the workspace
	ready   bool   // initialize was answered
	shut    bool   // shutdown was
	checks  bool   // programs are run when a text is saved
}

// Serve speaks with a client until it leaves or ctx ends, and returns whether it left as it should. What goes wrong with no
// request is written to log.
func Serve(ctx context.Context, stream io.ReadWriteCloser, log io.Writer, tool Tool) bool {
	s := &server{
		tool: tool, log: log, slow: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		docs: map[string]*document{}, pending: map[jsonrpc2.ID]context.CancelFunc{}, checks: true,
	}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithCancel(ctx)
	defer cancel()
	silent := jsonrpc2.SetLogger(stdlog.New(io.Discard, "", 0)) // a client that leaves early is no message
	<-jsonrpc2.NewConn(s.ctx, jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), s, silent).DisconnectNotify()
	cancel()
	s.running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shut
}

// Handle takes notifications in their order, and answers requests beside one another.
func (s *server) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	if s.conn == nil { // before all that uses it
		s.conn = conn
	}
	if r.Notif {
		if err := diag.Guard(func() error { return s.notified(r) }); err != nil {
			fmt.Fprintf(s.log, "smux: lsp: %s: %v\n", r.Method, err)
		}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.pending[r.ID] = cancel
	s.mu.Unlock()
	work := func() {
		var result any
		err := diag.Guard(func() (err error) {
			result, err = s.requested(ctx, r)
			return err
		})
		s.mu.Lock()
		delete(s.pending, r.ID)
		s.mu.Unlock()
		if ctx.Err() != nil {
			err = errCancelled
		}
		cancel()
		s.answer(r.ID, result, err)
	}
	if r.Method == "initialize" { // before all that comes after it
		work()
		return
	}
	go work()
}

// answer sends the answer to a request. That it can't be sent is known when the connection ends.
func (s *server) answer(id jsonrpc2.ID, result any, err error) {
	out := &jsonrpc2.Response{ID: id}
	if err == nil {
		err = out.SetResult(result)
	}
	if err != nil && !errors.As(err, &out.Error) {
		out.Error = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
	}
	_ = s.conn.SendResponse(context.Background(), out)
}

// read decodes parameters.
func read(r *jsonrpc2.Request, into any) error {
	if r.Params == nil {
		return nil
	}
	if err := json.Unmarshal(*r.Params, into); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return nil
}

// requested answers a request.
func (s *server) requested(ctx context.Context, r *jsonrpc2.Request) (any, error) {
	s.mu.Lock()
	ready, shut := s.ready, s.shut
	s.mu.Unlock()
	switch {
	case r.Method == "initialize" && !ready:
		return s.initialize(r)
	case !ready:
		return nil, errNotReady
	case shut:
		return nil, errShut
	}
	var p textParams
	answers := map[string]func(context.Context, *run, textParams) (any, error){
		"textDocument/hover": s.hover, "textDocument/codeLens": s.lenses, "textDocument/codeAction": s.actions,
	}
	switch answer := answers[r.Method]; {
	case r.Method == "shutdown":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.shut = true
		return nil, nil
	case r.Method == "workspace/executeCommand":
		return nil, s.execute(ctx, r)
	case answer == nil:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "no method " + r.Method}
	default:
		if err := read(r, &p); err != nil {
			return nil, err
		}
		now, err := s.current(p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		result, err := answer(ctx, now, p)
		if now.ctx.Err() != nil {
			err = errOutdated
		}
		return result, err
	}
}

// initialize takes the client's abilities and tells those of the server.
func (s *server) initialize(r *jsonrpc2.Request) (any, error) {
	var p initializeParams
	if err := read(r, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
	if path := pathOf(p.RootURI); path != "" {
		s.folder = project.Resolved(path)
	}
	if p.Options.Check != nil {
		s.checks = *p.Options.Check
	}
	return map[string]any{"capabilities": capabilities, "serverInfo": map[string]string{"name": source, "version": s.tool.Version}}, nil
}

// notified takes a notification. Those that the server does not know are none of its business.
func (s *server) notified(r *jsonrpc2.Request) error {
	if r.Method == "exit" {
		return s.conn.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == "$/cancelRequest" {
		var p struct{ ID jsonrpc2.ID }
		if err := read(r, &p); err != nil {
			return err
		}
		if cancel := s.pending[p.ID]; cancel != nil {
			cancel()
		}
		return nil
	}
	if !s.ready {
		return nil
	}
	if r.Method == "workspace/didChangeWatchedFiles" { // settings, or a compilation database
		for _, d := range s.docs {
			d.found = nil
			d.begin(d.run.version, d.run.text, 0)
		}
		return nil
	}
	var p textParams
	if err := read(r, &p); err != nil {
		return err
	}
	path := pathOf(p.TextDocument.URI)
	if path == "" {
		return nil // a text that is no file yet
	}
	s.changes++
	for _, d := range s.docs {
		d.stale = true
	}
	d := s.docs[project.Resolved(path)]
	switch {
	case r.Method == "textDocument/didOpen":
		if d == nil {
			d = &document{server: s, uri: p.TextDocument.URI, path: path}
			s.docs[project.Resolved(path)] = d
		}
		d.begin(p.TextDocument.Version, []byte(p.TextDocument.Text), 0)
	case d == nil:
	case r.Method == "textDocument/didChange":
		changes := p.ContentChanges
		if len(changes) == 0 || changes[len(changes)-1].Range != nil {
			return errors.New("a change has not the whole text")
		}
		d.begin(p.TextDocument.Version, []byte(changes[len(changes)-1].Text), pause)
	case r.Method == "textDocument/didSave":
		for _, o := range s.docs {
			if o == d || o.run.reads(d) {
				o.begin(o.run.version, o.run.text, 0)
			}
		}
		d.check()
	case r.Method == "textDocument/didClose":
		d.stop()
		delete(s.docs, project.Resolved(path))
		go s.publish(func() *published {
			if s.docs[project.Resolved(path)] != nil { // opened again
				return nil
			}
			return &published{URI: d.uri, Diagnostics: []diagnostic{}}
		})
	}
	return nil
}

// current returns the look at a text as it and all others are now.
func (s *server) current(uri string) (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[project.Resolved(pathOf(uri))]
	if d == nil {
		return nil, errClosed
	}
	if d.run.at != s.changes {
		d.begin(d.run.version, d.run.text, 0)
	}
	return d.run, nil
}

// text returns the text of a file: the editor's, where it is open there, or else the one on disk.
func (s *server) text(name string) ([]byte, error) {
	s.mu.Lock()
	d := s.docs[project.Resolved(name)]
	var text []byte
	if d != nil {
		text = d.run.text
	}
	s.mu.Unlock()
	if d != nil {
		return text, nil
	}
	return s.tool.Read(name)
}

// root returns the folder of the tree that a file belongs to: its repository, or else its folder of the workspace.
func (s *server) root(path string) string {
	path = project.Resolved(path)
	if top := project.Repository(path); top != "" {
		return top
	}
	if s.folder != "" && project.Within(path, []string{s.folder}) {
		return s.folder
	}
	return ""
}
