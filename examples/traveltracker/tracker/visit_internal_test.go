package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// The entity stores the same items with the same requests as code on the bare SDK.
func TestAgainstTheBareSDK(t *testing.T) {
	t.Parallel()
	ctx, at := t.Context(), time.Date(2037, 11, 10, 9, 0, 0, 250_000_000, time.UTC)
	db := dyntest.New(t, dyntest.OnlyTables(keys.Table), dyntest.At(at))
	table := entity.NewTable(db.DB, newVisits(key.Shards{}))
	bare := bareVisits{client: db.Client, table: db.TableName(keys.Table), now: db.Clock.Now}
	requests := func(do func()) map[string]int {
		sent := map[string]int{}
		record := db.Faults.Record()
		do()
		for _, r := range record() {
			sent[r.Operation]++
		}
		return sent
	}
	id := VisitID{RegionType: regions.Country, RegionCode: "IT", MarkedAt: at}
	ours := Visit{UserID: "ours", VisitID: id, RegionName: "Italy", Notes: "Rome", MarkedFrom: "phone", OperationID: "op1",
		Stamps: Stamps{Notes: {Version: 1, At: at, DeviceID: "phone"}}}
	theirs := bareVisit{UserID: "theirs", RegionType: "country", RegionCode: "IT", MarkedAt: bareTime(at), RegionName: "Italy",
		Notes: "Rome", MarkedFrom: "phone", OperationID: "op1", Stamps: map[string]any{"notes": bareStamp(1, at, "phone")}}
	ourKey, err := visitKey("ours", id)
	require.NoError(t, err)
	same := func(what string, a, b func()) {
		t.Helper()
		assert.Equal(t, requests(a), requests(b), what)
		mine, err := db.Direct.Get(ctx, keys.Table, ourKey, dynastay.Consistent)
		require.NoError(t, err)
		other, err := db.Direct.Get(ctx, keys.Table, dynastay.Key{PK: "USER#theirs", SK: ourKey.SK}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, comparable(mine), comparable(other), what)
	}
	same("create", func() {
		_, err := table.Create(ctx, &ours)
		require.NoError(t, err)
	}, func() {
		_, err := bare.create(ctx, theirs)
		require.NoError(t, err)
	})
	_, err = table.Create(ctx, &ours)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	_, err = bare.create(ctx, theirs)
	require.ErrorIs(t, err, errBareExists)
	same("update", func() {
		_, err := table.Update(ctx, ourKey, func(v *Visit) error { v.Notes = "Milan"; return nil })
		require.NoError(t, err)
	}, func() {
		_, err := bare.update(ctx, theirs, func(v *bareVisit) { v.Notes = "Milan" })
		require.NoError(t, err)
	})
	partition, err := key.Partition(keys.VisitByTime{UserID: "ours", RegionType: "country"})
	require.NoError(t, err)
	same("list", func() {
		page, err := table.List(dynastay.Query{
			Name: "x", Index: keys.Index2, Partition: partition, Range: dynastay.Range{Prefix: "VISIT#"},
		}).Page(ctx, dynastay.Paging{})
		require.NoError(t, err)
		assert.Len(t, page.Items, 1)
	}, func() {
		visits, _, err := bare.byTime(ctx, "theirs", "country", 50, nil)
		require.NoError(t, err)
		assert.Len(t, visits, 1)
	})
	same("tombstone", func() {
		_, err := table.Update(ctx, ourKey, func(v *Visit) error {
			v.Deleted, v.Expires = true, at.Add(tombstoneLife)
			return nil
		})
		require.NoError(t, err)
	}, func() {
		_, err := bare.update(ctx, theirs, func(v *bareVisit) { v.Deleted, v.TTL = true, at.Add(tombstoneLife).Unix() })
		require.NoError(t, err)
	})
}

// comparable is an item without what differs between the two users.
func comparable(row dynastay.Row) map[string]any {
	item := map[string]any{}
	for name, value := range row.Item() {
		switch name {
		case "PK", "user_id", "composite_key", "write_id", "GSI1SK", "GSI2PK":
			_, isText := value.(*types.AttributeValueMemberS)
			item[name] = isText
		default:
			item[name] = value
		}
	}
	return item
}

