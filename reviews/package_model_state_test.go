package reviews_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// modelShards spreads the pending reviews of the model.
const modelShards = 3

var modelOptions = &reviews.Options{PendingShards: key.Shards{Read: modelShards, Write: modelShards}}

// state is what the model knows.
type state struct {
	houses   map[string]modelHouse
	bookings map[string]modelBooking
	reviews  map[string]modelReview
}

// modelHouse is a property. Only the exact sum of its ratings is stored.
type modelHouse struct {
	gone, deleting bool
	totals         properties.RatingTotals
	exact          bool
	edits          int
}

type modelBooking struct {
	user, house, status string
	in, out             dynastay.Date
}

type modelReview struct {
	booking, user, house string
	ratings              reviews.Ratings
	title                string
	stay                 dynastay.Date
	status               reviews.Status
	reason               string
	created, updated     time.Time
	version              int
	votes                map[string]time.Time
	response             modelResponse
}

type modelResponse struct {
	by, text         string
	created, updated time.Time
	version          int // 0 if there is none
}

func (s *state) clone() *state {
	c := &state{houses: maps.Clone(s.houses), bookings: maps.Clone(s.bookings), reviews: maps.Clone(s.reviews)}
	for id, r := range c.reviews {
		r.votes = maps.Clone(r.votes)
		c.reviews[id] = r
	}
	return c
}

func (r modelReview) counted() dynastay.Rating {
	if r.status != reviews.Approved {
		return 0
	}
	return r.ratings.Overall
}

// move moves the rating of a property; counted are the ratings that the property should have counted before.
func (s *state) move(house string, before, after dynastay.Rating, counted properties.RatingTotals) string {
	h := s.houses[house]
	switch {
	case before == after:
		return ""
	case h.gone && after > 0:
		return "no Property"
	case h.deleting && after > 0:
		return "property status"
	case h.gone || h.deleting:
		return ""
	}
	sum := func(t properties.RatingTotals) properties.RatingTotals {
		t.Tenths += int(after) - int(before)
		if before == 0 {
			t.Reviews++
		}
		if after == 0 {
			t.Reviews--
		}
		return t
	}
	moved := sum(h.totals)
	if moved.Reviews < 0 || moved.Tenths < 0 || moved.Tenths > 100*moved.Reviews {
		moved = sum(counted) // the rounded average did not have the rating
	}
	h.totals, h.exact = moved, true
	s.houses[house] = h
	return ""
}

// counted adds up the approved reviews of a property.
func (s *state) counted(house string) (t properties.RatingTotals) {
	for _, r := range s.reviews {
		if r.house == house && r.counted() > 0 {
			t.Reviews, t.Tenths = t.Reviews+1, t.Tenths+int(r.counted())
		}
	}
	return t
}

// want returns a review as the library does, without its response.
func (s *state) want(id string) *reviews.Review {
	r := s.reviews[id]
	return &reviews.Review{
		ID: id, BookingID: r.booking, UserID: r.user, PropertyID: r.house, Ratings: r.ratings, Title: r.title, StayDate: r.stay,
		Verified: true, HelpfulCount: len(r.votes), Status: r.status, RejectionReason: r.reason,
		CreatedAt: r.created, UpdatedAt: r.updated, Version: r.version,
	}
}

func (s *state) wantResponse(id string) *reviews.Response {
	a := s.reviews[id].response
	if a.version == 0 {
		return nil
	}
	return &reviews.Response{ReviewID: id, ResponderID: a.by, Text: a.text, CreatedAt: a.created, UpdatedAt: a.updated, Version: a.version}
}

func withoutResponse(r *reviews.Review) *reviews.Review {
	c := *r
	c.Response = nil
	return &c
}

// goneSince reports whether a repeated call has nothing to return any more.
func (s *state) goneSince(o operation) bool {
	r, there := s.reviews[o.id]
	return !there || slices.Contains([]string{"respond", "update response"}, o.name) && r.response.version == 0
}

