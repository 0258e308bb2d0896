package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEachSchemaHasAStepToTheNext(t *testing.T) {
	assert.Len(t, migrations, Schema)
	for _, step := range migrations[1:] {
		assert.NotNil(t, step)
	}
}

// A line goes through the steps that are after its schema, and no other.
func TestOnlyTheStepsThatAreMissingAreTaken(t *testing.T) {
	for schema, want := range map[int]string{1: "sharedBytes", 2: "shared"} {
		line := fields{"schema": schema, "variant": fields{"shared": 1}}
		migrate(line, schema)
		assert.Equal(t, fields{want: 1}, line["variant"])
	}
}

func TestMigrationsLeaveWhatTheyDoNotUnderstand(t *testing.T) {
	for _, v := range []any{nil, 7, "x", []any{1}, fields{}} {
		line := fields{"variant": v, "pair": fields{"state": v}}
		migrate(line, 1)
		assert.Equal(t, v, line["variant"])
		assert.Equal(t, v, line["pair"].(fields)["state"])
	}
}
