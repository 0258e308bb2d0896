package lsp

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// The types of the protocol, as far as the server uses them: names and meaning are those of the Language
// Server Protocol 3.17.

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // in UTF-16 code units, from 0
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version,omitempty"`
	Text    string `json:"text,omitempty"`
}

// textParams are the parameters of all requests and notifications about a text.
type textParams struct {
	TextDocument   textDocument `json:"textDocument"`
	ContentChanges []struct {
		Range *span  `json:"range"`
		Text  string `json:"text"`
	} `json:"contentChanges"`
	Position position `json:"position"`
	Range    span     `json:"range"`
	Context  struct {
		Diagnostics []diagnostic `json:"diagnostics"`
		Only        []string     `json:"only"`
	} `json:"context"`
}

type initializeParams struct {
	RootURI          string                 `json:"rootUri"`
	WorkspaceFolders []struct{ URI string } `json:"workspaceFolders"`
	Options          struct{ Check *bool }  `json:"initializationOptions"`
	Capabilities     struct {
		Workspace struct {
			WorkspaceEdit struct {
				DocumentChanges bool `json:"documentChanges"`
			} `json:"workspaceEdit"`
			CodeLens struct {
				RefreshSupport bool `json:"refreshSupport"`
			} `json:"codeLens"`
		} `json:"workspace"`
	} `json:"capabilities"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type relatedInformation struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type diagnostic struct {
	Range              span                 `json:"range"`
	Severity           int                  `json:"severity"`
	Code               string               `json:"code"`
	CodeDescription    *codeDescription     `json:"codeDescription,omitempty"`
	Source             string               `json:"source"`
	Message            string               `json:"message"`
	RelatedInformation []relatedInformation `json:"relatedInformation,omitempty"`
}

// UnmarshalJSON takes diagnostics of other servers, too, whose codes may be numbers.
func (d *diagnostic) UnmarshalJSON(text []byte) error {
	var own struct {
		Source string
		Code   json.RawMessage
	}
	if err := json.Unmarshal(text, &own); err != nil || own.Source != source {
		return err
	}
	d.Source = own.Source
	return json.Unmarshal(own.Code, &d.Code)
}

// severities of a diagnostic.
const (
	severityError       = 1
	severityWarning     = 2
	severityInformation = 3
	severityHint        = 4
)

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

type codeLens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type versioned struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"` // null for a text that is not open
}

type documentEdit struct {
	TextDocument versioned  `json:"textDocument"`
	Edits        []textEdit `json:"edits"`
}

// workspaceEdit has one of its fields, as the client asks.
type workspaceEdit struct {
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
	Changes         map[string][]textEdit `json:"changes,omitempty"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	Command     *command       `json:"command,omitempty"`
}

// explain is the command that shows the documentation of a code.
const explain = "smux.explain"

// source is the name of smux in diagnostics.
const source = "smux"

// quickFix is the kind of the actions.
const quickFix = "quickfix"

// The answers to requests that are not answered.
var (
	errNotReady  = &jsonrpc2.Error{Code: -32002, Message: "the server is not initialized"}
	errShut      = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server was shut down"}
	errCancelled = &jsonrpc2.Error{Code: -32800, Message: "the request was cancelled"}
	errOutdated  = &jsonrpc2.Error{Code: -32801, Message: "the text has changed"}
	errClosed    = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "the text is not open"}
)

// capabilities list the abilities of the server.
var capabilities = map[string]any{
	"positionEncoding": "utf-16",
	"textDocumentSync": map[string]any{"openClose": true, "change": 1, "save": map[string]any{"includeText": false}}, // whole texts
	"hoverProvider":    true,
	"codeLensProvider": map[string]any{},
	"codeActionProvider": map[string]any{
		"codeActionKinds": []string{quickFix},
	},
	"executeCommandProvider": map[string]any{"commands": []string{explain}},
}
