package build

import (
	"debug/elf"
	"regexp"
	"slices"
)

// outward are the functions by which a program gets at more than its text, its arguments and the environment that smux
// gives it: files, folders, other programs, the net.
var outward = regexp.MustCompile(`^_*((f|fd|fre|dl|dlm|shm_|mq_)?open(64|at|at64|dir)?(_2)?|fdopendir|creat(64)?|popen|system|exec[lv]\w*|posix_spawnp?|v?fork|clone|syscall` +
	`|socket|connect|(f|l|x|fx|lx)?stat\w*|f?access(at)?|readlink(at)?|realpath(_chk)?|scandir(64)?|glob(64)?|n?ftw(64)?|getaddrinfo)$` +
	`|basic_(i?fstream|filebuf)|filesystem|random_device`)

// isClosed reports whether none of some objects calls one of these. Of objects that can't be read nobody knows.
func isClosed(objects []*job) bool {
	return !slices.ContainsFunc(objects, func(j *job) bool {
		file, err := elf.Open(j.object)
		if err != nil {
			return true
		}
		defer file.Close()
		symbols, err := file.Symbols()
		return err != nil || slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
			return s.Section == elf.SHN_UNDEF && outward.MatchString(s.Name)
		})
	})
}
