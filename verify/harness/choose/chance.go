package choose

import (
	"fmt"
	"hash/fnv"

	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// byChance returns values for a parameter of a type, beside those that the text suggests.
func byChance(known string, s setting) []string {
	switch {
	case known == "bool":
		return []string{"true", "false"}
	case known == "float":
		return []string{"0.0f", "0.25f", "1.0f", "-1.0f", "100.0f"}
	case known == "double":
		return []string{"0.0", "0.25", "1.0", "-1.0", "100.0"}
	case ctype.Bits[known] != 0:
		threads := fmt.Sprint(count(s.grid) * count(s.block))
		return []string{"0", "1", "1", "2", "2", "3", "4", "5", "8", "16", "32", "64", threads, threads}
	}
	return nil
}

// drawn returns one of some texts, the same each time for a name and a number.
func drawn(name string, number int, from ...string) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", number, name)
	n := h.Sum64()
	return from[(n^n>>29)%uint64(len(from))]
}

// signedFill returns a fill on both sides of zero where a type has both.
func signedFill(whole bool) string {
	if whole {
		return "random(0,5)"
	}
	return "random(-2,3)"
}