// stamp is a time in an attribute; in keys it has whole seconds.
func stamp(t time.Time) string {
	if t.Nanosecond() == 0 {
		return keyed(t)
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

func keyed(t time.Time) string { return t.Format("2006-01-02T15:04:05Z") }

// items returns the items of the Reviews table.
func (s *state) items() map[string]map[string]any {
	all := map[string]map[string]any{}
	add := func(item map[string]any) { all[fmt.Sprint(item["PK"], "/", item["SK"])] = item }
	for id, r := range s.reviews {
		created := stamp(r.created)
		item := map[string]any{
			"PK": "REVIEW#" + id, "SK": "METADATA", "EntityType": "Review", "ReviewId": id, "BookingId": r.booking, "UserId": r.user,
			"PropertyId": r.house, "OverallRating": float64(r.ratings.Overall) / 10, "Title": r.title, "StayDate": r.stay.String(),
			"IsVerified": true, "HelpfulCount": float64(len(r.votes)), "Status": string(r.status), "RejectionReason": r.reason,
			"CreatedAt": created, "UpdatedAt": stamp(r.updated), "Version": float64(r.version),
			"GSI2PK": "USER#" + r.user, "GSI2SK": "CREATED#" + keyed(r.created) + "#REVIEW#" + id,
			"GSI4PK": "BOOKING#" + r.booking, "GSI4SK": "REVIEW",
		}
		if r.ratings.Value > 0 {
			item["ValueRating"] = float64(r.ratings.Value) / 10
		}
		switch r.status {
		case reviews.Approved:
			item["GSI1PK"], item["GSI1SK"] = "PROPERTY#"+r.house, item["GSI2SK"]
		case reviews.Pending:
			item["GSI3PK"], item["GSI3SK"] = "STATUS#pending", item["GSI2SK"]
			if n := key.ShardOf(id, modelShards); n > 0 {
				item["GSI3PK"] = fmt.Sprintf("STATUS#pending#SHARD#%d", n)
			}
		}
		add(item)
		add(map[string]any{"PK": "BOOKING#" + r.booking, "SK": "REVIEW", "EntityType": "Guard", "ReviewId": id})
		for user, at := range r.votes {
			add(map[string]any{
				"PK": "REVIEW#" + id, "SK": "VOTE#" + user, "EntityType": "Vote", "ReviewId": id, "UserId": user, "CreatedAt": stamp(at),
				"GSI2PK": "USER#" + user, "GSI2SK": "VOTE#" + id,
			})
		}
		if a := r.response; a.version > 0 {
			add(map[string]any{
				"PK": "REVIEW#" + id, "SK": "RESPONSE", "EntityType": "ReviewResponse", "ReviewId": id, "ResponderId": a.by,
				"ResponseText": a.text, "CreatedAt": stamp(a.created), "UpdatedAt": stamp(a.updated), "Version": float64(a.version),
				"GSI2PK": "USER#" + a.by, "GSI2SK": "RESPONSE#" + id,
			})
		}
	}
	for _, item := range all {
		maps.DeleteFunc(item, func(_ string, v any) bool { return v == "" })
	}
	return all
}

// rated returns what a property shows of its ratings: the attributes, the card, and every index key that has the
// average.
func (h modelHouse) rated(id string) map[string]any {
	average := h.totals.Average()
	row := fmt.Sprintf("RATING#%02d.%d#PROPERTY#%s", average/10, average%10, id)
	all := map[string]any{
		"AverageRating": float64(average) / 10, "ReviewCount": float64(h.totals.Reviews), "Description": strings.Repeat("!", h.edits),
		"Version": float64(1 + h.edits), "GSI1SK": row, "GSI4SK": row, "GSI8SK": row,
		"Card.AverageRating": float64(average) / 10, "Card.ReviewCount": float64(h.totals.Reviews),
	}
	if h.exact {
		all["RatingSum"] = float64(h.totals.Tenths) / 10
	}
	if h.edits == 0 {
		delete(all, "Description")
	}
	return all
}

// ratedIn returns the same of a stored property.
func ratedIn(item map[string]any) map[string]any {
	all := map[string]any{}
	for _, name := range []string{"AverageRating", "ReviewCount", "RatingSum", "Description", "Version", "GSI1SK", "GSI4SK", "GSI8SK"} {
		if item[name] != nil {
			all[name] = item[name]
		}
	}
	card := item["Card"].(map[string]any)
	all["Card.AverageRating"], all["Card.ReviewCount"] = card["AverageRating"], card["ReviewCount"]
	return all
}

// scan reads a table past the library, without what is different in every run.
func scan(t raw.T, db *dyntest.DB, s *dynastay.Schema) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, item := range raw.Plains(t, raw.All(t, db, s)) {
		delete(item, "WriteId")
		all[fmt.Sprint(item["PK"], "/", item["SK"])] = item
	}
	return all
}

// stored returns the stored state as a text.
func (w *world) stored() string {
	houses := map[string]any{}
	for key, item := range scan(w.t, w.db, keys.PropertiesTable) {
		if id, ok := strings.CutSuffix(strings.TrimPrefix(key, "PROPERTY#"), "/METADATA"); ok {
			houses[id] = houseIn(item)
		}
	}
	return text(houses, scan(w.t, w.db, keys.ReviewsTable))
}

// shown returns a state as stored does.
func (w *world) shown(s *state) string {
	houses := map[string]any{}
	for id, h := range s.houses {
		switch {
		case h.deleting:
			houses[id] = "deleting"
		case !h.gone:
			houses[id] = h.rated(id)
		}
	}
	return text(houses, s.items())
}

func houseIn(item map[string]any) any {
	if item["Status"] == "deleting" {
		return "deleting"
	}
	return ratedIn(item)
}

func text(houses map[string]any, items map[string]map[string]any) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(houses)) {
		fmt.Fprintln(&b, id, houses[id])
	}
	for _, id := range slices.Sorted(maps.Keys(items)) {
		fmt.Fprintln(&b, id, items[id])
	}
	return b.String()
}

