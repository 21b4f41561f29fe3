package provision_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/provision"
)

// All that an application of a new table and of one with many differences does, in its order.
func TestApply(t *testing.T) {
	t.Parallel()
	client, table := storeTable(t)
	var steps []string
	opts := &provision.Options{Progress: func(p provision.Progress) {
		if p.State != provision.Waiting && p.Difference.Setting != "Recovery" { // which not every engine has
			steps = append(steps, string(p.State)+" "+p.Difference.Setting)
		}
	}}
	apply := func(want ...string) {
		t.Helper()
		steps = nil
		require.NoError(t, provision.Apply(t.Context(), client, []provision.Table{table}, opts))
		var both []string
		for _, setting := range want {
			both = append(both, "begun "+setting, "done "+setting)
		}
		assert.Equal(t, both, steps)
	}
	table.Schema.Indexes = table.Schema.Indexes[:1]
	table.Schema.Stream = false
	apply("Table", "TTL")
	apply()
	table.Schema = storeSchema()
	table.Settings = provision.Settings{Tags: map[string]string{"stage": "production"}}
	apply("DeletionProtection", "Stream", "Tags", "Index Keys", "Index Some")
	apply()
}

// broken fails at one of its requests, before or after it is carried out. Everything else goes through.
type broken struct {
	aws.HTTPClient
	at, sent int
	after    bool
	stop     context.CancelFunc // nil: the connection breaks instead
}

var errBroken = errors.New("connection reset")

func (b *broken) Do(r *http.Request) (*http.Response, error) {
	b.sent++
	if b.sent != b.at {
		return b.HTTPClient.Do(r)
	}
	if b.after {
		answer, err := b.HTTPClient.Do(r)
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return nil, err
		}
	}
	if b.stop != nil {
		b.stop()
	}
	return nil, errBroken
}

// Whatever the request at which an application is broken off, and whether it was carried out, the next one completes it,
// and changes nothing else.
func TestApplyBrokenOffAtEveryRequest(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]broken{
		"request lost": {}, "answer lost": {after: true}, "process ends before it": {stop: func() {}}, "process ends after it": {after: true, stop: func() {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t)
			for n := 1; ; n++ {
				must := provision.Table{
					Schema: storeSchema(), Name: db.TableName(&dynastay.Schema{Name: "Store"}),
					Settings: provision.Settings{Tags: map[string]string{"stage": "production"}},
				}
				had := must
				had.Schema, had.Settings = storeSchema(), provision.Settings{Deletable: true}
				had.Schema.Indexes, had.Schema.TTL, had.Schema.Stream = had.Schema.Indexes[1:2], "", false
				client := db.Engine.Client()
				if n%2 == 0 { // the table is there already
					require.NoError(t, provision.Apply(t.Context(), client, []provision.Table{had}, nil))
				}
				b := kind
				b.at = n
				ctx, stop := context.WithCancel(t.Context())
				if b.stop != nil {
					b.stop = stop
				}
				failed := provision.Apply(ctx, db.Engine.Client(func(o *dynamodb.Options) {
					b.HTTPClient, o.HTTPClient, o.Retryer = o.HTTPClient, &b, aws.NopRetryer{}
				}), []provision.Table{must}, nil)
				stop()
				if b.sent >= n && failed != nil {
					assert.ErrorContains(t, failed, "table "+must.Name+": ")
				}
				require.NoError(t, provision.Apply(t.Context(), client, []provision.Table{must}, nil), "the second time, after %d requests: %v", n, failed)
				r, err := provision.Look(t.Context(), client, must, nil)
				require.NoError(t, err)
				assert.Empty(t, r.Differences, n)
				_, err = client.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &must.Name, DeletionProtectionEnabled: aws.Bool(false)})
				require.NoError(t, err)
				_, err = client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &must.Name})
				require.NoError(t, err)
				if b.sent < n && n%2 == 0 { // of a table that is there, which takes more requests, none was left to break
					return
				}
			}
		})
	}
}

// slow is an engine whose control plane behaves as that of DynamoDB, which finishes changes in the background.
type slow struct {
	*dynamodb.Client
	busy    int                           // requests that change something and are refused for now, with each of the errors
	working int                           // looks after each change that find DynamoDB at work
	old     int                           // looks after each change that find what was before
	show    func(*types.TableDescription) // how a table at work looks

	left   int
	before *types.TableDescription
}

func (s *slow) refuse() error {
	s.busy--
	switch {
	case s.busy < 0:
		s.left = s.working + s.old
		return nil
	case s.busy%2 == 0:
		return &types.LimitExceededException{
			Message: aws.String("Subscriber limit exceeded: Only 10 tables can be created, updated, or deleted simultaneously"),
		}
	}
	return &types.ResourceInUseException{}
}

func (s *slow) UpdateTable(ctx context.Context, in *dynamodb.UpdateTableInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error) {
	if err := s.refuse(); err != nil {
		return nil, err
	}
	before, err := s.Client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: in.TableName})
	if err != nil {
		return nil, err
	}
	s.before = before.Table
	return s.Client.UpdateTable(ctx, in, o...)
}

