package messages_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

// abroad returns a table with a conversation of other software: ana has received five messages and read the third, but
// not the second; ben has received one and read it.
func abroad(t *testing.T, opts ...dyntest.Option) *post {
	p := newPost(t, opts...)
	p.load(
		foreign(ben, ana, "2037-11-10T08:00:00Z", "1", yes),
		foreign(ben, ana, "2037-11-10T08:00:01Z", "2", no),
		foreign(ana, ben, "2037-11-10T08:00:02Z", "3", yes),
		foreign(ben, ana, "2037-11-10T08:00:03Z", "4", yes),
		foreign(ben, ana, "2037-11-10T08:00:04Z", "5", null),
		foreign(ben, ana, "2037-11-10T08:00:05Z", "6", no),
	)
	return p
}

func TestAConversationOfOtherSoftware(t *testing.T) {
	t.Parallel()
	foreignSides := func(last time.Time, text, by string) (*messages.Conversation, *messages.Conversation) {
		a := messages.Conversation{UserID: ana, OtherID: ben, Received: 5, ReadUpTo: 3, Unnumbered: 5, LastAt: last, LastText: text, LastSenderID: by}
		b := messages.Conversation{UserID: ben, OtherID: ana, Received: 1, ReadUpTo: 1, Unnumbered: 1, LastAt: last, LastText: text, LastSenderID: by}
		return &a, &b
	}
	t.Run("it is read", func(t *testing.T) {
		t.Parallel()
		p := abroad(t)
		wantA, wantB := foreignSides(base.Add(-time.Hour+5*time.Second), "6", ben)
		a, err := p.repo.Conversation(t.Context(), ana, ben)
		require.NoError(t, err)
		assert.Equal(t, wantA, a)
		b, err := p.repo.Conversation(t.Context(), ben, ana)
		require.NoError(t, err)
		assert.Equal(t, wantB, b)
		assert.Nil(t, p.side(ana, ben), "nothing is written")
		var read []bool
		for _, m := range p.all(ana, ben) {
			read = append(read, m.ReadBy(a))
		}
		assert.Equal(t, []bool{true, false, true, true, false, false}, read)
	})
	t.Run("a message is sent", func(t *testing.T) {
		t.Parallel()
		p := abroad(t)
		m := p.send(ben, ana, "7")
		assert.Equal(t, 6, m.Number)
		wantA, wantB := foreignSides(base, "7", ben)
		wantA.Received = 6
		assert.Equal(t, wantA, p.side(ana, ben))
		assert.Equal(t, wantB, p.side(ben, ana))
		assert.Equal(t, 2, p.send(ana, ben, "8").Number)
		p.read(ana, ben, 6)
		for _, m := range p.all(ana, ben) {
			assert.True(t, m.ReadBy(p.side(ana, ben)), m.Content)
		}
		p.send(ben, ana, "9")
		all := p.all(ana, ben)
		assert.True(t, all[5].ReadBy(p.side(ana, ben)), "it has no number, and stays read")
		assert.False(t, all[8].ReadBy(p.side(ana, ben)))
	})
	for upTo, want := range map[int]int{2: 3, 4: 4, 9: 5} {
		t.Run(fmt.Sprint("marked as read up to ", upTo), func(t *testing.T) {
			t.Parallel()
			p := abroad(t)
			p.read(ana, ben, upTo)
			wantA, wantB := foreignSides(base.Add(-time.Hour+5*time.Second), "6", ben)
			wantA.ReadUpTo = want
			assert.Equal(t, wantA, p.side(ana, ben))
			assert.Equal(t, wantB, p.side(ben, ana))
			assert.Equal(t, []*messages.Conversation{wantA}, itemsOf(t, p.repo.Inbox(ana)))
			assert.Equal(t, 6, p.send(ben, ana, "7").Number)
			p.read(ana, ben, 6)
			assert.Equal(t, 6, p.side(ana, ben).ReadUpTo)
		})
	}
	t.Run("all of it is marked as read", func(t *testing.T) {
		t.Parallel()
		p := abroad(t)
		a, err := p.repo.Conversation(t.Context(), ana, ben)
		require.NoError(t, err)
		p.read(ana, ben, a.Unnumbered)
		for _, m := range p.all(ana, ben) {
			assert.True(t, m.ReadBy(p.side(ana, ben)), m.Content)
		}
	})
	t.Run("0 counts nothing", func(t *testing.T) {
		t.Parallel()
		p := abroad(t)
		p.read(ana, ben, 0)
		assert.Nil(t, p.side(ana, ben))
	})
}

