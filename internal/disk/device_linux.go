package disk

import (
	"fmt"
	"io/fs"
	"syscall"
)

// device names a file as /proc/locks does: "fe:00:9978244", the numbers of its
// device and its own. The numbers are packed as makedev(3) has it.
func device(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	dev := uint64(s.Dev)
	major := dev>>8&0xfff | dev>>32&^0xfff
	minor := dev&0xff | dev>>12&^0xff
	return fmt.Sprintf("%02x:%02x:%d", major, uint32(minor), s.Ino)
}
