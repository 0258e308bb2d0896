package record

import (
	"errors"

	"github.com/smux-cuda/smux/diag"
)

// Explain returns what is wrong with a record: with what was named, or with the
// machine. The error returned is that of a command line; one that is that already is
// returned as it is.
func Explain(err error) error {
	var (
		exit   *diag.Failure
		format *FormatError
		newer  *NewerError
		locked *LockedError
		access *AccessError
		kind   *KindError
		gone   *GoneError
		write  *WriteError
	)
	const other = "name another file with --store"
	switch {
	case err == nil || errors.As(err, &exit) || errors.Is(err, diag.ErrReported):
		return err
	case errors.As(err, &format):
		return diag.Usagef("smux tune --store writes such files", "%w", err)
	case errors.As(err, &newer):
		return diag.Usagef("update smux, or "+other, "%w", err)
	case errors.As(err, &access), errors.As(err, &kind):
		return diag.Usagef(other, "%w", err)
	case errors.As(err, &locked):
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "wait for it, or " + other}
	case errors.As(err, &gone):
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "put it back where it was, or start again"}
	case errors.As(err, &write) && write.Full():
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "make room; the same command goes on from there"}
	case errors.As(err, &write):
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "the same command goes on from there"}
	}
	return &diag.Failure{Exit: diag.ExitInternal, Err: err}
}