// bareVisit is a visit as one would write it on the SDK alone: the same items, index rows, conditions and errors as the
// entity in visit.go, without retries of conflicts, resolution of lost answers, adoption of foreign items, cursors,
// unreadable items in lists, and errors that name the entity. TestAgainstTheBareSDK compares the two.
type bareVisit struct {
	UserID      string         `dynamodbav:"user_id"`
	RegionType  string         `dynamodbav:"region_type"`
	RegionCode  string         `dynamodbav:"region_code"`
	MarkedAt    bareTime       `dynamodbav:"marked_at"`
	RegionName  string         `dynamodbav:"region_name,omitempty"`
	VisitedDate string         `dynamodbav:"visited_date,omitempty"`
	Notes       string         `dynamodbav:"notes,omitempty"`
	Deleted     bool           `dynamodbav:"is_deleted"`
	MarkedFrom  string         `dynamodbav:"marked_from_device,omitempty"`
	OperationID string         `dynamodbav:"operation_id,omitempty"`
	Stamps      map[string]any `dynamodbav:"field_versions,omitempty"`
	ModifiedAt  bareTime       `dynamodbav:"last_modified_at"`
	TTL         int64          `dynamodbav:"ttl,omitempty"`
	Version     int            `dynamodbav:"sync_version,omitempty"`
	Schema      string         `dynamodbav:"schema_version"`
	WriteID     []byte         `dynamodbav:"write_id"`
}

// bareTime is stored as ISO 8601, with milliseconds where they are not zero.
type bareTime time.Time

func (t bareTime) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	form := "2006-01-02T15:04:05Z"
	if at := time.Time(t); at.Nanosecond() != 0 {
		form = "2006-01-02T15:04:05.000Z"
	}
	return &types.AttributeValueMemberS{Value: time.Time(t).UTC().Format(form)}, nil
}

func (t *bareTime) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	s, ok := v.(*types.AttributeValueMemberS)
	if !ok {
		return errors.New("a time must be text")
	}
	at, err := time.Parse(time.RFC3339, s.Value)
	*t = bareTime(at)
	return err
}

var (
	errBareMissing = errors.New("not found")
	errBareExists  = errors.New("already exists")
	errBareChanged = errors.New("changed by somebody else")
	errBareInvalid = errors.New("invalid")
)

type bareVisits struct {
	client *dynamodb.Client
	table  string
	now    func() time.Time
}

func (v *bareVisit) key() (map[string]types.AttributeValue, error) {
	for _, part := range []string{v.UserID, v.RegionType, v.RegionCode} {
		if part == "" || len(part) > 128 || strings.Contains(part, "#") {
			return nil, fmt.Errorf("%w: %q in a key", errBareInvalid, part)
		}
	}
	ms := time.Time(v.MarkedAt).UnixMilli()
	if ms < 0 || ms > 9_999_999_999_999 {
		return nil, fmt.Errorf("%w: time", errBareInvalid)
	}
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "USER#" + v.UserID},
		"SK": &types.AttributeValueMemberS{Value: fmt.Sprintf("VISIT#%s#%s#%013d", v.RegionType, v.RegionCode, ms)},
	}, nil
}

func (v *bareVisit) item() (map[string]types.AttributeValue, error) {
	if len([]rune(v.Notes)) > 500 {
		return nil, fmt.Errorf("%w: notes", errBareInvalid)
	}
	item, err := attributevalue.MarshalMap(v)
	if err != nil {
		return nil, err
	}
	key, err := v.key()
	if err != nil {
		return nil, err
	}
	text := func(format string, args ...any) types.AttributeValue {
		return &types.AttributeValueMemberS{Value: fmt.Sprintf(format, args...)}
	}
	ms := time.Time(v.MarkedAt).UnixMilli()
	item["PK"], item["SK"] = key["PK"], key["SK"]
	item["composite_key"] = text("%s#%s#%s", v.UserID, v.RegionType, v.RegionCode)
	if !v.Deleted {
		item["GSI1PK"], item["GSI1SK"] = text("REGION#%s#%s", v.RegionType, v.RegionCode), text("USER#%s#%013d", v.UserID, ms)
		item["GSI2PK"], item["GSI2SK"] = text("USER#%s#%s", v.UserID, v.RegionType), text("VISIT#%013d#%s", ms, v.RegionCode)
	}
	return item, nil
}

