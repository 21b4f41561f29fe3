package migrate

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// EachProperty returns the Each of a [Walk] of the table Properties that calls a function with the id of each property, and with no
// other item. It is for what concerns a property as a whole, such as bookings.Repository.VerifyNights.
func EachProperty(
	fn func(ctx context.Context, propertyID string) (changed bool, err error),
) func(context.Context, dynastay.Row) (changed bool, err error) {
	return func(ctx context.Context, row dynastay.Row) (bool, error) {
		property, err := keys.Parse[keys.Property](keys.PropertiesTable.Key.From(row))
		if err != nil {
			return false, nil
		}
		return fn(ctx, property.PropertyID)
	}
}
