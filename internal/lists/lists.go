// Package lists does with slices and sequences what the standard library leaves to loops. All packages may import it.
package lists

import (
	"iter"
	"slices"
)

// Filter returns the elements of which something is true.
func Filter[T any](list []T, is func(T) bool) (out []T) {
	for _, x := range list {
		if is(x) {
			out = append(out, x)
		}
	}
	return out
}

// Map returns what a function makes of each element; nil for none.
func Map[T, U any](list []T, f func(T) U) []U {
	if len(list) == 0 {
		return nil
	}
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Find returns the first element of which something is true, nil for none.
func Find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// Any reports whether something is true of an element of a sequence.
func Any[T any](all iter.Seq[T], is func(T) bool) bool {
	for x := range all {
		if is(x) {
			return true
		}
	}
	return false
}

// All reports whether something is true of each element.
func All[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}

// Add returns a list with those of some elements at its end that it has not already.
func Add[T comparable](list []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// Distinct returns the elements of a list, each once, in order of their first occurrences.
func Distinct[T comparable](list []T) []T { return Add(nil, list...) }
