package messages

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Conversation is one side of a conversation: what UserID has received from OtherID and has read. The library keeps all
// of it.
type Conversation struct {
	UserID       string
	OtherID      string
	Received     int       // messages; the Number of the last one
	ReadUpTo     int       // the largest Number that is read
	Unnumbered   int       // messages 1 to Unnumbered are from other software, and have no Number
	LastAt       time.Time // the time of the last message, in either direction
	LastText     string    // its beginning, at most 100 bytes
	LastSenderID string    // who has written it
}

// maxPreview is the largest size of LastText, in bytes: with it, an item takes one write unit.
const maxPreview = 100

// Unread returns the number of messages that UserID has received and not read.
func (c *Conversation) Unread() int { return max(0, c.Received-c.ReadUpTo) }

// last sets what the side shows of the last message.
func (c *Conversation) last(senderID, content string, at time.Time) {
	c.LastSenderID, c.LastText, c.LastAt = senderID, preview(content), at
}

// preview returns the beginning of a text, without a part of a character at its end.
func preview(text string) string {
	if len(text) <= maxPreview {
		return text
	}
	end := maxPreview
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// The attributes that [Repository.MarkReadOp] names.
const (
	attrReceived = "received"
	attrReadUpTo = "readUpTo"
)

func newSides() *entity.Entity[Conversation] {
	return entity.New(entity.Spec[Conversation]{
		Name: "Conversation", Operations: "messages", Schema: keys.Table, Counters: []string{attrReadUpTo},
		Key: func(c *Conversation) (dynastay.Key, error) { return sideKey(c.UserID, c.OtherID) },
		Codec: entity.Declare(func(f *entity.Fields, c *Conversation) {
			f.Const("entityType", "CONVERSATION")
			f.String("userId", &c.UserID)
			f.String("otherId", &c.OtherID)
			f.Int(attrReceived, &c.Received)
			f.Int(attrReadUpTo, &c.ReadUpTo)
			f.IfSet().Int("unnumbered", &c.Unnumbered)
			f.Time("lastAt", &c.LastAt)
			f.String("lastText", &c.LastText)
			f.String("lastSenderId", &c.LastSenderID)
		}),
		Indexes: map[string]func(*Conversation) (dynastay.Key, error){
			keys.Index2: func(c *Conversation) (dynastay.Key, error) {
				return key.Of(keys.Inbox{UserID: c.UserID, At: c.LastAt, OtherID: c.OtherID})
			},
		},
	})
}

// sides are both sides of a conversation, those of the users a and b.
type sides struct {
	a, b  side
	empty bool // there are no messages
}

type side struct {
	*Conversation
	row dynastay.Row // as it was read; zero if it is not stored yet
}

// read reads both sides consistently, and counts the messages if one of them is missing.
func (r *Repository) read(ctx context.Context, a, b string) (*sides, error) {
	at, err := sideKeys(a, b)
	if err != nil {
		return nil, err
	}
	rows, err := r.db.GetAll(ctx, keys.Table, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	s := &sides{}
	if !rows[0].Exists() || !rows[1].Exists() {
		if s, err = r.count(ctx, a, b); err != nil {
			return nil, err
		}
	}
	if err := r.stored(&s.a, rows[0]); err != nil {
		return nil, err
	}
	return s, r.stored(&s.b, rows[1])
}

// stored replaces a side by the one that is stored, if it is.
func (r *Repository) stored(s *side, row dynastay.Row) (err error) {
	if s.row = row; !row.Exists() {
		return nil
	}
	if s.Conversation, err = r.side.Value(row); err != nil {
		return err
	}
	at := keys.Table.Key.From(row)
	if own, err := r.side.Key(s.Conversation); err != nil || own != at {
		return &dynastay.Error{Entity: "Conversation", ID: at.String(), Kind: dynastay.ErrCorrupt, Err: errOtherIDs}
	}
	return nil
}

// errOtherIDs is about an item of other software. It would be written into the inbox of somebody else.
var errOtherIDs = errors.New("the item must contain the ids of its key")

// unusable is the error for stored values from which no others can be derived, such as a time in the far future.
func unusable(c *Conversation, err error) error {
	return &dynastay.Error{
		Entity: "Conversation", ID: idOf(c.UserID, c.OtherID), Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error()),
	}
}

// errNoCount is about an item of other software.
var errNoCount = errors.New("received must not be negative, nor the largest int")

// idOf is the id of a side in errors.
func idOf(userID, otherID string) string { return userID + "#" + otherID }

// put adds the action that writes a side, on condition that it is as it was read, except for what the user has read
// since.
func (r *Repository) put(tx *dynastay.Tx, s side) error {
	item, err := r.side.Item(s.Conversation)
	if err != nil {
		return unusable(s.Conversation, err)
	}
	overtaken := func(dynastay.Row) error { return dynastay.ErrOvertaken }
	if !s.row.Exists() {
		tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), overtaken)
		return nil
	}
	var change expression.UpdateBuilder
	for _, name := range slices.Sorted(maps.Keys(item)) {
		if name != keys.Table.Key.Partition && name != keys.Table.Key.Sort && name != attrReadUpTo {
			change = change.Set(dynastay.NameOf(name), expression.Value(item[name]))
		}
	}
	action, err := tx.Rewrite(keys.Table, s.row, change, r.side.Known()...)
	if err != nil {
		return err
	}
	action.Else(overtaken)
	return nil
}
