// Package texthash names the texts of a program by what is in them.
package texthash

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Of returns a hash of a program's texts: 32 hexadecimal digits. It depends neither on
// their names nor on their order: the names are paths that differ with the folder
// a program is looked at from. The same texts under each other's names
// can't be told apart.
func Of(texts map[string][]byte) string {
	var sums []string
	for _, text := range texts {
		sum := sha256.Sum256(text)
		sums = append(sums, hex.EncodeToString(sum[:]))
	}
	slices.Sort(sums)
	h := sha256.New()
	for _, s := range sums {
		fmt.Fprintln(h, s)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}
