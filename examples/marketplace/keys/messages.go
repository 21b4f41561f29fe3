package keys

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// Conversation is the item of one side of a conversation: USER#{UserID} / CONVERSATION#{OtherID}.
type Conversation struct{ UserID, OtherID string }

func (k *Conversation) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("CONVERSATION#", key.ID("OtherID", &k.OtherID))
}

// Inbox is the row of a [Conversation] in [Index2]: INBOX#{UserID} / TIMESTAMP#{At}#{OtherID}.
type Inbox struct {
	UserID  string
	At      time.Time
	OtherID string
}

func (k *Inbox) Form(f *key.Form) {
	f.PK("INBOX#", key.ID("UserID", &k.UserID))
	f.SK("TIMESTAMP#", key.Millis("At", &k.At), "#", key.ID("OtherID", &k.OtherID))
}

// Message is the item of a message: CONVERSATION#{FirstID}#{SecondID} / MESSAGE#{At}. FirstID is the smaller of the two
// ids, see [MessageOf].
//
// At is a time such as 2025-01-21T12:30:00Z or, with milliseconds, 2025-01-21T12:30:00Z.250. In this form, the order of
// the texts is the order of the times; in the usual form, 12:30:00.250Z comes before 12:30:00Z.
type Message struct {
	FirstID, SecondID string
	At                time.Time
}

// MessageOf returns the key of a message between two users, in either direction.
func MessageOf(a, b string, at time.Time) Message {
	return Message{FirstID: min(a, b), SecondID: max(a, b), At: at}
}

func (k *Message) Form(f *key.Form) {
	f.PK("CONVERSATION#", key.ID("FirstID", &k.FirstID), "#", key.ID("SecondID", &k.SecondID))
	f.SK("MESSAGE#", key.Custom("At", k.at, k.setAt))
}

const (
	wholeSeconds = "2006-01-02T15:04:05Z"
	milliseconds = ".000"
)

func (k *Message) at() (string, error) {
	t := k.At.UTC()
	if year := t.Year(); t.IsZero() || year < 1 || year > 9999 {
		return "", dynastay.Invalid("", "must be in a year between 1 and 9999")
	}
	text := t.Format(wholeSeconds)
	if fraction := t.Format(milliseconds); fraction != milliseconds {
		text += fraction
	}
	return text, nil
}

func (k *Message) setAt(text string) (err error) {
	seconds, fraction, found := strings.Cut(text, ".")
	if k.At, err = time.Parse(wholeSeconds, seconds); err != nil || !found {
		return err
	}
	whole, err := time.ParseDuration("0." + fraction + "s")
	k.At = k.At.Add(whole)
	return err
}
