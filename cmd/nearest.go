package cmd

import "github.com/smux-cuda/smux/diag"

// nearest is diag.Nearest.
func nearest(word string, names []string) []string { return diag.Nearest(word, names) }

// didYouMean is diag.DidYouMean.
func didYouMean(word string, names []string, all string) string {
	return diag.DidYouMean(word, names, all)
}

// orList is diag.OrList.
func orList(names []string) string { return diag.OrList(names) }
