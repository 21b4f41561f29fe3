package keys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
)

var (
	at    = time.Date(2025, 1, 21, 12, 30, 0, 0, time.UTC)
	later = at.Add(250 * time.Millisecond)
)

const hash = "s4n7x6wpp"

var items = []keytest.Type{
	keytest.Samples(keys.Profile{UserID: "u1"}),
	keytest.Samples(keys.CognitoGuard{Sub: "c1"}),
	keytest.Samples(keys.EmailGuard{Email: "ana@example.com"}),
	keytest.Samples(keys.PhoneGuard{Phone: "+27812345678"}),
	keytest.Samples(keys.Skill{UserID: "u1", Skill: "bricklaying"}),
	keytest.Samples(keys.Review{RevieweeID: "u1", AboutID: "p1", ReviewerID: "u2"}),
	keytest.Samples(keys.UserProject{UserID: "u1", CreatedAt: at, ProjectID: "p1"}),
	keytest.Samples(keys.UserBid{UserID: "u1", CreatedAt: at, ProjectID: "p1"}),
	keytest.Samples(keys.UserOrder{UserID: "u1", CreatedAt: at, OrderID: "o1"}),
	keytest.Samples(keys.Conversation{UserID: "u1", OtherID: "u2"}),
	keytest.Samples(keys.Message{FirstID: "u1", SecondID: "u2", At: at}, keys.Message{FirstID: "u1", SecondID: "u2", At: later}),
	keytest.Samples(keys.Project{ProjectID: "p1"}),
	keytest.Samples(keys.Bid{ProjectID: "p1", WorkerID: "u2"}),
	keytest.Samples(keys.Rejecting{ProjectID: "p1"}),
	keytest.Samples(keys.Product{SellerID: "u3", ProductID: "b1"}),
	keytest.Samples(keys.Order{OrderID: "o1"}),
}

var rows1 = []keytest.Type{
	keytest.Samples(keys.ProfileByCity{Role: "WORKER", Shard: 1, City: "Estcourt", UserID: "u1"}),
	keytest.Samples(keys.SkillByCity{Skill: "bricklaying", Shard: 1, City: "Estcourt", UserID: "u1"}),
}

var rows2 = []keytest.Type{
	keytest.Samples(keys.ProfileByPlace{Role: "WORKER", Cell: "s4n", Geohash: hash, UserID: "u1"}),
	keytest.Samples(keys.SkillByPlace{Skill: "bricklaying", Cell: "s4n", Geohash: hash, UserID: "u1"}),
	keytest.Samples(keys.ProjectByStatus{Status: "OPEN", Shard: 1, CreatedAt: at, ProjectID: "p1"}),
	keytest.Samples(keys.BidByStatus{Status: "PENDING", Shard: 1, CreatedAt: at, BidID: "b1"}),
	keytest.Samples(keys.OrderByStatus{Status: "PENDING", Shard: 1, CreatedAt: at, OrderID: "o1"}),
	keytest.Samples(keys.RejectingByTime{At: at, ProjectID: "p1"}),
	keytest.Samples(keys.Inbox{UserID: "u1", At: later, OtherID: "u2"}),
}

var rows3 = []keytest.Type{
	keytest.Samples(keys.ProductByPrice{Category: "Bricks", Shard: 1, Price: 5500, ProductID: "b1"}),
	keytest.Samples(keys.ProductByPriceIn{Category: "Bricks", Currency: "USD", Shard: 1, Price: 5500, ProductID: "b1"}),
}

