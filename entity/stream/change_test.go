package stream_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
)

func TestDecodeReturnsBothSides(t *testing.T) {
	k := keyOf(t, messageKey{"m1"})
	hello, bye := &message{"m1", "Hello"}, &message{"m1", "Bye"}
	for name, test := range map[string]struct {
		record   stream.Record
		old, new *message
		created  bool
	}{
		"created": {change(t, k, nil, text(t, "Hello")), nil, hello, true},
		"changed": {change(t, k, text(t, "Hello"), text(t, "Bye")), hello, bye, false},
		"deleted": {change(t, k, text(t, "Bye"), nil), bye, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			c, ok, err := messageChanges.Decode(test.record)
			require.NoError(t, err)
			assert.True(t, ok)
			assert.Equal(t, stream.Change[message]{Key: k, Old: test.old, New: test.new, Record: test.record}, c)
			assert.Equal(t, test.created, c.Created())
		})
	}
}

func TestDecodeIgnoresOtherItems(t *testing.T) {
	k := keyOf(t, messageKey{"m1"})
	ours := change(t, k, nil, text(t, "Hello"))
	otherTable, noKey := ours, ours
	otherTable.Table = "Messages" // without the prefix: of another DB
	noKey.Keys = dynastay.Row{}
	for name, r := range map[string]stream.Record{
		"another kind":  change(t, keyOf(t, readKey{"m1", "ada"}), nil, text(t, "Hello")),
		"foreign key":   change(t, dynastay.Key{PK: "MESSAGE#m#1", SK: "TEXT"}, nil, text(t, "Hello")),
		"another table": otherTable,
		"no key":        noKey,
	} {
		c, ok, err := messageChanges.Decode(r)
		assert.NoError(t, err, name)
		assert.False(t, ok, name)
		assert.Zero(t, c, name)
	}
}

// A handler must get the change that repairs or deletes an unreadable item, and must not get an unreadable new one.
func TestDecodeUnreadable(t *testing.T) {
	k := keyOf(t, messageKey{"m1"})
	repaired, ok, err := messageChanges.Decode(change(t, k, foreign(t), text(t, "Hello")))
	assert.NoError(t, err)
	assert.True(t, ok)
	assert.Nil(t, repaired.Old)
	assert.ErrorIs(t, repaired.Unreadable, dynastay.ErrCorrupt)
	assert.Equal(t, &message{"m1", "Hello"}, repaired.New)
	assert.False(t, repaired.Created(), "the item existed")

	deleted, ok, err := messageChanges.Decode(change(t, k, foreign(t), nil))
	assert.NoError(t, err)
	assert.True(t, ok)
	assert.Nil(t, deleted.Old)
	assert.Nil(t, deleted.New)
	assert.ErrorIs(t, deleted.Unreadable, dynastay.ErrCorrupt)
	assert.False(t, deleted.Created())

	_, ok, err = messageChanges.Decode(change(t, k, text(t, "Hello"), foreign(t)))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.True(t, ok, "the item is of this kind")
}

func TestBecame(t *testing.T) {
	k := keyOf(t, messageKey{"m1"})
	for name, test := range map[string]struct {
		old, new dynastay.Item
		want     bool
	}{
		"created with it":                {nil, text(t, "Hello"), true},
		"created without it":             {nil, text(t, ""), false},
		"got it":                         {text(t, ""), text(t, "Hello"), true},
		"kept it":                        {text(t, "Hello"), text(t, "Bye"), false},
		"lost it":                        {text(t, "Hello"), text(t, ""), false},
		"deleted":                        {text(t, "Hello"), nil, false},
		"unreadable, now has it":         {foreign(t), text(t, "Hello"), true},
		"unreadable, still without it":   {foreign(t), text(t, ""), false},
		"never had it and still has not": {text(t, ""), text(t, ""), false},
	} {
		c, ok, err := messageChanges.Decode(change(t, k, test.old, test.new))
		require.NoError(t, err, name)
		require.True(t, ok, name)
		assert.Equal(t, test.want, c.Became(func(m *message) bool { return m.Text != "" }), name)
	}
}
