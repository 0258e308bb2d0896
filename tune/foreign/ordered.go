package foreign

import (
	"bytes"
	"encoding/json"

	"github.com/smux-cuda/smux/tune/record"
)

// ordered returns the members of an object in its order; ok is false where it is none, or
// a member is neither a number nor a text nor a truth value.
func ordered(raw json.RawMessage) (out []record.Constant, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		var member json.RawMessage
		if err := d.Decode(&member); err != nil {
			return nil, false
		}
		v, ok := value(member)
		if !ok {
			return nil, false
		}
		out = append(out, record.Constant{Name: key.(string), Value: v})
	}
	return out, true
}