func TestKeysKeepTheGuarantees(t *testing.T) {
	keytest.Check(t, items...)
	keytest.Check(t, rows1...)
	keytest.Check(t, rows2...)
	keytest.Check(t, rows3...)
	second := at.Add(time.Second)
	keytest.InOrder(t,
		keys.ProjectByStatus{Status: "OPEN", CreatedAt: at, ProjectID: "z"},
		keys.ProjectByStatus{Status: "OPEN", CreatedAt: second, ProjectID: "a"})
	keytest.InOrder(t,
		keys.BidByStatus{Status: "PENDING", CreatedAt: at, BidID: "z"},
		keys.BidByStatus{Status: "PENDING", CreatedAt: second, BidID: "a"})
	keytest.InOrder(t,
		keys.OrderByStatus{Status: "PENDING", CreatedAt: at, OrderID: "z"},
		keys.OrderByStatus{Status: "PENDING", CreatedAt: second, OrderID: "a"})
	keytest.InOrder(t, keys.RejectingByTime{At: at, ProjectID: "z"}, keys.RejectingByTime{At: second, ProjectID: "a"})
	keytest.InOrder(t,
		keys.UserProject{UserID: "u", CreatedAt: at, ProjectID: "z"}, keys.UserProject{UserID: "u", CreatedAt: second, ProjectID: "a"})
	keytest.InOrder(t,
		keys.UserBid{UserID: "u", CreatedAt: at, ProjectID: "z"}, keys.UserBid{UserID: "u", CreatedAt: second, ProjectID: "a"})
	keytest.InOrder(t,
		keys.UserOrder{UserID: "u", CreatedAt: at, OrderID: "z"}, keys.UserOrder{UserID: "u", CreatedAt: second, OrderID: "a"})
	keytest.InOrder(t, keys.Inbox{UserID: "u", At: at, OtherID: "z"}, keys.Inbox{UserID: "u", At: later, OtherID: "a"})
	keytest.InOrder(t,
		keys.ProductByPrice{Category: "c", Price: 9000, ProductID: "z"}, keys.ProductByPrice{Category: "c", Price: 10000000, ProductID: "a"})
	keytest.InOrder(t,
		keys.ProductByPriceIn{Category: "c", Currency: "USD", Price: 9000, ProductID: "z"},
		keys.ProductByPriceIn{Category: "c", Currency: "USD", Price: 10000000, ProductID: "a"})
}

// A message of other software has a time in whole seconds.
func TestMessagesAreInOrder(t *testing.T) {
	var ascending []keys.Message
	for _, after := range []time.Duration{0, 1, 9, 10, 250, 999, 1000, 1001, 60_000} {
		ascending = append(ascending, keys.MessageOf("a", "b", at.Add(after*time.Millisecond)))
	}
	keytest.InOrder(t, ascending...)
}

func FuzzParse(f *testing.F) { keytest.Fuzz(f, items, rows1, rows2, rows3) }

