package policy_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/provision"
	"github.com/dynastay/dynastay/provision/policy"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// actions returns the actions of a document by resource.
func actions(t *testing.T, p policy.Policy) map[string][]string {
	t.Helper()
	document, err := p.Document(here)
	require.NoError(t, err)
	all := map[string][]string{}
	for _, s := range document.Statement {
		for _, resource := range s.Resource {
			all[resource] = append(all[resource], s.Action...)
		}
	}
	return all
}

// A worker may read the streams of exactly the tables whose changes the repository returns, if they have streams.
func TestWorkersReadTheStreamsOfChanges(t *testing.T) {
	t.Parallel()
	streams := map[string]bool{}
	for _, s := range append(keys.Tables(), listingkeys.Table, venuekeys.Table) {
		streams[s.Name] = s.Stream
	}
	db := dynastay.Open(fake.Client{}, nil)
	for repository, changes := range map[string]any{
		"availability": availability.New(db).Changes(), "availability/listing": listing.New(db).Changes(),
		"availability/units": units.New(db).Changes(), "bookings": bookings.New(db, nil).Changes(),
		"bookings/venue": venue.New(db, nil).Changes(), "properties": properties.New(db, nil).Changes(),
		"reviews": reviews.New(db, properties.New(db, nil), nil).Changes(), "users": users.New(db, nil).Changes(),
	} {
		want := map[string]bool{}
		for i := range reflect.ValueOf(changes).NumField() {
			if name := reflect.ValueOf(changes).Field(i).FieldByName("table").String(); streams[name] {
				want["arn:aws:dynamodb:eu-central-1:123456789012:table/prod-"+name+"/stream/*"] = true
			}
		}
		role := policy.Policy{Role: policy.Worker, Repositories: []string{repository}}
		if len(want) == 0 {
			_, err := role.Document(here)
			assert.ErrorIs(t, err, dynastay.ErrInvalid, repository)
			continue
		}
		got := map[string]bool{}
		for resource, allowed := range actions(t, role) {
			if strings.Contains(resource, "/stream/") {
				got[resource] = true
				assert.Equal(t, []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}, allowed)
			}
		}
		assert.Equal(t, want, got, repository)
		assert.Equal(t, []string{"dynamodb:ListStreams"}, actions(t, role)["*"])
		assert.Subset(t, actions(t, role)["arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Metadata"], []string{"dynamodb:PutItem", "dynamodb:UpdateItem"}, "positions")
	}
	own := actions(t, policy.Policy{Role: policy.Worker, Repositories: []string{"availability", "users"}, Also: []policy.Need{{Action: "PutItem", Table: "Outbox"}}})
	for table, wanted := range map[string]bool{"Users": true, "Outbox": true, "Availability": false} {
		assert.Equal(t, wanted, len(own["arn:aws:dynamodb:eu-central-1:123456789012:table/prod-"+table+"/stream/*"]) == 3, table)
	}
}

// An operator has an action for each method of the control plane that is used, and an auditor those that change nothing.
func TestOperatorsHaveTheControlPlane(t *testing.T) {
	t.Parallel()
	control := reflect.TypeFor[provision.Control]()
	var all, reading []string
	for i := range control.NumMethod() {
		name := control.Method(i).Name
		all = append(all, "dynamodb:"+name)
		if strings.HasPrefix(name, "Describe") || strings.HasPrefix(name, "List") {
			reading = append(reading, "dynamodb:"+name)
		}
	}
	const bookings = "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Bookings"
	operator := actions(t, policy.Policy{Role: policy.Operator, Repositories: []string{"bookings"}})
	assert.ElementsMatch(t, all, operator[bookings])
	auditor := actions(t, policy.Policy{Role: policy.Auditor, Repositories: []string{"bookings"}})
	assert.ElementsMatch(t, reading, auditor[bookings])
	for _, role := range []map[string][]string{operator, auditor} {
		assert.ElementsMatch(t, []string{"application-autoscaling:DescribeScalableTargets", "application-autoscaling:DescribeScalingPolicies"}, role["*"])
		for resource := range role {
			assert.NotContains(t, resource, "Reviews", "bookings do not use them")
			assert.NotContains(t, resource, "/index/")
		}
	}
	own := actions(t, policy.Policy{Role: policy.Auditor, Also: []policy.Need{{Action: "PutItem", Table: "Outbox"}}})
	assert.ElementsMatch(t, reading, own["arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Outbox"])
}
