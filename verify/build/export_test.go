package build

import "context"

// Prepare makes what builds in some modes need, which Build does by itself.
func (t *Toolchain) Prepare(ctx context.Context, modes ...Mode) error {
	var steps []func() error
	for _, m := range modes {
		steps = append(steps,
			func() error { _, err := t.precompiled(ctx, m); return err },
			func() error { _, err := t.runtimeObjects(ctx, m); return err })
	}
	return each(steps, func(f func() error) error { return f() })
}
