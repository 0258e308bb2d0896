package lsp

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// The types of the protocol, as far as the server uses them: names and meaning are those of the Language
// Server Protocol 3.17.
type (
	position struct {
		Line      int `json:"line"`      // from 0
		Character int `json:"character"` // in UTF-16 code units, from 0
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	// textParams are the parameters of all requests and notifications about a text.
	textParams struct {
		TextDocument struct {
			URI     string
			Version int
			Text    string
		}
		ContentChanges []struct {
			Range *span
			Text  string
		}
		Position position
		Range    span
		Context  struct {
			Diagnostics []otherDiagnostic
			Only        []string
		}
	}
	initializeParams struct {
		RootURI string
		Options struct{ Check *bool } `json:"initializationOptions"`
	}
	diagnostic struct {
		Range              span                 `json:"range"`
		Severity           int                  `json:"severity"`
		Code               string               `json:"code"`
		CodeDescription    *codeDescription     `json:"codeDescription,omitempty"`
		Source             string               `json:"source"`
		Message            string               `json:"message"`
		RelatedInformation []relatedInformation `json:"relatedInformation,omitempty"`
	}
	codeDescription struct {
		Href string `json:"href"`
	}
	relatedInformation struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	// otherDiagnostic is one that may be another server's, whose codes may be numbers.
	otherDiagnostic struct {
		Source string
		Code   json.RawMessage
	}
	published struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	command struct {
		Title     string   `json:"title"`
		Command   string   `json:"command"`
		Arguments []string `json:"arguments"`
	}
	codeLens struct {
		Range   span    `json:"range"`
		Command command `json:"command"`
	}
	hover struct {
		Contents map[string]string `json:"contents"`
		Range    span              `json:"range"`
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	versioned struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"` // null for a text that is not open
	}
	documentEdit struct {
		TextDocument versioned  `json:"textDocument"`
		Edits        []textEdit `json:"edits"`
	}
	workspaceEdit struct {
		DocumentChanges []documentEdit `json:"documentChanges"`
	}
	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		IsPreferred bool           `json:"isPreferred,omitempty"`
		Edit        *workspaceEdit `json:"edit,omitempty"`
		Command     *command       `json:"command,omitempty"`
	}
)

const (
	severityError, severityWarning, severityInformation, severityHint = 1, 2, 3, 4

	explain  = "smux.explain" // the command that shows the documentation of a code
	source   = "smux"         // of diagnostics
	quickFix = "quickfix"     // the kind of actions
)

// The answers to requests that are not answered.
var (
	errNotReady  = &jsonrpc2.Error{Code: -32002, Message: "the server is not initialized"}
	errShut      = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server was shut down"}
	errCancelled = &jsonrpc2.Error{Code: -32800, Message: "the request was cancelled"}
	errOutdated  = &jsonrpc2.Error{Code: -32801, Message: "the text has changed"}
	errClosed    = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "the text is not open"}
)

// capabilities list the abilities of the server. Texts come whole.
var capabilities = map[string]any{
	"positionEncoding": "utf-16", "textDocumentSync": map[string]any{"openClose": true, "change": 1, "save": true},
	"hoverProvider": true, "codeLensProvider": struct{}{}, "codeActionProvider": map[string]any{"codeActionKinds": []string{quickFix}},
	"executeCommandProvider": map[string]any{"commands": []string{explain}},
}
