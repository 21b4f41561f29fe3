package world

import (
	"io"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
)

// If a repository ever does more than put items, worlds must fail instead of being wrong.
func TestCaptureAcceptsOnlyWhatItUnderstands(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), &capture{}
	item := keys.MetadataTable.Key.Of(dynastay.Key{PK: "a", SK: "b"})
	_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Metadata"), Item: item})
	require.NoError(t, err)
	assert.Equal(t, []put{{keys.MetadataTable, item}}, c.puts)
	other := keys.MetadataTable.Key.Of(dynastay.Key{PK: "a", SK: "c"})
	for table, want := range map[string]map[string][]dynastay.Item{"Metadata": {"Metadata": {item}}, "Users": {}} {
		got, err := c.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{table: {Keys: []dynastay.Item{item, other}}},
		})
		require.NoError(t, err)
		assert.Equal(t, want, got.Responses)
	}

	_, err = c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: aws.String("Metadata"), Key: other, ConditionExpression: aws.String("#0 = :0")}},
	}})
	assert.ErrorContains(t, err, "a delete of an item that was not put is not supported")
	_, err = c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: aws.String("Metadata"), Key: other}},
	}})
	assert.NoError(t, err)
	_, err = c.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String("Metadata"), Key: other, UpdateExpression: aws.String("SET #0 = :0\n"), ConditionExpression: aws.String("#0 = :0"),
	})
	assert.ErrorContains(t, err, "an update of an item that was not put is not supported")
	_, err = c.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("Bookings"), IndexName: aws.String("GSI1")})
	assert.ErrorContains(t, err, "a query of an index")
	_, err = c.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String("Availability")})
	assert.ErrorContains(t, err, "UpdateItem of the table Availability is not supported")
	_, err = c.DeleteItem(ctx, nil)
	assert.ErrorContains(t, err, "DeleteItem")
	_, err = c.BatchWriteItem(ctx, nil)
	assert.ErrorContains(t, err, "BatchWriteItem")
	_, err = c.TransactGetItems(ctx, nil)
	assert.ErrorContains(t, err, "TransactGetItems")
}

// Updates set and remove whole attributes or elements of a map, and count, in a transaction or alone.
func TestCaptureCarriesOutUpdates(t *testing.T) {
	t.Parallel()
	at := keys.BookingsTable.Key.Of(dynastay.Key{PK: "BOOKING#b", SK: "METADATA"})
	names := map[string]string{"#0": "A", "#1": "B", "#2": "C", "#3": "M", "#4": "E"}
	values := dynastay.Item{":0": dynastay.Number(2), ":1": dynastay.Text("two")}
	updates := map[string]func(*capture, string) error{
		"in a transaction": func(c *capture, expression string) error {
			_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				{Update: &types.Update{
					TableName: aws.String("Bookings"), Key: at, UpdateExpression: &expression,
					ExpressionAttributeNames: names, ExpressionAttributeValues: values,
				}},
			}})
			return err
		},
		"alone": func(c *capture, expression string) error {
			_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
				TableName: aws.String("Bookings"), Key: at, UpdateExpression: &expression,
				ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			})
			return err
		},
	}
	// The values of A, C and E, an element of M.
	stored := func(a, c, e types.AttributeValue) *capture {
		item := keys.BookingsTable.Key.Of(dynastay.Key{PK: "BOOKING#b", SK: "METADATA"})
		elements := dynastay.Item{}
		for name, in := range map[string]struct {
			item  dynastay.Item
			value types.AttributeValue
		}{"A": {item, a}, "C": {item, c}, "E": {elements, e}} {
			if in.value != nil {
				in.item[name] = in.value
			}
		}
		item["M"] = &types.AttributeValueMemberM{Value: elements}
		return &capture{puts: []put{{keys.BookingsTable, item}}}
	}
	nine, old, two := dynastay.Number(9), dynastay.Text("old"), dynastay.Text("two")
	for name, update := range updates {
		for expression, want := range map[string]*capture{
			"REMOVE #2\nSET #0 = :0\n":         stored(dynastay.Number(2), nil, old),
			"SET #0 = :1, #2 = :0\n":           stored(two, dynastay.Number(2), old),
			"SET #0 = #0 + :0":                 stored(dynastay.Number(11), old, old),
			"SET #0 = #0 - :0, #3.#4 = :1":     stored(dynastay.Number(7), old, two),
			"ADD #0 :0":                        stored(dynastay.Number(11), old, old),
			"REMOVE #3.#4, #2\nADD #0 :0":      stored(dynastay.Number(11), nil, nil),
			"SET #3.#4 = :0\nREMOVE #2, #0":    stored(nil, nil, dynastay.Number(2)),
			"REMOVE #1, #3.#1\nSET #3.#4 = :1": stored(nine, old, two),
		} {
			c := stored(nine, old, old)
			require.NoError(t, update(c, expression), "%s: %s", name, expression)
			assert.Equal(t, want, c, "%s: %s", name, expression)
		}
		for _, expression := range []string{
			"SET #0.#1 = :0", "SET #3.#9 = :0", "SET #9.#4 = :0", "SET #0 = if_not_exists(#0, :0)", "SET #9 = :0", "SET #0",
			"SET #0 = #1 + :0", "SET #0 = :0 + #0", "SET #0 = #0 + :1", "SET #0 = #0 + :9", "SET #0 = #0 * :0", "SET #2 = #2 + :0",
			"SET #1 = #1 + :0", "ADD #2 :0", "ADD #0 :1", "ADD #1 :1", "ADD #0 :9", "ADD #0 = :0", "ADD #3.#4.#0 :0",
			"DELETE #0 :0", "DELETE #0 = :0", "REMOVE #0[1]", "REMOVE #0 = :0", "REMOVE #9", "",
		} {
			assert.ErrorContains(t, update(stored(nine, old, old), expression), "is not supported", "%s: %s", name, expression)
		}
		c, counted := stored(nine, old, old), stored(nine, old, old)
		counted.puts[0].item["B"] = dynastay.Number(2)
		require.NoError(t, update(c, "ADD #1 :0"), name)
		assert.Equal(t, counted, c, "%s: a number is added to what is missing", name)
		c, made := &capture{}, maps.Clone(at)
		made["A"] = dynastay.Number(2)
		require.NoError(t, update(c, "SET #0 = :0"), name)
		assert.Equal(t, &capture{puts: []put{{keys.BookingsTable, made}}}, c, "%s: without a condition, an update makes its item", name)
	}
}

