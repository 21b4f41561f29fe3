package market

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// together is the number of properties that are written with one call of PutAll.
const together = 20

// Load writes the market in batches: the items that Create, Rate and Approve would write. The tables must be empty.
func (m *Market) Load(t testing.TB, db *dynastay.DB) {
	t.Helper()
	chunks := slices.Collect(slices.Chunk(m.Properties, together))
	require.NoError(t, db.Each(t.Context(), len(chunks), func(ctx context.Context, i int) error {
		c := &capture{}
		repo := properties.New(dynastay.Open(fake.Client{Do: c.do}, &dynastay.Options{Clock: clock, NoGates: true}), &m.opts.Repository)
		for _, p := range chunks[i] {
			if err := c.write(ctx, repo, p); err != nil {
				return fmt.Errorf("market: %s: %w", p.ID, err)
			}
		}
		return db.PutAll(ctx, c.all)
	}))
}

// write lets the repository create the property, and then sets the rating, because the repository would have to update
// the item.
func (c *capture) write(ctx context.Context, repo *properties.Repository, p *properties.WithRooms) error {
	first := len(c.items)
	if _, err := repo.Create(ctx, p.Property, p.Rooms); err != nil {
		return err
	}
	at, err := keys.Of(keys.Property{PropertyID: p.ID})
	if err != nil {
		return err
	}
	for _, item := range c.items[first:] {
		if keys.PropertiesTable.Key.From(dynastay.RowOf(item)) == at {
			return rate(item, &p.Property)
		}
	}
	return fmt.Errorf("no item %s", at)
}

// rate sets the rating of a property that has none yet.
func rate(item dynastay.Item, p *properties.Property) error {
	average := stored.Number(strings.TrimSuffix(p.Rating.String(), ".0"))
	card := item[keys.AttrCard].(*types.AttributeValueMemberM).Value
	for _, part := range []dynastay.Item{item, card} {
		part["AverageRating"], part["ReviewCount"] = average, dynastay.Number(p.ReviewCount)
	}
	sum := int(p.Rating) * p.ReviewCount
	item["RatingSum"] = stored.Number(strings.TrimSuffix(fmt.Sprintf("%d.%d", sum/10, sum%10), ".0"))
	byRating, err := keys.SortPrefix(keys.PropertyByCity{Rating: p.Rating})
	if err != nil {
		return err
	}
	for _, name := range []string{keys.LocationIndex, keys.TypeRatingIndex, keys.RatingIndex} {
		index, _ := keys.PropertiesTable.Index(name)
		if _, ok := item[index.Key.Sort]; ok { // a property without stars, or not approved, has fewer
			item[index.Key.Sort] = dynastay.Text(byRating + p.ID)
		}
	}
	return nil
}

// capture is a database client that keeps the items that a repository puts in transactions. It supports nothing else.
type capture struct{ items []dynastay.Item }

func (c *capture) do(r *fake.Request) (any, error) {
	for _, action := range r.In.(*dynamodb.TransactWriteItemsInput).TransactItems {
		c.items = append(c.items, action.Put.Item)
	}
	return nil, nil
}

func (c *capture) all(yield func(*dynastay.Schema, dynastay.Item) bool) {
	for _, item := range c.items {
		if !yield(keys.PropertiesTable, item) {
			return
		}
	}
}
