package dynastay

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/stored"
)

// The limits of a transaction are exactly those of DynamoDB.
func TestBoundsOfTransactions(t *testing.T) {
	ops := []operation{NewOp(OpSpec[struct{}]{Name: "test", Invalid: ErrInvalid})}
	const overhead = len("PK") + len("SK") + len("s") + len("T")
	item := func(pk string, size int) Item {
		return Item{"PK": str(pk), "SK": str("s"), "T": str(strings.Repeat("x", size-overhead-len(pk)))}
	}
	check := func(actions ...*Action) error { return (&Tx{actions: actions}).check(ops) }
	put := func(pk string, size int) *Action { return new(Tx).Put(shopSchema, item(pk, size)) }
	remove := func(pk string) *Action { return new(Tx).Delete(shopSchema, Key{pk, "s"}) }
	refused := func(t *testing.T, reason string, err error, large ...TooLargeError) {
		t.Helper()
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, "Operations", invalid.Field)
		assert.Contains(t, invalid.Reason, reason)
		var count *TooLargeError
		require.Equal(t, len(large) > 0, errors.As(err, &count))
		if len(large) > 0 {
			assert.Equal(t, large[0], *count)
		}
	}
	t.Run("actions", func(t *testing.T) {
		var all []*Action
		for i := range 100 {
			all = append(all, remove(itoa(i)))
		}
		assert.NoError(t, check(all...))
		refused(t, "must have at most 100 actions in total, got 101", check(append(all, remove("x"))...),
			TooLargeError{Actions: 101, Bytes: 10*2 + 90*3 + 2})
	})
	t.Run("an item", func(t *testing.T) {
		require.Equal(t, 400<<10, stored.Size(item("a", 400<<10)))
		assert.NoError(t, check(put("a", 400<<10)))
		refused(t, "must be at most 409600 bytes, got 409601", check(put("a", 400<<10+1)))
	})
	t.Run("all together", func(t *testing.T) {
		// Each action counts its item, its key (here two bytes), and the values of its expression.
		var all []*Action
		for i := range 10 {
			all = append(all, put(itoa(i), 400<<10))
		}
		fill := 4<<20 - 10*(400<<10+2)
		last := new(Tx).Update(shopSchema, Key{"x", "s"}, Expr{Values: Item{":0": str(strings.Repeat("x", fill-4))}})
		assert.NoError(t, check(append(all, last)...))
		last.expr.Values = Item{":0": str(strings.Repeat("x", fill-3))}
		refused(t, "must be at most 4194304 bytes in total, got 4194305", check(append(all, last)...),
			TooLargeError{Actions: 11, Bytes: 4<<20 + 1})
	})
}

// The write id that an action stores is known before it is sent, for a put with Identified and for a rewrite, and for
// no other action.
func TestWriteIDOfAnAction(t *testing.T) {
	tx := Tx{stamp: stamp{1}}
	over := func(s stamp) (id WriteID) {
		require.NoError(t, id.UnmarshalDynamoDBAttributeValue(tx.stamp.over(s.over(nil))))
		return id
	}
	assert.Equal(t, over(stamp{}), tx.Put(shopSchema, shop{ID: "1"}.item()).Identified().WriteID())
	read := shop{ID: "1"}.item()
	read["WriteId"] = stamp{2}.over(nil)
	rewrite, err := tx.Rewrite(shopSchema, RowOf(read), expression.Set(NameOf("Name"), expression.Value("a")))
	require.NoError(t, err)
	assert.Equal(t, over(stamp{2}), rewrite.WriteID())
	for _, a := range []*Action{
		tx.Put(shopSchema, shop{ID: "1"}.item()), tx.Update(shopSchema, shopKey, Expr{}), tx.Delete(shopSchema, shopKey),
	} {
		assert.Empty(t, a.WriteID())
	}
}

// The error of an action's failure, and what its function gets.
func TestFailureOfAnAction(t *testing.T) {
	var shown []Row
	a := new(Tx).Update(shopSchema, shopKey, Expr{Condition: aws.String("…")}).Else(func(old Row) error {
		shown = append(shown, old)
		return ErrVersion
	})
	bare := Item{"id": str("m")}
	for i, line := range []struct{ reported, old Item }{{nil, nil}, {Item{}, nil}, {bare, bare}} { // some engines report no item as {}
		f := a.failure(line.reported)
		assert.Same(t, ErrVersion, f.meaning())
		assert.Equal(t, line.old, f.old.Item())
		assert.Equal(t, f.old, shown[i])
	}
	a.failed = nil
	assert.Equal(t, &Error{Entity: "Shops", ID: "SHOP#1/METADATA", Kind: ErrVersion}, a.failure(nil).meaning())
	a.failed = func(Row) error { return nil }
	assert.Equal(t, &Error{Entity: "Shops", ID: "SHOP#1/METADATA", Err: errNoReason}, a.failure(nil).meaning())
}

// A put sets its write id in the stored item, not in the item that it was made from. It does not refer to a previous
// write, whatever id it was made with.
func TestPutHasAnIDOfItsOwn(t *testing.T) {
	given := shopSchema.Key.Of(shopKey)
	given["WriteId"] = stamp{7}.over(nil)
	asGiven := cloneItem(given)
	tx := Tx{stamp: stamp{1}}
	tx.Put(shopSchema, given).Identified()
	assert.Equal(t, asGiven, given)
	assert.Equal(t, stamp{1}.over(nil), tx.actions[0].item["WriteId"])
}

// The witness of a transaction is the item that tells most.
func TestWitness(t *testing.T) {
	at := func(name string, a *Action) *Action { copied := *a; copied.key = Key{PK: name}; return &copied }
	put := at("put", &Action{kind: putAction, stamp: stamp{1}})
	second := at("second", &Action{kind: putAction, stamp: stamp{1}})
	update := at("update", &Action{kind: updateAction, stamp: stamp{1}, read: Item{}})
	drawn := at("drawn", &Action{kind: putAction, drawn: true})
	removal := at("removal", &Action{kind: deleteAction, read: Item{}})
	check, delta, guard, remove := &Action{kind: checkAction}, &Action{kind: updateAction}, &Action{kind: putAction}, &Action{kind: deleteAction}
	for want, actions := range map[string][]*Action{
		"put":     {check, put, delta, second},
		"update":  {put, update, at("later", update)},
		"removal": {put, check, removal},
		"drawn":   {put, update, drawn},
		"none":    {check, delta, guard, remove},
	} {
		got := (&Tx{actions: actions}).witness()
		if want == "none" {
			assert.Nil(t, got)
			continue
		}
		require.NotNil(t, got, want)
		assert.Equal(t, want, got.key.PK)
	}
}