// The plans on a card are in a map of a map.
func TestCaptureUpdatesInnerMaps(t *testing.T) {
	t.Parallel()
	at := keys.PropertiesTable.Key.Of(dynastay.Key{PK: "PROPERTY#p", SK: "METADATA"})
	item, rates := maps.Clone(at), dynastay.Item{"flex": dynastay.Number(1)}
	item["Card"] = &types.AttributeValueMemberM{Value: dynastay.Item{
		"Rates": &types.AttributeValueMemberM{Value: rates}, "Name": dynastay.Text("n"),
	}}
	c := &capture{puts: []put{{keys.PropertiesTable, item}}}
	update := func(expression string) error {
		_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("Properties"), Key: at, UpdateExpression: &expression,
			ExpressionAttributeNames:  map[string]string{"#0": "Card", "#1": "Rates", "#2": "flex", "#3": "bb", "#4": "Name"},
			ExpressionAttributeValues: dynastay.Item{":0": dynastay.Number(2)},
		})
		return err
	}
	require.NoError(t, update("SET #0.#1.#3 = :0\nREMOVE #0.#1.#2"))
	assert.Equal(t, dynastay.Item{"bb": dynastay.Number(2)}, rates)
	for _, path := range []string{"#0.#4.#3", "#0.#3.#2", "#3.#1.#2", "#0.#1.#9"} {
		assert.ErrorContains(t, update("SET "+path+" = :0"), "is not supported", path)
	}
	assert.Equal(t, dynastay.Item{"bb": dynastay.Number(2)}, rates)
}

// A query of one property's plans finds them, and neither those of another property nor other items.
func TestCaptureFindsRatePlans(t *testing.T) {
	t.Parallel()
	of := func(pk, sk string) put {
		return put{keys.PropertiesTable, keys.PropertiesTable.Key.Of(dynastay.Key{PK: pk, SK: sk})}
	}
	c := &capture{puts: []put{of("RATES#p", "PLAN#bb"), of("PROPERTY#p", "IMAGE#i"), of("RATES#q", "PLAN#bb"), of("RATES#p", "PLAN#flex")}}
	for pk, want := range map[string][]dynastay.Item{"RATES#p": {c.puts[0].item, c.puts[3].item}, "PROPERTY#p": nil} {
		got, err := c.Query(t.Context(), &dynamodb.QueryInput{
			TableName: aws.String("Properties"), ExpressionAttributeValues: dynastay.Item{":0": dynastay.Text(pk)},
		})
		require.NoError(t, err)
		assert.Equal(t, want, got.Items, pk)
	}
}

