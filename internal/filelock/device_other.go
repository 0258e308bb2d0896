//go:build !linux

package filelock

import "io/fs"

func device(fs.FileInfo) string { return "" }
