// Package editor is a small client of the Language Server Protocol, as an editor is one: for tests of smux lsp.
package editor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/sourcegraph/jsonrpc2"
)

// Position is a place in a text, from 0, in UTF-16 code units.
type Position struct{ Line, Character int }

// Range is a part of a text.
type Range struct{ Start, End Position }

// Edit replaces a part of a text.
type Edit struct {
	Range   Range
	NewText string
}

// Diagnostic is a message of a server about a place.
type Diagnostic struct {
	Range    Range
	Severity int
	Code     string
	Source   string
	Message  string
}

// Published are the diagnostics of a version of a text.
type Published struct {
	URI         string
	Version     *int
	Diagnostics []Diagnostic
}

// Action is a code action.
type Action struct {
	Title string
	Edit  *struct {
		DocumentChanges []struct {
			TextDocument struct {
				URI     string
				Version *int
			}
			Edits []Edit
		}
	}
	Command *struct {
		Command   string
		Arguments []string
	}
}

// Client is one session with a server.
type Client struct {
	conn *jsonrpc2.Conn

	mu         sync.Mutex
	transcript strings.Builder
	published  []Published
	messages   []string
	more       chan struct{} // closed when something comes
}

// New begins a session.
func New(ctx context.Context, stream io.ReadWriteCloser) *Client {
	c := &Client{more: make(chan struct{})}
	note := func(way string, r *jsonrpc2.Request) {
		params := json.RawMessage("null")
		if r.Params != nil {
			params = *r.Params
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		fmt.Fprintf(&c.transcript, "%s %s %s\n", way, r.Method, params)
	}
	c.conn = jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), c,
		jsonrpc2.OnSend(func(r *jsonrpc2.Request, _ *jsonrpc2.Response) {
			if r != nil {
				note("->", r)
			}
		}),
		jsonrpc2.OnRecv(func(r *jsonrpc2.Request, a *jsonrpc2.Response) {
			switch {
			case a == nil:
				note("<-", r)
			case a.Error != nil:
				c.answered(r, a.Error)
			default:
				c.answered(r, a.Result)
			}
		}))
	return c
}

// answered notes an answer.
func (c *Client) answered(r *jsonrpc2.Request, answer any) {
	text, _ := json.Marshal(answer)
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(&c.transcript, "<= %s %s\n", r.Method, text)
}

// Handle takes what the server sends.
func (c *Client) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	c.mu.Lock()
	switch r.Method {
	case "textDocument/publishDiagnostics":
		var p Published
		if json.Unmarshal(*r.Params, &p) == nil {
			c.published = append(c.published, p)
		}
	case "window/showMessage":
		var p struct{ Message string }
		if json.Unmarshal(*r.Params, &p) == nil {
			c.messages = append(c.messages, p.Message)
		}
	}
	close(c.more)
	c.more = make(chan struct{})
	c.mu.Unlock()
	if !r.Notif {
		_ = conn.Reply(ctx, r.ID, nil)
	}
}

// Call asks for something. The error is the server's, a *jsonrpc2.Error.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	return c.conn.Call(ctx, method, params, result)
}

// CallAs is Call with an id of the caller's own, which $/cancelRequest takes.
func (c *Client) CallAs(ctx context.Context, id uint64, method string, params, result any) error {
	return c.conn.Call(ctx, method, params, result, jsonrpc2.PickID(jsonrpc2.ID{Num: id}))
}

// Notify tells something.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	return c.conn.Notify(ctx, method, params)
}

// Open opens a text.
func (c *Client) Open(ctx context.Context, uri, text string) error {
	return c.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}})
}

// Change replaces a text.
func (c *Client) Change(ctx context.Context, uri string, version int, text string) error {
	return c.Notify(ctx, "textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{map[string]any{"text": text}}})
}

// Initialize begins the session as editors do that take edits of versions.
func (c *Client) Initialize(ctx context.Context, options any) error {
	edits := map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}}
	if err := c.Call(ctx, "initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": edits, "initializationOptions": options}, nil); err != nil {
		return err
	}
	return c.Notify(ctx, "initialized", struct{}{})
}

// Diagnostics waits for diagnostics of a text that are as wanted.
func (c *Client) Diagnostics(ctx context.Context, uri string, wanted func(Published) bool) (Published, error) {
	for next := 0; ; {
		c.mu.Lock()
		more, all := c.more, c.published[next:]
		next = len(c.published)
		c.mu.Unlock()
		for _, p := range all {
			if p.URI == uri && wanted(p) {
				return p, nil
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			return Published{}, ctx.Err()
		}
	}
}

// Messages returns what the server has shown.
func (c *Client) Messages() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.messages)
}

// Transcript returns all messages, a line each: "->" and "<-" before those of client and server, "<=" before answers.
func (c *Client) Transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.transcript.String()
}

// Exit ends the session.
func (c *Client) Exit(ctx context.Context) error {
	if err := c.Call(ctx, "shutdown", nil, nil); err != nil {
		return err
	}
	if err := c.Notify(ctx, "exit", nil); err != nil {
		return err
	}
	<-c.conn.DisconnectNotify()
	return nil
}

// Apply makes edits, as they stand in the text before, and returns the edits that undo them.
func Apply(text string, edits []Edit) (after string, undo []Edit) {
	type replaced struct {
		from, to int
		text     string
	}
	var all []replaced
	for _, e := range edits {
		all = append(all, replaced{offset(text, e.Range.Start), offset(text, e.Range.End), e.NewText})
	}
	slices.SortStableFunc(all, func(a, b replaced) int { return a.from - b.from })
	var out strings.Builder
	var back []replaced // in the text after
	last := 0
	for _, r := range all {
		out.WriteString(text[last:r.from])
		back = append(back, replaced{out.Len(), out.Len() + len(r.text), text[r.from:r.to]})
		out.WriteString(r.text)
		last = r.to
	}
	out.WriteString(text[last:])
	after = out.String()
	for _, b := range back {
		undo = append(undo, Edit{Range{place(after, b.from), place(after, b.to)}, b.text})
	}
	return after, undo
}

// offset returns where a position lies in a text, in bytes.
func offset(text string, at Position) int {
	lines := strings.SplitAfter(text, "\n")
	from := 0
	for _, l := range lines[:min(at.Line, len(lines))] {
		from += len(l)
	}
	units := utf16.Encode([]rune(strings.TrimRight(text[from:from+len(strings.SplitAfter(text[from:], "\n")[0])], "\r\n")))
	return from + len(string(utf16.Decode(units[:min(at.Character, len(units))])))
}

// place returns the position of an offset.
func place(text string, offset int) Position {
	before := text[:offset]
	line := strings.LastIndexByte(before, '\n') + 1
	return Position{strings.Count(before, "\n"), len(utf16.Encode([]rune(before[line:])))}
}
