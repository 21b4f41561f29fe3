package dynastay

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A contest determines the error for a refused action on one of its items, from what it then reads or otherwise from
// what was reported. Any other action determines its own error, which takes precedence over the contest.
func TestContestJudgesItsItems(t *testing.T) {
	t.Parallel()
	boom, unreadable := errors.New("sold out"), errors.New("unreadable")
	a, b := gateRef("a"), gateRef("b")
	judge := func(wanted ...Ref) func(map[Ref]Row) error {
		return func(seen map[Ref]Row) error {
			for _, ref := range wanted {
				if _, known := seen[ref]; known {
					return boom
				}
			}
			return nil
		}
	}
	see := func(answer error, refs ...Ref) func(context.Context) (map[Ref]Row, error) {
		return func(context.Context) (map[Ref]Row, error) {
			seen := map[Ref]Row{}
			for _, ref := range refs {
				seen[ref] = Row{}
			}
			return seen, answer
		}
	}
	for name, test := range map[string]struct {
		contest Contest
		codes   []string
		want    error
	}{
		"from what was reported":     {Contest{Items: []Ref{a, b}, Judge: judge(a)}, []string{"ConditionalCheckFailed", "None"}, boom},
		"from what it reads":         {Contest{Items: []Ref{a, b}, Judge: judge(a), See: see(nil, a, b)}, []string{"ConditionalCheckFailed", "None"}, boom},
		"nothing against it by now":  {Contest{Items: []Ref{a, b}, Judge: judge(a), See: see(nil, b)}, []string{"ConditionalCheckFailed", "None"}, ErrContention},
		"nothing against the item":   {Contest{Items: []Ref{a, b}, Judge: judge(b), See: see(nil, b)}, []string{"ConditionalCheckFailed", "None"}, ErrContention},
		"one of two says so":         {Contest{Items: []Ref{a, b}, Judge: judge(a, b)}, []string{"ConditionalCheckFailed", "ConditionalCheckFailed"}, boom},
		"it cannot read":             {Contest{Items: []Ref{a, b}, Judge: judge(a), See: see(unreadable)}, []string{"ConditionalCheckFailed", "None"}, unreadable},
		"no judge":                   {Contest{Items: []Ref{a, b}}, []string{"ConditionalCheckFailed", "None"}, errNoRoom},
		"an item of no contest":      {Contest{Items: []Ref{b}, Judge: judge(b)}, []string{"ConditionalCheckFailed", "None"}, errNoRoom},
		"an item of no contest, too": {Contest{Items: []Ref{a}, Judge: judge(a)}, []string{"ConditionalCheckFailed", "ConditionalCheckFailed"}, errNoRoom},
	} {
		t.Run(name, func(t *testing.T) {
			db := (&script{answer: func(int) error { return cancelledBy(test.codes...) }}).open(&Options{Retry: Retry{Attempts: 2, Base: 1, Cap: 1}})
			err := db.Write(t.Context(), NewOp(OpSpec[struct{}]{
				Name: "test", Contest: &test.contest,
				Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
					for _, ref := range []Ref{a, b} {
						tx.Put(nightsSchema, nightsSchema.Key.Of(ref.Key)).If(Expr{}, func(Row) error { return errNoRoom })
					}
					return struct{}{}, nil
				},
			}))
			assert.ErrorIs(t, err, test.want)
		})
	}
}

var errNoRoom = errors.New("no room")

// An operation without a name, or without anything to do, is a programming error.
func TestNewOpRefuses(t *testing.T) {
	prepare := func(context.Context, *Tx) (int, error) { return 0, nil }
	assert.PanicsWithValue(t, "dynastay.NewOp: Name is required", func() { NewOp(OpSpec[int]{Prepare: prepare}) })
	assert.PanicsWithValue(t, "dynastay.NewOp: notes.Put: Prepare or Invalid is required", func() { NewOp(OpSpec[int]{Name: "notes.Put"}) })
	assert.NotPanics(t, func() { NewOp(OpSpec[int]{Name: "notes.Put", Invalid: ErrInvalid}) })
	judge := func(map[Ref]Row) error { return nil }
	assert.PanicsWithValue(t, "dynastay.NewOp: notes.Put: Contest.Items is required if Contest.Judge is set", func() {
		NewOp(OpSpec[int]{Name: "notes.Put", Prepare: prepare, Contest: &Contest{Judge: judge}})
	})
	assert.NotPanics(t, func() { NewOp(OpSpec[int]{Name: "notes.Put", Prepare: prepare, Contest: &Contest{}}) })
}

// Setting an error for a failure that cannot happen means that a condition was forgotten.
func TestMeaningNeedsACondition(t *testing.T) {
	t.Parallel()
	client := &script{}
	write := func(expr Expr) error {
		return client.open(atOnce).Write(t.Context(), NewOp(OpSpec[struct{}]{
			Name: "test",
			Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
				tx.Put(nightsSchema, Item{"PK": str("a"), "SK": str("b"), "By": str("test")})
				tx.Update(nightsSchema, gateRef("a").Key, expr).Else(func(Row) error { return errNoRoom })
				return struct{}{}, nil
			},
		}))
	}
	condition := "attribute_exists(PK)"
	assert.ErrorIs(t, write(Expr{}), errNoCondition)
	assert.Empty(t, client.by, "nothing was sent")
	assert.NoError(t, write(Expr{Condition: &condition}))
}

// A result that cannot be read again cannot be replayed: the replay would return a result that was never stored.
func TestKeyNeedsARestore(t *testing.T) {
	t.Parallel()
	client := &script{}
	db := client.open(atOnce)
	err := db.Write(t.Context(), IdempotencyKey("k"), NewOp(OpSpec[string]{
		Name: "test.Draw", Input: func(*Input) {},
		Prepare: func(context.Context, *Tx) (string, error) { return "drawn", nil },
	}))
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "IdempotencyKey", invalid.Field)
	assert.Contains(t, invalid.Reason, "test.Draw, which has no Restore")
	assert.Empty(t, client.by)
}
