package doctor

import (
	"errors"
	"strconv"
	"time"
)

// maxEpoch is the end of the year 9999.
const maxEpoch = 253402300799

// ErrEpoch is the error about a SOURCE_DATE_EPOCH that is not a number of seconds
// from 1970 to the end of the year 9999.
var ErrEpoch = errors.New("it is the number of seconds since 1970")

// SourceDate returns the time that builds which are to be the same are given, in UTC, as
// SOURCE_DATE_EPOCH says it; zero where the text is empty. The error is ErrEpoch.
// https://reproducible-builds.org/specs/source-date-epoch
func SourceDate(epoch string) (time.Time, error) {
	if epoch == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 || seconds > maxEpoch {
		return time.Time{}, ErrEpoch
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// Day returns the date of what this build writes, "2026-01-31": that of SOURCE_DATE_EPOCH,
// else that of its commit, "" where neither is known. It is never that of today.
func (b Build) Day(epoch string) (string, error) {
	at, err := SourceDate(epoch)
	if err != nil {
		return "", err
	}
	if epoch == "" {
		if at, err = time.Parse(time.RFC3339, b.Date); err != nil {
			return "", nil
		}
	}
	return at.UTC().Format(time.DateOnly), nil
}
