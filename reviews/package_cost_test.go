package reviews_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// cost is what a call costs: requests, read units, and the write units of the tables and of each index.
type cost struct {
	requests    int
	read, table float64
	indexes     units // of reviews, by the first part of the name; "property" is all of the property's
}

type units map[string]float64

func (c cost) bill() dyntest.Bill {
	bill := dyntest.Bill{Requests: c.requests, ReadUnits: c.read, TableUnits: c.table}
	for _, n := range c.indexes {
		bill.IndexUnits += n
	}
	return bill
}

// What the documentation says about requests, for reviews of up to 1 KB. Requests are the same on every engine; units
// are compared on dynoxide, because local engines count those of transactions differently.
func TestCosts(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var spent cost
	db := dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{
		IndexLag: 1,
		Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) {
			mu.Lock()
			defer mu.Unlock()
			spent.requests += c.Requests()
			for _, u := range c.Usage {
				spent.read += u.ReadUnits
				name, _, _ := strings.Cut(u.Index, "-")
				switch {
				case u.WriteUnits == 0:
				case u.Index == "":
					spent.table += u.WriteUnits
				case strings.HasSuffix(u.Table, keys.PropertiesTable.Name):
					spent.indexes["property"] += u.WriteUnits
				default:
					spent.indexes[name] += u.WriteUnits
				}
			}
		}),
	}))
	h := newHouse(t, db)
	repo, ctx, costs := open(db.DB), t.Context(), page.Costs{DB: db}
	given, strange := h.guest(t), h.guest(t)
	strange.UserID = "user_other"
	edit := func(title string) func(*reviews.Review) error {
		return func(v *reviews.Review) error { v.Title = title; return nil }
	}
	change := func(r *reviews.Response) error { r.Text = "Thanks"; return nil }
	refused := func(err error) error {
		assert.Error(t, err)
		return nil
	}
	pageOf := func(l dynastay.List[*reviews.Review]) func() error {
		return func() error { return second(l.Page(ctx, dynastay.Paging{Limit: 20})) }
	}
	var v *reviews.Review
	var many, few *reviews.Review
	for _, row := range []struct {
		name, why string
		call      func() error
		want      cost
	}{
		{
			"create a review",
			"the review, the guard of the booking, and the check of the booking, in a transaction. One row each by " +
				"user, status and booking",
			func() (err error) { v, err = repo.Create(ctx, given); return err },
			cost{1, 0, 6, units{"GSI2": 1, "GSI3": 1, "GSI4": 1}},
		},
		{"create again", "", func() error { return refused(second(repo.Create(ctx, given))) }, cost{1, 0, 0, nil}},
		{"create, refused", "", func() error { return refused(second(repo.Create(ctx, strange))) }, cost{1, 0, 0, nil}},
		{"get", "", func() error { return second(repo.Get(ctx, v.ID)) }, cost{1, 0.5, 0, nil}},
		{
			"the review of a booking (R3)", "the key, then the review",
			func() error { return second(repo.ByBooking(ctx, v.BookingID)) }, cost{2, 1, 0, nil},
		},
		{"by booking, consistent", "", func() error { return second(repo.ByBooking(ctx, v.BookingID, dynastay.Consistent)) }, cost{2, 2, 0, nil}},
		{"by booking, none", "", func() error { return refused(second(repo.ByBooking(ctx, "bkg_none"))) }, cost{2, 1.5, 0, nil}},
		{"by booking, none, consistent", "", func() error { return refused(second(repo.ByBooking(ctx, "bkg_none", dynastay.Consistent))) }, cost{1, 1, 0, nil}},
		{"pending", "", pageOf(repo.Pending()), cost{1, 0.5, 0, nil}},
		{
			"change a pending review", "one plain update. One row each by user and status",
			func() error { return second(repo.Update(ctx, v.ID, edit("1"))) }, cost{2, 1, 1, units{"GSI2": 1, "GSI3": 1}},
		},
		{"update, nothing", "", func() error { return second(repo.Update(ctx, v.ID, edit("1"))) }, cost{1, 1, 0, nil}},
		{
			"reject a pending review", "the same; the row by status is deleted",
			func() error { return second(repo.Reject(ctx, v.ID, 2, "")) }, cost{2, 1, 1, units{"GSI2": 1, "GSI3": 1}},
		},
		{
			"approve a rejected review",
			"the review and the property, in a transaction. One row each by property and user, and 2 of the property",
			func() error { return second(repo.Approve(ctx, v.ID, 3)) },
			cost{3, 2, 4, units{"GSI1": 1, "GSI2": 1, "property": 2}},
		},
		{"approve, version", "", func() error { return refused(second(repo.Reject(ctx, v.ID, 3, ""))) }, cost{1, 1, 0, nil}},
		{
			"respond", "the response, with the check that the review is approved, in a transaction",
			func() error { return second(repo.Respond(ctx, thanks(v.ID))) }, cost{1, 0, 4, units{"GSI2": 1}},
		},
		{
			"change the response", "one plain update",
			func() error { return second(repo.UpdateResponse(ctx, v.ID, change)) }, cost{2, 1, 1, units{"GSI2": 1}},
		},
		{
			"vote",
			"the vote and the count, in a transaction. One row each of the review by property and user, and one of the " +
				"vote",
			func() error { return repo.Vote(ctx, v.ID, "user_1") }, cost{1, 0, 4, units{"GSI1": 1, "GSI2": 2}},
		},
		{"vote again", "", func() error { return refused(repo.Vote(ctx, v.ID, "user_1")) }, cost{1, 0, 0, nil}},
		{
			"whether a user has voted", "half a unit for each review",
			func() error { return second(repo.Voted(ctx, "user_1", []string{v.ID})) }, cost{1, 0.5, 0, nil},
		},
		{
			"take the vote back", "the same",
			func() error { return repo.Unvote(ctx, v.ID, "user_1") }, cost{1, 0, 4, units{"GSI1": 1, "GSI2": 2}},
		},
		{
			"a review with its response", "half a unit for every 4 KB",
			func() error { return second(repo.Get(ctx, v.ID)) }, cost{1, 0.5, 0, nil},
		},
		{"a page of reviews", "half a unit for every 4 KB", pageOf(repo.ByProperty(h.id)), cost{1, 0.5, 0, nil}},
		{
			"a page of one review with its response",
			"half a unit more for each review: a response is read by its key, whether there is one or not",
			pageOf(dynastay.Load(repo.ByProperty(h.id), repo.WithResponses)), cost{2, 1, 0, nil},
		},
		{"by user", "", pageOf(repo.ByUser(given.UserID)), cost{1, 0.5, 0, nil}},
		{
			"delete the response", "one plain delete",
			func() error { return repo.DeleteResponse(ctx, v.ID) }, cost{1, 0, 1, units{"GSI2": 1}},
		},
		{
			"change an approved review", "as an approval. It gets a row by status, and loses the one by property",
			func() error { return second(repo.Update(ctx, v.ID, edit("2"))) },
			cost{3, 2, 4, units{"GSI1": 1, "GSI2": 1, "GSI3": 1, "property": 2}},
		},
		{
			"approve a pending review", "as a rejected one; the row by status is deleted",
			func() error { return second(repo.Approve(ctx, v.ID, 5)) },
			cost{3, 2, 4, units{"GSI1": 1, "GSI2": 1, "GSI3": 1, "property": 2}},
		},
		{
			"reject an approved review", "as an approval; the row by property is deleted",
			func() error { return second(repo.Reject(ctx, v.ID, 6, "rude")) },
			cost{3, 2, 4, units{"GSI1": 1, "GSI2": 1, "property": 2}},
		},
		{
			"delete a rejected review", "it is read twice with its votes, then once more for the deletion with its guard",
			func() error { return repo.Delete(ctx, v.ID) }, cost{4, 3, 4, units{"GSI2": 1, "GSI4": 1}},
		},
		{"delete, missing", "", func() error { return refused(repo.Delete(ctx, v.ID)) }, cost{1, 1, 0, nil}},
		{"delete, approved, with 98 votes and a response", "", func() error { return repo.Delete(ctx, few.ID) }, cost{7, 8, 208, units{"GSI1": 1, "GSI2": 102, "GSI4": 1, "property": 2}}},
		{
			"delete an approved review with 250 votes and a response",
			"2 units for each vote in transactions, and one for its row",
			func() error { return repo.Delete(ctx, many.ID) },
			cost{9, 15, 516, units{"GSI1": 1, "GSI2": 256, "GSI4": 1, "property": 2}},
		},
		{
			"repair a rating that is right", "1 for the property, and half a unit for every 4 KB of reviews",
			func() error { return second(repo.RepairRating(ctx, h.id)) }, cost{2, 1.5, 0, nil},
		},
		{
			"repair a rating that is wrong", "also one plain update of the property",
			func() error { return second(repo.RepairRating(ctx, h.id)) }, cost{3, 1.5, 1, units{"property": 2}},
		},
		{"erase, nothing", "", func() error { return second(repo.Eraser().Erase(ctx, "user_none")) }, cost{1, 0.5, 0, nil}},
		{
			"`reviews.Eraser`: a vote and a response",
			"the list by user, then the deletion of each: of the vote with the count of its review, in a transaction",
			func() error { return second(repo.Eraser().Erase(ctx, "user_traces")) },
			cost{4, 1.5, 5, units{"GSI1": 1, "GSI2": 3}},
		},
	} {
		switch row.name { // what is there beforehand is not counted
		case "delete, approved, with 98 votes and a response":
			few = h.popular(t, 98)
		case "delete an approved review with 250 votes and a response":
			many = h.popular(t, 250)
		case "repair a rating that is wrong":
			require.NoError(t, second(properties.New(db.Direct, nil).Rate(ctx, h.id, 0, 50)))
		case "`reviews.Eraser`: a vote and a response":
			voted := h.approved(t, 60)
			response := thanks(voted.ID)
			response.ResponderID = "user_traces"
			require.NoError(t, open(db.Direct).Vote(ctx, voted.ID, "user_traces"))
			require.NoError(t, second(open(db.Direct).Respond(ctx, response)))
		}
		spent = cost{indexes: units{}}
		require.NoError(t, row.call(), row.name)
		if row.want.indexes == nil {
			row.want.indexes = units{}
		}
		if db.Has(dyntest.ExactUnits) {
			assert.Equal(t, row.want, spent, row.name)
		}
		assert.Equal(t, row.want.requests, spent.requests, row.name)
		costs.Add(row.name, row.why, spent.bill())
	}
	costs.Section(t, "reviews")
}
