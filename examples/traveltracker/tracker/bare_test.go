package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

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
