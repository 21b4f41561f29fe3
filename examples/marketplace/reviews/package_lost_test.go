package reviews_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
)

// The answer to every kind of call is lost once. The call is made once all the same.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	v := about(s.completed(), 5)
	lose := func() {
		s.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	}
	lose()
	made, err := s.repo.Create(ctx, v)
	require.NoError(t, err)
	assert.Equal(t, 1, made.Version)
	lose()
	changed, err := s.repo.Update(ctx, v.Key(), stars(4))
	require.NoError(t, err)
	assert.Equal(t, 2, changed.Version)
	assert.Equal(t, "4.0 of 1, 4 stars", s.score(worker))
	lose()
	require.NoError(t, s.repo.Delete(ctx, v.Key()))
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(worker))
}
