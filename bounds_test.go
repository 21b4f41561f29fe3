package dynastay

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/stored"
)

// The bounds of a transaction are those of DynamoDB, to the action and the byte.
func TestBoundsOfTransactions(t *testing.T) {
	ops := []operation{NewOp(OpSpec[struct{}]{Name: "test", Invalid: ErrInvalid})}
	const overhead = len("PK") + len("SK") + len("s") + len("T")
	item := func(pk string, size int) Item {
		return Item{"PK": str(pk), "SK": str("s"), "T": str(strings.Repeat("x", size-overhead-len(pk)))}
	}
	check := func(actions ...*Action) error { return (&Tx{actions: actions}).check(ops) }
	put := func(pk string, size int) *Action { return new(Tx).Put(shopSchema, item(pk, size)) }
	remove := func(pk string) *Action { return new(Tx).Delete(shopSchema, Key{pk, "s"}) }
	refused := func(t *testing.T, reason string, err error) {
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, "Operations", invalid.Field)
		assert.Contains(t, invalid.Reason, reason)
	}
	t.Run("actions", func(t *testing.T) {
		var all []*Action
		for i := range 100 {
			all = append(all, remove(itoa(i)))
		}
		assert.NoError(t, check(all...))
		refused(t, "make 101 actions together", check(append(all, remove("x"))...))
	})
	t.Run("an item", func(t *testing.T) {
		require.Equal(t, 400<<10, stored.Size(item("a", 400<<10)))
		assert.NoError(t, check(put("a", 400<<10)))
		refused(t, "an item of 409601 bytes", check(put("a", 400<<10+1)))
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
		refused(t, "are 4194305 bytes together", check(append(all, last)...))
	})
}

// What an action's failure says, and what its function is shown.
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

// A put leaves its write id in the item that is stored, not in the one that it was made of, and follows no other write,
// whatever id it was made with.
func TestPutHasAnIDOfItsOwn(t *testing.T) {
	given := shopSchema.Key.Of(shopKey)
	given["WriteId"] = stamp{7}.over(nil)
	asGiven := cloneItem(given)
	tx := Tx{stamp: stamp{1}}
	tx.Put(shopSchema, given).Identified()
	assert.Equal(t, asGiven, given)
	assert.Equal(t, stamp{1}.over(nil), tx.actions[0].item["WriteId"])
}