// verify compares every stored item with the model.
func (w *world) verify() {
	houses := map[string]any{}
	for key, item := range scan(w.t, w.db, keys.PropertiesTable) {
		if id, ok := strings.CutSuffix(strings.TrimPrefix(key, "PROPERTY#"), "/METADATA"); ok {
			houses[id] = houseIn(item)
		}
	}
	for id, h := range w.now.houses {
		switch {
		case h.gone:
			require.NotContains(w.t, houses, id)
		case h.deleting:
			require.Equal(w.t, "deleting", houses[id])
		default:
			require.Equal(w.t, h.rated(id), houses[id])
		}
	}
	require.Equal(w.t, w.now.items(), scan(w.t, w.db, keys.ReviewsTable))
}

// end compares what the methods find with the model, and repairs all ratings.
func (w *world) end() {
	repo, ctx := w.programs[0].reviews, w.t.Context()
	lists := func(list dynastay.List[*reviews.Review], newest bool, in func(modelReview) bool) {
		var want []*reviews.Review
		for id, r := range w.now.reviews {
			if in(r) {
				want = append(want, w.now.want(id))
			}
		}
		slices.SortFunc(want, func(a, b *reviews.Review) int {
			if newest {
				a, b = b, a
			}
			return strings.Compare(keyed(a.CreatedAt)+a.ID, keyed(b.CreatedAt)+b.ID) // within a second, by id
		})
		got := lists.All(w.t, list)
		require.Equal(w.t, want, got)
		filled, err := repo.WithResponses(ctx, got)
		require.NoError(w.t, err)
		for _, review := range filled {
			require.Equal(w.t, w.now.wantResponse(review.ID), review.Response)
		}
	}
	for _, house := range w.houses() {
		lists(repo.ByProperty(house), true, func(r modelReview) bool { return r.house == house && r.status == reviews.Approved })
	}
	for _, user := range w.users {
		lists(repo.ByUser(user), true, func(r modelReview) bool { return r.user == user })
		ids := slices.Sorted(maps.Keys(w.now.reviews))
		voted, err := repo.Voted(ctx, user, ids)
		require.NoError(w.t, err)
		for i, id := range ids {
			_, want := w.now.reviews[id].votes[user]
			require.Equal(w.t, want, voted[i], "%s for %s", user, id)
		}
	}
	lists(repo.Pending(), false, func(r modelReview) bool { return r.status == reviews.Pending })
	for id, r := range w.now.reviews {
		want := w.now.want(id)
		want.Response = w.now.wantResponse(id)
		for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
			got, err := repo.ByBooking(ctx, r.booking, opts...)
			require.NoError(w.t, err)
			require.Equal(w.t, want, got)
			got, err = repo.Get(ctx, id, opts...)
			require.NoError(w.t, err)
			require.Equal(w.t, want, got)
		}
	}
	for _, house := range w.houses() {
		h, right := w.now.houses[house], w.now.counted(house)
		if h.gone || h.deleting {
			continue
		}
		got, err := repo.RepairRating(ctx, house)
		require.NoError(w.t, err)
		require.Equal(w.t, properties.Recount{Before: h.totals, After: right, Changed: h.totals != right || !h.exact}, got)
		w.now = w.now.repaired(house)
	}
	w.verify()
	for _, id := range slices.Sorted(maps.Keys(w.now.reviews)) {
		w.now.move(w.now.reviews[id].house, w.now.reviews[id].counted(), 0, w.now.counted(w.now.reviews[id].house))
		require.NoError(w.t, repo.Delete(ctx, id))
		delete(w.now.reviews, id)
	}
	w.verify()
	require.Empty(w.t, scan(w.t, w.db, keys.ReviewsTable))
}
