package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// fingerprintName is the name of smux's own fingerprint; its version grows when what
// it is made of changes. The line hash that GitHub goes by is added by its upload
// action, which knows how.
const fingerprintName = "smuxFinding/v1"

// fingerprint identifies a result for as long as what it is about stays: its
// rule, its file, its kernel and the words of its line, but not their place. Of
// several alike, the second gets a 2 behind it.
func (b *sarifBuilder) fingerprint(f Finding) string {
	line, _ := b.sources.Line(f.Pos.File, f.Pos.Line)
	h := sha256.New()
	for _, part := range []string{string(f.Rule), b.artifact(f.Pos.File).URI, f.Kernel, strings.Join(strings.Fields(line), " ")} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	sum := hex.EncodeToString(h.Sum(nil)[:8])
	b.seen[sum]++
	return fmt.Sprintf("%s:%d", sum, b.seen[sum])
}
