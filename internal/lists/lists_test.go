package lists

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

func even(n int) bool { return n%2 == 0 }

func TestFilterKeepsTheOrderAndMapTheLength(t *testing.T) {
	assert.Equal(t, []int{4, 2, 4}, Filter([]int{4, 1, 2, 3, 4}, even))
	assert.Nil(t, Filter([]int{1, 3}, even))
	assert.Equal(t, []string{"3", "1"}, Map([]int{3, 1}, strconv.Itoa))
	assert.Nil(t, Map([]int{}, strconv.Itoa))
}

func TestFindReturnsTheFirst(t *testing.T) {
	list := []*int{new(int), new(int), new(int)}
	*list[1], *list[2] = 7, 7
	assert.Same(t, list[1], Find(list, func(n *int) bool { return *n == 7 }))
	assert.Nil(t, Find(list, func(n *int) bool { return *n == 8 }))
}

func TestAnyLooksNoFurtherThanNeeded(t *testing.T) {
	seen := 0
	assert.True(t, Any(slices.Values([]int{1, 2, 4}), func(n int) bool { seen++; return even(n) }))
	assert.Equal(t, 2, seen)
	assert.False(t, Any(slices.Values([]int(nil)), even))
	assert.True(t, All(nil, even))
	assert.False(t, All([]int{2, 3}, even))
}

func TestAddAddsWhatIsNew(t *testing.T) {
	assert.Equal(t, []int{2, 1, 3}, Add([]int{2}, 1, 2, 1, 3))
	assert.Equal(t, []string{"b", "a"}, Distinct([]string{"b", "a", "b"}))
	assert.Nil(t, Distinct([]string(nil)))
}
