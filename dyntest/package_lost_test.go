package dyntest_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// house is a hotel with ten rooms, with checks that bypass all faults.
type house struct {
	fixture.Hotel
	*dyntest.DB
}

func openHouse(t *testing.T, opts ...dyntest.Option) house {
	t.Helper()
	db := dyntest.New(t, append(opts, dyntest.At(fixture.Now))...)
	return house{fixture.New(t, db.Direct, 10), db}
}

// brief is another process, which gives up after three requests.
func (h house) brief() *dynastay.DB {
	return h.DB.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 3, Base: time.Millisecond}})
}

// ask is the request of a user for one room.
func (h house) ask(t *testing.T, user string) bookings.Request {
	t.Helper()
	req := fixture.Request(h.Quote(t, h.Direct, fixture.Stay, 1))
	req.UserID = user
	return req
}

// bookedBy are the bookings of a user.
func (h house) bookedBy(t *testing.T, user string) []*bookings.Summary {
	t.Helper()
	page, err := bookings.New(h.Direct, nil).ByUser(user).Page(context.Background(), dynastay.Paging{Limit: 1000})
	require.NoError(t, err)
	return page.Items
}

// assertSold checks the number of rooms sold, each to a booking of the user.
func (h house) assertSold(t *testing.T, sold int, user string) {
	t.Helper()
	assert.Equal(t, []int{10 - sold, 10 - sold, 10 - sold}, h.Left(t, h.Direct, fixture.Stay))
	assert.Len(t, h.bookedBy(t, user), sold)
}

// property returns the hotel as it is stored.
func (h house) property(t *testing.T) *properties.Property {
	t.Helper()
	p, err := properties.New(h.Direct, nil).Get(t.Context(), h.ID)
	require.NoError(t, err)
	return p
}

func score(p *properties.Property) error {
	p.FeaturedScore++
	return nil
}

// The third booking is written, but its answer is lost.
func TestTheThirdAnswerIsLost(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	lost := h.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
	repo := bookings.New(h.DB.DB, nil)
	for range 5 {
		_, err := repo.Create(t.Context(), h.ask(t, "ada"))
		require.NoError(t, err)
	}
	assert.Equal(t, 1, lost.Hits())
	assert.Equal(t, 6, h.Faults.Count("TransactWriteItems"), "it was sent again")
	h.assertSold(t, 5, "ada")
}

// No answer ever arrives. The booking's traces in the database settle it, if they can be read.
func TestNoAnswerEver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		unreadable bool
		opts       []dynastay.WriteOption
		want       error
	}{
		"settled by reading":           {},
		"settled by reading, a key":    {opts: []dynastay.WriteOption{dynastay.IdempotencyKey("k")}},
		"cannot be read either":        {unreadable: true, want: dynastay.ErrOutcomeUnknown},
		"cannot be read either, a key": {true, []dynastay.WriteOption{dynastay.IdempotencyKey("k")}, dynastay.ErrOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openHouse(t)
			lost := h.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
			if test.unreadable {
				h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "GetItem"})
			}
			made, err := bookings.New(h.brief(), nil).Create(t.Context(), h.ask(t, "ada"), test.opts...)
			assert.Equal(t, 3, lost.Hits())
			h.assertSold(t, 1, "ada")
			if test.want != nil {
				assert.ErrorIs(t, err, test.want)
			} else if assert.NoError(t, err) {
				assert.Equal(t, h.bookedBy(t, "ada")[0].ID, made.ID)
			}

			// Under a key the call can be repeated, even by another process.
			if len(test.opts) > 0 {
				_, err := bookings.New(h.Direct, nil).Create(t.Context(), h.ask(t, "ada"), test.opts...)
				require.NoError(t, err)
				h.assertSold(t, 1, "ada")
			}
		})
	}
}

