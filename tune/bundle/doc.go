// Package bundle writes a program that is to be tuned into a folder, for a machine that has nothing but nvcc, a shell and
// a GPU: its files, this program, and a script that calls it there with the same flags. The record that it makes lies in
// the folder.
package bundle
