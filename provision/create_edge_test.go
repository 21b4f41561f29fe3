package provision_test

import (
	"fmt"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/provision"
)

// A table of a service's own with more indexes than DynamoDB allows is refused by DynamoDB, not by Check: its quota can be raised.
func TestTableWithTooManyIndexes(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
	schema := &dynastay.Schema{Name: "Indexed", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}}
	for n := range 21 {
		schema.Indexes = append(schema.Indexes, dynastay.Index{Name: fmt.Sprint("Index", n), Key: dynastay.KeyNames{Partition: fmt.Sprint("Index", n, "PK")}})
	}
	table := provision.Table{Schema: schema, Name: db.TableName(schema), Settings: provision.Settings{Deletable: true}}
	require.NoError(t, table.Check())
	err := provision.Apply(t.Context(), db.Engine.Client(), []provision.Table{table}, nil)
	assert.ErrorContains(t, err, "table "+table.Name+": Table: ")
	assert.Equal(t, "ValidationException", blame.As[smithy.APIError](t, err).ErrorCode())
	report, err := provision.Look(t.Context(), db.Engine.Client(), table, nil)
	require.NoError(t, err)
	assert.Equal(t, "Table", report.Differences[0].Setting, "it was not created")
}
