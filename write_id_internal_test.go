package dynastay

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/stored"
)

// Every line of what an item tells of a write.
func TestTrace(t *testing.T) {
	mine, read, other := stamp{1}, stamp{2}, stamp{3}
	item := func(own, before stamp) Item {
		raw := append(append([]byte{}, own[:]...), before[:]...)
		return Item{"PK": str("p"), "WriteId": &types.AttributeValueMemberB{Value: raw}}
	}
	was, bare := item(read, stamp{9}), Item{"PK": str("p"), "Name": str("a")}
	update := &Action{kind: updateAction, schema: shopSchema, stamp: mine, read: was}
	adopting := &Action{kind: updateAction, schema: shopSchema, stamp: mine, read: bare}
	put := &Action{kind: putAction, schema: shopSchema, stamp: mine}
	drawn := &Action{kind: putAction, schema: shopSchema, drawn: true}
	remove := &Action{kind: deleteAction, schema: shopSchema}
	removeIf := &Action{kind: deleteAction, schema: shopSchema, expr: Expr{Condition: aws.String("…")}}
	removal := &Action{kind: deleteAction, schema: shopSchema, expr: Expr{Condition: aws.String("…")}, read: was}
	delta := &Action{kind: updateAction, schema: shopSchema}
	for _, line := range []struct {
		name   string
		action *Action
		stored Item
		want   trace
	}{
		{"an update's own item", update, item(mine, read), carried},
		{"overwritten once", update, item(other, mine), carried},
		{"as it was read", update, item(read, stamp{9}), untouched},
		{"another write over what was read", update, item(other, read), overtaken},
		{"two others", update, item(other, stamp{4}), noTrace},
		{"put anew", update, item(other, stamp{}), noTrace},
		{"the same own part, another before", update, item(read, stamp{8}), noTrace},
		{"gone", update, nil, noTrace},
		{"without an id now", update, bare, noTrace},
		{"adopted", adopting, item(mine, stamp{}), carried},
		{"adopted and overwritten", adopting, item(other, mine), carried},
		{"not adopted", adopting, Item{"PK": str("p"), "Name": str("a")}, untouched},
		{"not adopted, and changed", adopting, Item{"PK": str("p"), "Name": str("b")}, noTrace},
		{"not adopted, and gone", adopting, nil, noTrace},
		{"adopted by another", adopting, item(other, stamp{}), noTrace},
		{"a put's own item", put, item(mine, stamp{}), carried},
		{"a put, overwritten once", put, item(other, mine), carried},
		{"a put, another's item", put, item(other, read), noTrace},
		{"a put, gone", put, nil, noTrace},
		{"a drawn key, changed since", drawn, item(other, read), carried},
		{"a drawn key, gone", drawn, nil, noTrace},
		{"a deletion, gone", remove, nil, carried},
		{"a deletion, still there", remove, was, noTrace},
		{"a deletion on condition, gone", removeIf, nil, noTrace},
		{"a deletion on condition, still there", removeIf, was, noTrace},
		{"a removal, gone", removal, nil, noTrace},
		{"a removal, still there", removal, item(read, stamp{9}), untouched},
		{"a removal, rewritten by another", removal, item(other, read), overtaken},
		{"a removal, put anew", removal, item(other, stamp{}), noTrace},
		{"a delta", delta, was, noTrace},
		{"a delta on an item without an id", delta, bare, noTrace},
		{"a delta, gone", delta, nil, noTrace},
	} {
		assert.Equal(t, line.want, line.action.trace(line.stored), line.name)
	}
}

// Ids are drawn from the system, whatever Options.Rand is: with equal seeds two processes would draw equal ones.
func TestStampsAreNotOfOptionsRand(t *testing.T) {
	zeros := &Options{Rand: zeroReader{}, Clock: func() time.Time { return noon }}
	seen := map[stamp]bool{}
	for range 3 {
		w := &write{db: Open(nil, zeros)}
		tx, err := w.prepare(context.Background())
		require.NoError(t, err)
		assert.False(t, seen[tx.stamp])
		assert.NotEqual(t, stamp{}, tx.stamp)
		seen[tx.stamp] = true
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A write id is 19 bytes of an item, its name included, and one opaque text outside.
func TestWriteIDForm(t *testing.T) {
	id := stamp{1, 2, 3, 4, 5, 6}.over(stamp{7, 8, 9, 10, 11, 12}.over(stamp{13}.over(nil)))
	assert.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, id.(*sB).Value)
	assert.Equal(t, 19, stored.Size(Item{shopSchema.WriteIDName(): id}))
	var text WriteID
	require.NoError(t, text.UnmarshalDynamoDBAttributeValue(id))
	assert.Len(t, string(text), 16)
	back, err := text.MarshalDynamoDBAttributeValue()
	require.NoError(t, err)
	assert.Equal(t, id, back)

	var none WriteID = "before"
	require.NoError(t, none.UnmarshalDynamoDBAttributeValue(&sNULL{Value: true}))
	assert.Empty(t, none)
	null, err := none.MarshalDynamoDBAttributeValue()
	require.NoError(t, err)
	assert.Equal(t, &sNULL{Value: true}, null)
	assert.EqualError(t, text.UnmarshalDynamoDBAttributeValue(str("text")), "must be binary, got text")
	assert.Equal(t, "write_id", (&Schema{WriteID: "write_id"}).WriteIDName())
	for _, other := range []types.AttributeValue{nil, str("x"), &sB{Value: []byte{1}}, &sB{Value: make([]byte, 13)}} {
		assert.Equal(t, stamps{}, stampsOf(other), fmt.Sprint(other))
	}
}

// An id that came back from a form is one that an item can have, or none.
func FuzzWriteID(f *testing.F) {
	for _, seed := range []string{"", "AAAAAAAAAAAAAAAA", "AQIDBAUGBwgJCgsM", "AQIDBAUGBwgJCgs=", "AQIDBAUGBwgJCgsM\n", "AQIDBAUGBwgJCgs\n", "AQIDBAUGBwgJCg-_", "AQIDBAUGBwgJCg+/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stored, err := WriteID(text).stored()
		if err != nil {
			assert.ErrorIs(t, err, ErrInvalid)
			return
		}
		var back WriteID
		require.NoError(t, back.UnmarshalDynamoDBAttributeValue(stored))
		again, err := back.stored()
		require.NoError(t, err)
		assert.Equal(t, stored, again)
		assert.Equal(t, text, string(back), "one text for one id")
	})
}
