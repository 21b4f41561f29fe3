package stream_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/internal/testing/draw"
	"github.com/dynastay/dynastay/keys/key"
)

const (
	label    = "2026-03-01T10:15:00.123"
	messages = "arn:aws:dynamodb:eu-west-1:000000000000:table/test-Messages/stream/" + label
)

// db is for names only: nothing is sent to it.
var db = dynastay.Open(&dynamodb.Client{}, &dynastay.Options{TablePrefix: "test-"})

type message struct{ ID, Text string }

type messageKey struct{ ID string }

func (k *messageKey) Form(f *key.Form) {
	f.PK("MESSAGE#", key.ID("ID", &k.ID))
	f.SK("TEXT")
}

// readKey has the table of messages to itself with messageKey, in the same partition.
type readKey struct{ ID, Reader string }

func (k *readKey) Form(f *key.Form) {
	f.PK("MESSAGE#", key.ID("ID", &k.ID))
	f.SK("READ#", key.ID("Reader", &k.Reader))
}

var (
	messagesTable = &dynastay.Schema{Name: "Messages", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}, Stream: true}
	othersTable   = &dynastay.Schema{Name: "Others", Key: dynastay.KeyNames{Partition: "id"}, Stream: true}

	messageEntity = entity.New(entity.Spec[message]{
		Name: "Message", Schema: messagesTable, ID: "MessageId",
		Key: func(m *message) (dynastay.Key, error) { return key.Of(messageKey{m.ID}) },
		Codec: entity.Declare(func(f *entity.Fields, m *message) {
			f.String("MessageId", &m.ID)
			f.String("Text", &m.Text)
		}),
	})
	messageChanges = stream.NewDecoder(db, messagesTable, key.Is[messageKey], messageEntity.Value)
)

// change returns the record of a change in the table of messages. A nil item does not exist.
func change(t *testing.T, k dynastay.Key, before, after dynastay.Item) stream.Record {
	t.Helper()
	r, err := stream.FromSDK(messages, types.Record{Dynamodb: &types.StreamRecord{
		SequenceNumber: aws.String("111"), ApproximateCreationDateTime: aws.Time(time.Unix(1_772_360_100, 0)),
		StreamViewType: types.StreamViewTypeNewAndOldImages,
		Keys:           draw.Streamed(messagesTable.Key.Of(k)), OldImage: draw.Streamed(before), NewImage: draw.Streamed(after),
	}})
	require.NoError(t, err)
	return r
}

func keyOf[K any, P key.Layout[K]](t *testing.T, k K) dynastay.Key {
	t.Helper()
	stored, err := key.Of[K, P](k)
	require.NoError(t, err)
	return stored
}

// text returns the item of message m1 with that text.
func text(t *testing.T, s string) dynastay.Item {
	t.Helper()
	item, err := messageEntity.Item(&message{ID: "m1", Text: s})
	require.NoError(t, err)
	return item
}

// foreign is the item of message m1 as other software has written it.
func foreign(t *testing.T) dynastay.Item {
	item := text(t, "")
	item["Text"] = dynastay.Number(1)
	return item
}
