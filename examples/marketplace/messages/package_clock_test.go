package messages_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

// The clock of a server that stands still, goes back, or is hours ahead of another one does not change the order.
func TestClocks(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	ahead, behind := p.server(5*time.Hour), p.server(-5*time.Hour)
	var sent []*messages.Message
	for i, repo := range []*messages.Repository{behind, ahead, behind, p.repo, ahead, p.repo, behind} {
		if i == 4 {
			p.Clock.Set(base.AddDate(0, 0, -1))
		}
		from, to := ana, ben
		if i%3 == 0 {
			from, to = ben, ana
		}
		m, err := repo.Send(t.Context(), messages.Message{SenderID: from, RecipientID: to, Content: fmt.Sprint(i)})
		require.NoError(t, err)
		sent = append(sent, m)
	}
	assert.Equal(t, sent, p.all(ana, ben))
	assert.Equal(t, base.Add(-5*time.Hour), sent[0].CreatedAt)
	for i, m := range sent[1:] {
		assert.Equal(t, base.Add(5*time.Hour).Add(time.Duration(i)*time.Millisecond), m.CreatedAt)
	}
	p.Clock.Set(base.AddDate(0, 0, 1))
	assert.Equal(t, base.AddDate(0, 0, 1), p.send(ana, ben, "later").CreatedAt)
	assert.Equal(t, "later", itemsOf(t, p.repo.Inbox(ana))[0].LastText)
}