func (s *slow) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, o ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	out, err := s.Client.DescribeTable(ctx, in, o...)
	if err != nil || s.left == 0 {
		return out, err
	}
	if s.left--; s.left >= s.working {
		out.Table = s.before
	} else {
		s.show(out.Table)
	}
	return out, nil
}

// Apply waits until DynamoDB has finished, whatever is at work, and repeats what was refused only because of that.
func TestApplyOnASlowEngine(t *testing.T) {
	t.Parallel()
	index := func(status types.IndexStatus) func(*types.TableDescription) {
		return func(d *types.TableDescription) { d.GlobalSecondaryIndexes[0].IndexStatus = status }
	}
	table := func(status types.TableStatus) func(*types.TableDescription) {
		return func(d *types.TableDescription) { d.TableStatus = status }
	}
	encryption := func(status types.SSEStatus) func(*types.TableDescription) {
		return func(d *types.TableDescription) { d.SSEDescription = &types.SSEDescription{Status: status} }
	}
	for name, show := range map[string]func(*types.TableDescription){
		"updating": table(types.TableStatusUpdating), "creating": table(types.TableStatusCreating), "deleting": table(types.TableStatusDeleting),
		"archiving": table(types.TableStatusArchiving), "index created": index(types.IndexStatusCreating), "index updated": index(types.IndexStatusUpdating),
		"index deleted": index(types.IndexStatusDeleting), "replica created": replica(types.ReplicaStatusCreating),
		"replica updated": replica(types.ReplicaStatusUpdating), "replica deleted": replica(types.ReplicaStatusDeleting),
		"replica archived": replica(types.ReplicaStatusArchiving), "key changed": encryption(types.SSEStatusUpdating),
		"encrypted": encryption(types.SSEStatusEnabling), "decrypted": encryption(types.SSEStatusDisabling),
		"warmed": func(d *types.TableDescription) {
			d.WarmThroughput = &types.TableWarmThroughputDescription{Status: types.TableStatusUpdating}
		},
		"index warmed": func(d *types.TableDescription) {
			d.GlobalSecondaryIndexes[0].WarmThroughput = &types.GlobalSecondaryIndexWarmThroughputDescription{Status: types.IndexStatusUpdating}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, must := storeTable(t)
			had := must
			had.Schema = storeSchema()
			had.Schema.Indexes, had.Schema.Stream = had.Schema.Indexes[:1], false
			require.NoError(t, provision.Apply(t.Context(), client, []provision.Table{had}, nil))
			var states []provision.State
			s := &slow{Client: client, busy: 3, working: 2, old: 1, show: show}
			require.NoError(t, provision.Apply(t.Context(), s, []provision.Table{must}, &provision.Options{
				Progress: func(p provision.Progress) { states = append(states, p.State) },
			}))
			one := []provision.State{provision.Begun, provision.Waiting, provision.Waiting, provision.Done}
			assert.Equal(t, append(append(one[:4:4], one...), one...), states, "the stream, and two indexes")
		})
	}
}

// unready is DynamoDB with a table of which only DescribeTable knows, as one that is created, deleted or archived.
type unready struct {
	*account
	looks  int
	status types.TableStatus // until the looks are made
}

func (u *unready) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, o ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	u.table.TableStatus = u.status
	if u.looks--; u.looks < 0 {
		u.table.TableStatus = types.TableStatusActive
	}
	return u.account.DescribeTable(ctx, in, o...)
}

func (u *unready) DescribeTimeToLive(ctx context.Context, in *dynamodb.DescribeTimeToLiveInput, o ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	if u.looks >= 0 {
		return nil, &types.ResourceNotFoundException{}
	}
	return u.account.DescribeTimeToLive(ctx, in, o...)
}

func (u *unready) DescribeContinuousBackups(ctx context.Context, in *dynamodb.DescribeContinuousBackupsInput, o ...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	if u.looks >= 0 {
		return nil, &types.TableNotFoundException{}
	}
	return u.account.DescribeContinuousBackups(ctx, in, o...)
}

// Nothing but the table itself is asked for before there is a table to ask about.
func TestTableThatIsNotReady(t *testing.T) {
	t.Parallel()
	for _, status := range []types.TableStatus{types.TableStatusCreating, types.TableStatusDeleting, types.TableStatusArchiving, types.TableStatusArchived} {
		u := &unready{account: newAccount(prodStore()), status: status, looks: 3}
		r, err := provision.Look(t.Context(), u, prodStore(), nil)
		require.NoError(t, err, status)
		assert.Equal(t, []string{"Status must be ACTIVE, but is " + string(status)}, settings(r.Differences))
		assert.Equal(t, status != types.TableStatusArchived, r.Differences[0].Mend == provision.ByApply, "what passes by itself")
		err = provision.Apply(t.Context(), u, []provision.Table{prodStore()}, &provision.Options{Progress: func(p provision.Progress) {
			assert.Fail(t, "there is no change", "%v", p)
		}})
		if status == types.TableStatusArchived {
			assert.EqualError(t, err, "table prod-Store is not as it must be: Status must be ACTIVE, but is ARCHIVED")
			continue
		}
		assert.NoError(t, err, status)
		assert.Negative(t, u.looks)
	}
}

