package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/smux-cuda/smux/internal/texthash"
)

// HashTexts is a hash of a program's texts and of the flags that it is compiled
// with. It depends neither on the texts' names, which change with the folder that smux
// is called in, nor on their order; texthash.Of says more.
func HashTexts(texts map[string][]byte, flags []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %q\n", texthash.Of(texts), flags)
	return hex.EncodeToString(h.Sum(nil))[:32]
}
