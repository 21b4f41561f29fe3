package world

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// capture is a database client that keeps what is put. With it, the repositories make items, and the world need not
// know what they look like. The updates that it accepts are simple, and it carries them out. Of the updates of nights
// by bookings it only notes the key, and the cell then changes the item itself.
// See docs/decisions/0007-worlds.md for why there is no second description of the items.
type capture struct {
	puts   []put
	nights []dynastay.Key // that were updated since the cell last changed some
	config dynastay.Item  // of the users' table, which its first user puts
}

type put struct {
	schema *dynastay.Schema
	item   dynastay.Item
}

// schemas are the library's tables by their names in a database without a prefix.
var schemas = func() map[string]*dynastay.Schema {
	all := map[string]*dynastay.Schema{}
	for _, s := range append(keys.Tables(), listingkeys.Table, venuekeys.Table) {
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
		case action.Update != nil && isUnitMonth(action.Update):
			if err := c.occupy(action.Update); err != nil {
				return nil, err
			}
		case action.Update != nil && *action.Update.TableName == keys.AvailabilityTable.Name:
			c.nights = append(c.nights, keys.AvailabilityTable.Key.From(dynastay.RowOf(action.Update.Key)))
		case action.Update != nil:
			if err := c.update(action.Update); err != nil {
				return nil, err
			}
		case action.Delete != nil:
			if err := c.remove(action.Delete); err != nil {
				return nil, err
			}
		} // a check passes: what it requires was put before
	}
	return &dynamodb.TransactWriteItemsOutput{}, nil
}

func isUnitMonth(u *types.Update) bool {
	return *u.TableName == keys.AvailabilityTable.Name && keys.Is[keys.UnitMonth](keys.AvailabilityTable.Key.From(dynastay.RowOf(u.Key)))
}

// occupy carries out an update of who has a unit in a month, whose item may be new. That nobody else has it is planned.
func (c *capture) occupy(u *types.Update) error {
	if c.find(keys.AvailabilityTable, keys.AvailabilityTable.Key.From(dynastay.RowOf(u.Key))) == nil {
		c.put(u.TableName, maps.Clone(u.Key))
	}
	return c.update(u)
}

// remove carries out a delete. Its condition holds, as that of an update does; without one, the item may be missing.
func (c *capture) remove(d *types.Delete) error {
	schema, before := schemas[*d.TableName], len(c.puts)
	key := schema.Key.From(dynastay.RowOf(d.Key))
	c.puts = slices.DeleteFunc(c.puts, func(p put) bool {
		return p.schema == schema && schema.Key.From(dynastay.RowOf(p.item)) == key
	})
	if len(c.puts) == before && d.ConditionExpression != nil {
		return unsupported("a delete of an item that was not put")
	}
	return nil
}

// update carries out an update that sets and removes whole attributes, or elements of a map, or that changes a number
// by another one. Its condition holds, because it is on what was read from the puts, and the plan exceeds no limit.
func (c *capture) update(u *types.Update) error {
	schema := schemas[*u.TableName]
	item := c.find(schema, schema.Key.From(dynastay.RowOf(u.Key)))
	if item == nil && u.ConditionExpression != nil {
		return unsupported("an update of an item that was not put")
	}
	if item == nil { // an update without a condition makes its item
		item = maps.Clone(u.Key)
		c.put(u.TableName, item)
	}
	for _, clause := range strings.Split(strings.TrimSpace(*u.UpdateExpression), "\n") {
		verb, list, _ := strings.Cut(clause, " ")
		for _, action := range strings.Split(list, ", ") {
			if !apply(u, item, verb, action) {
				return unsupported("the update " + clause)
			}
		}
	}
	return nil
}

// apply carries out one action of an update, or returns false.
func apply(u *types.Update, item dynastay.Item, verb, action string) bool {
	separator := " = "
	if verb == "ADD" {
		separator = " "
	}
	left, right, _ := strings.Cut(action, separator)
	in, name := within(item, u.ExpressionAttributeNames, left)
	value := u.ExpressionAttributeValues[right]
	switch {
	case name == "":
		return false
	case verb == "REMOVE" && right == "":
		delete(in, name)
		return true
	case verb == "ADD" && in[name] == nil:
		value = plus(dynastay.Number(0), value, 1)
	case verb == "ADD":
		value = plus(in[name], value, 1)
	case verb != "SET":
		return false
	case value == nil:
		value = counted(u, in[name], left, right)
	}
	if value != nil {
		in[name] = value
	}
	return value != nil
}

