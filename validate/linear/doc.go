// Package linear decides conditions on integers that are not known: linear integer arithmetic over atoms.
//
// A number is a sum of products of atoms (Sum), a condition says that sums are not negative and joins such by "and", "or"
// and "not" (Formula). Follows and Never answer whether a condition is so wherever others are, by trying cases and
// eliminating products, as far as its bounds go. What they answer with true is so for all integers; false says that it is not
// known. Products of several atoms are atoms of their own to the elimination. Numbers are those of mathematics: what wraps
// round or overflows is for the caller to see to.
//
// It knows nothing of programs, so that it can be read, and tested, by itself. What has no bound known in advance (numbers
// above 2⁵⁰, sums of hundreds of products, proofs of millions of steps) ends in a panic with TooMuch, which callers take for
// "not known".
package linear
