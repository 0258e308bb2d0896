// Package diff prints the difference of two versions of a file as a unified diff that `git apply` and patch(1) take.
//
// Lines are matched by go-diff's line mode; the printer is ours, because go-diff's own patch text percent-encodes
// bytes and counts characters, which no patch tool reads, and go-udiff 0.4.1 counts the new side's lines wrong after
// a hunk of several changes. The package promises that applying a diff to the old bytes gives exactly the new bytes:
// line ends (LF, CRLF or a mix), a missing newline at the end of either side and bytes that are no UTF-8 all survive.
//
// It leaves out what smux never needs: renames, mode changes, files that appear or disappear, and binary patches.
package diff