// within returns the map that a path leads to, the item or a map in it, and the name of the element. The name is empty
// if there is none.
func within(item dynastay.Item, names map[string]string, path string) (in dynastay.Item, name string) {
	for {
		outer, inner, nested := strings.Cut(path, ".")
		if !nested {
			return item, names[outer]
		}
		m, ok := item[names[outer]].(*types.AttributeValueMemberM)
		if !ok {
			return nil, ""
		}
		item, path = m.Value, inner
	}
}

// counted returns the number to which an update adds a value, or from which it subtracts one. It returns nil for any
// other update.
func counted(u *types.Update, before types.AttributeValue, left, right string) types.AttributeValue {
	for operator, sign := range map[string]int{" + ": 1, " - ": -1} {
		if param, ok := strings.CutPrefix(right, left+operator); ok {
			return plus(before, u.ExpressionAttributeValues[param], sign)
		}
	}
	return nil
}

// plus returns the sum of a number and sign times another one, or nil if one of them is not a number.
func plus(before, by types.AttributeValue, sign int) types.AttributeValue {
	item := dynastay.RowOf(dynastay.Item{"before": before, "by": by})
	n, err := number(item.Scalar("before"))
	more, errMore := number(item.Scalar("by"))
	if cmp.Or(err, errMore) != nil {
		return nil
	}
	return dynastay.Number(n + sign*more)
}

func (c *capture) PutItem(_ context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	c.put(in.TableName, in.Item)
	return &dynamodb.PutItemOutput{}, nil
}

func (c *capture) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if keys.UsersTable.Key.From(dynastay.RowOf(in.Key)) == emailConfig {
		return &dynamodb.GetItemOutput{Item: c.config}, nil
	}
	schema := schemas[*in.TableName]
	return &dynamodb.GetItemOutput{Item: c.find(schema, schema.Key.From(dynastay.RowOf(in.Key)))}, nil
}

// Query is used to add the first images of a property, for which it finds the property and nothing else, to create a rate
// plan, for which it finds those of the property, and to move a booking, for which it finds all its items.
func (c *capture) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if in.IndexName != nil {
		return nil, unsupported("a query of an index")
	}
	out := &dynamodb.QueryOutput{}
	for key, item := range c.asked(in) {
		if *in.TableName == keys.BookingsTable.Name || key.SK == keys.SortKind[keys.Property]() ||
			strings.HasPrefix(key.SK, keys.SortKind[keys.RatePlan]()) {
			out.Items = append(out.Items, item)
		}
	}
	return out, nil
}

// asked yields the items of the partition that a query asks for.
func (c *capture) asked(in *dynamodb.QueryInput) iter.Seq2[dynastay.Key, dynastay.Item] {
	asked, partitions := schemas[*in.TableName], map[string]bool{}
	for _, v := range in.ExpressionAttributeValues {
		partitions[stored.TextOf(v)] = true
	}
	return func(yield func(dynastay.Key, dynastay.Item) bool) {
		for _, p := range c.puts {
			if p.schema != asked || !partitions[stored.TextOf(p.item[p.schema.Key.Partition])] {
				continue
			}
			if !yield(p.schema.Key.From(dynastay.RowOf(p.item)), p.item) {
				return
			}
		}
	}
}

// find returns the item with a key, or nil. It looks at the last items first, which are the most likely.
func (c *capture) find(s *dynastay.Schema, key dynastay.Key) dynastay.Item {
	for _, p := range slices.Backward(c.puts) {
		if p.schema == s && stored.TextOf(p.item[s.Key.Partition]) == key.PK && s.Key.From(dynastay.RowOf(p.item)) == key {
			return p.item
		}
	}
	return nil
}

// BatchGetItem is used to open nights, for which it finds the room type, its property and the rate plans among the puts,
// and for promo codes that a guest types with lower-case letters.
func (c *capture) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]dynastay.Item{}}
	for table, asked := range in.RequestItems {
		schema := schemas[table]
		for _, key := range asked.Keys {
			if item := c.find(schema, schema.Key.From(dynastay.RowOf(key))); item != nil {
				out.Responses[table] = append(out.Responses[table], item)
			}
		}
	}
	return out, nil
}

// UpdateItem is used for an update that is alone in its transaction.
func (c *capture) UpdateItem(_ context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if *in.TableName == keys.AvailabilityTable.Name {
		return nil, unsupported("UpdateItem of the table " + *in.TableName)
	}
	return &dynamodb.UpdateItemOutput{}, c.update(&types.Update{
		TableName: in.TableName, Key: in.Key, UpdateExpression: in.UpdateExpression, ConditionExpression: in.ConditionExpression,
		ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
	})
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
	out := &dynamodb.QueryOutput{}
	for _, item := range s.asked(in) {
		out.Items = append(out.Items, item)
	}
	return out, nil
}
