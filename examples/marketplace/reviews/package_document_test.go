package reviews_test

import (
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
)

func text(s string) types.AttributeValue { return dynastay.Text(s) }

func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

var null = &types.AttributeValueMemberNULL{Value: true}

// oldReview is the review of the marketplace document, as other software writes it, and an attribute that is unknown
// here.
var oldReview = dynastay.Item{
	"PK": text("USER#" + worker), "SK": text("REVIEW#proj001#" + buyer), "entityType": text("REVIEW"), "reviewId": text("rev123"),
	"reviewerId": text(buyer), "reviewerName": text("John Doe"), "revieweeId": text(worker), "revieweeType": text("WORKER"),
	"projectId": text("proj001"), "rating": number("5"), "comment": text("Excellent work, completed on time and within budget"),
	"aspects": &types.AttributeValueMemberM{Value: dynastay.Item{
		"quality": number("5"), "communication": number("5"), "timeliness": number("5"), "professionalism": number("5"),
	}},
	"createdAt": text("2025-03-20T16:00:00Z"), "helpful": number("3"),
}

var oldKey = reviews.Key{RevieweeID: worker, AboutID: "proj001", ReviewerID: buyer}

// put stores an item as other software does; changes replace attributes, nil removes one.
func (s *site) put(item, changes dynastay.Item) {
	s.t.Helper()
	item = maps.Clone(item)
	maps.Copy(item, changes)
	maps.DeleteFunc(item, func(_ string, v types.AttributeValue) bool { return v == nil })
	require.NoError(s.t, s.PutAll(s.t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(keys.Table, item) }))
}

func (s *site) item(pk, sk string) dynastay.Item {
	s.t.Helper()
	row, err := s.Direct.Get(s.t.Context(), keys.Table, dynastay.Key{PK: pk, SK: sk}, dynastay.Consistent)
	require.NoError(s.t, err)
	return maps.Clone(row.Item())
}

// adopted returns the id of a completed project that other software has given to the worker: it has the id of the bid
// only.
func (s *site) adopted() string {
	s.t.Helper()
	id := s.completed()
	s.put(s.item("PROJECT#"+id, "METADATA"), dynastay.Item{"acceptedWorkerId": null})
	return id
}

func TestReviewOfTheDocument(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	s.put(oldReview, nil)
	s.uncounted(worker, "4.8")
	read, err := s.repo.Review(ctx, oldKey)
	require.NoError(t, err)
	assert.Equal(t, "Excellent work, completed on time and within budget", read.Comment)
	assert.Equal(t, reviews.Aspects{Quality: 5, Communication: 5, Timeliness: 5, Professionalism: 5}, read.Aspects)
	assert.Equal(t, []*reviews.Review{read}, s.received(worker))
	assert.Equal(t, oldKey, read.Key())

	stop := s.Faults.Record()
	_, err = s.repo.Review(ctx, oldKey, dynastay.Consistent)
	require.NoError(t, err)
	assert.Contains(t, string(stop()[0].Body), `"ConsistentRead":true`)

	// The first update keeps everything else; it counts the review, whose score was not made of a sum.
	changed, err := s.repo.Update(ctx, oldKey, stars(4), dynastay.IfVersion(0))
	require.NoError(t, err)
	assert.Equal(t, 1, changed.Version)
	assert.Equal(t, "4.0 of 1, 4 stars", s.score(worker))
	after := s.item("USER#"+worker, "REVIEW#proj001#"+buyer)
	assert.NotEmpty(t, after["writeId"])
	delete(after, "writeId")
	want := maps.Clone(oldReview)
	maps.Copy(want, dynastay.Item{"rating": number("4"), "updatedAt": dynastay.Instant(base), "version": number("1")})
	assert.Equal(t, want, after)

	s.put(oldReview, nil)
	s.uncounted(worker, "4.8")
	require.NoError(t, s.repo.Delete(ctx, oldKey))
	assert.Empty(t, s.received(worker))
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(worker))
}

// What is written has the form of the document: what is read of it is written again.
func TestReviewRoundTrips(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	encoded, err := reviews.Encoded(s.repo, dynastay.RowOf(oldReview))
	require.NoError(t, err)
	want := maps.Clone(oldReview)
	delete(want, "helpful")
	assert.Equal(t, want, encoded)
	// An aspect that is missing stays so.
	old := maps.Clone(want)
	old["aspects"] = &types.AttributeValueMemberM{Value: dynastay.Item{"communication": number("4")}}
	encoded, err = reviews.Encoded(s.repo, dynastay.RowOf(old))
	require.NoError(t, err)
	assert.Equal(t, old, encoded)
}
