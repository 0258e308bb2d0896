package cmd

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

// explainCommand is `smux explain [CODE]`.
func (s *session) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Say what a code in a message means, with an example and a way out",
		Long:  "Prints the documentation of a message's code; without a code, the list of all codes.",
		Args:  cobra.ArbitraryArgs,

		ValidArgsFunction: completeCodes,

		RunE: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return s.listCodes(diag.Docs())
			case 1:
				return s.explain(args[0])
			}
			return diag.Usagef(`run "smux explain --help"`, "explain takes one code, got %d", len(args))
		},
	}
}

// explain prints the documentation of one code.
func (s *session) explain(code string) error {
	doc, ok := diag.Lookup(diag.Code(strings.TrimSuffix(code, ":")))
	if !ok {
		codes := lists.Map(diag.Docs(), func(d diag.Doc) string { return string(d.Code) })
		help := diag.DidYouMean(code, codes, "the codes are")
		if help == "" {
			help = `run "smux explain" for the list of codes`
		}
		return diag.Usagef(help, "no such code %q", code)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s: %s\n\n%s\n", doc.Code, doc.Title, strings.TrimSpace(doc.Text))
	section(&out, "Example", doc.Example)
	section(&out, "Fix", doc.Fix)
	_, err := s.Stdout.Write(out.Bytes())
	return err
}

// section prints an indented part of the documentation under its heading.
func section(out *bytes.Buffer, heading, text string) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	fmt.Fprintf(out, "\n%s:\n\n", heading)
	for line := range strings.Lines(text + "\n") {
		if strings.TrimSpace(line) != "" {
			out.WriteString("    ")
		}
		out.WriteString(line)
	}
}

// listCodes prints every code with its title.
func (s *session) listCodes(docs []diag.Doc) error {
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, d := range docs {
		fmt.Fprintf(table, "%s\t%s\n", d.Code, d.Title)
	}
	table.Flush()
	_, err := s.Stdout.Write(out.Bytes())
	return err
}
