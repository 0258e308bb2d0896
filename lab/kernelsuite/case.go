package kernelsuite

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// expected is the verdict that a kernel's first line asks for.
type expected string

const (
	pass     expected = "pass"
	defect   expected = "defect"           // NOT_ALL_VERIFIED: a race, a divergent barrier, an assertion, a null pointer
	compiler expected = "does not compile" // CLANG_ERROR
	none     expected = "none"             // what their translator does not take: nothing of the kernel
)

// kernelCase is one file.
type kernelCase struct {
	path        string
	text        []byte // with the annotations included in its first line
	want        expected
	grid, block [3]int64
	defines     []string
}

var (
	extent = regexp.MustCompile(`--(block|grid)Dim=(\[[\d,]+\]|\d+)`)
	define = regexp.MustCompile(`-D(\w+(=\S+)?)`)
)

// annotations is the name of the header that stands in for GPUVerify's.
const annotationsName = "smux_suite_annotations.h"

func readCase(path string) (*kernelCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &kernelCase{path: path, grid: [3]int64{1, 1, 1}, block: [3]int64{1, 1, 1}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Scan()
	first := lines.Text()
	lines.Scan()
	second := lines.Text()
	switch verdict := strings.ToLower(strings.TrimLeft(first, "/ ")); {
	case strings.HasPrefix(verdict, "pass"):
		c.want = pass
	case strings.HasPrefix(verdict, "xfail:not_all_verified"):
		c.want = defect
	case strings.HasPrefix(verdict, "xfail:clang_error"):
		c.want = compiler
	case strings.HasPrefix(verdict, "xfail:"):
		c.want = none
	default:
		return nil, fmt.Errorf("%s: the first line says no verdict", path)
	}
	for _, m := range extent.FindAllStringSubmatch(second, -1) {
		to := &c.grid
		if m[1] == "block" {
			to = &c.block
		}
		for i, n := range strings.Split(strings.Trim(m[2], "[]"), ",") {
			if i < 3 {
				to[i], _ = strconv.ParseInt(n, 10, 64)
			}
		}
	}
	for c.block[0]*c.block[1]*c.block[2] > 1024 {
		for i, n := range c.block {
			c.block[i] = max(1, n/2)
		}
	}
	for _, m := range define.FindAllStringSubmatch(second, -1) {
		c.defines = append(c.defines, m[1])
	}
	c.text = append([]byte(`#include "`+annotationsName+`"`), text[len(first):]...)
	return c, nil
}