// The keys of the marketplace document that are as they are there.
func TestKeysOfTheDocument(t *testing.T) {
	for want, of := range map[string]func() (dynastay.Key, error){
		"USER#buyer123/PROFILE":       func() (dynastay.Key, error) { return key.Of(keys.Profile{"buyer123"}) },
		"PROJECT#proj001/METADATA":    func() (dynastay.Key, error) { return key.Of(keys.Project{"proj001"}) },
		"PROJECT#proj001/REJECTING":   func() (dynastay.Key, error) { return key.Of(keys.Rejecting{"proj001"}) },
		"ORDER#order789/METADATA":     func() (dynastay.Key, error) { return key.Of(keys.Order{"order789"}) },
		"PROJECT#proj001/BID#worker4": func() (dynastay.Key, error) { return key.Of(keys.Bid{"proj001", "worker4"}) },
		"SELLER#seller789/PRODUCT#prod456": func() (dynastay.Key, error) {
			return key.Of(keys.Product{"seller789", "prod456"})
		},
		"USER#worker456/REVIEW#proj001#buyer123": func() (dynastay.Key, error) {
			return key.Of(keys.Review{"worker456", "proj001", "buyer123"})
		},
		"CONVERSATION#buyer123#worker456/MESSAGE#2025-01-21T12:30:00Z": func() (dynastay.Key, error) {
			return key.Of(keys.MessageOf("worker456", "buyer123", at))
		},
		"CONVERSATION#buyer123#worker456/MESSAGE#2025-01-21T12:30:00Z.250": func() (dynastay.Key, error) {
			return key.Of(keys.MessageOf("buyer123", "worker456", later))
		},
		"ROLE#WORKER/LOCATION#Estcourt#USER#worker456": func() (dynastay.Key, error) {
			return key.Of(keys.ProfileByCity{Role: "WORKER", City: "Estcourt", UserID: "worker456"})
		},
		"ROLE#WORKER#SKILL#bricklaying/LOCATION#Estcourt#USER#worker456": func() (dynastay.Key, error) {
			return key.Of(keys.SkillByCity{Skill: "Brick-laying", City: "Estcourt", UserID: "worker456"})
		},
		"STATUS#OPEN/TIMESTAMP#2025-01-21T12:30:00Z#PROJECT#proj001": func() (dynastay.Key, error) {
			return key.Of(keys.ProjectByStatus{Status: "OPEN", CreatedAt: at, ProjectID: "proj001"})
		},
		"STATUS#PENDING#BID/TIMESTAMP#2025-01-21T12:30:00Z#BID#bid123": func() (dynastay.Key, error) {
			return key.Of(keys.BidByStatus{Status: "PENDING", CreatedAt: at, BidID: "bid123"})
		},
		"STATUS#PENDING#ORDER/TIMESTAMP#2025-01-21T12:30:00Z#ORDER#order789": func() (dynastay.Key, error) {
			return key.Of(keys.OrderByStatus{Status: "PENDING", CreatedAt: at, OrderID: "order789"})
		},
		"CATEGORY#Bricks/PRICE#000000000005.500#PRODUCT#prod456": func() (dynastay.Key, error) {
			return key.Of(keys.ProductByPrice{Category: "Bricks", Price: 5500, ProductID: "prod456"})
		},
		"CATEGORY#Bricks#CURRENCY#USD/PRICE#000000000005.500#PRODUCT#prod456": func() (dynastay.Key, error) {
			return key.Of(keys.ProductByPriceIn{Category: "Bricks", Currency: "USD", Price: 5500, ProductID: "prod456"})
		},
		"INBOX#buyer123/TIMESTAMP#1737462600250#worker456": func() (dynastay.Key, error) {
			return key.Of(keys.Inbox{"buyer123", later, "worker456"})
		},
	} {
		got, err := of()
		require.NoError(t, err)
		assert.Equal(t, want, got.String())
	}
}

func TestRefusedMessages(t *testing.T) {
	for name, c := range map[string]struct {
		of    keys.Message
		field string
	}{
		"an id that would be two": {keys.MessageOf("a", "b#c", at), "SecondID"},
		"no id":                   {keys.MessageOf("", "b", at), "FirstID"},
		"no time":                 {keys.MessageOf("a", "b", time.Time{}), "At"},
		"a year of five digits":   {keys.MessageOf("a", "b", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), "At"},
	} {
		_, err := key.Of(c.of)
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, name) {
			assert.Equal(t, c.field, invalid.Field, name)
		}
	}
}

func TestTable(t *testing.T) {
	assert.Equal(t, "ProjectKhaya", keys.Table.Name)
	require.Len(t, keys.Table.Indexes, 3)
	for i, name := range []string{"GSI1", "GSI2", "GSI3"} {
		index := keys.Table.Indexes[i]
		assert.Equal(t, name, index.Name)
		assert.Equal(t, dynastay.KeyNames{Partition: name + "PK", Sort: name + "SK"}, index.Key)
		assert.Equal(t, i < 2, index.Project == dynastay.ProjectAll)
	}
	for _, changing := range []string{"stock", "description", "updatedAt", "version", "writeId"} {
		assert.NotContains(t, keys.Table.Indexes[2].Include, changing)
	}
	assert.Equal(t, "ttl", keys.Table.TTL)
	assert.Equal(t, "writeId", keys.Table.WriteIDName())
}

func ExampleMessageOf() {
	k, _ := key.Of(keys.MessageOf("worker456", "buyer123", later))
	fmt.Println(k)
	// Output: CONVERSATION#buyer123#worker456/MESSAGE#2025-01-21T12:30:00Z.250
}
