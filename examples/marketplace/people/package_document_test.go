package people_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// The profiles of the marketplace document.
const (
	documentBuyer = `{
  "PK": "USER#buyer123",
  "SK": "PROFILE",
  "entityType": "BUYER",
  "userId": "buyer123",
  "cognitoSub": "cognito-uuid",
  "name": "John Doe",
  "email": "john@example.com",
  "phone": "+27812345678",
  "location": {
    "address": "123 Main St, Estcourt, KZN",
    "lat": -29.0089,
    "lng": 29.8728,
    "city": "Estcourt",
    "province": "KZN"
  },
  "verified": true,
  "phoneVerified": true,
  "trustScore": 4.5,
  "totalProjects": 12,
  "createdAt": "2025-01-15T10:00:00Z",
  "updatedAt": "2025-01-20T15:30:00Z",
  "GSI1PK": "ROLE#BUYER",
  "GSI1SK": "LOCATION#Estcourt#USER#buyer123"
}`
	documentWorker = `{
  "PK": "USER#worker456",
  "SK": "PROFILE",
  "entityType": "WORKER",
  "userId": "worker456",
  "cognitoSub": "cognito-uuid",
  "name": "Mike Builder",
  "email": "mike@example.com",
  "phone": "+27823456789",
  "location": {
    "address": "456 Oak Ave, Estcourt, KZN",
    "lat": -29.0100,
    "lng": 29.8750,
    "city": "Estcourt",
    "province": "KZN"
  },
  "skills": ["bricklaying", "plastering", "painting"],
  "bio": "10 years experience in residential construction",
  "idNumber": "hashed-id-number",
  "verified": true,
  "phoneVerified": true,
  "idVerified": true,
  "trustScore": 4.8,
  "totalJobs": 45,
  "completionRate": 0.96,
  "avgResponseTime": 120,
  "portfolio": [
    "s3://khaya-portfolios/worker456/project1.jpg",
    "s3://khaya-portfolios/worker456/project2.jpg"
  ],
  "createdAt": "2024-06-10T08:00:00Z",
  "updatedAt": "2025-01-20T12:00:00Z",
  "GSI1PK": "ROLE#WORKER",
  "GSI1SK": "LOCATION#Estcourt#USER#worker456"
}`
	documentSeller = `{
  "PK": "USER#seller789",
  "SK": "PROFILE",
  "entityType": "SELLER",
  "userId": "seller789",
  "cognitoSub": "cognito-uuid",
  "businessName": "Estcourt Building Supplies",
  "businessType": "Supplier",
  "contactName": "Sarah Smith",
  "email": "sarah@ebs.co.za",
  "phone": "+27834567890",
  "location": {
    "address": "789 Industrial Rd, Estcourt, KZN",
    "lat": -29.0050,
    "lng": 29.8800,
    "city": "Estcourt",
    "province": "KZN"
  },
  "businessReg": "2023/123456/07",
  "deliveryOptions": {
    "canDeliver": true,
    "deliveryRadius": 50,
    "freeDeliveryOver": 5000
  },
  "verified": true,
  "phoneVerified": true,
  "businessVerified": true,
  "trustScore": 4.6,
  "totalOrders": 230,
  "createdAt": "2024-03-20T09:00:00Z",
  "updatedAt": "2025-01-20T14:00:00Z",
  "GSI1PK": "ROLE#SELLER",
  "GSI1SK": "LOCATION#Estcourt#USER#seller789"
}`
)

// parsed returns the item of a JSON document.
func parsed(t *testing.T, document string) dynastay.Item {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(document))
	decoder.UseNumber()
	var v map[string]any
	require.NoError(t, decoder.Decode(&v))
	return attribute(v).(*types.AttributeValueMemberM).Value
}

func attribute(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return dynastay.Text(v)
	case json.Number:
		return &types.AttributeValueMemberN{Value: v.String()}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []any:
		list := &types.AttributeValueMemberL{}
		for _, element := range v {
			list.Value = append(list.Value, attribute(element))
		}
		return list
	case map[string]any:
		m := &types.AttributeValueMemberM{Value: dynastay.Item{}}
		for name, inner := range v {
			m.Value[name] = attribute(inner)
		}
		return m
	}
	return null
}

// plain returns an attribute as plain values, with numbers that are compared as values.
func plain(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return exact(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberL:
		var list []any
		for _, element := range v.Value {
			list = append(list, plain(element))
		}
		return list
	case *types.AttributeValueMemberM:
		m := map[string]any{}
		for name, inner := range v.Value {
			m[name] = plain(inner)
		}
		return m
	}
	return nil
}

