package messages_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func TestPages(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for i := range 5 {
		p.send(ana, ben, fmt.Sprint(i))
	}
	page, err := p.repo.Recent(ben, ana).Page(t.Context(), dynastay.Paging{Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, "4", page.Items[0].Content)
	page, err = p.repo.Recent(ana, ben).Page(t.Context(), dynastay.Paging{Limit: 2, After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, "2", page.Items[0].Content)
	_, err = p.repo.Messages(ana, ben).Page(t.Context(), dynastay.Paging{After: page.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor)
}

func TestInbox(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for i, other := range []string{"user_c", ben, "user_a"} {
		p.send(other, ana, "Hello "+fmt.Sprint(i))
		p.Clock.Advance(time.Millisecond)
	}
	p.send(ana, "user_c", "Hello yourself")
	p.send(ben, "user_a", "Not for Ana")
	inbox := itemsOf(t, p.repo.Inbox(ana))
	var others []string
	for _, c := range inbox {
		others = append(others, c.OtherID)
		assert.Equal(t, 1, c.Unread())
	}
	assert.Equal(t, []string{"user_c", "user_a", ben}, others)
	assert.Equal(t, "Hello yourself", inbox[0].LastText)
	assert.Equal(t, ana, inbox[0].LastSenderID)
	p.read(ana, ben, 1)
	assert.Zero(t, itemsOf(t, p.repo.Inbox(ana))[2].Unread(), "the index has what was read")
	assert.Empty(t, itemsOf(t, p.repo.Inbox("user_z")))
}
