package analysis

// Memo keeps what was found, by what was asked: a key of a type of its own.
type Memo map[any]any

// Table returns the map that is kept under a key, empty at first.
func Table[K comparable, V any](m *Memo, key any) map[K]V {
	return Once(m, key, func() map[K]V { return map[K]V{} })
}

// Once returns what find finds, and asks it once for each key.
func Once[T any](m *Memo, key any, find func() T) T {
	if v, ok := (*m)[key]; ok {
		return v.(T)
	}
	if *m == nil {
		*m = Memo{}
	}
	v := find()
	(*m)[key] = v
	return v
}
