package messages

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Message is what one user has written to another. It never changes.
type Message struct {
	ID          string
	SenderID    string
	RecipientID string
	ProjectID   string // optional; what the message is about
	Content     string // required, at most [entity.MaxNote] bytes

	// Number counts what the recipient has received in the conversation, beginning with 1. It is 0 for a message of
	// other software.
	Number int
	// Read is what other software has stored in a message without a number, see [Message.ReadBy].
	Read bool
	// CreatedAt is later than that of the message before it, whatever the clocks of servers show.
	CreatedAt time.Time
}

// ReadBy reports whether side.UserID has read the message. To show a user which of their own messages the other one has
// read, pass the Conversation of the other one. Users have read what they have sent, and nothing of other
// conversations.
func (m *Message) ReadBy(side *Conversation) bool {
	switch {
	case side.UserID == m.SenderID:
		return side.OtherID == m.RecipientID
	case side.UserID != m.RecipientID || side.OtherID != m.SenderID:
		return false
	case m.Number == 0:
		return m.Read || side.Unnumbered > 0 && side.ReadUpTo >= side.Unnumbered
	}
	return m.Number <= side.ReadUpTo
}

// Validate returns a [*dynastay.InvalidError] for a message that cannot be sent: with an invalid id, from a user to the
// same user, without content or with more than [entity.MaxNote] bytes of it.
func (m *Message) Validate() error {
	if err := checkID("SenderID", m.SenderID); err != nil {
		return err
	}
	if err := checkID("RecipientID", m.RecipientID); err != nil {
		return err
	}
	if m.ProjectID != "" {
		if err := checkID("ProjectID", m.ProjectID); err != nil {
			return err
		}
	}
	switch {
	case m.RecipientID == m.SenderID:
		return dynastay.Invalid("RecipientID", "must be another user than the sender")
	case strings.TrimSpace(m.Content) == "":
		return dynastay.Invalid("Content", "is required")
	}
	return dynastay.Within("Content", entity.CheckText(m.Content, entity.MaxNote))
}

func newMessages() *entity.Entity[Message] {
	return entity.New(entity.Spec[Message]{
		Name: "Message", Operations: "messages", Schema: keys.Table, Validate: (*Message).Validate,
		Key: func(m *Message) (dynastay.Key, error) {
			return key.Of(keys.MessageOf(m.SenderID, m.RecipientID, m.CreatedAt))
		},
		Codec: entity.Declare(func(f *entity.Fields, m *Message) {
			f.Const("entityType", "MESSAGE")
			f.String("messageId", &m.ID)
			f.String("senderId", &m.SenderID)
			f.String("recipientId", &m.RecipientID)
			f.String("projectId", &m.ProjectID)
			f.String("content", &m.Content)
			f.IfSet().Int("number", &m.Number)
			if m.Number == 0 { // in a message with a number, it would be false for ever
				f.Bool("read", &m.Read)
			}
			f.Time("createdAt", &m.CreatedAt)
		}),
		Derived: []entity.Derived[Message]{{
			Name: "conversationId",
			Value: func(m *Message) (types.AttributeValue, error) {
				return dynastay.Text(min(m.SenderID, m.RecipientID) + "#" + max(m.SenderID, m.RecipientID)), nil
			},
		}},
	})
}
