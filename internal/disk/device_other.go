//go:build !linux

package disk

import "io/fs"

func device(fs.FileInfo) string { return "" }
