// Package prose writes text for people: nouns with a number, columns, amounts of memory as
// people write them, and what others wrote so that it is safe to show.
package prose

import "fmt"

// Count returns "1 kernel" or "2 kernels"; what is a noun that takes an s.
func Count(n int, what string) string { return fmt.Sprintf("%d %s", n, Noun(n, what)) }

// Noun returns the noun of Count without the number.
func Noun(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}
