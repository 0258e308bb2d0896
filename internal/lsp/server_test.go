package lsp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/editor"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/finding"
)

// duplex is one end of a connection.
type duplex struct {
	io.Reader
	io.WriteCloser
}

// session is a client of a server with a tool that is made up.
type session struct {
	*editor.Client
	t    *testing.T
	file string
	uri  string
	log  *bytes.Buffer
	left chan bool // what Serve returned
}

// serve begins a session of which looks see what look returns.
func serve(t *testing.T, tool Tool, look Look) *session {
	t.Helper()
	s := &session{t: t, file: filepath.Join(t.TempDir(), "a b.cu"), log: &bytes.Buffer{}, left: make(chan bool, 1)}
	s.uri = uriOf(s.file)
	tool.Version, tool.Read = "v1", os.ReadFile
	tool.Find = func(context.Context, string, string, func(string) ([]byte, error)) (Look, error) { return look, nil }
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	go func() {
		s.left <- Serve(t.Context(), duplex{toServer, fromServer}, s.log, tool)
		toServer.Close()
	}()
	s.Client = editor.New(t.Context(), duplex{toClient, fromClient})
	return s
}

// about are the parameters of a request about a place.
func (s *session) about(line, character int) map[string]any {
	at := editor.Position{Line: line, Character: character}
	return map[string]any{"textDocument": map[string]any{"uri": s.uri}, "position": lower(at), "range": map[string]any{"start": lower(at), "end": lower(at)},
		"context": map[string]any{"diagnostics": []any{map[string]any{"source": "smux", "code": "limiter"}, map[string]any{"source": "clangd", "code": 7}}}}
}

func lower(at editor.Position) map[string]int {
	return map[string]int{"line": at.Line, "character": at.Character}
}

// code is that of a server's error.
func code(t *testing.T, err error) int64 {
	t.Helper()
	var e *jsonrpc2.Error
	require.ErrorAs(t, err, &e)
	return e.Code
}

func nothing(context.Context, bool) (Seen, error) { return Seen{}, nil }

func TestASessionBeginsAndEndsAsTheProtocolHasIt(t *testing.T) {
	s := serve(t, Tool{}, nothing)
	ctx := t.Context()
	assert.Equal(t, errNotReady.Code, code(t, s.Call(ctx, "textDocument/hover", s.about(0, 0), nil)))
	require.NoError(t, s.Initialize(ctx, nil))
	assert.Equal(t, int64(jsonrpc2.CodeMethodNotFound), code(t, s.Call(ctx, "textDocument/rename", nil, nil)))
	assert.Equal(t, errClosed.Code, code(t, s.Call(ctx, "textDocument/hover", s.about(0, 0), nil)), "the text is not open")
	assert.Equal(t, int64(jsonrpc2.CodeInvalidParams), code(t, s.Call(ctx, "textDocument/hover", []int{1}, nil)))
	require.NoError(t, s.Notify(ctx, "$/setTrace", nil), "what it does not know is passed over")
	require.NoError(t, s.Open(ctx, "untitled:1", "text"))
	require.NoError(t, s.Call(ctx, "shutdown", nil, nil))
	assert.Equal(t, errShut.Code, code(t, s.Call(ctx, "textDocument/hover", s.about(0, 0), nil)))
	require.NoError(t, s.Notify(ctx, "exit", nil))
	assert.True(t, <-s.left)

	s = serve(t, Tool{}, nothing)
	require.NoError(t, s.Initialize(ctx, nil))
	require.NoError(t, s.Notify(ctx, "exit", nil))
	assert.False(t, <-s.left, "without shutdown")
}

func TestARequestThatFailsIsAnsweredAndTheServerGoesOn(t *testing.T) {
	var looks atomic.Int32
	s := serve(t, Tool{}, func(_ context.Context, decide bool) (Seen, error) {
		switch looks.Add(1) {
		case 1:
			panic("the analysis slipped")
		case 2:
			return Seen{}, errors.New("no such luck")
		}
		return Seen{Unread: []diag.Message{{Pos: diag.Position{File: "elsewhere"}}}}, nil
	})
	ctx := t.Context()
	require.NoError(t, s.Initialize(ctx, nil))
	require.NoError(t, s.Open(ctx, s.uri, "a"))
	err := s.Call(ctx, "textDocument/codeLens", s.about(0, 0), nil)
	assert.Equal(t, int64(jsonrpc2.CodeInternalError), code(t, err))
	assert.Contains(t, err.Error(), "the analysis slipped")
	require.NoError(t, s.Change(ctx, s.uri, 2, "b"))
	assert.ErrorContains(t, s.Call(ctx, "textDocument/codeLens", s.about(0, 0), nil), "no such luck")
	_, err = s.Diagnostics(ctx, s.uri, func(p editor.Published) bool { return *p.Version == 2 && len(p.Diagnostics) == 0 })
	require.NoError(t, err, "those of the text before are taken away")
	require.NoError(t, s.Change(ctx, s.uri, 3, "c"))
	require.NoError(t, s.Call(ctx, "textDocument/codeLens", s.about(0, 0), nil))
	p, err := s.Diagnostics(ctx, s.uri, func(p editor.Published) bool { return *p.Version == 3 })
	require.NoError(t, err)
	assert.Empty(t, p.Diagnostics, "those of other files are not this one's")
}

