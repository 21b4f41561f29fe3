package docs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/users"
)

// A handler that cannot handle a change holds up its shard, until the change is with the dead letters. The handler is
// mended, and gets it again.
func TestConsumerBehind(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.Streams())
	ctx, repo := t.Context(), users.New(db.DB, nil)
	broken := errors.New("the provider of e-mails is down")
	var greeted []string
	router := stream.NewRouter(stream.On(repo.Changes().Users, func(_ context.Context, c stream.Change[users.User]) error {
		if broken != nil {
			return broken
		}
		greeted = append(greeted, c.New.FirstName)
		return nil
	}))
	var letters [][]byte
	seen := make(chan struct{})
	var c *consumer.Consumer
	spec := consumer.Spec{Name: "greetings", Router: router, Start: consumer.Oldest, Poll: 10 * time.Millisecond, Lease: 300 * time.Millisecond, GiveUp: time.Hour}
	spec.OnError = func(context.Context, *consumer.Error) {
		select {
		case <-seen:
		default:
			close(seen)
		}
	}
	c = consumer.New(db.DB, db.Streams, spec)
	_, err := repo.Create(ctx, users.User{Email: "anna@example.com", FirstName: "Anna", LastName: "Berg", Role: users.Customer})
	require.NoError(t, err)

	stopping, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- c.Run(stopping) }()
	<-seen
	stop()
	require.NoError(t, <-ended)
	failing := 0
	require.NoError(t, func() error {
		// page consumer-behind: look at the shards
		shards, err := c.Shards(ctx)
		if err != nil {
			return err
		}
		for _, s := range shards {
			fmt.Println(s.Table, s.ID, "held by", s.Owner, "is behind", s.Behind, "failing", s.Failing, s.FailingSince, s.Failure)
		}
		// end of page
		for _, s := range shards {
			if s.Failing != "" {
				failing++
				assert.Contains(t, s.Failure, broken.Error())
			}
			assert.Empty(t, s.Owner, "nobody runs")
		}
		return nil
	}())
	assert.Equal(t, 1, failing)

	spec.GiveUp = time.Nanosecond
	spec.DeadLetter = func(_ context.Context, r stream.Record, _ error) error {
		letter, err := r.MarshalJSON()
		letters = append(letters, letter)
		return err
	}
	require.NoError(t, consumer.New(db.DB, db.Streams, spec).Drain(ctx))
	require.Len(t, letters, 1)
	require.Empty(t, greeted)

	broken = nil
	letter := letters[0]
	require.NoError(t, func() error {
		// page consumer-behind: handle it again
		var record stream.Record
		if err := record.UnmarshalJSON(letter); err != nil {
			return err
		}
		if err := router.Handle(ctx, record); err != nil {
			return err // it stays with the dead letters
		}
		// end of page
		return nil
	}())
	assert.Equal(t, []string{"Anna"}, greeted)
}
