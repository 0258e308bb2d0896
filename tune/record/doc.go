// Package record is what a tuning run leaves behind: the variants that were
// looked at and every measurement of them, as lines of JSON.
//
// A line stands for itself: a variant (what it is, and on what it was measured),
// a pair (one measurement of the original and the variant, next to each other),
// or a failure (why the variant can't be measured). All decisions are made of
// these lines, so that they can be made again where there is no GPU. Lines are only
// ever added. A Store keeps them in a file.
//
// Lines have a version, Schema; Parse reads those of all older versions as if
// they were today's, and refuses those of a newer smux.
package record
