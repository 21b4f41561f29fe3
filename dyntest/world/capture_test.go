package world

import (
	"io"
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
	"github.com/dynastay/dynastay/properties"
)

// If a repository ever does more than put items, worlds must fail instead of being wrong.
func TestCaptureAcceptsOnlyPutsSalesAndChangedProperties(t *testing.T) {
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

	key := keys.PropertiesTable.Key.Of(dynastay.Key{PK: "p", SK: "METADATA"})
	_, err = c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Update: &types.Update{TableName: aws.String("Properties"), Key: key}},
	}})
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Key{{PK: "p", SK: "METADATA"}}, c.changed)

	refused := func(actions ...types.TransactWriteItem) {
		t.Helper()
		_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
		assert.ErrorContains(t, err, "is not supported")
	}
	refused(types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("Availability")}})
	refused(types.TransactWriteItem{Update: &types.Update{TableName: aws.String("Bookings")}})
	_, err = c.UpdateItem(ctx, nil)
	assert.ErrorContains(t, err, "UpdateItem")
	_, err = c.DeleteItem(ctx, nil)
	assert.ErrorContains(t, err, "DeleteItem")
	_, err = c.BatchWriteItem(ctx, nil)
	assert.ErrorContains(t, err, "BatchWriteItem")
	_, err = c.TransactGetItems(ctx, nil)
	assert.ErrorContains(t, err, "TransactGetItems")
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

// A sale beyond the plan is an error, whatever the quote says.
func TestCellDoesNotOversell(t *testing.T) {
	t.Parallel()
	stay := dynastay.MustStay("2026-06-01", "2026-06-02")
	key, err := keys.Of(keys.Night{RoomTypeID: "r", Date: stay.CheckIn})
	require.NoError(t, err)
	cellOf := func(left int) *cell {
		c := New(Options{}).cell()
		c.nights = map[dynastay.Key]dynastay.Item{key: {"AvailableRooms": dynastay.Number(left), "RoomTypeId": dynastay.Text("r")}}
		c.capture.sold = []dynastay.Key{key}
		return c
	}
	two := &bookings.Booking{Summary: bookings.Summary{ID: "b", Stay: stay}, Lines: []bookings.Line{{Line: availability.Line{RoomTypeID: "r", Quantity: 2}}}}
	c := cellOf(2)
	require.NoError(t, c.sell(two))
	assert.Equal(t, dynastay.Number(0), c.nights[key]["AvailableRooms"])
	assert.ErrorContains(t, cellOf(1).sell(two), "oversells")
	c = cellOf(2)
	c.capture.sold[0].SK = "DATE#2026-06-02"
	assert.ErrorContains(t, c.sell(two), "must be a number, got", "an unknown night")
	c = cellOf(2)
	c.capture.sold = nil
	assert.ErrorContains(t, c.sell(two), "sells 0 nights, but its lines have 1")
}

func TestImagesChangeOnlyTheirProperty(t *testing.T) {
	t.Parallel()
	w := New(Options{})
	for name, spoil := range map[string]func(*cell){
		"another property too": func(c *cell) { c.capture.changed = []dynastay.Key{{PK: "PROPERTY#p", SK: "METADATA"}} },
		"no property":          func(c *cell) { c.capture.puts = nil },
	} {
		c, h := w.cell(), w.house(0)
		c.now = h.created
		repo := properties.New(c.open(&c.capture), nil)
		var m made
		var err error
		m.property, err = repo.Create(t.Context(), h.property, h.rooms)
		require.NoError(t, err)
		spoil(c)
		assert.Error(t, c.addImages(t.Context(), repo, &m, w.images(0, h)), name)
	}
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