func plainItem(item dynastay.Item) map[string]any {
	return plain(&types.AttributeValueMemberM{Value: item}).(map[string]any)
}

// documented is a town with the profiles of the document. In the document, all have the same Cognito id; here, each has
// one of its own, because it belongs to one user only.
func documented(t *testing.T) (n *town, items map[string]dynastay.Item) {
	n, items = newTown(t), map[string]dynastay.Item{}
	for _, document := range []string{documentBuyer, documentWorker, documentSeller} {
		item := parsed(t, document)
		id := dynastay.RowOf(item).Text("userId")
		item["cognitoSub"] = dynastay.Text("cognito-" + id)
		items[id] = item
		n.put(item)
	}
	return n, items
}

func TestProfilesOfTheDocument(t *testing.T) {
	t.Parallel()
	n, _ := documented(t)
	b := n.profile("buyer123")
	assert.Equal(t, people.Buyer, b.Role)
	assert.Equal(t, 12, b.Projects)
	assert.Equal(t, dynastay.Rating(45), b.TrustScore)
	assert.Equal(t, "2025-01-20T15:30:00Z", b.UpdatedAt.Format("2006-01-02T15:04:05Z07:00"))
	w := n.profile("worker456")
	assert.Equal(t, people.Work{
		Skills: []string{"bricklaying", "plastering", "painting"}, Bio: "10 years experience in residential construction",
		IDNumber: "hashed-id-number", IDVerified: true, ResponseTime: 120,
		Portfolio: []string{"s3://khaya-portfolios/worker456/project1.jpg", "s3://khaya-portfolios/worker456/project2.jpg"},
	}, w.Work)
	assert.Equal(t, 45, w.Jobs)
	assert.InDelta(t, 0.96, w.CompletionRate, 0)
	assert.Equal(t, people.Location{
		Address: "456 Oak Ave, Estcourt, KZN", City: "Estcourt", Province: "KZN", Latitude: -29.01, Longitude: 29.875,
	}, w.Location)
	s := n.profile("seller789")
	assert.Equal(t, people.Shop{
		BusinessName: "Estcourt Building Supplies", BusinessType: "Supplier", Contact: "Sarah Smith", Registration: "2023/123456/07",
		Verified: true, Delivers: true, Radius: 50, FreeOver: dynastay.MustMoney("5000", "ZAR"),
	}, s.Shop)
	assert.Equal(t, 230, s.Orders)
	for role, id := range map[people.Role]string{people.Buyer: "buyer123", people.Worker: "worker456", people.Seller: "seller789"} {
		assert.Equal(t, []string{id}, n.ids(n.repo.InCity(role, "Estcourt"), 9))
		p := n.profile(id)
		assert.True(t, p.Verified && p.PhoneVerified)
		assert.Zero(t, p.Version)
		require.NoError(t, p.Validate())
	}
}

// A profile of the document that is signed up again has every attribute of the document, with the same value.
func TestProfilesOfTheDocumentComeBack(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	other := newTown(t)
	for id, item := range items {
		p := *n.profile(id)
		p.Work.IDNumber = "" // it is a hash of an unknown form
		other.signUp(p)
		want, got := plainItem(item), plainItem(other.raw(id))
		for _, name := range []string{ // set by the library
			"createdAt", "updatedAt", "idNumber", "trustScore", "totalProjects", "totalJobs", "completionRate", "totalOrders",
		} {
			delete(want, name)
			delete(got, name)
		}
		for name, value := range want {
			assert.Equal(t, value, got[name], "%s: %s", id, name)
		}
		for _, name := range []string{"trustScore", "completionRate", "totalProjects", "totalJobs", "totalOrders"} {
			assert.NotContains(t, other.raw(id), name, "of a user without ratings, projects, jobs and orders")
		}
		added := slices.DeleteFunc(slices.Sorted(maps.Keys(got)), func(name string) bool { _, was := want[name]; return was })
		assert.Equal(t, []string{"GSI2PK", "GSI2SK", "ratingCount", "ratingSum", "version", "writeId"}, added, id)
	}
}

