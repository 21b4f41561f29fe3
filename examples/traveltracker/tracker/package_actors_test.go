package tracker_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// The id of an operation is a key of a user, and the device is part of what it stands for: the same operation of another
// device is refused, and shows nothing; that of another user is one of their own.
func TestOperationsOfOtherActors(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.SignUp(h.context(), tracker.Profile{
		ID: "user_other", AuthProvider: "apple", AuthProviderID: "000123.def", Email: "ben@example.com", DisplayName: "Ben",
	})
	require.NoError(t, err)
	for name, op := range map[string]tracker.Operation{
		"a visit":   h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("Secret")}),
		"a profile": h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna")}),
	} {
		require.Equal(t, tracker.Applied, h.one("phone", tracker.ClientWins, op).Outcome, name)
		stranger := h.one("tablet", tracker.ClientWins, op)
		assert.Equal(t, tracker.Refused, stranger.Outcome, name)
		assert.Nil(t, stranger.Visit, name)
		assert.Nil(t, stranger.Profile, name)
		assert.Equal(t, tracker.AlreadyApplied, h.one("phone", tracker.ClientWins, op).Outcome, "%s, repeated", name)
		theirs, err := h.repo.Push(h.context(), tracker.Push{
			UserID: "user_other", DeviceID: "phone", Operations: []tracker.Operation{op}, Rule: tracker.ClientWins,
		})
		require.NoError(t, err)
		assert.Equal(t, tracker.Applied, theirs[0].Outcome, "%s, of another user", name)
		if v := theirs[0].Visit; v != nil {
			assert.Equal(t, "user_other", v.UserID)
		}
		if p := theirs[0].Profile; p != nil {
			assert.Equal(t, "user_other", p.ID)
		}
	}
	own := tracker.Profile{AuthProvider: "apple", AuthProviderID: "000123.ghi", Email: "eve@example.com", DisplayName: "Eve"}
	other := own
	other.AuthProviderID = "000123.jkl"
	for _, key := range []dynastay.Idempotency{dynastay.IdempotencyKey("up"), dynastay.IdempotencyKey("up").Of("tenant")} {
		first, err := h.repo.SignUp(h.context(), own, key)
		require.NoError(t, err)
		_, err = h.repo.SignUp(h.context(), other, key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
		again, err := h.repo.SignUp(h.context(), own, key)
		require.NoError(t, err)
		assert.Equal(t, first.ID, again.ID)
		own.AuthProviderID, own.Email, other.Email = "000123.mno", "mia@example.com", "mia@example.com"
	}
}
