package ui

// Memo keeps what was computed for a key until another key is asked for. The zero Memo is empty.
type Memo[K comparable, V any] struct {
	key   K
	value V
	made  bool
}

// Get returns the value for a key, and computes it unless it is that of the last key.
func (m *Memo[K, V]) Get(key K, compute func() V) V {
	if !m.made || m.key != key {
		*m = Memo[K, V]{key, compute(), true}
	}
	return m.value
}