// The count takes as many pages as there are.
func TestALongConversationOfOtherSoftware(t *testing.T) {
	t.Parallel()
	p := abroad(t)
	p.Faults.Inject(dyntest.ShortPages(2), dyntest.When{Operation: "Query"})
	assert.Equal(t, 6, p.send(ben, ana, "7").Number)
}

// New messages come after those of other software, whose clocks may be ahead and may show parts of a millisecond.
func TestTheTimesOfOtherSoftware(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]time.Time{
		"2037-11-10T08:59:59Z":           base,
		"2037-11-10T09:00:00Z":           base.Add(time.Millisecond),
		"2037-11-10T12:00:00Z":           base.Add(3*time.Hour + time.Millisecond),
		"2037-11-10T09:00:00.250Z":       base.Add(251 * time.Millisecond),
		"2037-11-10T09:00:00.250000001Z": base.Add(252 * time.Millisecond),
		"2037-11-10T12:00:00+02:00":      base.Add(3*time.Hour + time.Millisecond), // the key is compared as text
		"2037-11-10T09:00:00-02:00":      base.Add(2*time.Hour + time.Millisecond),
	} {
		p := newPost(t)
		p.load(foreign(ben, ana, at, "1", no))
		m := p.send(ana, ben, "2")
		assert.Equal(t, want, m.CreatedAt, at)
		assert.Equal(t, "2", p.all(ana, ben)[1].Content, at)
	}
	p := newPost(t)
	late := foreign(ben, ana, "2037-11-10T10:00:00Z", "1", no)
	late["createdAt"] = dynastay.Text("2037-11-10T08:00:00Z")
	p.load(late)
	assert.Equal(t, base.Add(time.Hour+time.Millisecond), p.send(ana, ben, "2").CreatedAt, "the time of the key is later")
	p = newPost(t)
	early := foreign(ben, ana, "2037-11-10T08:00:00Z", "1", no)
	early["createdAt"] = dynastay.Text("2037-11-10T10:00:00Z")
	p.load(early, foreign(ben, ana, "2037-11-10T08:00:01Z", "2", no))
	assert.Equal(t, base.Add(time.Hour+time.Millisecond), p.send(ana, ben, "3").CreatedAt, "the last key is not the last time")
	p = newPost(t)
	timeless := foreign(ben, ana, "2037-11-10T10:00:00Z", "1", no)
	timeless["createdAt"] = null
	p.load(timeless)
	assert.Equal(t, base.Add(time.Hour+time.Millisecond), p.send(ana, ben, "2").CreatedAt)
}

// Other software may still write messages. None is overwritten.
func TestAMessageOfOtherSoftwareIsInTheWay(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.send(ana, ben, "1")
	p.Clock.Advance(time.Minute)
	p.load(foreign(ben, ana, "2037-11-10T09:01:00Z", "2", no))
	m := p.send(ana, ben, "3")
	assert.Equal(t, base.Add(time.Minute+time.Millisecond), m.CreatedAt)
	assert.Equal(t, 2, m.Number)
	var contents []string
	for _, m := range p.all(ana, ben) {
		contents = append(contents, m.Content)
	}
	assert.Equal(t, []string{"1", "2", "3"}, contents)
}

