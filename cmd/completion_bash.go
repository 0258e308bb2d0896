package cmd

import (
	"bytes"
	"io"
	"regexp"

	"github.com/spf13/cobra"
)

// quotedWords are the lines of cobra's script that quote what is completed, with
// the variable that they leave it in.
var quotedWords = []struct {
	line *regexp.Regexp
	then string
}{
	{regexp.MustCompile(`(?m)^( *)(printf -v (comp) "%q".*)$`), `$1$2
$1$3=$${$3//\\,/,}`},
	{regexp.MustCompile(`(?m)^( *)((COMPREPLY\[0\])=\$\(printf "%q".*)$`), `$1$2
$1$3=$${$3//\\,/,}`},
	{regexp.MustCompile(`(?m)^( *)(IFS=\$'\\n' read -ra (\w+) -d '' < <\(printf "%q.*)$`), `$1$2
$1$3=("$${$3[@]//\\,/,}")`},
}

// bashCompletion writes cobra's script for bash. bash quotes commas, which need
// none, and then finds no word that begins as what was typed: --gpu a100,h would
// complete to nothing.
func bashCompletion(root *cobra.Command, w io.Writer) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	text := script.Bytes()
	for _, q := range quotedWords {
		text = q.line.ReplaceAll(text, []byte(q.then))
	}
	_, err := w.Write(text)
	return err
}
