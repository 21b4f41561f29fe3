package dynastay

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An action that is skipped is left out of the next preparation, also if it is on an item of a contest that refuses
// everything else.
func TestSkipped(t *testing.T) {
	t.Parallel()
	for name, contest := range map[string]*Contest{
		"alone":      nil,
		"in contest": {Items: gateRefs("b"), Judge: func(map[Ref]Row) error { return errSharedRefusal }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := &script{answer: func(n int) error {
				if n == 1 {
					return cancelledBy("None", "ConditionalCheckFailed")
				}
				return nil
			}}
			db := client.open(atOnce)
			var skipped [][]string
			op := func() *Operation[struct{}] {
				return NewOp(OpSpec[struct{}]{
					Name: "test", Contest: contest,
					Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
						var now []string
						for _, name := range []string{"a", "b", "c"} {
							at := gateRef(name).Key
							if tx.Skipped(nightsSchema, at) {
								now = append(now, name)
								continue
							}
							item := nightsSchema.Key.Of(at)
							item["By"] = str(name)
							tx.Put(nightsSchema, item).If(Expr{}, func(Row) error { return ErrSkip })
						}
						skipped = append(skipped, now)
						return struct{}{}, nil
					},
				})
			}
			require.NoError(t, db.Write(t.Context(), op()))
			require.NoError(t, db.Write(t.Context(), op()))
			assert.Equal(t, [][]string{nil, {"b"}, nil}, skipped)
		})
	}
}