// Two processes count the same conversation. One of them is first, and the other one takes its sides.
func TestTwoCountsAtTheSameTime(t *testing.T) {
	t.Parallel()
	other := func(p *post) *messages.Repository { return messages.New(p.Open(nil)) }
	for name, do := range map[string]func(p *post, ctx context.Context) error{
		"sent": func(p *post, ctx context.Context) error {
			_, err := other(p).Send(ctx, messages.Message{SenderID: ben, RecipientID: ana, Content: "7"})
			return err
		},
		"marked": func(p *post, ctx context.Context) error { return other(p).MarkRead(ctx, ana, ben, 4) },
	} {
		for _, operation := range []string{"BatchGetItem", "TransactWriteItems"} {
			p := abroad(t)
			nth := map[string]int{"BatchGetItem": 1, "TransactWriteItems": 2}[operation] // a mark writes without reading first
			var err error
			p.Faults.Inject(dyntest.Before(func(ctx context.Context) { err = do(p, ctx) }), dyntest.When{Operation: operation, Nth: nth})
			p.read(ana, ben, 5)
			require.NoError(t, err, name)
			a := p.side(ana, ben)
			assert.Equal(t, 5, a.ReadUpTo, "%s before %s", name, operation)
			assert.Equal(t, map[string]int{"sent": 6, "marked": 5}[name], a.Received, "%s before %s", name, operation)
		}
		p := abroad(t)
		var err error
		p.Faults.Inject(dyntest.Before(func(ctx context.Context) { err = do(p, ctx) }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		m := p.send(ben, ana, "8")
		require.NoError(t, err, name)
		assert.Equal(t, map[string]int{"sent": 7, "marked": 6}[name], m.Number)
		assert.Equal(t, m.Number, p.side(ana, ben).Received)
		assert.Equal(t, map[string]int{"sent": 3, "marked": 4}[name], p.side(ana, ben).ReadUpTo)
	}
}

// If one side was deleted, only that side is counted again. Numbers go on from the largest one.
func TestOneSideIsMissing(t *testing.T) {
	t.Parallel()
	p := abroad(t)
	p.send(ben, ana, "7")
	p.send(ben, ana, "8")
	p.read(ana, ben, 6)
	p.send(ana, ben, "9")
	remove := func(pk, sk string) {
		require.NoError(t, p.Direct.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "remove", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, err error) {
				tx.Delete(keys.Table, dynastay.Key{PK: pk, SK: sk})
				return none, nil
			},
		})))
	}
	remove("CONVERSATION#user_ana#user_ben", "MESSAGE#2037-11-10T08:00:01Z")
	remove("USER#user_ben", "CONVERSATION#user_ana")
	assert.Equal(t, 8, p.send(ben, ana, "10").Number)
	assert.Equal(t, 6, p.side(ana, ben).ReadUpTo)
	remove("USER#user_ben", "CONVERSATION#user_ana")
	assert.Equal(t, 3, p.send(ana, ben, "11").Number)
	p.load(foreign(ben, ana, "2037-11-10T10:00:00Z", "late", no))
	remove("USER#user_ana", "CONVERSATION#user_ben")
	stored := func() dynastay.Item {
		row, err := p.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "USER#" + ben, SK: "CONVERSATION#" + ana}, dynastay.Consistent)
		require.NoError(t, err)
		return row.Item()
	}
	b := stored()
	p.read(ana, ben, 8)
	a := p.side(ana, ben)
	assert.Equal(t, []int{9, 8, 9}, []int{a.Received, a.ReadUpTo, a.Unnumbered})
	assert.Equal(t, b, stored(), "it is not written")
	assert.Equal(t, 4, p.send(ana, ben, "12").Number)

	last := p.all(ana, ben)[len(p.all(ana, ben))-1].CreatedAt
	remove("CONVERSATION#user_ana#user_ben", "MESSAGE#"+last.Format("2006-01-02T15:04:05Z.000"))
	remove("USER#user_ana", "CONVERSATION#user_ben")
	assert.Equal(t, last.Add(time.Millisecond), p.send(ana, ben, "13").CreatedAt, "the other side has the time")
}

