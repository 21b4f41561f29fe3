package dyntest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

func TestExportedMethods(t *testing.T) {
	t.Parallel()
	for function, want := range map[string][2]string{
		"bookings.(*Repository).Cancel":                                      {"bookings", "Repository.Cancel"},
		"bookings.(*Repository).CancelOp.func1":                              {"bookings", "Repository.Cancel"},
		"bookings.(*Repository).ExpireHolds.func1.2":                         {"bookings", "Repository.ExpireHolds"},
		"bookings.(*Repository).Get-fm":                                      {"bookings", "Repository.Get"},
		"users.(*Repository).Erase-range1":                                   {"users", "Repository.Erase"},
		"users.(*Repository).erase":                                          {"users", ""},
		"users.(*Repository).erase.func1":                                    {"users", ""},
		"properties/catalog.(*Catalog[...]).Create.func1":                    {"properties/catalog", "Catalog.Create"},
		"properties/catalog.(*Setting[...]).read":                            {"properties/catalog", ""},
		"properties.(*Repository).UpdateImageOp.(*Repository).written.func2": {"properties", "Repository.UpdateImage"},
		"properties.(*Repository).ByAmenities.Load[...].func1":               {"properties", "Repository.ByAmenities"},
		"availability.SalesMove.Add":                                         {"availability", "SalesMove.Add"},
		"availability.Fill":                                                  {"availability", "Fill"},
		"availability.fill":                                                  {"availability", ""},
	} {
		dir, name := splitFunction(function)
		assert.Equal(t, want, [2]string{dir, name}, function)
	}
}

func TestCallbacksAreOfTheirCallers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ found, kept []string }{
		{nil, nil},
		{[]string{"bookings.R.Get"}, []string{"bookings.R.Get"}},
		{[]string{"availability.R.Quote", "bookings.R.Create", "reviews.R.Create"}, []string{"availability.R.Quote", "bookings.R.Create", "reviews.R.Create"}},
		{[]string{"bookings.R.Retire", "availability/units.R.Retire", "bookings.R.Retire"}, []string{"bookings.R.Retire", "bookings.R.Retire"}},
		{[]string{"bookings.R.Get", "bookings.R.Retire", "availability/units.R.Retire", "availability/units.R.Keep", "bookings.R.Retire", "users.R.Erase"}, []string{"bookings.R.Get", "bookings.R.Retire", "bookings.R.Retire", "users.R.Erase"}},
	} {
		assert.Equal(t, c.kept, withoutCallees(c.found))
	}
}

// All methods count that call each other, and a request that a test sends itself is of none.
func TestCallingMethods(t *testing.T) {
	t.Parallel()
	d := New(t, At(fixture.Now))
	var methods []string
	note := func(x *exchange, next hop) (*http.Response, error) {
		found, _ := callingMethods()
		methods = append(methods, strings.Join(found, " "))
		return next(x)
	}
	client := d.Engine.Client(func(o *dynamodb.Options) {
		o.HTTPClient = through(o.HTTPClient.(*http.Client), func(network http.RoundTripper) http.RoundTripper {
			return &wire{[]stage{note}, network, d.sign}
		})
	})
	db := d.open(client, nil)
	_, err := users.New(db, nil).Get(t.Context(), "user_1")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = users.New(db, nil).Wishlists("user_1").Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	_, err = reviews.New(db, properties.New(db, nil), nil).Create(t.Context(), reviews.Review{
		BookingID: "bk_1", UserID: "user_1", PropertyID: "prop_1", StayDate: dynastay.MustDate("2026-07-10"),
		Ratings: reviews.Ratings{Overall: 93}, Title: "Wonderful", TripType: reviews.Couple, GuestName: "John D.",
	})
	require.ErrorContains(t, err, "the booking does not exist")
	assert.Equal(t, []string{"users.Repository.Get", "", "reviews.Repository.Create"}, methods)

	methods = nil
	_, err = users.New(db, nil).Erase(t.Context(), "user_1", bookings.New(db, nil).Eraser(bookings.RefuseUpcoming))
	require.NoError(t, err)
	assert.Subset(t, methods, []string{"users.Repository.Erase", "bookings.Eraser.Check", "bookings.Eraser.Erase"})

	hotel := fixture.New(t, d.Direct, 2)
	booked, err := bookings.New(d.Direct, nil).Create(t.Context(), fixture.Request(hotel.Quote(t, d.Direct, fixture.Stay, 1)))
	require.NoError(t, err)
	request, err := hotel.Card().QuoteRequest(fixture.Stay, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: hotel.RoomTypeID, Quantity: 2})
	require.NoError(t, err)
	methods = nil
	_, err = bookings.New(db, nil).QuoteModification(t.Context(), booked.ID, request)
	require.NoError(t, err)
	assert.Contains(t, methods, "availability.Repository.Requote bookings.Repository.QuoteModification")
}
