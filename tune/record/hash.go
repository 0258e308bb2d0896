package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// HashTexts is a hash of a program's texts and of the flags that it is compiled
// with. It depends neither on the texts' names, which change with the folder that smux
// is called in, nor on their order.
func HashTexts(texts map[string][]byte, flags []string) string {
	var sums []string
	for _, text := range texts {
		sum := sha256.Sum256(text)
		sums = append(sums, hex.EncodeToString(sum[:]))
	}
	slices.Sort(sums)
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", sums, flags)
	return hex.EncodeToString(h.Sum(nil))[:32]
}
