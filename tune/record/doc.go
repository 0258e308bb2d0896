// Package record keeps the results of tuning runs as lines of JSON, which are added and never changed: a variant (what it is, and on
// what it was measured), a pair (one measurement of the original and the variant, next to each other), or a failure (why
// the variant can't be measured). All decisions are made of these lines, again where there is no GPU. A Store keeps them.
//
// Parse reads lines of all older versions (Schema) as if they were today's, and refuses those of a newer smux.
package record
