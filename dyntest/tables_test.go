package dyntest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

// An engine that fails while it creates a table may have created it, whole or in part.
func TestTableWhoseCreationFails(t *testing.T) {
	t.Parallel()
	db := New(t, OnlyTables())
	failing := func(times int, code int, answer string) (*dynamodb.Client, *int) {
		sent := 0
		return db.Engine.Client(func(o *dynamodb.Options) {
			engine := o.HTTPClient
			o.HTTPClient = doer(func(r *http.Request) (*http.Response, error) {
				response, err := engine.Do(r)
				if err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".CreateTable") {
					return response, err
				}
				if sent++; sent <= times {
					response.Body.Close()
					response.StatusCode, response.Body = code, io.NopCloser(strings.NewReader(answer))
					response.ContentLength = int64(len(answer))
				}
				return response, nil
			})
		}), &sent
	}
	const broken = `{"__type": "com.amazonaws.dynamodb.v20120810#InternalServerError", "message": "broken"}`
	schema := &dynastay.Schema{Name: "Guests", Key: keys.UsersTable.Key, Indexes: keys.UsersTable.Indexes}
	name := db.prefix + schema.Name
	t.Cleanup(func() { assert.NoError(t, db.Engine.DeleteTables(context.Background(), db.prefix, schema)) })

	client, sent := failing(2, 500, broken)
	require.NoError(t, createTable(t.Context(), client, name, schema))
	assert.Equal(t, 3, *sent)
	table, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	require.NoError(t, err)
	assert.Len(t, table.Table.GlobalSecondaryIndexes, len(schema.Indexes))

	client, sent = failing(0, 0, "")
	blame.As[*types.ResourceInUseException](t, createTable(t.Context(), client, name, schema))
	assert.Equal(t, 1, *sent, "a refusal is final")

	client, sent = failing(creations, 500, broken)
	require.NoError(t, db.Engine.DeleteTables(t.Context(), db.prefix, schema))
	assert.ErrorContains(t, createTable(t.Context(), client, name, schema), "broken")
	assert.Equal(t, creations, *sent)
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }
