//go:build unix

package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBuildFolders(t *testing.T) {
	for _, c := range []struct{ name, build, text, want string }{
		{"a directory of CMake", "p/CMakeLists.txt", "include_directories(../common)", "common"},
		{"of a target, over lines", "p/CMakeLists.txt", "target_include_directories(app SYSTEM PRIVATE\n    inc # here\n    \"../common\"\n)", "p/inc common"},
		{"variables that CMake sets", "p/CMakeLists.txt", "project(p)\ninclude_directories(${CMAKE_CURRENT_SOURCE_DIR}/inc $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/../common> ${CMAKE_SOURCE_DIR}/p)", "p/inc common p"},
		{"one that the file sets", "p/CMakeLists.txt", "set(INC inc)\nINCLUDE_DIRECTORIES(${INC})", "p/inc"},
		{"one that nobody sets", "p/CMakeLists.txt", "include_directories(${CUDA_INCLUDE_DIRS} $ENV{X}/inc ${INC})", ""},
		{"of the project, which another file begins", "p/CMakeLists.txt", "include_directories(${PROJECT_SOURCE_DIR}/inc)", ""},
		{"not what is a comment", "p/CMakeLists.txt", "# include_directories(inc)", ""},
		{"above the file", "CMakeLists.txt", "include_directories(common p/inc)", "common p/inc"},
		{"a makefile", "p/Makefile", "CFLAGS = -O3 -I../common -I inc -Inone\n", "common p/inc"},
		{"with a variable", "p/Makefile", "DIR := ../common\nall:\n\tnvcc -I$(DIR) -I${DIR}/../p/inc -I$(CUDA)/include k.cu\n", "common p/inc"},
		{"what it includes, by a variable", "p/Makefile", "UTILS := ../common\ninclude ${UTILS}/rules.mk\n-include none.mk\n", "common p/inc"},
		{"with one that holds itself", "p/Makefile", "DIR = $(DIR)/inc\nall:\n\tnvcc -I$(DIR) k.cu\n", ""},
		{"with some that are twice the last one", "p/Makefile", doubled(60) + "all:\n\tnvcc -I$(D0)/inc -Iinc k.cu\n", "p/inc"},
		{"nothing outside of the repository", "p/Makefile", "all:\n\tnvcc -I/usr/include -I../.. k.cu\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := plant(t, ".git/", "p/src/k.cu", "p/inc/", "common/rules.mk: all:\n\tnvcc -I${UTILS} -Iinc k.cu\n", c.build+": "+c.text)
			var got []string
			for _, folder := range NewBuildFiles().Folders(filepath.Join(dir, "p/src/k.cu")) {
				relative, err := filepath.Rel(dir, folder)
				require.NoError(t, err)
				got = append(got, relative)
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

// TestBuildFoldersOutsideOfARepository: the search goes on as long as there are build files.
func TestBuildFoldersOutsideOfARepository(t *testing.T) {
	dir := plant(t, "a/b/src/k.cu", "a/b/inc/", "a/common/", "common/", "CMakeLists.txt: include_directories(common)",
		"a/b/CMakeLists.txt: include_directories(inc ../common ../../common)", "a/CMakeLists.txt: include_directories(common)")
	want := []string{filepath.Join(dir, "a/b/inc"), filepath.Join(dir, "a/common"), filepath.Join(dir, "common")}
	assert.Equal(t, want, NewBuildFiles().Folders(filepath.Join(dir, "a/b/src/k.cu")))
}

// doubled are n variables of a makefile, each twice the next one.
func doubled(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "D%d = $(D%d)$(D%d)\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "D%d = inc\n", n)
	return b.String()
}

// TestABuildFileIsReadOnce, whichever files ask for it.
func TestABuildFileIsReadOnce(t *testing.T) {
	dir := plant(t, "k.cu", "other.cu", "include/", "Makefile: FLAGS = -Iinclude")
	include := filepath.Join(dir, "include")
	files := NewBuildFiles()
	assert.Equal(t, []string{include}, files.Folders(filepath.Join(dir, "k.cu")))
	require.NoError(t, os.Remove(filepath.Join(dir, "Makefile")))
	assert.Equal(t, []string{include}, files.Folders(filepath.Join(dir, "other.cu")))
	assert.Empty(t, NewBuildFiles().Folders(filepath.Join(dir, "k.cu")))
}
