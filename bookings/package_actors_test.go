package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// For whom a write happens is part of what its key stands for: the key of somebody else, or of staff, is refused, and shows
// nothing of the booking.
func TestKeysOfOtherUsers(t *testing.T) {
	t.Parallel()
	own, other := dynastay.IfUser(fixture.Request(nil).UserID), dynastay.IfUser("user_other")
	for where, key := range map[string]func(string) dynastay.Idempotency{
		"without a scope": dynastay.IdempotencyKey,
		"in one scope":    func(k string) dynastay.Idempotency { return dynastay.IdempotencyKey(k).Of("tenant") },
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			l := begin(t, 100)
			check := func(name string, write func(opts ...dynastay.WriteOption) error) {
				t.Helper()
				require.NoError(t, write(own, key(name)), name)
				assert.ErrorIs(t, write(other, key(name)), dynastay.ErrIdempotencyMismatch, name)
				assert.ErrorIs(t, write(key(name)), dynastay.ErrIdempotencyMismatch, "%s, by staff", name)
				assert.NoError(t, write(own, key(name)), "%s, repeated", name)
			}
			for _, a := range acts {
				b := l.reach(t, a.from[0])
				a.wait(l.Clock)
				check(a.verb, func(opts ...dynastay.WriteOption) error {
					_, err := a.do(t.Context(), l.repo, b.ID, opts...)
					return err
				})
			}
			b := l.reach(t, bookings.Confirmed)
			text := "late"
			for _, c := range []struct {
				name string
				op   func() dynastay.Part
			}{
				{"modify", func() dynastay.Part {
					return l.repo.ModifyOp(bookings.Modification{BookingID: b.ID, Version: b.Version, SpecialRequests: &text})
				}},
				{"pay", func() dynastay.Part { return l.repo.RecordPaymentOp(charge(b.ID, "ch_1", "1", bookings.PaymentPaid)) }},
				{"apply", func() dynastay.Part { return l.repo.ApplyPaymentOp(charge(b.ID, "ch_2", "1", bookings.PaymentPaid)) }},
				{"refund", func() dynastay.Part {
					return l.repo.RecordRefundOp(bookings.Refund{BookingID: b.ID, ID: "re_1", ProviderTransactionID: "ch_1", Amount: dollarsOf("1")})
				}},
			} {
				check(c.name, func(opts ...dynastay.WriteOption) error {
					parts := []dynastay.Part{c.op()}
					for _, opt := range opts {
						parts = append(parts, opt)
					}
					return l.Write(t.Context(), parts...)
				})
			}
			l.Clock.Set(booked)
			req := fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1))
			create := func(by string) error {
				req := req
				req.UserID = by
				_, err := l.repo.Create(t.Context(), req, key("create"))
				return err
			}
			require.NoError(t, create(req.UserID))
			assert.ErrorIs(t, create("user_other"), dynastay.ErrIdempotencyMismatch)
			assert.NoError(t, create(req.UserID))
		})
	}
}
