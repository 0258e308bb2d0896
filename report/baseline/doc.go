// Package baseline is a gate for kernels that needs no GPU: it keeps what a thread
// block of each kernel takes, and how many run at once, in a small file that is
// committed with the source, and reports what got worse since, and which line did it.
//
// The file is made to be reviewed and merged: sorted, a kernel on a few lines of
// its own, commas on lines between kernels, and nothing in it that depends on the
// machine, the day or the version of smux. A kernel is found again by its file and
// its name, and by what stands in it where either has changed, so that it does not
// matter where in a file it stands.
//
// What is compared are facts of the source and numbers that follow from them, no
// times: a kernel that got no worse by this may still be slower.
package baseline