// NULLs are read as 0. What this package does not know stays, and keys are repaired.
func TestASideWithNULLs(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	load := func() {
		p.load(dynastay.Item{
			"PK": dynastay.Text("USER#" + ana), "SK": dynastay.Text("CONVERSATION#" + ben), "userId": dynastay.Text(ana),
			"otherId": dynastay.Text(ben), "received": null, "readUpTo": null, "lastAt": dynastay.Text("2037-11-10T08:00:00Z"),
			"GSI2PK": dynastay.Text("INBOX#" + ana), "GSI2SK": dynastay.Text("old"), "colour": dynastay.Text("green"),
		})
	}
	load()
	p.read(ana, ben, 1)
	assert.Zero(t, p.side(ana, ben).ReadUpTo)
	assert.Equal(t, 1, p.send(ben, ana, "1").Number)
	p.read(ana, ben, 1)
	assert.Equal(t, 1, p.side(ana, ben).ReadUpTo)
	row, err := p.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "USER#" + ana, SK: "CONVERSATION#" + ben}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "green", row.Text("colour"))
	assert.Len(t, itemsOf(t, p.repo.Inbox(ana)), 1)

	// An item without a write id is compared as a whole.
	load()
	p.Faults.Inject(dyntest.Before(func(context.Context) {
		p.load(dynastay.Item{
			"PK": dynastay.Text("USER#" + ana), "SK": dynastay.Text("CONVERSATION#" + ben), "userId": dynastay.Text(ana),
			"otherId": dynastay.Text(ben), "received": dynastay.Number(9), "lastAt": dynastay.Text("2037-11-10T08:00:00Z"),
		})
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	assert.Equal(t, 10, p.send(ben, ana, "2").Number)

	// What was read does not count, as with a write id.
	load()
	other := messages.New(p.Open(nil))
	p.load(dynastay.Item{
		"PK": dynastay.Text("USER#" + ana), "SK": dynastay.Text("CONVERSATION#" + ben), "userId": dynastay.Text(ana),
		"otherId": dynastay.Text(ben), "received": dynastay.Number(9), "lastAt": dynastay.Text("2037-11-10T08:00:00Z"),
	})
	p.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, other.MarkRead(ctx, ana, ben, 7))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	assert.Equal(t, 2+1, p.Measure(func() { p.send(ben, ana, "3") }).Requests)
	assert.Equal(t, 3, p.side(ana, ben).Unread())
}

// A side that does not have the ids of its key is not written: it would be in the inbox of somebody else.
func TestASideWithAnotherID(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.send(ben, ana, "1")
	row, err := p.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "USER#" + ana, SK: "CONVERSATION#" + ben}, dynastay.Consistent)
	require.NoError(t, err)
	for _, name := range []string{"userId", "otherId"} {
		for _, id := range []attribute{dynastay.Text("user_c"), dynastay.Text("a#b"), null} {
			item := maps.Clone(row.Item())
			item[name] = id
			p.load(item)
			for _, m := range []messages.Message{{SenderID: ana, RecipientID: ben}, {SenderID: ben, RecipientID: ana}} {
				m.Content = "2"
				_, err := p.repo.Send(t.Context(), m)
				require.ErrorIs(t, err, dynastay.ErrCorrupt, "%s %v", name, id)
				require.NotErrorIs(t, err, dynastay.ErrInvalid)
			}
		}
	}
	assert.Empty(t, itemsOf(t, p.repo.Inbox("user_c")))
	assert.Len(t, p.all(ana, ben), 1)
}

// A message never gets a number that would show it as read.
func TestCountsThatCannotGoOn(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.send(ben, ana, "Hello")
	at := dynastay.Key{PK: "USER#" + ana, SK: "CONVERSATION#" + ben}
	row, err := p.Direct.Get(t.Context(), keys.Table, at, dynastay.Consistent)
	require.NoError(t, err)
	raw := row.Item()
	for _, digits := range []string{"9223372036854775807", "-1", "-7"} {
		raw["received"] = &types.AttributeValueMemberN{Value: digits}
		p.load(raw)
		_, err := p.repo.Send(t.Context(), messages.Message{SenderID: ben, RecipientID: ana, Content: "again"})
		require.ErrorIs(t, err, dynastay.ErrCorrupt, digits)
		assert.Len(t, p.all(ana, ben), 1)
	}
}

// Stored values that cannot be used are not errors of the caller.
func TestCorruptItems(t *testing.T) {
	t.Parallel()
	corrupt := func(err error) {
		t.Helper()
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.False(t, errors.Is(err, dynastay.ErrInvalid), "%v", err)
	}
	for _, at := range []string{"2300-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "some time"} {
		p := newPost(t)
		p.load(foreign(ben, ana, at, "x", no))
		if at != "some time" { // the first message gets a time, and the conversation with it
			_, err := p.repo.Send(t.Context(), messages.Message{SenderID: ana, RecipientID: ben, Content: "x"})
			corrupt(err)
			assert.Len(t, itemsOf(t, p.repo.Messages(ana, ben)), 1)
		}
		corrupt(p.repo.MarkRead(t.Context(), ana, ben, 1))
		assert.Nil(t, p.side(ana, ben))
	}
	p := newPost(t)
	p.load(dynastay.Item{
		"PK": dynastay.Text("USER#" + ana), "SK": dynastay.Text("CONVERSATION#" + ben), "received": dynastay.Text("many"),
	})
	corrupt(p.repo.MarkRead(t.Context(), ana, ben, 1))
	_, err := p.repo.Send(t.Context(), messages.Message{SenderID: ana, RecipientID: ben, Content: "x"})
	corrupt(err)
	_, err = p.repo.Send(t.Context(), messages.Message{SenderID: ben, RecipientID: ana, Content: "x"})
	corrupt(err)
	_, err = p.repo.Conversation(t.Context(), ana, ben)
	corrupt(err)
}
