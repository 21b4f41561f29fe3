package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// capture is a database client that keeps what is put. Except in a batch, it does not find those items again. With it, the
// repositories make items, and the world need not know what they look like. The only update that it accepts is the sale of
// a night: it notes the key, and the cell then changes the item itself.
type capture struct {
	puts   []put
	sold   []dynastay.Key // of nights, since the last booking
	config dynastay.Item  // of the users' table, which its first user puts
}

type put struct {
	schema *dynastay.Schema
	item   dynastay.Item
}

// schemas are the library's tables by their names in a database without a prefix.
var schemas = func() map[string]*dynastay.Schema {
	all := map[string]*dynastay.Schema{}
	for _, s := range keys.Tables() {
		all[s.Name] = s
	}
	return all
}()

// emailConfig is the one item that all users share.
var emailConfig = func() dynastay.Key {
	key, err := keys.Of(keys.EmailConfig{})
	must(err)
	return key
}()

func (c *capture) put(table *string, item dynastay.Item) {
	if keys.UsersTable.Key.From(dynastay.RowOf(item)) == emailConfig {
		c.config = item
		return
	}
	c.puts = append(c.puts, put{schemas[*table], item})
}

func (c *capture) TransactWriteItems(_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	for _, action := range in.TransactItems {
		switch {
		case action.Put != nil:
			c.put(action.Put.TableName, action.Put.Item)
		case action.Update != nil && *action.Update.TableName == keys.AvailabilityTable.Name:
			c.sold = append(c.sold, keys.AvailabilityTable.Key.From(dynastay.RowOf(action.Update.Key)))
		case action.ConditionCheck == nil: // a check passes: what it requires was put before
			return nil, unsupported("a transaction that updates or deletes")
		}
	}
	return &dynamodb.TransactWriteItemsOutput{}, nil
}

func (c *capture) PutItem(_ context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	c.put(in.TableName, in.Item)
	return &dynamodb.PutItemOutput{}, nil
}

func (c *capture) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if keys.UsersTable.Key.From(dynastay.RowOf(in.Key)) == emailConfig {
		return &dynamodb.GetItemOutput{Item: c.config}, nil
	}
	return &dynamodb.GetItemOutput{}, nil
}

func (c *capture) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return &dynamodb.QueryOutput{}, nil
}

// BatchGetItem is used to open nights: it finds the room type and its property among the puts.
func (c *capture) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]dynastay.Item{}}
	for table, asked := range in.RequestItems {
		schema := schemas[table]
		for _, key := range asked.Keys {
			want := schema.Key.From(dynastay.RowOf(key))
			at := slices.IndexFunc(c.puts, func(p put) bool {
				return p.schema == schema && schema.Key.From(dynastay.RowOf(p.item)) == want
			})
			if at >= 0 {
				out.Responses[table] = append(out.Responses[table], c.puts[at].item)
			}
		}
	}
	return out, nil
}

func (c *capture) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return nil, unsupported("UpdateItem")
}

func (c *capture) DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return nil, unsupported("DeleteItem")
}

func (c *capture) BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return nil, unsupported("BatchWriteItem")
}

func (c *capture) TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	return nil, unsupported("TransactGetItems")
}

// unsupported is the error for a request of a repository that the capture does not handle.
func unsupported(what string) error { return fmt.Errorf("world: %s is not supported", what) }

// shown answers queries with the puts of a capture, a whole partition at a time, whatever range was asked for.
type shown struct{ *capture }

func (s shown) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	asked := map[string]bool{}
	for _, v := range in.ExpressionAttributeValues {
		asked[stored.TextOf(v)] = true
	}
	out := &dynamodb.QueryOutput{}
	for _, p := range s.puts {
		if p.schema == schemas[*in.TableName] && asked[p.schema.Key.From(dynastay.RowOf(p.item)).PK] {
			out.Items = append(out.Items, p.item)
		}
	}
	return out, nil
}