// One failure is retried; a permanent failure ends with the error that says what is known.
func TestBookingSurvives(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		what dyntest.Fault
		want error // after the last attempt
		sold int   // even so
	}{
		"throttled":                       {dyntest.Throttle(), dynastay.ErrThrottled, 0},
		"conflict":                        {dyntest.Conflict(), dynastay.ErrContention, 0},
		"in progress":                     {dyntest.InProgress(), dynastay.ErrOutcomeUnknown, 0},
		"internal error":                  {dyntest.InternalError(), dynastay.ErrOutcomeUnknown, 0},
		"lost request":                    {dyntest.LoseRequest(), dynastay.ErrOutcomeUnknown, 0},
		"internal error after the commit": {dyntest.InternalErrorAfterCommit(), nil, 1},
		"lost answer":                     {dyntest.LoseAnswer(), nil, 1},
		"delay":                           {dyntest.Delay(time.Millisecond), nil, 1},
		"delayed answer":                  {dyntest.DelayAnswer(time.Millisecond), nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openHouse(t)
			h.Faults.Inject(test.what, dyntest.When{Operation: "TransactWriteItems", Nth: 1, Times: 2})
			_, err := bookings.New(h.brief(), nil).Create(t.Context(), h.ask(t, "once"))
			require.NoError(t, err)
			h.assertSold(t, 1, "once")

			always := h.Faults.Inject(test.what, dyntest.When{Operation: "TransactWriteItems"})
			_, err = bookings.New(h.brief(), nil).Create(t.Context(), h.ask(t, "always"))
			if test.want != nil {
				assert.ErrorIs(t, err, test.want)
				assert.Equal(t, 3, always.Hits())
			} else {
				assert.NoError(t, err)
				assert.Positive(t, always.Hits())
			}
			assert.Len(t, h.bookedBy(t, "always"), test.sold)
			left := 9 - test.sold
			assert.Equal(t, []int{left, left, left}, h.Left(t, h.Direct, fixture.Stay))
		})
	}
}

// The same for a write that is one plain request, without a token that would make its retries one write.
func TestUpdateSurvives(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		what dyntest.Fault
		want error
		done int
	}{
		"throttled":                       {dyntest.Throttle(), dynastay.ErrThrottled, 0},
		"conflict":                        {dyntest.Conflict(), dynastay.ErrContention, 0},
		"internal error":                  {dyntest.InternalError(), dynastay.ErrOutcomeUnknown, 0},
		"lost request":                    {dyntest.LoseRequest(), dynastay.ErrOutcomeUnknown, 0},
		"internal error after the commit": {dyntest.InternalErrorAfterCommit(), nil, 1},
		"lost answer":                     {dyntest.LoseAnswer(), nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openHouse(t)
			once := h.Faults.Inject(test.what, dyntest.When{Operation: "UpdateItem", Nth: 1})
			got, err := properties.New(h.brief(), nil).Update(t.Context(), h.ID, score)
			require.NoError(t, err)
			assert.Equal(t, 1, got.FeaturedScore)
			assert.Equal(t, got, h.property(t))
			assert.Equal(t, 1, once.Hits())

			always := h.Faults.Inject(test.what, dyntest.When{Operation: "UpdateItem"})
			_, err = properties.New(h.brief(), nil).Update(t.Context(), h.ID, score)
			if test.want != nil {
				assert.ErrorIs(t, err, test.want)
			} else {
				assert.NoError(t, err)
			}
			assert.Positive(t, always.Hits())
			assert.Equal(t, 1+test.done, h.property(t).FeaturedScore)
		})
	}
}

// An error that retries cannot fix is returned unchanged, and nothing is in doubt.
func TestRefusalOfTheService(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	denied := h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Nth: 1})
	_, err := bookings.New(h.DB.DB, nil).Create(t.Context(), h.ask(t, "ada"))
	api := blame.As[smithy.APIError](t, err)
	assert.Equal(t, "AccessDeniedException", api.ErrorCode())
	for _, kind := range []error{dynastay.ErrOutcomeUnknown, dynastay.ErrThrottled, dynastay.ErrContention, dynastay.ErrNotFound} {
		assert.NotErrorIs(t, err, kind)
	}
	assert.Equal(t, 1, denied.Hits())
	h.assertSold(t, 0, "ada")
}