func TestCancelledAndOutdatedRequestsAreDropped(t *testing.T) {
	begun := make(chan string)
	s := serve(t, Tool{}, func(ctx context.Context, _ bool) (Seen, error) {
		begun <- "" // each look is asked for
		<-ctx.Done()
		return Seen{}, ctx.Err()
	})
	ctx := t.Context()
	require.NoError(t, s.Initialize(ctx, nil))
	require.NoError(t, s.Open(ctx, s.uri, "a"))
	<-begun
	answers := make(chan error, 2)
	go func() { answers <- s.CallAs(ctx, 1000, "textDocument/hover", s.about(0, 0), nil) }()
	for !strings.Contains(s.Transcript(), "-> textDocument/hover") {
	}
	require.NoError(t, s.Notify(ctx, "$/cancelRequest", map[string]any{"id": 1000}))
	assert.Equal(t, errCancelled.Code, code(t, <-answers))
	go func() { answers <- s.Call(ctx, "textDocument/codeLens", s.about(0, 0), nil) }()
	for !strings.Contains(s.Transcript(), "-> textDocument/codeLens") {
	}
	require.NoError(t, s.Change(ctx, s.uri, 2, "b"))
	assert.Equal(t, errOutdated.Code, code(t, <-answers))
	<-begun
	require.NoError(t, s.Notify(ctx, "textDocument/didClose", s.about(0, 0)))
	_, err := s.Diagnostics(ctx, s.uri, func(p editor.Published) bool { return p.Version == nil && len(p.Diagnostics) == 0 })
	require.NoError(t, err, "a text that is closed has none")
}

func TestASavedTextIsCheckedAndWhatChangesIsNoLongerBlamed(t *testing.T) {
	var s *session
	var checks atomic.Int32
	tool := Tool{Check: func(_ context.Context, file, root string) ([]finding.Finding, error) {
		checks.Add(1)
		at := func(line, column int) finding.Finding {
			return finding.Finding{Rule: "race", Level: finding.Error, Pos: diag.Position{File: file, Line: line, Column: column}, Text: "x"}
		}
		return []finding.Finding{at(1, 4), at(2, 6)}, nil
	}}
	s = serve(t, tool, nothing)
	ctx := t.Context()
	require.NoError(t, s.Initialize(ctx, nil))
	require.NoError(t, s.Open(ctx, s.uri, "ä one\r\n𝄞 two\r\n"))
	require.NoError(t, s.Notify(ctx, "textDocument/didSave", s.about(0, 0)))
	p, err := s.Diagnostics(ctx, s.uri, func(p editor.Published) bool { return len(p.Diagnostics) > 0 })
	require.NoError(t, err)
	want := []editor.Range{{Start: editor.Position{Character: 2}, End: editor.Position{Character: 5}}, {Start: editor.Position{Line: 1, Character: 3}, End: editor.Position{Line: 1, Character: 6}}}
	assert.Equal(t, want, []editor.Range{p.Diagnostics[0].Range, p.Diagnostics[1].Range}, "in UTF-16, and not past the end of a line")
	require.NoError(t, s.Change(ctx, s.uri, 2, "ä one\r\nother\r\n"))
	p, err = s.Diagnostics(ctx, s.uri, func(p editor.Published) bool { return p.Version != nil && *p.Version == 2 })
	require.NoError(t, err)
	assert.Len(t, p.Diagnostics, 1)

	s = serve(t, tool, nothing)
	require.NoError(t, s.Initialize(ctx, map[string]any{"check": false}))
	require.NoError(t, s.Open(ctx, s.uri, "a"))
	require.NoError(t, s.Notify(ctx, "textDocument/didSave", s.about(0, 0)))
	_, err = s.Diagnostics(ctx, s.uri, func(p editor.Published) bool { return true })
	require.NoError(t, err)
	assert.Equal(t, int32(1), checks.Load())
}

