package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
)

// Record is one change of one item, as a stream reports it. A [Decoder] turns it into a [Change] of an entity. It can
// be stored as JSON, and be handled again later by [Router.Handle].
type Record struct {
	Table    string       // the full name of the table
	Label    string       // the label of the stream; a table gets a new one each time its stream is enabled
	Sequence string       // the number of the record in its stream
	Keys     dynastay.Row // the key attributes
	Old, New dynastay.Row // the item before and after the change; Old does not exist for a create, New for a delete
	At       time.Time    // about when the change was made: DynamoDB rounds to seconds
	// ByTTL is set if DynamoDB deleted the item because its time to live had passed. It is false on local engines, and for a deletion
	// that a global table has copied from another region.
	ByTTL bool
}

// ID identifies the change among all changes of an account and a region, and is the same whenever and however the
// change is delivered. If an item was changed twice, the later change has the greater ID, even if the stream was
// disabled and enabled in between. The IDs of changes of different items say nothing about their order. An ID has at
// most 128 bytes, so it can be a [dynastay.IdempotencyKey], or the deduplication id of a message in a queue.
func (r Record) ID() string {
	table := r.Table
	if len(table) > longTable {
		sum := sha256.Sum256([]byte(table))
		table = table[:longTable-17] + "~" + hex.EncodeToString(sum[:8])
	}
	return table + "/" + r.Label + "/" + strings.Repeat("0", max(0, sequenceDigits-len(r.Sequence))) + r.Sequence
}

const (
	longTable      = 60 // bytes of a table's name in an ID; the label has 23
	sequenceDigits = 40 // the longest sequence number; as text, shorter ones sort in order only if they are padded
)

// String returns the ID, and the key of the item without the e-mail addresses in it.
func (r Record) String() string {
	key := slices.Sorted(r.Keys.Names())
	for i, name := range key {
		key[i] = r.Keys.Text(name)
	}
	return r.ID() + " of " + shown.Masked(strings.Join(key, "/"))
}

// FromSDK returns a record that DynamoDB Streams returned for the stream with the given ARN. If a part of it is missing
// or cannot be read, or its stream does not have the view type NEW_AND_OLD_IMAGES, FromSDK returns the other parts and
// an error that matches [dynastay.ErrCorrupt].
func FromSDK(arn string, from types.Record) (Record, error) {
	var data types.StreamRecord
	if from.Dynamodb != nil {
		data = *from.Dynamodb
	}
	r := Record{
		Sequence: aws.ToString(data.SequenceNumber),
		At:       aws.ToTime(data.ApproximateCreationDateTime),
		ByTTL:    from.UserIdentity != nil && aws.ToString(from.UserIdentity.PrincipalId) == "dynamodb.amazonaws.com",
	}
	failed := r.name(arn)
	for _, part := range []struct {
		into *dynastay.Row
		from map[string]types.AttributeValue
	}{{&r.Keys, data.Keys}, {&r.Old, data.OldImage}, {&r.New, data.NewImage}} {
		if part.from == nil {
			continue
		}
		item, err := attributevalue.FromDynamoDBStreamsMap(part.from)
		*part.into = dynastay.RowOf(item) // no item if there is an error
		failed = errors.Join(failed, err)
	}
	switch view := data.StreamViewType; {
	case view != types.StreamViewTypeNewAndOldImages:
		failed = errors.Join(failed, fmt.Errorf("the stream must have the view type %s, got %q", types.StreamViewTypeNewAndOldImages, view))
	case r.Sequence == "" || len(data.Keys) == 0 || data.OldImage == nil && data.NewImage == nil:
		failed = errors.Join(failed, errors.New("the sequence number, the key, or the item before and after the change is missing"))
	}
	if failed != nil {
		return r, &dynastay.Error{Entity: "Record", ID: r.ID(), Kind: dynastay.ErrCorrupt, Err: failed}
	}
	return r, nil
}

// name sets what the ARN of a stream says: arn:aws:dynamodb:{region}:{account}:table/{table}/stream/{label}.
func (r *Record) name(arn string) error {
	_, resource, _ := strings.Cut(arn, ":table/")
	table, label, _ := strings.Cut(resource, "/stream/")
	if table == "" || label == "" {
		return fmt.Errorf("%q is not the ARN of a table's stream", arn)
	}
	r.Table, r.Label = table, label
	return nil
}
