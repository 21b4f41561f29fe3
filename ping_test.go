package dynastay_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision/policy"
)

// One request for each table and index, and half a unit: no more than what the page says.
func TestPing(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.With(dynastay.Options{Clock: time.Now}))
	places := policy.OfPing(keys.Tables()...)
	require.Len(t, places, 30)
	stop := db.Faults.Record()
	var found dynastay.Pinged
	spent := db.Measure(func() {
		var err error
		found, err = db.Ping(t.Context(), dynastay.Probe{Tables: keys.Tables(), MaxSkew: 30 * time.Second})
		require.NoError(t, err)
	})
	assert.Equal(t, len(places), spent.Requests)
	if db.Has(dyntest.ExactUnits) {
		assert.Equal(t, float64(len(places))/2, spent.ReadUnits)
	}
	assert.True(t, found.Known)
	assert.Less(t, found.Skew.Abs(), 5*time.Second, "the engine is on this machine")
	needs, err := db.Needs(stop()...)
	require.NoError(t, err)
	assert.ElementsMatch(t, places, needs)
}

// A role that has what OfPing says can ping, and each thing that it lacks is an error of its own.
func TestPingWithoutPermission(t *testing.T) {
	t.Parallel()
	tables := []*dynastay.Schema{keys.UsersTable, keys.ReviewsTable}
	needs := policy.OfPing(tables...)
	db := dyntest.New(t, dyntest.Permitted(policy.Policy{Role: policy.Reader, Repositories: []string{"users"}, Also: needs}))
	_, err := db.Ping(t.Context(), dynastay.Probe{Tables: tables})
	require.NoError(t, err)

	_, err = db.Ping(t.Context(), dynastay.Probe{Tables: []*dynastay.Schema{keys.UsersTable, keys.PropertiesTable}})
	require.ErrorIs(t, err, dynastay.ErrRejected)
	var refused int
	for _, one := range err.(interface{ Unwrap() []error }).Unwrap() {
		var failure *dynastay.Error
		require.ErrorAs(t, one, &failure)
		assert.Equal(t, "Ping", failure.Op)
		assert.Equal(t, "table", failure.Entity)
		assert.Contains(t, failure.ID, db.TableName(keys.PropertiesTable))
		refused++
	}
	assert.Equal(t, 1+len(keys.PropertiesTable.Indexes), refused)
	assert.ErrorContains(t, err, db.TableName(keys.PropertiesTable)+"/"+keys.PropertiesTable.Indexes[0].Name)
}

// client returns a client that sends by do.
func client(do interface {
	Do(*http.Request) (*http.Response, error)
},
) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://127.0.0.1:1"), Retryer: aws.NopRetryer{}, HTTPClient: do,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	})
}

// clocked sends nothing, and its responses say a time, each after a while on the clock of the DB.
type clocked struct {
	now   time.Time // of the DB
	after []time.Duration
	says  func(now time.Time) time.Time // nil for none
	sent  int
}

func (c *clocked) Do(*http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	c.now = c.now.Add(c.after[c.sent] / 2)
	if c.says != nil {
		answer.Header().Set("Date", c.says(c.now).Format(http.TimeFormat))
	}
	c.now = c.now.Add(c.after[c.sent] / 2)
	c.sent++
	_, err := answer.WriteString("{}")
	return answer.Result(), err
}

// firstSays returns what a clock says that is off at first, and then one second behind.
func firstSays(off time.Duration) func(time.Time) time.Time {
	return func(now time.Time) time.Time {
		now = now.Add(off)
		off = -time.Second
		return now
	}
}

// The clock is compared by the quickest response.
func TestPingComparesClocks(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 500e6, time.UTC)
	bare := &dynastay.Schema{Name: "Bare", Key: dynastay.KeyNames{Partition: "PK"}}
	for name, test := range map[string]struct {
		says  func(time.Time) time.Time
		after []time.Duration
		want  dynastay.Pinged
		err   error
	}{
		"the same":       {func(now time.Time) time.Time { return now }, []time.Duration{0, 0}, dynastay.Pinged{Known: true}, nil},
		"at most":        {func(now time.Time) time.Time { return now.Add(-30 * time.Second) }, []time.Duration{0, 0}, dynastay.Pinged{Skew: 30 * time.Second, Known: true}, nil},
		"too early":      {func(now time.Time) time.Time { return now.Add(31 * time.Second) }, []time.Duration{0, 0}, dynastay.Pinged{Skew: -31 * time.Second, Known: true}, dynastay.ErrSkew},
		"too late":       {func(now time.Time) time.Time { return now.Add(-31 * time.Second) }, []time.Duration{0, 0}, dynastay.Pinged{Skew: 31 * time.Second, Known: true}, dynastay.ErrSkew},
		"no time":        {nil, []time.Duration{0, 0}, dynastay.Pinged{}, nil},
		"only slow ones": {func(now time.Time) time.Time { return now.Add(-31 * time.Second) }, []time.Duration{4 * time.Second, 2 * time.Second}, dynastay.Pinged{Skew: 31 * time.Second, Known: true}, nil},
		"a slow one":     {firstSays(-40 * time.Second), []time.Duration{time.Minute, 2 * time.Second}, dynastay.Pinged{Skew: time.Second, Known: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &clocked{now: noon, after: test.after, says: test.says}
			db := dynastay.Open(client(c), &dynastay.Options{Clock: func() time.Time { return c.now }, Parallel: 1})
			found, err := db.Ping(t.Context(), dynastay.Probe{Tables: []*dynastay.Schema{bare, bare}, MaxSkew: 30 * time.Second})
			assert.ErrorIs(t, err, test.err)
			assert.Equal(t, test.want, found)
			if test.err != nil {
				c.sent = 0
				_, err = db.Ping(t.Context(), dynastay.Probe{Tables: []*dynastay.Schema{bare}})
				assert.NoError(t, err, "the clock is not compared")
			}
		})
	}
}

func TestPingRefused(t *testing.T) {
	t.Parallel()
	db := dynastay.Open(fake.Client{Do: func(*fake.Request) (any, error) { panic("a request") }}, nil)
	for want, probe := range map[string]dynastay.Probe{
		"Tables: must not be empty":         {},
		"Tables[0]: is nil":                 {Tables: []*dynastay.Schema{nil}},
		"MaxSkew: must be at least 2 s, be": {Tables: keys.Tables(), MaxSkew: time.Second},
	} {
		_, err := db.Ping(t.Context(), probe)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.ErrorContains(t, err, want)
	}
}

// All tables that cannot be reached are named, and a probe ends with its context.
func TestPingOfAnEngineThatIsDown(t *testing.T) {
	t.Parallel()
	db := dynastay.Open(client(http.DefaultClient), nil)
	_, err := db.Ping(t.Context(), dynastay.Probe{Tables: keys.Tables()})
	assert.ErrorIs(t, err, dynastay.ErrUnavailable)
	assert.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), len(policy.OfPing(keys.Tables()...)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = db.Ping(ctx, dynastay.Probe{Tables: keys.Tables()})
	assert.True(t, errors.Is(err, context.Canceled))
}