func TestADocumentedCodeIsExplained(t *testing.T) {
	s := serve(t, Tool{}, nothing)
	ctx := t.Context()
	require.NoError(t, s.Initialize(ctx, nil))
	require.NoError(t, s.Open(ctx, s.uri, "a"))
	var actions []editor.Action
	require.NoError(t, s.Call(ctx, "textDocument/codeAction", s.about(0, 0), &actions))
	require.Len(t, actions, 1, "clangd's are its own business")
	require.NoError(t, s.Call(ctx, "workspace/executeCommand", map[string]any{"command": actions[0].Command.Command, "arguments": actions[0].Command.Arguments}, nil))
	require.Len(t, s.Messages(), 1)
	assert.Contains(t, s.Messages()[0], string(report.CodeLimiter)+": ")
	assert.Error(t, s.Call(ctx, "workspace/executeCommand", map[string]any{"command": explain, "arguments": []string{"no-such-code"}}, nil))
	assert.Error(t, s.Call(ctx, "workspace/executeCommand", map[string]any{"command": "rm"}, nil))
}

func TestEditsAreMinimalAndCanBeUndone(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		edits         int
	}{
		"lines":                   {"a\nb\nc\nd\n", "a\nB\nc\nnew\nd\n", 2},
		"CRLF":                    {"a\r\nb\r\nc\r\n", "a\r\nB\r\nB\r\nc\r\n", 1},
		"no newline at the end":   {"a\nä𝄞", "a\nä𝄞\nb", 1},
		"outside of ASCII":        {"// ä𝄞\nb\n// 漢字", "// ä𝄞\nB\n// 漢字!", 1},
		"all":                     {"", "a\n", 1},
		"nothing left":            {"a\nb", "", 1},
		"nothing":                 {"a\nb", "a\nb", 0},
		"a mark at the beginning": {"\ufeffa\nb\n", "\ufeffa\nB\n", 1},
	} {
		var list []editor.Edit
		for _, e := range edits(finding.Change{Before: []byte(c.before), After: []byte(c.after)}) {
			list = append(list, editor.Edit{Range: editor.Range{Start: editor.Position(e.Range.Start), End: editor.Position(e.Range.End)}, NewText: e.NewText})
		}
		assert.Len(t, list, c.edits, name)
		before, after := strings.TrimPrefix(c.before, "\ufeff"), strings.TrimPrefix(c.after, "\ufeff") // editors keep it apart
		got, undo := editor.Apply(before, list)
		assert.Equal(t, after, got, name)
		back, _ := editor.Apply(got, undo)
		assert.Equal(t, before, back, name)
	}
}

func FuzzEdits(f *testing.F) {
	f.Add("a\nä𝄞\nb", "a\nb\n")
	f.Add("a\r\nb\r\n", "\r\nb\r\nc")
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, text := range []string{before, after} { // what else there is, the server leaves alone
			if !utf8.ValidString(text) || strings.Contains(text, "\ufeff") || strings.Count(text, "\r") != strings.Count(text, "\r\n") {
				t.Skip()
			}
		}
		var list []editor.Edit
		for _, e := range edits(finding.Change{Before: []byte(before), After: []byte(after)}) {
			list = append(list, editor.Edit{Range: editor.Range{Start: editor.Position(e.Range.Start), End: editor.Position(e.Range.End)}, NewText: e.NewText})
		}
		got, undo := editor.Apply(before, list)
		if back, _ := editor.Apply(got, undo); got != after || back != before {
			t.Errorf("%q became %q and then %q, not %q", before, got, back, after)
		}
	})
}

func TestTheWordUnderTheCursor(t *testing.T) {
	for _, c := range []struct {
		line      string
		character int
		want      string
		from      int
	}{
		{"k<<<1, 2>>>(a)", 0, "k", 0}, {"k<<<1, 2>>>(a)", 1, "k", 0}, {"k<<<1, 2>>>(a)", 3, "", 0},
		{"/* 𝄞ä */ scale_2(x)", 12, "scale_2", 10}, {"", 0, "", 0}, {"ab", 99, "", 0},
	} {
		got, at := word(c.line, position{Character: c.character})
		assert.Equal(t, c.want, got, c.line)
		assert.Equal(t, c.from, at.Start.Character, c.line)
	}
}
