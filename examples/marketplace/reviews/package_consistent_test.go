package reviews_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// Every read that decides is consistent. Local engines always read consistently, so only the requests show it.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	check := func(what string, want int, do func() error) {
		t.Helper()
		stop := s.Faults.Record()
		require.NoError(t, do(), what)
		reads := 0
		for _, request := range stop() {
			if strings.HasPrefix(request.Operation, "Get") || request.Operation == "Query" || request.Operation == "BatchGetItem" {
				reads++
				assert.Contains(t, string(request.Body), `"ConsistentRead":true`, what)
			}
		}
		assert.Equal(t, want, reads, what)
	}
	v, again := about(s.adopted(), 5), dynastay.IdempotencyKey("1")
	s.uncounted(worker, "4.5")
	check("Create", 3, func() error { return first(s.repo.Create(ctx, v, again)) })
	check("Create, repeated", 3, func() error { return first(s.repo.Create(ctx, v, again)) })
	s.uncounted(worker, "4.5")
	check("Update", 2, func() error { return first(s.repo.Update(ctx, v.Key(), stars(4), dynastay.AgreedOn("4"))) })
	again = dynastay.IdempotencyKey("2")
	check("Delete", 1, func() error { return s.repo.Delete(ctx, v.Key(), again) })
}
