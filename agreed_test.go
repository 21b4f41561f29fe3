package dynastay_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// The values of AgreedOn are hashed, so their size is checked first.
func TestAgreedOnHasALimit(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	stop := db.Faults.Record()
	fn := func(*message) error { return nil }
	_, err := outbox.Update(t.Context(), keyOf("m"), fn, dynastay.AgreedOn(strings.Repeat("a", 4000), strings.Repeat("b", 97)))
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "AgreedOn", invalid.Field)
	assert.Empty(t, stop(), "no request was sent")
	assert.NoError(t, messageEntity.CheckUpdate(dynastay.AgreedOn(strings.Repeat("a", 4000), strings.Repeat("b", 96))))
}

func TestUpdateErrorsHoldNoAddress(t *testing.T) {
	t.Parallel()
	_, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(t.Context(), &message{ID: "john@example.com"})
	require.NoError(t, err)
	_, err = outbox.Update(t.Context(), keyOf("john@example.com"), func(m *message) error { m.ID = "m"; return nil })
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorContains(t, err, "cannot be changed")
	assert.NotContains(t, err.Error(), "john")
}