func TestCaptureDeletes(t *testing.T) {
	t.Parallel()
	key := func(s *dynastay.Schema, sk string) dynastay.Item { return s.Key.Of(dynastay.Key{PK: "a", SK: sk}) }
	of := func(s *dynastay.Schema, sk string) put { return put{s, key(s, sk)} }
	c := &capture{puts: []put{
		of(keys.MetadataTable, "b"), of(keys.UsersTable, "c"), of(keys.MetadataTable, "c"), of(keys.MetadataTable, "d"),
	}}
	_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: aws.String("Metadata"), Key: key(keys.MetadataTable, "c")}},
		{Put: &types.Put{TableName: aws.String("Metadata"), Item: key(keys.MetadataTable, "e")}},
	}})
	require.NoError(t, err)
	assert.Equal(t, []put{
		of(keys.MetadataTable, "b"), of(keys.UsersTable, "c"), of(keys.MetadataTable, "d"), of(keys.MetadataTable, "e"),
	}, c.puts)
}

func TestSourceEnds(t *testing.T) {
	t.Parallel()
	s := &source{left: []byte{1, 2, 3}}
	p := make([]byte, 2)
	n, err := s.Read(p)
	assert.Equal(t, []any{2, nil, []byte{1, 2}}, []any{n, err, p})
	n, err = s.Read(p)
	assert.Equal(t, []any{1, nil}, []any{n, err})
	_, err = s.Read(p)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// A sale or a return beyond the plan is an error, whatever the quote says.
func TestCellCountsRooms(t *testing.T) {
	t.Parallel()
	stay := dynastay.MustStay("2026-06-01", "2026-06-02")
	key, err := keys.Of(keys.Night{RoomTypeID: "r", Date: stay.CheckIn})
	require.NoError(t, err)
	cellOf := func(left int) *cell {
		c := New(Options{}).cell()
		c.nights = map[dynastay.Key]dynastay.Item{key: {
			"AvailableRooms": dynastay.Number(left), "TotalRooms": dynastay.Number(3), "RoomTypeId": dynastay.Text("r"),
		}}
		c.capture.nights = []dynastay.Key{key}
		return c
	}
	two := &bookings.Booking{Summary: bookings.Summary{ID: "b", Stay: stay}, Lines: []bookings.Line{{Line: availability.Line{RoomTypeID: "r", Quantity: 2}}}}
	c := cellOf(2)
	require.NoError(t, c.count(two, -1))
	assert.Equal(t, dynastay.Number(0), c.nights[key]["AvailableRooms"])
	assert.ErrorContains(t, cellOf(1).count(two, -1), "leaves -1 of 3 rooms free")
	assert.ErrorContains(t, cellOf(2).count(two, 1), "leaves 4 of 3 rooms free")
	c = cellOf(1)
	require.NoError(t, c.count(two, 1))
	assert.Equal(t, dynastay.Number(3), c.nights[key]["AvailableRooms"])
	assert.ErrorContains(t, cellOf(1).count(two, 0), "changes 1 nights, and must change 0", "a check-in")
	require.NoError(t, c.count(two, 0), "the nights of the last one are done")
	c = cellOf(2)
	delete(c.nights[key], "TotalRooms")
	assert.ErrorContains(t, c.count(two, 1), "must be a number")
	c = cellOf(2)
	c.capture.nights[0].SK = "DATE#2026-06-02"
	assert.ErrorContains(t, c.count(two, -1), "must be a number, got", "an unknown night")
	c = cellOf(2)
	c.capture.nights = nil
	assert.ErrorContains(t, c.count(two, -1), "changes 0 nights, and must change 1")

	// Nights before Today do not exist.
	c, past := cellOf(2), *two
	past.Stay = dynastay.MustStay("2026-05-31", "2026-06-01")
	require.NoError(t, c.count(&past, -1))
	assert.Equal(t, dynastay.Number(2), c.nights[key]["AvailableRooms"])
	assert.ErrorContains(t, c.count(&past, -1), "changes 0 nights, and must change 1", "the nights of the last one are done")
}

func TestCellChangesOnlyOpenNights(t *testing.T) {
	t.Parallel()
	stay := dynastay.MustStay("2026-06-01", "2026-06-02")
	key, err := keys.Of(keys.Night{RoomTypeID: "r", Date: stay.CheckIn})
	require.NoError(t, err)
	c := New(Options{}).cell()
	c.nights = map[dynastay.Key]dynastay.Item{key: {}}
	require.NoError(t, c.change(availability.Change{RoomTypeIDs: []string{"r"}, Dates: stay, MaxStay: to(5)}))
	assert.Equal(t, dynastay.Number(5), c.nights[key]["MaxStay"])
	err = c.change(availability.Change{RoomTypeIDs: []string{"r"}, Dates: stay, ClosedToDeparture: to(true)})
	assert.ErrorContains(t, err, "DATE#2026-05-31 must be open to be changed")
	assert.Error(t, c.change(availability.Change{RoomTypeIDs: []string{""}, Dates: stay, MaxStay: to(5)}))
}
