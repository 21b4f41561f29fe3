package bookings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/wire"
)

// operations returns what a call sends.
func operations(db *dyntest.DB, call func()) (all []string) {
	stop := db.Faults.Record()
	call()
	return wire.Operations(stop())
}

// storeReferences stores bookings by the references that they have, with guards, whose ids are the references in lower
// case.
func storeReferences(t *testing.T, db *dyntest.DB, references ...string) {
	t.Helper()
	for _, reference := range references {
		b := booking(strings.ToLower(reference), fixture.Stay, bookings.Confirmed)
		b.Reference = reference
		load(t, db, bookings.Options{}, []*bookings.Booking{b})
		raw.Put(t, db, bookingsTable, dynastay.Item{
			"PK": dynastay.Text("REFERENCE#" + reference), "SK": dynastay.Text("GUARD"), "BookingId": dynastay.Text(b.ID),
		})
	}
}

// A reference is found as a guest types it, with requests that depend only on how likely the first spelling is.
func TestByReferenceAsTyped(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables)
	repo := bookings.New(db.DB, nil)
	storeReferences(t, db,
		"BKG-2026-7K3QX9", "BKG-2026-0A1B1C", // ours
		"BKG-2026-OLLIEX", "BKG-2026-011IEX", "BKG-2026-O11111", "BKG-2026-011111", "abc 1", "bkg/2026", // of other software
	)
	var (
		found  = []string{"Query", "Query"}
		second = []string{"Query", "GetItem", "Query", "Query"}
	)
	for _, test := range []struct {
		text, want string
		sent       []string
	}{
		{"BKG-2026-7K3QX9", "BKG-2026-7K3QX9", found},
		{"\tBKG-2026-7K3QX9 ", "BKG-2026-7K3QX9", found},
		{"bkg 2026 7k3qx9", "BKG-2026-7K3QX9", found},
		{"bkg20267k3qx9", "BKG-2026-7K3QX9", found},
		{"BKG\u20132026\u20117K3QX9", "BKG-2026-7K3QX9", found},
		{"bkg-2026-oaibic", "BKG-2026-0A1B1C", found},
		{"bkg 2o26 oalblc", "BKG-2026-0A1B1C", found},
		{"BKG-2026-OA1B1C", "BKG-2026-0A1B1C", second},
		{"BKG-2026-0AIBLC", "BKG-2026-0A1B1C", second},

		{"BKG-2026-OLLIEX", "BKG-2026-OLLIEX", found},
		{"BKG-2026-011IEX", "BKG-2026-011IEX", found},
		{"BKG-2026-O11111", "BKG-2026-O11111", found}, // although ours would be a different booking
		{"BKG-2026-011111", "BKG-2026-011111", found},
		{"bkg-2026-o11111", "BKG-2026-011111", found},
		{"abc 1", "abc 1", found},
		{" bkg/2026", "bkg/2026", found},
	} {
		assert.Equal(t, test.sent, operations(db, func() {
			b, err := repo.ByReference(t.Context(), test.text)
			if assert.NoError(t, err, test.text) {
				assert.Equal(t, test.want, b.Reference, test.text)
			}
		}), test.text)
	}
}

func TestByReferenceNotFound(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables)
	repo := bookings.New(db.DB, nil)
	storeReferences(t, db, "BKG-2026-7K3QX9", "BKG-2026-0A1B1C", "abc 1")
	var (
		once  = []string{"Query", "GetItem"}
		twice = []string{"Query", "GetItem", "Query", "GetItem"}
	)
	for _, test := range []struct {
		text string
		sent []string
	}{
		{"BKG-2026-7K3QX8", once},
		{"ABC 1", once},
		{"BKG-2026-7K3QU9", once},
		{"bkg 2026 7k3qx8", twice},
		{"BKG-2026-OA1B1D", twice},
	} {
		assert.Equal(t, test.sent, operations(db, func() {
			b, err := repo.ByReference(t.Context(), test.text)
			assert.ErrorIs(t, err, dynastay.ErrNotFound, test.text)
			assert.Nil(t, b)
		}), test.text)
	}
	for text, guards := range map[string]int{"BKG-2026-7K3QX8": 1, "bkg 2026 7k3qx8": 2} {
		assert.Len(t, operations(db, func() {
			_, err := repo.ByReference(t.Context(), text, dynastay.Consistent)
			assert.ErrorIs(t, err, dynastay.ErrNotFound, text)
		}), guards, text)
	}
	assert.Equal(t, []string{"GetItem", "Query"}, operations(db, func() {
		_, err := repo.ByReference(t.Context(), "bkg 2026 7k3qx9", dynastay.Consistent)
		assert.NoError(t, err)
	}))
	for _, text := range []string{"", " ", "\u00a0", strings.Repeat("x", 300)} {
		assert.Empty(t, operations(db, func() {
			_, err := repo.ByReference(t.Context(), text)
			blame.Invalid(t, err, "Reference", text)
		}))
	}
}

// Only if a reference is not found is the next one looked for.
func TestByReferenceFails(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables)
	repo := bookings.New(db.DB, nil)
	storeReferences(t, db, "BKG-2026-7K3QX9", "bkg 2026 7k3qx9")
	db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "Query", Nth: 1})
	require.Equal(t, []string{"Query"}, operations(db, func() {
		_, err := repo.ByReference(t.Context(), "bkg 2026 7k3qx9")
		require.Error(t, err)
		assert.NotErrorIs(t, err, dynastay.ErrNotFound)
	}))
}

// If the index does not have the booking, the guard of the reference finds it. Here the index row is missing
// permanently.
func TestByReferenceWithoutIndexRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	removeAttributes(t, db, keyOf(made.ID), "GSI4PK", "GSI4SK")
	got, err := repo.ByReference(ctx, made.Reference)
	require.NoError(t, err)
	assert.Equal(t, made.ID, got.ID)
}
