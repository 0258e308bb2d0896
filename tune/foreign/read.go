package foreign

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/tune/record"
)

// MaxBytes bounds the size of a text, compressed or not.
const MaxBytes = 1 << 30

// Read reads a text, maybe of gzip, in a format, "" for what it looks like. The error is a diag.Message with a place.
func Read(name string, src []byte, format Format) (*Results, error) {
	src, err := decompressed(name, src)
	if err != nil {
		return nil, err
	}
	t := &text{name, withoutNaN(src)}
	if format == "" {
		if format, err = guess(t); err != nil {
			return nil, err
		}
	}
	r := &Results{Format: format}
	switch format {
	case KernelTunerCache:
		err = readCache(t, r)
	case T4:
		err = readT4(t, r)
	case KTT:
		err = readKTT(t, r)
	default:
		return nil, fmt.Errorf("%q is not a format", format)
	}
	if err != nil {
		return nil, err
	}
	if len(r.Runs) == 0 {
		return nil, t.unknown(0, "it holds no configuration")
	}
	return r, nil
}

func decompressed(name string, src []byte) ([]byte, error) {
	if !bytes.HasPrefix(src, []byte{0x1f, 0x8b}) {
		return src, nil
	}
	broken := func(what string) error { return (&text{name: name}).broken(0, what) }
	z, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return nil, broken("it is compressed, and can't be decompressed: " + err.Error())
	}
	out, err := io.ReadAll(io.LimitReader(z, MaxBytes+1))
	switch {
	case err == io.ErrUnexpectedEOF:
		return nil, broken(fmt.Sprintf("it is compressed, and was cut off after %d bytes of text", len(out)))
	case err != nil:
		return nil, broken("it is compressed, and can't be decompressed: " + err.Error())
	case len(out) > MaxBytes:
		return nil, broken(fmt.Sprintf("decompressed it is larger than %d MB", MaxBytes>>20))
	}
	return out, nil
}

// guess returns the format that a text looks like, by the first member that only one of them has.
func guess(t *text) (found Format, err error) {
	of := map[string]Format{
		"tune_params_keys": KernelTunerCache, "tune_params": KernelTunerCache, "cache": KernelTunerCache, "device_name": KernelTunerCache,
		"schema_version": T4, "metadata": T4, "results": T4, "Metadata": KTT, "Results": KTT,
	}
	all, _, err := t.members(0, '{', "a document")
	for _, m := range all {
		if found = of[m.key]; found != "" {
			return found, nil
		}
	}
	if err != nil {
		return "", err
	}
	return "", t.unknown(0, "it is neither a cache of Kernel Tuner nor results of T4 or KTT")
}

func value(raw json.RawMessage) (string, bool) {
	switch text := string(bytes.TrimSpace(raw)); {
	case text == "true":
		return "1", true
	case text == "false":
		return "0", true
	case strings.HasPrefix(text, `"`):
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	case text == "" || strings.ContainsAny(text[:1], "{[n"):
		return "", false
	default:
		return text, true
	}
}

// times returns the numbers that can be times, in milliseconds. Each counts units of so many milliseconds.
func times(of []float64, unit float64) (out []float64) {
	for _, t := range of {
		if t *= unit; t > 0 && !math.IsInf(t, 0) {
			out = append(out, t)
		}
	}
	return out
}

func milliseconds(unit string) (float64, bool) {
	switch strings.ToLower(strings.TrimSuffix(unit, "s")) {
	case "nanosecond", "n":
		return 1e-6, true
	case "microsecond", "u", "µ":
		return 1e-3, true
	case "millisecond", "m":
		return 1, true
	case "second", "", "sec":
		return 1e3, unit != ""
	}
	return 0, false
}

// stamp reads a time as Python and KTT write it.
func stamp(text string) time.Time {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05.999999999"} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// failed is a failure in the tuner's word.
func failed(kind record.FailureKind, word string) *record.Failure {
	return &record.Failure{Kind: kind, Text: "the tuner reports " + strconv.Quote(word)}
}