func (b bareVisits) create(ctx context.Context, v bareVisit) (*bareVisit, error) {
	v.Version, v.ModifiedAt, v.Schema, v.WriteID = 1, bareTime(b.now()), "1", bareWriteID()
	item, err := v.item()
	if err != nil {
		return nil, err
	}
	_, err = b.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &b.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(PK)"),
	})
	if refused := (*types.ConditionalCheckFailedException)(nil); errors.As(err, &refused) {
		return nil, errBareExists
	}
	return &v, err
}

func bareWriteID() []byte {
	id := make([]byte, 12)
	_, _ = rand.Read(id) // never fails
	return id
}

func (b bareVisits) get(ctx context.Context, like bareVisit, consistent bool) (*bareVisit, error) {
	key, err := like.key()
	if err != nil {
		return nil, err
	}
	out, err := b.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &b.table, Key: key, ConsistentRead: &consistent})
	if err != nil {
		return nil, err
	}
	if out.Item == nil {
		return nil, errBareMissing
	}
	v := new(bareVisit)
	return v, attributevalue.UnmarshalMap(out.Item, v)
}

// update writes only what has changed, so that attributes which are unknown here survive.
func (b bareVisits) update(ctx context.Context, like bareVisit, change func(*bareVisit)) (*bareVisit, error) {
	before, err := b.get(ctx, like, true)
	if err != nil {
		return nil, err
	}
	after := *before
	change(&after)
	after.Version, after.ModifiedAt, after.WriteID = before.Version+1, bareTime(b.now()), bareWriteID()
	was, err := before.item()
	if err != nil {
		return nil, err
	}
	is, err := after.item()
	if err != nil {
		return nil, err
	}
	key, err := after.key()
	if err != nil {
		return nil, err
	}
	var update expression.UpdateBuilder
	for name, value := range is {
		if _, isKey := key[name]; !isKey && fmt.Sprint(was[name]) != fmt.Sprint(value) {
			update = update.Set(expression.Name(name), expression.Value(value))
		}
	}
	for name := range was {
		if _, still := is[name]; !still {
			update = update.Remove(expression.Name(name))
		}
	}
	built, err := expression.NewBuilder().WithUpdate(update).
		WithCondition(expression.Name("write_id").Equal(expression.Value(before.WriteID))).Build()
	if err != nil {
		return nil, err
	}
	_, err = b.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &b.table, Key: key, UpdateExpression: built.Update(), ConditionExpression: built.Condition(),
		ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
	})
	if refused := (*types.ConditionalCheckFailedException)(nil); errors.As(err, &refused) {
		return nil, errBareChanged
	}
	return &after, err
}

// byTime lists the visits of a user in regions of one type. after is the last sort key of the page before.
func (b bareVisits) byTime(ctx context.Context, userID, regionType string, limit int32, after map[string]types.AttributeValue) (
	visits []bareVisit, next map[string]types.AttributeValue, err error,
) {
	out, err := b.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &b.table, IndexName: aws.String("GSI2"), Limit: &limit, ExclusiveStartKey: after,
		KeyConditionExpression: aws.String("GSI2PK = :pk AND begins_with(GSI2SK, :sk)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": &types.AttributeValueMemberS{Value: "USER#" + userID + "#" + regionType},
			":sk": &types.AttributeValueMemberS{Value: "VISIT#"},
		},
	})
	if err != nil {
		return nil, nil, err
	}
	return visits, out.LastEvaluatedKey, attributevalue.UnmarshalListOfMaps(out.Items, &visits)
}

func bareStamp(version int, at time.Time, device string) []any {
	return []any{version, json13(at), device}
}

// json13 is a time in milliseconds as a number.
func json13(at time.Time) attributevalue.Number {
	return attributevalue.Number(strconv.FormatInt(at.UnixMilli(), 10))
}
