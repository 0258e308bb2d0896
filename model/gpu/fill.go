package gpu

import (
	"fmt"
	"maps"
	"slices"
)

// fill stores the values of one table. Keys in others are somebody else's; with
// partial, keys may be missing.
func fill[T any](r *reader, path []string, keys []key[T], to *T, values map[string]any, others []string, partial bool) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(keys, func(k key[T]) bool { return k.name == name })
		at := append(path[:len(path):len(path)], name)
		if i >= 0 {
			if err := keys[i].assign(to, values[name]); err != nil {
				r.wrong(at, "%s %v", name, err)
			}
		} else if !slices.Contains(others, name) {
			r.wrong(at, "unknown key %q%s", name, nearKey(name, keys))
		}
	}
	for _, k := range keys {
		if _, ok := values[k.name]; !ok && !k.optional && !partial {
			r.wrong(path, "%s lacks the key %s", path[len(path)-1], k.name)
		}
	}
}

// nearKey suggests the key that a person may have meant.
func nearKey[T any](name string, keys []key[T]) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	if near := nearest(name, names); len(near) > 0 {
		return fmt.Sprintf(": did you mean %q?", near[0])
	}
	return ""
}
