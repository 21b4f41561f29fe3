package projects_test

import (
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

func text(s string) types.AttributeValue { return dynastay.Text(s) }

func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func texts(all ...string) types.AttributeValue {
	list := &types.AttributeValueMemberL{}
	for _, s := range all {
		list.Value = append(list.Value, text(s))
	}
	return list
}

func mapped(item dynastay.Item) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: item}
}

var null = &types.AttributeValueMemberNULL{Value: true}

// The items of the marketplace document, as other software writes them, and an attribute that is unknown here.
var (
	oldProject = dynastay.Item{
		"PK": text("PROJECT#proj001"), "SK": text("METADATA"), "entityType": text("PROJECT"), "projectId": text("proj001"),
		"buyerId": text("buyer123"), "title": text("Build 3-bedroom house foundation"),
		"description": text("Need experienced bricklayer for foundation work..."), "category": text("Construction"),
		"skills":   texts("bricklaying", "foundation"),
		"location": mapped(dynastay.Item{"address": text("Plot 45, Estcourt"), "lat": number("-29.012"), "lng": number("29.87")}),
		"budget":   mapped(dynastay.Item{"min": number("50000"), "max": number("80000"), "currency": text("ZAR")}),
		"timeline": mapped(dynastay.Item{"startDate": text("2025-02-01"), "endDate": text("2025-03-15"), "flexible": &types.AttributeValueMemberBOOL{Value: true}}),
		"status":   text("OPEN"), "bidCount": number("1"), "acceptedBidId": null,
		"createdAt": text("2025-01-20T10:00:00Z"), "updatedAt": text("2025-01-21T08:30:00Z"),
		"GSI2PK": text("STATUS#OPEN"), "GSI2SK": text("TIMESTAMP#2025-01-20T10:00:00Z"), "urgency": text("high"),
	}
	oldBid = dynastay.Item{
		"PK": text("PROJECT#proj001"), "SK": text("BID#worker456"), "entityType": text("BID"), "bidId": text("bid123"),
		"projectId": text("proj001"), "workerId": text("worker456"), "workerName": text("Mike Builder"), "workerTrustScore": number("4.8"),
		"quote": number("65000"), "currency": text("ZAR"),
		"timeline": mapped(dynastay.Item{"startDate": text("2025-02-05"), "duration": number("35"), "unit": text("days")}),
		"proposal": text("I have 10 years experience with foundations..."), "status": text("PENDING"),
		"createdAt": text("2025-01-20T14:00:00Z"), "updatedAt": text("2025-01-20T14:00:00Z"),
		"GSI2PK": text("STATUS#PENDING"), "GSI2SK": text("TIMESTAMP#2025-01-20T14:00:00Z"), "source": text("app"),
	}
)

// other is a site with what other software has written. changes replace attributes; nil removes one.
func other(t *testing.T, project, bid dynastay.Item) *site {
	s := newSite(t)
	for id, role := range map[string]people.Role{"buyer123": people.Buyer, "worker456": people.Worker} {
		s.signUp(id, role)
	}
	require.NoError(t, s.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		_ = yield(keys.Table, with(oldProject, project)) && yield(keys.Table, with(oldBid, bid))
	}))
	return s
}

func with(item, changes dynastay.Item) dynastay.Item {
	item = maps.Clone(item)
	maps.Copy(item, changes)
	maps.DeleteFunc(item, func(_ string, v types.AttributeValue) bool { return v == nil })
	return item
}

func (s *site) item(pk, sk string) dynastay.Item {
	s.t.Helper()
	row, err := s.Direct.Get(s.context(), keys.Table, dynastay.Key{PK: pk, SK: sk}, dynastay.Consistent)
	require.NoError(s.t, err)
	return maps.Clone(row.Item())
}

func TestItemsOfTheDocument(t *testing.T) {
	t.Parallel()
	s := other(t, nil, nil)
	p, err := s.repo.Project(t.Context(), "proj001")
	require.NoError(t, err)
	assert.Equal(t, zar("80000"), p.Budget.Max)
	assert.Equal(t, dynastay.MustDate("2025-03-15"), p.Timeline.End)
	b := all(t, s.repo.Bids("proj001"))[0]
	assert.Equal(t, dynastay.Rating(48), b.WorkerTrustScore)
	assert.Equal(t, projects.Pending, b.Status)
	assert.Empty(t, all(t, s.repo.ProjectsOf("buyer123")), "not listed until it is adopted")

	// The first writes keep everything else, and adopt what they write.
	_, err = s.repo.Revise(t.Context(), "proj001", "worker456", func(b *projects.Bid) error { b.Quote = zar("64000.50"); return nil })
	require.NoError(t, err)
	_, err = s.repo.Update(t.Context(), "proj001", func(p *projects.Project) error { p.Timeline.Flexible = false; return nil })
	require.NoError(t, err)
	check := func(before dynastay.Item, changed dynastay.Item) {
		t.Helper()
		after := s.item(before["PK"].(*types.AttributeValueMemberS).Value, before["SK"].(*types.AttributeValueMemberS).Value)
		assert.NotEmpty(t, after["writeId"])
		delete(after, "writeId")
		want := with(before, changed)
		assert.Equal(t, want, after)
	}
	now := dynastay.Instant(base)
	check(oldBid, dynastay.Item{
		"quote": number("64000.5"), "updatedAt": now, "version": number("1"),
		"GSI2PK": text("STATUS#PENDING#BID"), "GSI2SK": text("TIMESTAMP#2025-01-20T14:00:00Z#BID#bid123"),
	})
	timeline := maps.Clone(oldProject["timeline"].(*types.AttributeValueMemberM).Value)
	timeline["flexible"] = &types.AttributeValueMemberBOOL{}
	check(oldProject, dynastay.Item{
		"timeline": mapped(timeline), "updatedAt": now, "version": number("1"),
		"GSI2SK": text("TIMESTAMP#2025-01-20T10:00:00Z#PROJECT#proj001"),
	})
	assert.Equal(t, "proj001", all(t, s.repo.ProjectsOf("buyer123"))[0].ID)
	assert.Equal(t, "proj001", all(t, s.repo.BidsOf("worker456"))[0].Project.ID)
}

// What is written has the form of the document: what is read of it is written again.
func TestItemsRoundTrip(t *testing.T) {
	t.Parallel()
	s := other(t, nil, nil)
	for _, old := range []dynastay.Item{oldProject, oldBid} {
		encoded := s.encoded(old)
		want := with(old, dynastay.Item{"acceptedBidId": nil, "urgency": nil, "source": nil})
		for name := range want {
			if name == "GSI2PK" || name == "GSI2SK" {
				continue // these are derived anew
			}
			assert.Equal(t, want[name], encoded[name], name)
		}
		assert.Len(t, encoded, len(want))
	}
}

// encoded returns what a new table contains of an item, after it was read and written by the library.
func (s *site) encoded(old dynastay.Item) dynastay.Item {
	return projects.Encoded(s.repo, dynastay.RowOf(old))
}