// adopted checks that a profile of the document has been adopted, and that nothing else but the given attributes
// changed.
func (n *town) adopted(id string, before dynastay.Item, changed ...string) {
	n.t.Helper()
	want, got := plainItem(before), plainItem(n.raw(id))
	for _, name := range append(changed, "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "writeId") {
		delete(want, name)
		delete(got, name)
	}
	assert.Equal(n.t, want, got)
	row := n.row("USER#"+id, "PROFILE")
	assert.Equal(n.t, dynastay.KindBinary, row.Value("writeId").Kind())
	assert.Equal(n.t, "ROLE#"+row.Text("entityType"), row.Text("GSI1PK"))
	assert.Equal(n.t, "LOCATION#Estcourt#USER#"+id, row.Text("GSI1SK"))
	assert.Equal(n.t, "GEOCELL#"+row.Text("entityType")+"#kdv", row.Text("GSI2PK"))
	assert.Regexp(n.t, "^kdv[0-9a-z]{6}#USER#"+id+"$", row.Text("GSI2SK"))
	for _, guard := range []string{"COGNITO#" + row.Text("cognitoSub"), "EMAIL#" + row.Text("email"), "PHONE#" + row.Text("phone")} {
		assert.Equal(n.t, map[string]any{"PK": guard, "SK": "GUARD", "userId": id}, plainItem(n.row(guard, "GUARD").Item()))
	}
	p := n.profile(id)
	skills := n.skillItems(id)
	assert.Len(n.t, skills, len(p.Work.Skills))
	for _, name := range p.Work.Skills {
		item := plainItem(skills[name].Item())
		place := item["GSI2SK"]
		delete(item, "GSI2SK")
		assert.Equal(n.t, row.Text("GSI2SK"), place)
		location := plainItem(before)["location"].(map[string]any)
		delete(location, "address")
		assert.Equal(n.t, map[string]any{
			"PK": "USER#" + id, "SK": "SKILL#" + name, "entityType": "SKILL", "userId": id, "skill": name, "location": location,
			"GSI1PK": "ROLE#WORKER#SKILL#" + name, "GSI1SK": "LOCATION#Estcourt#USER#" + id,
			"GSI2PK": "GEOCELL#WORKER#SKILL#" + name + "#kdv",
		}, item)
	}
}

// The first update adopts a profile: other keys of the indexes, also those with other forms of the document's, guards
// and the items of the skills are written, and unknown attributes are kept.
func TestTheFirstUpdateAdopts(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	for id, item := range items {
		item["GSI1PK"], item["GSI1SK"] = dynastay.Text("ROLE#worker"), dynastay.Text("LOCATION#estcourt")
		item["favourite"], item["totalJobs2"] = dynastay.Text("unknown to this package"), null
		n.put(item)
		p := n.update(id, func(p *people.Profile) { p.Location.Province = "Natal" })
		assert.Equal(t, 1, p.Version)
		changed := maps.Clone(item)
		location := maps.Clone(item["location"].(*types.AttributeValueMemberM).Value)
		location["province"] = dynastay.Text("Natal")
		changed["location"] = &types.AttributeValueMemberM{Value: location}
		n.adopted(id, changed, "updatedAt", "version")
	}
	assert.Equal(t, []string{"worker456"}, n.ids(n.repo.WithAllSkills("Estcourt", "painting", "plastering"), 9))
}

// Adopt changes neither what the profile says nor its version, nor its counters.
func TestAdopt(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	assert.Empty(t, n.ids(n.repo.WithAnySkill("Estcourt", "painting"), 9))
	_, err := n.repo.ByEmail(t.Context(), "mike@example.com")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	for id, item := range items {
		before := n.profile(id)
		p, err := n.repo.Adopt(t.Context(), id)
		require.NoError(t, err)
		assert.NotEmpty(t, p.WriteID)
		before.WriteID = p.WriteID
		assert.Equal(t, before, p)
		n.adopted(id, item)
		again, err := n.repo.Adopt(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, p, again)
	}
	assert.Equal(t, []string{"worker456"}, n.ids(n.repo.WithAnySkill("Estcourt", "painting"), 9))
	near, err := n.repo.Near(t.Context(), around(1000, "painting"))
	require.NoError(t, err)
	assert.Equal(t, []string{"worker456"}, nearIDs(near))
	for _, find := range []func() (*people.Profile, error){
		func() (*people.Profile, error) { return n.repo.BySubject(t.Context(), "cognito-worker456") },
		func() (*people.Profile, error) { return n.repo.ByEmail(t.Context(), "MIKE@example.com") },
		func() (*people.Profile, error) { return n.repo.ByPhone(t.Context(), "+27823456789") },
	} {
		found, err := find()
		require.NoError(t, err)
		assert.Equal(t, n.profile("worker456"), found)
	}
	_, err = n.repo.Adopt(t.Context(), "nobody")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}
