package dynastay_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// The version of an entity without versions would always be 0, and the condition would always hold.
func TestIfVersionNeedsVersions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	locks := entity.NewTable(db.DB, lockEntity)
	_, err := locks.Create(ctx, &lock{Name: "l"})
	require.NoError(t, err)
	stop := db.Faults.Record()
	for name, write := range map[string]func() error{
		"update": func() error {
			_, err := locks.Update(ctx, keyOf("l"), func(l *lock) error { l.Holder = "a"; return nil }, dynastay.IfVersion(0))
			return err
		},
		"delete": func() error { return locks.Delete(ctx, keyOf("l"), dynastay.IfVersion(0)) },
	} {
		blame.Invalid(t, write(), "IfVersion", name)
	}
	assert.Empty(t, stop())
}

// The values of AgreedOn are hashed, so their size is checked first.
func TestAgreedOnHasALimit(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	stop := db.Faults.Record()
	fn := func(*message) error { return nil }
	_, err := outbox.Update(t.Context(), keyOf("m"), fn, dynastay.AgreedOn(strings.Repeat("a", 4000), strings.Repeat("b", 97)))
	blame.Invalid(t, err, "AgreedOn")
	assert.Empty(t, stop(), "no request was sent")
	assert.NoError(t, messageEntity.CheckUpdate(dynastay.AgreedOn(strings.Repeat("a", 4000), strings.Repeat("b", 96))))
}

// Only the holder of a lock can release it, however similar the locks are.
func TestIfWritten(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	locks := entity.NewTable(db.DB, lockEntity)
	first, err := locks.Create(ctx, &lock{Name: "night audit", Holder: "a"})
	require.NoError(t, err)
	assert.Len(t, first.WriteID, 16)
	read, err := locks.Get(ctx, keyOf("night audit"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, first, read, "Create and Get hand out the same id")
	require.NoError(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(first.WriteID)))

	second, err := locks.Create(ctx, &lock{Name: "night audit", Holder: "a"})
	require.NoError(t, err)
	assert.NotEqual(t, first.WriteID, second.WriteID)
	stale := dynastay.IfWritten(first.WriteID)
	assert.ErrorIs(t, locks.Delete(ctx, keyOf("night audit"), stale), dynastay.ErrVersion)
	_, err = locks.Update(ctx, keyOf("night audit"), func(l *lock) error { l.Holder = "b"; return nil }, stale)
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	third, err := locks.Update(ctx, keyOf("night audit"), func(l *lock) error { l.Holder = "b"; return nil }, dynastay.IfWritten(second.WriteID))
	require.NoError(t, err)
	assert.NotEqual(t, second.WriteID, third.WriteID)
	assert.ErrorIs(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(second.WriteID)), dynastay.ErrVersion)
	require.NoError(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(third.WriteID)))
	assert.ErrorIs(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(third.WriteID)), dynastay.ErrNotFound)

	// An update that is overtaken between its read and its write.
	fourth, err := locks.Create(ctx, &lock{Name: "night audit"})
	require.NoError(t, err)
	before(db, "UpdateItem", 1, func(ctx context.Context) {
		_, err := entity.NewTable(db.Direct, lockEntity).Update(ctx, keyOf("night audit"), func(l *lock) error { l.Holder = "c"; return nil })
		assert.NoError(t, err)
	})
	_, err = locks.Update(ctx, keyOf("night audit"), func(l *lock) error { l.Holder = "d"; return nil }, dynastay.IfWritten(fourth.WriteID))
	assert.ErrorIs(t, err, dynastay.ErrVersion)

	for _, id := range []dynastay.WriteID{"", "x", first.WriteID + "A", "AAAAAAAAAAA="} {
		stop := db.Faults.Record()
		blame.Invalid(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(id)), "WriteID", "%q", id)
		_, err := locks.Update(ctx, keyOf("night audit"), func(*lock) error { return nil }, dynastay.IfWritten(id))
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.Empty(t, stop())
	}
}
