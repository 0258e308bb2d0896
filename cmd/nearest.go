package cmd

import "github.com/smux-cuda/smux/diag"

// nearest returns up to three of the names that a person who typed word may
// have meant, the most likely first.
func nearest(word string, names []string) []string { return diag.Nearest(word, names) }

// didYouMean returns a line of help that names the nearest names, or lists
// them all where none is near and they are few.
func didYouMean(word string, names []string, all string) string {
	return diag.DidYouMean(word, names, all)
}

// orList joins quoted names as "a", "b" or "c".
func orList(names []string) string { return diag.OrList(names) }
