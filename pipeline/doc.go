// Package pipeline takes a program from its text to what becomes of its kernels:
//
//	load → analyse → prove → decide → apply → check → deliver
//
// Package project/load is the first step and package cmd the last. A Job is a program
// on its way, which is analysed once. Study proves all variants of its kernels
// (package rewrite), asks what people want of them (Preferences: directives in the
// source, .smux.yaml) and has the model rank what is left (package
// pipeline/selection, with figures of pipeline/resources). Decide makes decisions of
// that or of what a person chose by name, Apply rewrites. `smux rewrite` does all of
// it; analyze, report, check, verify and tune stop earlier.
//
// It prints nothing by itself but messages on the Job's console, and knows no flags.
package pipeline
