package prose

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestColumnsAreAsWideAsTheirCells(t *testing.T) {
	table := Table{Indent: 2}
	table.Row("GPU", "TBs", "limited by")
	table.Row("a100", "16", "")
	table.Row("t4", "ü", "registers")
	table.Row("none", "impossible: a text that runs on")
	var out bytes.Buffer
	table.Print(&out)
	assert.Equal(t, `  GPU   TBs  limited by
  a100  16
  t4    ü    registers
  none  impossible: a text that runs on
`, out.String())
}

func TestATableWithoutRowsIsNoText(t *testing.T) {
	var out bytes.Buffer
	new(Table).Print(&out)
	assert.Empty(t, out.String())
}
