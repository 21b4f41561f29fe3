package messages_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

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
