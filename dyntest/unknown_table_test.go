package dyntest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func TestUnknownTable(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	w := d.watched()
	name := d.TableName(&dynastay.Schema{Name: "Vouchers"})
	for range 2 {
		_, err := d.Client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: key("a")})
		var gone *types.ResourceNotFoundException
		assert.ErrorAs(t, err, &gone)
	}
	require.Len(t, w.logs, 1)
	assert.Contains(t, w.logs[0], `this test has no table Vouchers, only Things; add your service's tables with the option Tables, `)
}