// Apply does not wait for what is in progress with a table that DynamoDB does not serve: it may never end.
func TestApplyDoesNotWaitForATableThatIsNotServed(t *testing.T) {
	t.Parallel()
	for _, status := range []types.TableStatus{
		types.TableStatusInaccessibleEncryptionCredentials, types.TableStatusReplicationNotAuthorized, types.TableStatusArchived,
	} {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		a := newAccount(prodStore())
		a.table.TableStatus, a.table.GlobalSecondaryIndexes[0].IndexStatus = status, types.IndexStatusCreating
		assert.ErrorAs(t, provision.Apply(ctx, a, []provision.Table{prodStore()}, nil), new(*provision.TableError))
		stop()
	}
}

// Apply ends with its context, and says what it waited for.
func TestApplyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	client, table := storeTable(t)
	require.NoError(t, provision.Apply(t.Context(), client, []provision.Table{table}, nil))
	table.Settings.Deletable = false
	ctx, stop := context.WithCancel(t.Context())
	s := &slow{Client: client, working: 1 << 30, show: func(d *types.TableDescription) { d.TableStatus = types.TableStatusUpdating }}
	err := provision.Apply(ctx, s, []provision.Table{table}, &provision.Options{Progress: func(p provision.Progress) {
		if p.State == provision.Waiting {
			stop()
		}
	}})
	assert.ErrorIs(t, err, context.Canceled)
	ctx, stop = context.WithCancel(t.Context())
	table.Schema.Indexes[0].Name = "New"
	err = provision.Apply(ctx, &slow{Client: client, busy: 1 << 30}, []provision.Table{table}, &provision.Options{
		Named:    []string{table.Name + "/Index All"},
		Progress: func(p provision.Progress) { stop() },
	})
	assert.ErrorIs(t, err, context.Canceled)
	var limit *types.LimitExceededException
	var inUse *types.ResourceInUseException
	assert.True(t, errors.As(err, &limit) || errors.As(err, &inUse), "%v", err)
}

// refusing refuses every change.
type refusing struct {
	*account
	with error
	sent int
}

func (r *refusing) UpdateTable(context.Context, *dynamodb.UpdateTableInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error) {
	r.sent++
	return nil, r.with
}

// Some limits are those of an hour or a day, or never pass: Apply ends, and says so.
func TestApplyDoesNotWaitForALimit(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day.",
		"Subscriber limit exceeded: Encryption mode changes are limited in the 24h window.",
		"Subscriber limit exceeded: There is a limit of 2500 tables per subscriber",
	} {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		r := &refusing{account: newAccount(prodStore()), with: &types.LimitExceededException{Message: &message}}
		r.table.DeletionProtectionEnabled = aws.Bool(false)
		err := provision.Apply(ctx, r, []provision.Table{prodStore()}, nil)
		stop()
		assert.ErrorContains(t, err, "table prod-Store: DeletionProtection: LimitExceededException: "+message)
		assert.Equal(t, 1, r.sent)
	}
}

// A change that DynamoDB accepts and does not make is left to people, after half a minute: what it describes may be old.
func TestChangeThatDoesNotShow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		a := newAccount(prodStore())
		a.table.DeletionProtectionEnabled = aws.Bool(false)
		err := provision.Apply(t.Context(), a, []provision.Table{prodStore()}, nil)
		assert.EqualError(t, err, "table prod-Store is not as it must be: DeletionProtection must be on, but is off")
		assert.Len(t, a.sent, 1)
		assert.InDelta(t, 30, time.Since(begun).Seconds(), 5)
	})
}

// recently is DynamoDB within an hour of a change of the time to live.
type recently struct{ *account }

func (recently) UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return nil, errors.New("Time to live has been modified multiple times within a fixed interval")
}

// DynamoDB may refuse a change of the time to live for an hour. All others have been made then.
func TestTimeToLiveIsTheLastChange(t *testing.T) {
	t.Parallel()
	a := withoutSome(prodStore())
	a.ttl = ""
	err := provision.Apply(t.Context(), recently{a}, []provision.Table{prodStore()}, nil)
	assert.EqualError(t, err, "table prod-Store: TTL: Time to live has been modified multiple times within a fixed interval")
	assert.Len(t, a.sent, 1, "the index")
}

// A failure of one table stops no other, and names its table and the setting.
func TestApplyToManyTables(t *testing.T) {
	t.Parallel()
	client, good := storeTable(t)
	bad := good
	bad.Schema = storeSchema()
	bad.Name += "-bad"
	bad.Schema.Indexes[0].Project, bad.Schema.Indexes[0].Include = dynastay.ProjectInclude, nil // which DynamoDB does not accept
	err := provision.Apply(t.Context(), client, []provision.Table{bad, good}, nil)
	assert.ErrorContains(t, err, "table "+bad.Name+": Table: ")
	assert.Equal(t, 1, strings.Count(err.Error(), "table "))
	r, err := provision.Look(t.Context(), client, good, nil)
	require.NoError(t, err)
	assert.Empty(t, r.Differences)
}
