// Package raw reads and writes the items of a test as other software does: past the library, and past the faults and
// counts of the test.
package raw

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// T is what testing.TB and *rapid.T have in common.
type T interface {
	require.TestingT
	Helper()
}

// Put puts items into a table.
func Put(t T, db *dyntest.DB, s *dynastay.Schema, items ...dynastay.Item) {
	t.Helper()
	for _, item := range items {
		_, err := db.Engine.Client().PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String(db.TableName(s)), Item: item})
		require.NoError(t, err)
	}
}

// Get returns an item, or nil if there is none.
func Get(t T, db *dyntest.DB, s *dynastay.Schema, key dynastay.Key) dynastay.Item {
	t.Helper()
	out, err := db.Engine.Client().GetItem(context.Background(), &dynamodb.GetItemInput{
		TableName: aws.String(db.TableName(s)), Key: s.Key.Of(key), ConsistentRead: aws.Bool(true),
	})
	require.NoError(t, err)
	if len(out.Item) == 0 {
		return nil
	}
	return out.Item
}

// Delete deletes an item.
func Delete(t T, db *dyntest.DB, s *dynastay.Schema, key dynastay.Key) {
	t.Helper()
	_, err := db.Engine.Client().DeleteItem(context.Background(), &dynamodb.DeleteItemInput{
		TableName: aws.String(db.TableName(s)), Key: s.Key.Of(key),
	})
	require.NoError(t, err)
}

var placeholder = regexp.MustCompile(`#\w+`)

// Update changes an item. In the expression, #Status stands for the attribute Status, whose name is a reserved word.
func Update(t T, db *dyntest.DB, s *dynastay.Schema, key dynastay.Key, expression string, values dynastay.Item) {
	t.Helper()
	var names map[string]string
	for _, name := range placeholder.FindAllString(expression, -1) {
		if names == nil {
			names = map[string]string{}
		}
		names[name] = name[1:]
	}
	update(t, db, s, key, expression, names, values)
}

// Set sets an attribute of an item, or one inside its maps.
func Set(t T, db *dyntest.DB, s *dynastay.Schema, key dynastay.Key, v types.AttributeValue, path ...string) {
	t.Helper()
	names, steps := map[string]string{}, make([]string, len(path))
	for i, name := range path {
		steps[i] = fmt.Sprint("#", i)
		names[steps[i]] = name
	}
	update(t, db, s, key, "SET "+strings.Join(steps, ".")+" = :v", names, dynastay.Item{":v": v})
}

func update(t T, db *dyntest.DB, s *dynastay.Schema, key dynastay.Key, expression string, names map[string]string, values dynastay.Item) {
	t.Helper()
	_, err := db.Engine.Client().UpdateItem(context.Background(), &dynamodb.UpdateItemInput{
		TableName: aws.String(db.TableName(s)), Key: s.Key.Of(key),
		UpdateExpression: &expression, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	require.NoError(t, err)
}

// Partition returns the items of a partition, by sort key.
func Partition(t T, db *dyntest.DB, s *dynastay.Schema, pk string) (items []dynastay.Item) {
	t.Helper()
	pages := dynamodb.NewQueryPaginator(db.Engine.Client(), &dynamodb.QueryInput{
		TableName: aws.String(db.TableName(s)), ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String(s.Key.Partition + " = :pk"),
		ExpressionAttributeValues: dynastay.Item{":pk": dynastay.Text(pk)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		require.NoError(t, err)
		items = append(items, page.Items...)
	}
	return items
}

// All returns all items of tables.
func All(t T, db *dyntest.DB, schemas ...*dynastay.Schema) (items []dynastay.Item) {
	t.Helper()
	require.NotEmpty(t, schemas, "the items of no table are always the same")
	for _, s := range schemas {
		pages := dynamodb.NewScanPaginator(db.Engine.Client(), &dynamodb.ScanInput{
			TableName: aws.String(db.TableName(s)), ConsistentRead: aws.Bool(true),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(context.Background())
			require.NoError(t, err)
			items = append(items, page.Items...)
		}
	}
	return items
}

// Plain returns the attributes of an item, numbers by value.
func Plain(t T, item dynastay.Item) map[string]any {
	t.Helper()
	plain := map[string]any{}
	require.NoError(t, attributevalue.UnmarshalMap(item, &plain))
	return plain
}

// Plains returns the attributes of items.
func Plains(t T, items []dynastay.Item) (plains []map[string]any) {
	t.Helper()
	for _, item := range items {
		plains = append(plains, Plain(t, item))
	}
	return plains
}

// Item returns an item with plain attributes.
func Item(t T, plain map[string]any) dynastay.Item {
	t.Helper()
	item, err := attributevalue.MarshalMap(plain)
	require.NoError(t, err)
	return item
}

// Document returns the item of a design document in a JSON file.
func Document(t T, path string) dynastay.Item {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain map[string]any
	require.NoError(t, decoder.Decode(&plain))
	return Item(t, plain)
}
