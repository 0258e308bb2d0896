package occupancy

import (
	"encoding/json"
	"fmt"
	"slices"
)

// UnmarshalText reads the name that MarshalText gives.
func (l *Limit) UnmarshalText(text []byte) error {
	at := slices.Index(limitNames[:], string(text))
	if at < 0 {
		return fmt.Errorf("%q is not a resource of an SM", text)
	}
	*l = Limit(at)
	return nil
}

// UnmarshalJSON reads the list that MarshalJSON writes.
func (s *Limits) UnmarshalJSON(text []byte) error {
	var list []Limit
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*s = Of(list...)
	return nil
}

// UnmarshalJSON reads the object that MarshalJSON writes: a resource that it
// does not name puts no limit.
func (b *ByLimit) UnmarshalJSON(text []byte) error {
	var limits map[Limit]int
	if err := json.Unmarshal(text, &limits); err != nil {
		return err
	}
	for l := range numLimits {
		b[l] = Unlimited
		if n, ok := limits[l]; ok {
			b[l] = n
		}
	}
	return nil
}
